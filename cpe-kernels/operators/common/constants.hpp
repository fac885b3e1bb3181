// SPDX-License-Identifier: Apache-2.0
// The numbers that functions of elements are computed with: the kernel's and the bit-exact model's.
#pragma once

namespace swai::operators {

inline constexpr float kLog2E = 1.442695041f;
inline constexpr float kLn2 = 0.6931471806f;
inline constexpr float kLargestFloat = 0x1.fffffep127f;

// erfc(z) = (a1 t + ... + a5 t^5) exp(-z^2), t = 1 / (1 + p z), within 1.5e-7 (Abramowitz and Stegun 7.1.26).
// Here of z = |x| / sqrt(2), and half of it.
inline constexpr float kErfP = 0.3275911f * 0.707106781f;
inline constexpr float kErf1 = 0.254829592f / 2;
inline constexpr float kErf2 = -0.284496736f / 2;
inline constexpr float kErf3 = 1.421413741f / 2;
inline constexpr float kErf4 = -1.453152027f / 2;
inline constexpr float kErf5 = 1.061405429f / 2;

// -2 sqrt(2 / pi) log2(e) (x + 0.044715 x^3)
inline constexpr float kTanh1 = -2.302208198f;
inline constexpr float kTanh3 = -2.302208198f * 0.044715f;

// The least magnitude that a group of zeros is thought to have, and what a scale is of the largest one.
inline constexpr float kLeastMagnitude = 1e-30f;
inline constexpr float kPartOf127 = 1.0f / 127;

}  // namespace swai::operators
