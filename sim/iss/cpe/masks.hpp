// SPDX-License-Identifier: Apache-2.0
// Masks of CPEs.
#pragma once

#include <bit>
#include <cstdint>

namespace swai::iss::cpe {

template <typename F>
void for_each(uint32_t mask, F f) {
  for (; mask != 0; mask &= mask - 1) f(static_cast<unsigned>(std::countr_zero(mask)));
}

}  // namespace swai::iss::cpe
