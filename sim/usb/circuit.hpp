// What is soldered to the sixteen pins of a channel. Bits 0 to 7 are xDBUS, 8 to 15 xCBUS.
#pragma once

#include <cstdint>

#include "sim/usb/time.hpp"

namespace swai::usb {

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
