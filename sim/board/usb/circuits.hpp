// SPDX-License-Identifier: Apache-2.0
// The circuits of the boards.
#pragma once

#include <cstdint>
#include <optional>

#include "host/lib/boards.hpp"
#include "sim/board/usb/circuit.hpp"
#include "sim/board/usb/ecp5_tap.hpp"
#include "sim/board/usb/nor.hpp"

namespace swai::usb {

// A flash chip directly on the pins: clock on 0, data to the chip on 1, from it on 2. Where the wiring has a
// reset, an iCE40 is beside the chip.
class SpiCircuit : public Circuit {
 public:
  SpiCircuit(const boards::SpiWiring& wiring, Nor& flash);
  void drive(Picoseconds now, uint16_t levels, uint16_t outputs) override;
  uint16_t sense(Picoseconds now) override;
  std::optional<uint8_t> exchange(const Pulses& pulses, uint8_t byte) override;

 private:
  // The FPGA reads its bitstream and owns the chip.
  bool configuring(Picoseconds now) const { return now < configured_at_; }

  // Masks of pins; 0: there is none.
  uint16_t select_;
  uint16_t reset_ = 0;
  uint16_t done_;
  Nor& flash_;
  uint16_t levels_ = 0xFFFF;
  bool in_reset_ = false;
  Picoseconds configured_at_ = 0;
};

// An ECP5 on the pins: TCK, TDI, TDO, TMS on 0 to 3.
class JtagCircuit : public Circuit {
 public:
  JtagCircuit(uint32_t idcode, Nor& flash) : tap_(idcode, flash) {}
  void drive(Picoseconds now, uint16_t levels, uint16_t outputs) override;
  uint16_t sense(Picoseconds now) override;
  std::optional<uint8_t> exchange(const Pulses& pulses, uint8_t byte) override;
  const Ecp5Tap& tap() const { return tap_; }

 private:
  Ecp5Tap tap_;
  uint16_t levels_ = 0xFFFF;
};

}  // namespace swai::usb
