// SPDX-License-Identifier: Apache-2.0
// Arithmetic of the vector unit and of the systolic unit's drain, on the bits of IEEE 754 single precision:
// to nearest even, subnormals in and out, every NaN result is 0x7fc00000. The host computes it.
#pragma once

#include <cstdint>

namespace swai::iss::cpe::fp32 {

constexpr uint32_t kNan = 0x7fc00000;
constexpr uint32_t kInfinity = 0x7f800000;
constexpr uint32_t kOne = 0x3f800000;
constexpr uint32_t kSign = 0x80000000;

constexpr bool is_nan(uint32_t a) { return (a & ~kSign) > kInfinity; }

uint32_t fma(uint32_t a, uint32_t b, uint32_t c);  // a * b + c, rounded once
uint32_t add(uint32_t a, uint32_t b);
uint32_t mul(uint32_t a, uint32_t b);

// A NaN operand is ignored; of two, the result is one. -0 is below +0.
uint32_t min(uint32_t a, uint32_t b);
uint32_t max(uint32_t a, uint32_t b);

// False with a NaN. -0 equals +0.
bool less(uint32_t a, uint32_t b);
bool equal(uint32_t a, uint32_t b);

// To nearest even. To integers: what does not fit becomes the nearest that does, a NaN the largest. To fp16:
// what is too large becomes infinity, a NaN 0x7e00.
uint32_t of_int32(int32_t i);
uint32_t of_fp16(uint16_t h);
int32_t to_int32(uint32_t a);
int8_t to_int8(uint32_t a);
uint16_t to_fp16(uint32_t a);

}  // namespace swai::iss::cpe::fp32
