// SPDX-License-Identifier: Apache-2.0
// The test access port of an ECP5: JTAG's state machine, the instructions that flashing needs, and the way
// through to the configuration flash (LSC_PROG_SPI).
//
// After LSC_PROG_SPI, the key 0x68FE through the data register, and a visit to Run-Test/Idle, the flash hangs
// on the port: chip select is low while data are shifted, TCK is its clock, TDI and TDO its data.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/board/usb/nor.hpp"
#include "sim/board/usb/time.hpp"

namespace swai::usb {

class Ecp5Tap {
 public:
  enum class State : uint8_t {
    kReset,
    kIdle,
    kSelectDr,
    kCaptureDr,
    kShiftDr,
    kExit1Dr,
    kPauseDr,
    kExit2Dr,
    kUpdateDr,
    kSelectIr,
    kCaptureIr,
    kShiftIr,
    kExit1Ir,
    kPauseIr,
    kExit2Ir,
    kUpdateIr
  };

  Ecp5Tap(uint32_t idcode, Nor& flash) : idcode_(idcode), flash_(flash) { configure(0); }

  void drive(Picoseconds now, bool tck, bool tms, bool tdi);
  // A line that the port does not drive is pulled up.
  bool tdo(Picoseconds now);

  // Eight pulses of TCK at once, with TMS low; see Circuit::exchange(). Only on the way through to the flash.
  std::optional<uint8_t> exchange(const Pulses& pulses, uint8_t byte);

  State state() const { return state_; }
  // The flash hangs on the port.
  bool passes_through() const { return pass_ == Pass::kOpen; }
  // Times that it was given away.
  uint64_t passages() const { return passages_; }
  // Periods of TCK that were shorter than the 40 ns of the data sheet.
  uint64_t fast_clocks() const { return fast_clocks_; }

 private:
  enum class Pass : uint8_t { kClosed, kUnlocked, kOpen };

  void rising(Picoseconds now, bool tms, bool tdi);
  void falling(Picoseconds now);
  void shift_in(bool tdi);
  void rises(Picoseconds now);
  void capture(Picoseconds now);
  void update_ir(Picoseconds now);
  void update_dr(Picoseconds now);
  unsigned data_bits() const;
  uint32_t status(Picoseconds now) const;
  void configure(Picoseconds now);

  uint32_t idcode_;
  Nor& flash_;
  State state_ = State::kReset;
  bool tck_ = false;
  bool tdi_ = true;

  uint8_t instruction_ = 0xE0;
  uint8_t shift_ir_ = 0;
  uint64_t shift_dr_ = 0;
  uint64_t shifted_ = 0;  // the last 64 bits that came in, the newest at the top
  uint64_t bits_ = 0;
  bool tdo_ = true;
  bool drives_ = false;

  Pass pass_ = Pass::kClosed;
  bool selected_ = false;
  uint64_t passages_ = 0;
  uint64_t fast_clocks_ = 0;
  std::optional<Picoseconds> rose_;

  bool programming_ = false;  // between ISC_ENABLE and ISC_DISABLE
  bool done_ = false;         // a design runs
  bool failed_ = false;       // there was no bitstream to load
  Picoseconds busy_until_ = 0;
};

}  // namespace swai::usb
