// SPDX-License-Identifier: Apache-2.0
// Rows of the vector unit, as the host computes them fastest.
#pragma once

#include <array>
#include <cstdint>

#include "sim/iss/cpe/reduction.hpp"

namespace swai::iss::cpe::lanes {

struct Operand {
  const uint8_t* at = nullptr;  // of the first element of the first row
  int64_t stride = 0;           // of rows
  bool vector = false;          // else one element for all of a row
  number::Kind number = number::kFp32;
  bool magnitude = false;
  bool negate = false;
};

constexpr uint32_t kLanes = 8;  // of a group

// Does an operation read this operand, a, b or c?
constexpr bool uses(vector_function::Kind op, unsigned operand) {
  if (operand == 1) return op != vector_function::kAdd;
  return operand == 0 || op == vector_function::kFma || op == vector_function::kAdd ||
         op == vector_function::kSelect;
}

// Rows, one after the other, group after group. All that it names lies in memory.
struct Run {
  vector_function::Kind op = vector_function::kFma;
  std::array<Operand, 3> operands;  // those that the operation uses
  uint32_t (*special)(uint32_t) = nullptr;
  uint8_t* result = nullptr;  // null: none
  int64_t result_stride = 0;
  number::Kind number = number::kFp32;
  reduce::Kind reduce = reduce::kNone;
  uint8_t* reductions = nullptr;
  int64_t reductions_stride = 0;
  uint32_t elements = 0;
  uint32_t rows = 0;
};

// Eight sums of products that become results.
struct Scaling {
  const uint8_t* sums = nullptr;        // int32
  const uint8_t* factors = nullptr;     // fp32, as all that follows
  const uint8_t* row_factor = nullptr;  // of all eight; null: none
  const uint8_t* biases = nullptr;      // null: none
  bool clamp = false;
  uint32_t least = 0;
  uint32_t largest = 0;
  number::Kind number = number::kFp32;
};

// False: this host cannot.
bool available();
void run(const Run& run);
void scale(const Scaling& scaling, uint8_t* result);

}  // namespace swai::iss::cpe::lanes
