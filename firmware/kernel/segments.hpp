// SPDX-License-Identifier: Apache-2.0
// The table of segments, in device memory that the host cannot reach. Clearing all of it would take a tenth
// of the boot: the groups are told of no more than what is cleared, and it grows with the numbers that are
// given away.
#pragma once

#include <cstdint>

#include "firmware/kernel/mmu.hpp"

namespace swai::kernel::segments {

constexpr uint64_t kTable = mmu::kPrivate;

// Without any; for so many groups.
void init(unsigned groups);
// Entries that there are.
uint32_t count();

namespace detail {
extern constinit uint64_t end;
void grow(uint64_t address);
}  // namespace detail

// To be called before the entry at this address is written.
[[gnu::always_inline]] inline void reach(uint64_t address) {
  if (address >= detail::end) [[unlikely]]
    detail::grow(address);
}

}  // namespace swai::kernel::segments
