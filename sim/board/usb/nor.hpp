// SPDX-License-Identifier: Apache-2.0
// The SPI NOR chip of a board: the card's flash chip on three wires, with a time in picoseconds. WP and HOLD
// are pulled up.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "sim/board/flash/flash_chip.hpp"
#include "sim/board/flash/flash_pins.hpp"
#include "sim/board/usb/circuit.hpp"
#include "sim/board/usb/time.hpp"
#include "sim/card/flash_store.hpp"

namespace swai::usb {

struct NorOptions {
  card::FlashOptions chip;
  bool absent = false;            // nothing is soldered there
  std::optional<bool> data_line;  // the chip's output is stuck at this
};

class Nor {
 public:
  Nor(card::FlashStore& store, const NorOptions& options)
      : options_(options), store_(store), chip_(store, options.chip), pins_(chip_) {}

  void drive(Picoseconds now, bool cs_n, bool sck, bool mosi) {
    wires_ = {.cs_n = cs_n || options_.absent, .sck = sck, .out = mosi, .enable = 1};
    pins_.clock(now / kNanosecond, wires_);
  }
  // What the chip puts on its output.
  bool sense(Picoseconds now) {
    const bool level = (pins_.clock(now / kNanosecond, wires_) & 0x2) != 0;
    return options_.data_line.value_or(level);
  }

  // Eight pulses of sck at once; see Circuit::exchange().
  std::optional<uint8_t> exchange(const Pulses& pulses, uint8_t byte) {
    const std::optional<uint8_t> answer = pins_.exchange(
        pulses.last_rise() / kNanosecond, pulses.end() / kNanosecond, pulses.half_period / kNanosecond, byte);
    if (!answer) return answer;
    wires_.out = byte & 1;
    return options_.data_line ? (*options_.data_line ? 0xFF : 0x00) : *answer;
  }

  // Whether these bytes are near its beginning: a bitstream for an FPGA.
  bool holds(std::span<const uint8_t> preamble) const;

  void power_cut(Picoseconds now) {
    chip_.set_now(now / kNanosecond);
    chip_.power_cut();
  }
  // Lets an operation under way end.
  void finish() { chip_.finish(); }
  const card::FlashChip& chip() const { return chip_; }
  card::FlashPins::Violations violations() const { return pins_.violations(); }

 private:
  NorOptions options_;
  card::FlashStore& store_;
  card::FlashChip chip_;
  card::FlashPins pins_;
  card::FlashWires wires_;
};

}  // namespace swai::usb
