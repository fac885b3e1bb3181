// Whole groups of 8 elements of the vector unit, as the host computes them fastest.
#pragma once

#include <array>
#include <cstdint>

#include "sim/iss/cpe/reduction.hpp"

namespace swai::iss::cpe::lanes {

struct Operand {
  const uint8_t* at = nullptr;  // of the first element; null: `value` for all
  bool vector = false;          // else one element for all
  number::Kind number = number::kFp32;
  bool magnitude = false;
  bool negate = false;
  uint32_t value = 0;
};

// A row, or the first groups of one: all that it names lies in memory.
struct Row {
  vector_function::Kind op = vector_function::kFma;
  std::array<Operand, 3> operands;  // those that are not used: value
  uint32_t (*special)(uint32_t) = nullptr;
  uint8_t* result = nullptr;  // null: none
  number::Kind number = number::kFp32;
  reduce::Kind reduce = reduce::kNone;
  uint32_t groups = 0;
};

// False: this host cannot.
bool available();
void run(const Row& row, Reduction& reduction);

}  // namespace swai::iss::cpe::lanes
