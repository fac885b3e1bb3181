// What the program that measures is told, and what it says.
#pragma once

#include <array>
#include <cstdint>

#include "abi/program.hpp"

namespace swai::timed {

inline constexpr unsigned kRounds = 33;
inline constexpr uint64_t kHandedOver = 4096;  // bytes

struct Wish {
  program::Kernel kernel;  // does nothing
  std::array<uint64_t, 3> arguments;
  program::Kernel takes;  // these, from its first argument, and gives the last line to its second one
  std::array<uint64_t, 3> shares;
};

// Cycles of each round.
struct Report {
  std::array<uint64_t, kRounds> call;  // an empty one into the kernel and back
  // From the first store to having the line that comes back; 0: it was another one.
  std::array<uint64_t, kRounds> handover;
};

}  // namespace swai::timed
