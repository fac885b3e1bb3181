// SPDX-License-Identifier: Apache-2.0
// Who and where a CPE is, synchronisation, and counters.
#pragma once

#include <bit>
#include <cstdint>

#include "swai/isa.hpp"

namespace swai::cpe {

// --- Place on the card. Rows and columns count from 0.

inline uint32_t hart_id() { return isa::constant_csr<isa::csr::kMhartid>(); }
inline uint32_t group_number() { return hart_id() >> 5 & 3; }
inline uint32_t row_number() { return hart_id() >> 3 & 3; }
inline uint32_t column_number() { return hart_id() & 7; }

// Size of the group: register cpe_config holds rows in bits 7:0, columns in bits 15:8.
inline uint32_t rows() { return isa::constant_csr<isa::csr::kCpeConfig>() & 0xff; }
inline uint32_t columns() { return isa::constant_csr<isa::csr::kCpeConfig>() >> 8 & 0xff; }

// Number in the group, and bit in every mask.
inline uint32_t number() { return row_number() * columns() + column_number(); }

// --- The launch

// Who takes part: bit n is CPE n.
inline uint32_t launch_mask() { return isa::constant_csr<isa::csr::kLaunchMask>(); }
// How many take part, and how many of them have a lower number: what a kernel divides its work by. Counting
// bits takes forty instructions; mostly all take part.
inline uint32_t count() {
  const uint32_t mask = launch_mask();
  return mask == ~uint32_t{0} ? 32 : static_cast<uint32_t>(std::popcount(mask));
}
inline uint32_t rank() {
  const uint32_t below = (1u << number()) - 1;
  const uint32_t taking_part = launch_mask() & below;
  return taking_part == below ? number() : static_cast<uint32_t>(std::popcount(taking_part));
}

// --- Synchronisation

enum class Scope : uint32_t { kRow = 1, kColumn = 2, kAll = 4 };

// Sleeps until all CPEs of the launch in the same row, in the same column, or all of them have come here. It
// does not wait for transfers: wait for a store before others read what it wrote.
template <Scope kScope = Scope::kAll>
[[gnu::always_inline]] inline void sync() {
  isa::issue<isa::unit::kControl, isa::control_op::kSync>(static_cast<uint32_t>(kScope));
}

// --- Counters, 32 bits. They count while the CPE's clock runs, so not while it sleeps: for time that has
// passed use the launch's cycles.

enum class Counter : uint32_t {
  kCycles = 0,
  kInstructions = 1,
  kWaitCode = 2,
  kWaitLdm = 3,
  kWaitWindow = 4,
  kWaitControl = 5,
  kWaitDma = 6,
  kWaitRow = 7,
  kWaitColumn = 8,
  kWaitOther = 9,
  kArithmetic = 10,
};

template <Counter kCounter>
[[gnu::always_inline]] inline uint32_t counter() {
  if constexpr (kCounter == Counter::kCycles) {
    return isa::read_csr<isa::csr::kMcycle>();
  } else if constexpr (kCounter == Counter::kInstructions) {
    return isa::read_csr<isa::csr::kMinstret>();
  } else {
    return isa::read_csr<static_cast<isa::csr::Kind>(isa::csr::kMhpmcounter3 +
                                                     static_cast<uint32_t>(kCounter) - 2)>();
  }
}

}  // namespace swai::cpe
