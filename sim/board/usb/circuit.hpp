// SPDX-License-Identifier: Apache-2.0
// What is soldered to the sixteen pins of a channel. Bits 0 to 7 are xDBUS, 8 to 15 xCBUS.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/board/usb/time.hpp"

namespace swai::usb {

// Pulses of a clock that rests low: it rises half a period after the beginning.
struct Pulses {
  Picoseconds begin = 0;
  Picoseconds half_period = 0;

  Picoseconds last_rise() const { return begin + 15 * half_period; }
  Picoseconds end() const { return begin + 16 * half_period; }
};

class Circuit {
 public:
  Circuit() = default;
  Circuit(const Circuit&) = delete;
  Circuit& operator=(const Circuit&) = delete;
  virtual ~Circuit() = default;

  // From `now` on the adapter drives `outputs` to `levels`. A pin that nobody drives is pulled up.
  virtual void drive(Picoseconds now, uint16_t levels, uint16_t outputs) = 0;
  // The levels that the adapter would read from all pins.
  virtual uint16_t sense(Picoseconds now) = 0;

  // Eight pulses of the clock at once, as SPI mode 0 has them, with the byte's top bit first: what the
  // circuit answers, or nothing where that must go pin by pin. A shortcut in the computer's time; the
  // emulated time is the same.
  virtual std::optional<uint8_t> exchange(const Pulses& /*pulses*/, uint8_t /*byte*/) { return std::nullopt; }
};

// Nothing is soldered to them.
class OpenPins : public Circuit {
 public:
  void drive(Picoseconds /*now*/, uint16_t levels, uint16_t outputs) override {
    levels_ = static_cast<uint16_t>(levels | ~outputs);
  }
  uint16_t sense(Picoseconds /*now*/) override { return levels_; }

 private:
  uint16_t levels_ = 0xFFFF;
};

}  // namespace swai::usb
