// SPDX-License-Identifier: Apache-2.0
#include "sim/board/usb/board.hpp"

namespace swai::usb {
namespace {

std::unique_ptr<Circuit> make_circuit(const boards::Board& kind, Nor& flash) {
  if (kind.jtag) return std::make_unique<JtagCircuit>(kind.jtag->fitted, flash);
  return std::make_unique<SpiCircuit>(*kind.spi, flash);
}

NorOptions with_observer(NorOptions options, std::function<void(const card::FlashOperation&)> begins) {
  options.chip.begins = std::move(begins);
  return options;
}

}  // namespace

Board::Board(const BoardOptions& options, card::FlashStore& store)
    : options_(options),
      flash_(store,
             with_observer(options.nor,
                           [this](const card::FlashOperation& operation) { operation_begins(operation); })),
      circuit_(make_circuit(options.kind, flash_)),
      adapter_({.vendor = options.kind.usb.vendor,
                .product = options.kind.usb.product,
                .manufacturer = options.kind.usb.manufacturer,
                .name = options.kind.usb.text,
                .serial = options.serial},
               options.kind.usb.channel == 0 ? *circuit_ : open_,
               options.kind.usb.channel == 0 ? open_ : *circuit_),
      port_(adapter_, options_.faults) {
  port_.power_cut = [this](Picoseconds time) {
    power_was_cut_ = true;
    flash_.power_cut(time);
  };
}

const Ecp5Tap* Board::tap() const {
  const auto* jtag = dynamic_cast<const JtagCircuit*>(circuit_.get());
  return jtag == nullptr ? nullptr : &jtag->tap();
}

// Whether power goes in the course of this one, and when.
void Board::operation_begins(const card::FlashOperation& operation) {
  const uint64_t bytes_before = operation_bytes_;
  ++operations_;
  operation_bytes_ += operation.bytes;
  const std::optional<PowerCut>& cut = options_.faults.cut;
  if (!cut) return;
  double progress = cut->progress;
  if (cut->byte) {
    if (*cut->byte <= bytes_before || *cut->byte > operation_bytes_) return;
    progress = (static_cast<double>(*cut->byte - bytes_before) - 0.5) / operation.bytes;
  } else if (cut->operation != operations_) {
    return;
  }
  const auto length = static_cast<double>(operation.end - operation.start);
  const Picoseconds time = (operation.start + static_cast<uint64_t>(length * progress)) * kNanosecond;
  port_.cut_power_at(time);
  for (Channel& channel : adapter_.channels()) channel.engine().stop_at(time);
}

std::optional<Urb> Board::reap() {
  std::optional<Urb> urb = port_.reap();
  if (!urb) return urb;
  const card::FlashChip::Counters& counters = flash_.chip().counters();
  auto note = [this](Stretch& stretch, uint64_t& seen, uint64_t count) {
    if (count == seen) return;
    if (!stretch.first) stretch.first = reaped_;
    stretch.last = port_.now();
    seen = count;
  };
  if (counters.bytes_read != read_)
    reading_half_period_ = adapter_.channels()[options_.kind.usb.channel].engine().half_period();
  note(reading_, read_, counters.bytes_read);
  note(programming_, programmed_, counters.bytes_programmed);
  reaped_ = port_.now();
  return urb;
}

void Board::finish() {
  port_.finish();
  if (!power_was_cut_) flash_.finish();
}

}  // namespace swai::usb
