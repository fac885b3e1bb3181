// SPDX-License-Identifier: Apache-2.0
// Hyperbolic functions and their inverse ones, and what is made of the same: e^x - 1, ln(1 + x), the error
// function.
#include "math_number.hpp"
#include "swai/math.hpp"

namespace swai::cpe::math {
namespace {

constexpr Wide kLog2e = {0xb8aa3b295c17f0bc, -63, false};
constexpr Wide kLn2 = {0xb17217f7d1cf79ac, -64, false};
constexpr Wide kTwoOverRootOfPi = {0x906eba8214db688d, -63, false};

// Below it series are short.
bool small(Wide x) { return x.power() < -2; }
uint32_t square_q32(Wide x) { return static_cast<uint32_t>(q32(x * x)); }

// e^x, of a size below 2^20.
Wide exponential(Wide x) { return power_of_two(q32(x * kLog2e)); }

// e^x - 1, of such a size.
Wide exponential_less_one(Wide x) {
  if (x.zero()) return x;
  if (!small(x)) return exponential(x) - kWideOne;
  // x (1 + x (1/2 + x (1/6 + ...)))
  constexpr int32_t kTerms[] = {1073741824, 357913941, 89478485, 17895697, 2982616, 426088, 53261, 5918, 592};
  const auto x_q31 = static_cast<int32_t>(q32(x) >> 1);
  int32_t sum = 0;
  for (int i = 8; i >= 0; --i)
    sum = static_cast<int32_t>(static_cast<int64_t>(x_q31) * (kTerms[i] + sum) >> 31);
  return x * wide(static_cast<uint64_t>((int64_t{1} << 31) + sum), -31);
}

// ln(1 + x), of x above -1.
Wide logarithm_of_one_and(Wide x) {
  int twos = 0;
  Wide difference = x;
  Wide sum = x + kWideTwo;
  // Where 1 + x is not near 1, a power of two is taken first.
  if (!x.zero() && x.power() >= -2) {
    const Wide one_more = x + kWideOne;
    twos = one_more.power() + (one_more.mantissa > 0xb504'f333'0000'0000 ? 1 : 0);
    const Wide two = kWideOne.scaled(twos);
    difference = one_more - two;
    sum = one_more + two;
  }
  // 2 s (1 + s^2 / 3 + s^4 / 5 ...)
  const Wide s = difference / sum;
  constexpr uint32_t kTerms[] = {1431655765, 858993459, 613566757, 477218588,
                                 390451572,  330382100, 286331153};
  const Wide ln = s.scaled(1) * one_and(series(square_q32(s), kTerms));
  return twos == 0 ? ln : ln + whole(twos) * kLn2;
}

// The error function, of a size below 1/2: its Taylor series.
Wide small_error(Wide x) {
  constexpr uint32_t kTerms[] = {1431655765, 429496730, 102261126, 19884108, 3253763, 458864, 56812, 6266};
  return x * kTwoOverRootOfPi * one_less(alternating(square_q32(x), kTerms));
}

// What it is less than 1, of x from 1/2 on. e^(x^2) (1 + 2 x) times it is a polynomial of (x - 2) / (x + 2).
Wide error_rest(Wide x) {
  // Q30, fitted for x below 10.2: to 2^-35.
  constexpr int32_t kTerms[] = {1371145097, -99604400, -178273779, 176148695, -58218399, -8625947, 9367329,
                                1360557,    -1572524,  -467881,    244551,    118681,    -30741};
  const auto t_q31 = static_cast<int32_t>(q32((x - kWideTwo) / (x + kWideTwo)) >> 1);
  int32_t sum = 0;
  for (int i = 12; i >= 0; --i)
    sum = kTerms[i] + static_cast<int32_t>(static_cast<int64_t>(t_q31) * sum >> 31);
  return wide(static_cast<uint64_t>(sum), -30) * exponential(-(x * x)) / (x.scaled(1) + kWideOne);
}
constexpr int kHalfPower = -1;
constexpr float kNoErrorLeft = 4;    // 1 - it is below half an ulp of 1
constexpr float kNoRestLeft = 10.2;  // it is below half of the least number

// Beyond it e^x is not finite, and e^-x is nothing beside 1.
constexpr float kFar = 128;

}  // namespace

float expm1(float x) {
  if (is_nan(x)) return number(kNotANumber);
  if (x > kFar) return number(kInfinity);
  if (x < -kFar) return -1;
  return rounded(exponential_less_one(wide(x)), sign_of(x));
}

float log1p(float x) {
  if (size_of(x) == 0) return x;
  if (x == -1) return number(kSign | kInfinity);
  if (!(x > -1)) return number(kNotANumber);
  if (bits_of(x) == kInfinity) return x;
  return rounded(logarithm_of_one_and(wide(x)), sign_of(x));
}

float sinh(float x) {
  if (is_nan(x)) return number(kNotANumber);
  if (number(size_of(x)) > kFar) return number(sign_of(x) | kInfinity);
  const Wide size = wide(x).size();
  if (small(size) || size.zero()) {
    constexpr uint32_t kTerms[] = {715827883, 35791394, 852176, 11836};
    return rounded(size * one_and(series(square_q32(size), kTerms)), sign_of(x));
  }
  const Wide up = exponential(size);
  return rounded((up - kWideOne / up).scaled(-1), sign_of(x));
}

float cosh(float x) {
  if (is_nan(x)) return number(kNotANumber);
  if (number(size_of(x)) > kFar) return number(kInfinity);
  const Wide up = exponential(wide(x));
  return rounded((up + kWideOne / up).scaled(-1));
}

float tanh(float x) {
  if (is_nan(x)) return number(kNotANumber);
  if (number(size_of(x)) > kFar) return number(sign_of(x) | kOne);
  const Wide size = wide(x).size();
  if (small(size) || size.zero()) {
    constexpr uint32_t kTerms[] = {1431655765, 572662306, 231791886, 93928738, 38067307, 15428072, 6252761};
    return rounded(size * one_less(alternating(square_q32(size), kTerms)), sign_of(x));
  }
  return rounded(kWideOne - kWideTwo / (exponential(size.scaled(1)) + kWideOne), sign_of(x));
}

float asinh(float x) {
  if (size_of(x) == 0 || size_of(x) >= kInfinity) return is_nan(x) ? number(kNotANumber) : x;
  const Wide size = wide(x).size();
  const Wide square = size * size;
  return rounded(logarithm_of_one_and(size + square / (kWideOne + root(square + kWideOne))), sign_of(x));
}

float acosh(float x) {
  if (!(x >= 1)) return number(kNotANumber);
  if (bits_of(x) == kInfinity) return x;
  const Wide above = wide(x) - kWideOne;
  return rounded(logarithm_of_one_and(above + root(above * (wide(x) + kWideOne))), 0);
}

float atanh(float x) {
  if (size_of(x) == 0) return x;
  if (size_of(x) == kOne) return number(sign_of(x) | kInfinity);
  if (size_of(x) > kOne) return number(kNotANumber);
  const Wide size = wide(x).size();
  return rounded(logarithm_of_one_and(size.scaled(1) / (kWideOne - size)).scaled(-1), sign_of(x));
}

float erf(float x) {
  if (is_nan(x)) return number(kNotANumber);
  if (number(size_of(x)) > kNoErrorLeft) return number(sign_of(x) | kOne);
  const Wide size = wide(x).size();
  if (size.zero() || size.power() < kHalfPower) return rounded(small_error(size), sign_of(x));
  return rounded(kWideOne - error_rest(size), sign_of(x));
}

float erfc(float x) {
  if (is_nan(x)) return number(kNotANumber);
  if (x > kNoRestLeft) return 0;
  if (x < -kNoErrorLeft) return 2;
  const Wide size = wide(x).size();
  if (size.zero() || size.power() < kHalfPower) return rounded(kWideOne - small_error(wide(x)));
  return rounded(x < 0 ? kWideTwo - error_rest(size) : error_rest(size));
}

}  // namespace swai::cpe::math
