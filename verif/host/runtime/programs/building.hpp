// SPDX-License-Identifier: Apache-2.0
// What the program that builds a list again and again is told, and what it says.
#pragma once

#include <array>
#include <cstdint>

#include "abi/building.hpp"
#include "abi/list_template.hpp"

namespace swai::timed_building {

inline constexpr unsigned kRounds = 17;
inline constexpr uint32_t kMaxSymbols = 8;

struct Wish {
  building::Source source;
  uint64_t list;  // device pointers: where it is built, and where parameters go
  uint64_t parameters;
  std::array<int64_t, kMaxSymbols> sizes;  // of the template's symbols, in their order
};

// Cycles of each round: to build the list, to work out its parameters, until memory has these.
struct Round {
  uint64_t build;
  uint64_t patch;
  uint64_t hand_over;
};
struct Report {
  uint64_t nodes;
  std::array<Round, kRounds> rounds;
};

// The program's code.
enum Code : uint32_t { kAll = 0, kRefused = 1, kFailed = 2 };

}  // namespace swai::timed_building
