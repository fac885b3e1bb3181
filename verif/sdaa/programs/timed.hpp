// What the program that measures is told, and what it says.
#pragma once

#include <array>
#include <cstdint>

#include "abi/program.hpp"

namespace swai::timed {

inline constexpr unsigned kRounds = 33;

struct Wish {
  program::Kernel kernel;  // does nothing
  std::array<uint64_t, 3> arguments;
};

// Cycles of an empty call into the kernel and back, of each round.
using Report = std::array<uint64_t, kRounds>;

}  // namespace swai::timed
