// SPDX-License-Identifier: Apache-2.0
// The special functions of the vector unit, bit for bit as rtl/fp/fp32_special.sv computes them: a table and
// a quadratic polynomial in integers. Subnormal numbers count as 0 of their sign; results below 2^-126 are 0
// of their sign; every NaN is 0x7fc00000. Their error is below one unit in the last place
// (docs/hardware/floating-point.md).
#pragma once

#include <cstdint>

namespace swai::iss::cpe::special {

uint32_t exp2(uint32_t x);
uint32_t log2(uint32_t x);        // of 0: -infinity, of negative numbers: NaN
uint32_t reciprocal(uint32_t x);  // of 0: infinity of its sign
uint32_t root(uint32_t x);        // 1 / square root; of 0: infinity of its sign, of negative numbers: NaN

}  // namespace swai::iss::cpe::special
