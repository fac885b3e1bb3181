// SPDX-License-Identifier: Apache-2.0
// A flash chip's four wires.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <thread>

namespace swai::flash {

// Chip select goes low, `out` is sent, `in` is received, chip select goes high.
struct SpiCommand {
  std::span<const uint8_t> out;
  std::span<uint8_t> in;
};

// Gives each command its part of what came in.
inline void hand_out(std::span<const uint8_t> answers, std::span<const SpiCommand> commands) {
  for (const SpiCommand& command : commands) {
    std::ranges::copy(answers.first(command.in.size()), command.in.begin());
    answers = answers.subspan(command.in.size());
  }
}

// All functions throw BoardError.
class SpiBus {
 public:
  virtual ~SpiBus() = default;

  // One after the other, with no more time between them than there must be: what follows each other like
  // that should be in one call.
  virtual void run(std::span<const SpiCommand> commands) = 0;
  // Brings the bus into a known state, chip select high, after an error.
  virtual void recover() = 0;
  virtual std::string description() const = 0;
  // Received in a call of run() that lasts long enough for the speed not to suffer, and no longer.
  virtual size_t best_read_bytes() const = 0;
  // How many bytes travel in a microsecond.
  virtual double bytes_per_us() const = 0;
  // Lets time pass while the chip is busy.
  virtual void pass(std::chrono::microseconds time) { std::this_thread::sleep_for(time); }
};

}  // namespace swai::flash
