// SPDX-License-Identifier: Apache-2.0
#include "sim/board/flash/flash_pins.hpp"

namespace swai::card {
namespace {

constexpr uint64_t kMinPhase = 3;            // of sck; 7.5 ns a period at 133 MHz
constexpr uint64_t kMinSlowReadPeriod = 20;  // 50 MHz
constexpr uint64_t kMinDeselect = 50;

}  // namespace

void FlashPins::edge(uint64_t now, const FlashWires& wires) {
  chip_.set_now(now);
  const bool was_selected = !cs_n_;
  const bool rises = wires.sck && !sck_;
  const bool falls = !wires.sck && sck_;
  if (was_selected && !wires.cs_n && now - last_edge_ < kMinPhase) ++violations_.sck;
  last_edge_ = now;
  cs_n_ = wires.cs_n;
  sck_ = wires.sck;

  if (was_selected && wires.cs_n) {
    chip_.deselect(bits_ == 0);
    deselected_at_ = now;
    level_ = driven_ = next_driven_ = 0;
    outputs_pending_ = false;
  } else if (!was_selected && !wires.cs_n) {
    if (ever_selected_ && now - deselected_at_ < kMinDeselect) ++violations_.deselect;
    ever_selected_ = true;
    chip_.select();
    bits_ = 0;
    byte_in_ = 0;
    opcode_ = true;
    slow_read_ = false;
    last_rise_ = 0;
  } else if (was_selected && rises) {
    rising(now, wires);
  } else if (was_selected && falls) {
    falling(now);
  }
}

void FlashPins::rising(uint64_t now, const FlashWires& wires) {
  if (outputs_pending_ && now >= outputs_at_) apply_outputs();
  const FlashChip::Transfer transfer = chip_.coming();
  const bool fast = now - last_rise_ < kMinSlowReadPeriod;
  if (slow_read_ && transfer.drives && bits_ == 7 && fast) ++violations_.fast_read;
  last_rise_ = now;

  const unsigned mask = (1U << transfer.lanes) - 1;
  const unsigned pins = (wires.out & wires.enable) | (~wires.enable & 0xFU);
  byte_in_ = static_cast<uint8_t>(byte_in_ << transfer.lanes | (pins & mask));
  bits_ += transfer.lanes;
  if (bits_ < 8) return;
  byte_ends();
}

void FlashPins::byte_ends() {
  if (opcode_) slow_read_ = byte_in_ == 0x03;
  opcode_ = false;
  chip_.in(byte_in_);
  bits_ = 0;
  byte_in_ = 0;
}

std::optional<uint8_t> FlashPins::exchange(uint64_t last_rise, uint64_t end, uint64_t half_period,
                                           uint8_t byte) {
  const FlashChip::Transfer transfer = chip_.coming();
  const bool slow =
      half_period > output_delay_ && half_period >= kMinPhase && 2 * half_period >= kMinSlowReadPeriod;
  if (cs_n_ || sck_ || bits_ != 0 || transfer.lanes != 1 || !slow) return std::nullopt;
  const uint8_t answer = transfer.drives ? byte_out_ : 0xFF;
  chip_.set_now(last_rise);
  byte_in_ = byte;
  byte_ends();
  last_rise_ = last_rise;
  chip_.set_now(end);
  last_edge_ = end;
  falling(end);
  return answer;
}

void FlashPins::falling(uint64_t now) {
  const FlashChip::Transfer transfer = chip_.coming();
  if (transfer.drives) {
    if (bits_ == 0) byte_out_ = chip_.out();
    const auto slice = static_cast<uint8_t>(byte_out_ << bits_);
    next_level_ =
        transfer.lanes == 1 ? static_cast<uint8_t>(slice >> 7 << 1) : static_cast<uint8_t>(slice >> 4);
    next_driven_ = transfer.lanes == 1 ? 0x2 : 0xF;
  } else {
    next_driven_ = 0;
  }
  outputs_at_ = now + output_delay_;
  outputs_pending_ = true;
}

}  // namespace swai::card
