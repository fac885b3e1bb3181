// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/soc/spi_probe.hpp"

namespace swai::soc {

void SpiProbe::drive() {
  auto& pins = devices_.top();
  const uint64_t now = devices_.cycle();
  const bool selected = pins.flash_cs_no == 0;
  const bool sck = pins.flash_sck_o != 0;
  if (selected && !selected_) {
    check(!sck, "chip select fell while sck was high");
    periods_.clear();
    ++commands_;
    rest_ = now - deselected_at_;
    edge_at_ = now;
  }
  if (!selected && selected_) {
    check(!sck, "chip select rose while sck was high");
    check(now - edge_at_ >= 4, "chip select rose too soon after the last falling edge");
    deselected_at_ = now;
  }
  check(selected || !sck, "sck moves outside a command");
  if (selected && sck && !sck_) {
    periods_.push_back({pins.flash_io_o, pins.flash_io_oe_o, now - edge_at_, 0});
    edge_at_ = now;
  }
  if (selected && !sck && sck_) {
    periods_.back().high = now - edge_at_;
    edge_at_ = now;
  }
  selected_ = selected;
  sck_ = sck;

  // Before the rising edge of a period its number is the count of those recorded; after it, one less.
  const uint64_t period = periods_.size() - (sck ? 1 : 0);
  auto lines = static_cast<uint8_t>(devices_.random().below(16));
  const bool speaks = selected && period >= first_ && period - first_ < symbols_.size();
  if (speaks && (sck || now - edge_at_ >= delay_)) {
    const uint8_t symbol = symbols_[period - first_];
    lines = quad_ ? symbol : static_cast<uint8_t>((lines & ~2) | (symbol & 1) << 1);
  }
  pins.flash_io_i = lines;
}

}  // namespace swai::soc
