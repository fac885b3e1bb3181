// SPDX-License-Identifier: Apache-2.0
// What the models of all units need beside the numbers of their commands.
#pragma once

#include <cstdint>

#include "sim/iss/cpe/fault.hpp"

namespace swai::iss::cpe {

constexpr int64_t bytes_of(number::Kind kind) {
  return kind == number::kInt8 ? 1 : kind == number::kFp16 ? 2 : 4;
}

// Tickets count up modulo 2^32 from 1, the first transfer's: is `ticket` among the first `done`?
constexpr bool reached(uint32_t done, uint32_t ticket) { return static_cast<int32_t>(done - ticket) >= 0; }

// Of a custom instruction's immediate.
constexpr uint8_t unit_of(int32_t imm) { return static_cast<uint8_t>(imm >> 7); }
constexpr uint8_t operation_of(int32_t imm) { return static_cast<uint8_t>(imm & 0x7f); }

// It tells a unit what its next command uses: it takes no time, and nothing of it can go wrong later.
constexpr bool only_sets(uint8_t unit, uint8_t op) {
  switch (unit) {
    case unit::kDma:
      return op == dma_op::kGlobal || op == dma_op::kShape;
    case unit::kSystolic:
      return op < systolic_op::kRun;
    case unit::kVector:
      return op < vector_op::kRun;
    default:
      return false;
  }
}

}  // namespace swai::iss::cpe
