// SPDX-License-Identifier: Apache-2.0
// What the program that measures is told, and what it says.
#pragma once

#include <array>
#include <cstdint>

#include "abi/program.hpp"

namespace swai::timed {

inline constexpr unsigned kRounds = 33;
inline constexpr uint64_t kHandedOver = 4096;  // bytes
inline constexpr uint64_t kFirst = 4096;       // of them
inline constexpr uint64_t kLarge = 64 << 10;   // more than the cache holds
// Of the page for answers. Lines at the beginning of pages, such as notes, have the same few places of the
// cache.
inline constexpr uint64_t kBeside = 1024;

struct Wish {
  program::Kernel kernel;  // does nothing
  std::array<uint64_t, 3> arguments;
  program::Kernel takes;  // what is handed over, and stores its last line behind it
  uint32_t shares;        // its argument if the line comes back behind all shares
  uint32_t beside;        // and beside the processor
  uint64_t data;          // device pointer; of kLarge bytes
};

// Handing data over: what each piece took.
struct Handover {
  uint64_t write;   // on its way to memory
  uint64_t launch;  // the call
  uint64_t look;    // until the line that comes back is there
  uint64_t cycles;  // all of it; 0: it was another line
  uint64_t end;     // then the call that waits for the launch's end, before the next one

  uint64_t round() const { return cycles + end; }
};
// Cycles of each round.
struct Report {
  std::array<uint64_t, kRounds> call;  // an empty one into the kernel and back
  std::array<Handover, kRounds> handover;
  // To write kLarge, line by line: lines that are read from memory before, and lines that are zeroed.
  uint64_t read;
  uint64_t zeroed;
};

}  // namespace swai::timed
