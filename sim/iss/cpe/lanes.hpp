// Rows of the vector unit, as the host computes them fastest.
#pragma once

#include <array>
#include <cstdint>

#include "sim/iss/cpe/reduction.hpp"

namespace swai::iss::cpe::lanes {

struct Operand {
  const uint8_t* at = nullptr;  // of the first element; null: nobody uses it
  bool vector = false;          // else one element for all
  number::Kind number = number::kFp32;
  bool magnitude = false;
  bool negate = false;
};

constexpr uint32_t kLanes = 8;  // of a group

// All that it names lies in memory.
struct Row {
  vector_function::Kind op = vector_function::kFma;
  std::array<Operand, 3> operands;
  uint32_t (*special)(uint32_t) = nullptr;
  uint8_t* result = nullptr;  // null: none
  number::Kind number = number::kFp32;
  reduce::Kind reduce = reduce::kNone;
  uint32_t elements = 0;
};

// False: this host cannot.
bool available();
void run(const Row& row, Reduction& reduction);

}  // namespace swai::iss::cpe::lanes
