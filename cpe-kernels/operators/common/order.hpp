// SPDX-License-Identifier: Apache-2.0
// Comparing numbers on the scalar core, which has integers only.
#pragma once

#include <cstdint>

namespace swai::operators {

// Of the bits of an fp32: larger for larger numbers; both zeros are equal, a NaN is the smallest.
constexpr int32_t order(uint32_t bits) {
  if ((bits & 0x7fff'ffff) > 0x7f80'0000) return INT32_MIN;
  if (bits == 0x8000'0000) return 0;
  const auto number = static_cast<int32_t>(bits);
  return number < 0 ? static_cast<int32_t>(~bits | 0x8000'0000) : number;
}

}  // namespace swai::operators
