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

}  // namespace swai::iss::cpe
