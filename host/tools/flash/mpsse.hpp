// SPDX-License-Identifier: Apache-2.0
// The serial engine (MPSSE) of an FT2232H, through USB: a stream of commands out, a stream of sampled bytes
// in. Numbers are those of FTDI's application note 108.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "host/tools/flash/usb.hpp"

namespace swai::flash {

// Commands that are collected, and how many bytes they will bring.
class MpsseCommands {
 public:
  // Levels and directions of ADBUS0 to 7.
  void pins(uint8_t levels, uint8_t outputs);
  // Bytes on the data wire, highest bit first, valid at rising edges of the clock.
  void write(std::span<const uint8_t> bytes);
  void read(size_t bytes);
  // Bits, at most 8: the highest of `byte` first.
  void write_bits(uint8_t byte, unsigned bits);
  // The same, lowest bit first.
  void write_low_first(std::span<const uint8_t> bytes);
  void write_bits_low_first(uint8_t byte, unsigned bits);
  void read_low_first(size_t bytes);
  // Bits on the mode wire (TMS), at most 7, lowest first, while the data wire keeps a level.
  void mode(uint8_t bits, unsigned count, bool data = false);

  std::vector<uint8_t>& bytes() { return bytes_; }
  size_t answers() const { return answers_; }

 private:
  void block(uint8_t opcode, std::span<const uint8_t> bytes);
  void read_block(uint8_t opcode, size_t bytes);

  std::vector<uint8_t> bytes_;
  size_t answers_ = 0;
};

class Mpsse {
 public:
  // `outputs` are pins that are driven, at `levels`, before anything else happens.
  Mpsse(const UsbPlace& place, unsigned channel, uint32_t clock_hz, uint8_t levels, uint8_t outputs);
  ~Mpsse();
  Mpsse(const Mpsse&) = delete;
  Mpsse& operator=(const Mpsse&) = delete;

  // Runs the commands; fills `to`, which is as long as their answers.
  void run(MpsseCommands& commands, std::span<uint8_t> to);
  // As after the constructor.
  void restart();

  // The clock that the divider makes of what was asked for.
  uint32_t clock_hz() const { return clock_hz_; }
  const UsbPlace& place() const { return usb_.place(); }

 private:
  void begin();
  void synchronise();
  // Counts what comes before the answer to an unknown command.
  void read_until_answer(uint8_t command, size_t& left_over);
  void exchange(std::span<const uint8_t> out, std::span<uint8_t> to);
  // Takes what has come in, less the two status bytes of each packet; returns what is still to be filled.
  std::span<uint8_t> take(std::span<uint8_t> to);

  UsbDevice usb_;
  const unsigned channel_;
  const uint16_t divisor_;
  const uint32_t clock_hz_;
  const uint8_t levels_;
  const uint8_t outputs_;
  size_t taken_ = 0;  // of the transfer that came in first
};

}  // namespace swai::flash
