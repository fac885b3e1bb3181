// SPDX-License-Identifier: Apache-2.0
// The serial engine of an FT2232H (multi-protocol synchronous serial engine): reads commands from the
// channel's buffer, moves pins, and puts what it reads into the other buffer. FTDI's application note AN_108
// describes it.
//
// Not modelled: the CPU bus emulation (0x90 to 0x93). Adaptive clocking is accepted and changes nothing: no
// board here returns a clock.
#pragma once

#include <array>
#include <cstdint>

#include "sim/board/usb/circuit.hpp"
#include "sim/board/usb/fifo.hpp"
#include "sim/board/usb/time.hpp"

namespace swai::usb {

class Mpsse {
 public:
  Mpsse(Circuit& circuit, Fifo& from_host, Fifo& to_host)
      : circuit_(circuit), from_host_(from_host), to_host_(to_host) {}

  // As after the bit mode was set: clock at 6 MHz, pins as inputs.
  void reset(Picoseconds now);

  // Works until `until`, or as far as the buffers allow. Nothing that would end later is begun.
  void run(Picoseconds until);
  // Working is as far as this.
  Picoseconds now() const { return now_; }
  // Waits for nothing but time.
  bool working() const { return working_; }
  // While working: when the next step, of a byte at most, will have ended.
  Picoseconds next_step() const { return next_step_; }

  // "Send immediate" was asked for; the question takes it back.
  bool take_flush() {
    const bool flush = flush_;
    flush_ = false;
    return flush;
  }

  // Power goes: the engine stops for good at this time. Nothing that would end later is begun.
  void stop_at(Picoseconds time) { stop_at_ = time; }

  Picoseconds half_period() const { return half_period_; }
  uint64_t clocks() const { return clocks_; }

 private:
  enum class Phase : uint8_t { kOpcode, kArguments, kBytes, kBits, kClocks, kWait };

  bool step(Picoseconds until);
  bool take(Picoseconds cost, Picoseconds until);
  static int arguments(uint8_t opcode);
  void begin();
  bool shift(Picoseconds until, unsigned bits);
  bool shift_byte(uint8_t out, uint8_t& in);
  bool shift_bit(bool out);
  void clock();
  void toggle(Picoseconds after);
  void pins() { circuit_.drive(now_, levels_, outputs_); }
  void set_clock();
  void answer(uint8_t byte) { to_host_.push(byte); }
  bool waits_for_level() const;

  Circuit& circuit_;
  Fifo& from_host_;
  Fifo& to_host_;
  Picoseconds now_ = 0;
  Picoseconds stop_at_ = kNever;
  Picoseconds next_step_ = kNever;
  bool working_ = false;

  uint16_t levels_ = 0;
  uint16_t outputs_ = 0;
  bool divide_by_5_ = true;
  bool three_phase_ = false;
  bool loopback_ = false;
  uint16_t divisor_ = 0;
  Picoseconds half_period_ = 0;
  bool flush_ = false;
  uint64_t clocks_ = 0;

  Phase phase_ = Phase::kOpcode;
  uint8_t opcode_ = 0;
  std::array<uint8_t, 2> argument_{};
  int argument_count_ = 0;
  uint32_t left_ = 0;  // bytes or clocks of the command still to come
};

}  // namespace swai::usb
