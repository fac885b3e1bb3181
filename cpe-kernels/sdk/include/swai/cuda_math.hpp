// SPDX-License-Identifier: Apache-2.0
// Functions of numbers by the names that CUDA has for them: of float, bits and integers. Those of double are
// not here.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "swai/math.hpp"

extern "C" {
inline float sqrtf(float x) { return swai::cpe::math::sqrt(x); }
inline float rsqrtf(float x) { return swai::cpe::math::rsqrt(x); }
inline float cbrtf(float x) { return swai::cpe::math::cbrt(x); }
inline float expf(float x) { return swai::cpe::math::exp(x); }
inline float exp2f(float x) { return swai::cpe::math::exp2(x); }
inline float exp10f(float x) { return swai::cpe::math::exp10(x); }
inline float expm1f(float x) { return swai::cpe::math::expm1(x); }
inline float logf(float x) { return swai::cpe::math::log(x); }
inline float log2f(float x) { return swai::cpe::math::log2(x); }
inline float log10f(float x) { return swai::cpe::math::log10(x); }
inline float log1pf(float x) { return swai::cpe::math::log1p(x); }
inline float sinf(float x) { return swai::cpe::math::sin(x); }
inline float cosf(float x) { return swai::cpe::math::cos(x); }
inline float tanf(float x) { return swai::cpe::math::tan(x); }
inline float sinpif(float x) { return swai::cpe::math::sinpi(x); }
inline float cospif(float x) { return swai::cpe::math::cospi(x); }
inline float asinf(float x) { return swai::cpe::math::asin(x); }
inline float acosf(float x) { return swai::cpe::math::acos(x); }
inline float atanf(float x) { return swai::cpe::math::atan(x); }
inline float sinhf(float x) { return swai::cpe::math::sinh(x); }
inline float coshf(float x) { return swai::cpe::math::cosh(x); }
inline float tanhf(float x) { return swai::cpe::math::tanh(x); }
inline float asinhf(float x) { return swai::cpe::math::asinh(x); }
inline float acoshf(float x) { return swai::cpe::math::acosh(x); }
inline float atanhf(float x) { return swai::cpe::math::atanh(x); }
inline float erff(float x) { return swai::cpe::math::erf(x); }
inline float erfcf(float x) { return swai::cpe::math::erfc(x); }
inline float floorf(float x) { return swai::cpe::math::floor(x); }
inline float ceilf(float x) { return swai::cpe::math::ceil(x); }
inline float truncf(float x) { return swai::cpe::math::trunc(x); }
inline float roundf(float x) { return swai::cpe::math::round(x); }
inline float rintf(float x) { return swai::cpe::math::rint(x); }
inline float powf(float x, float y) { return swai::cpe::math::pow(x, y); }
inline float hypotf(float x, float y) { return swai::cpe::math::hypot(x, y); }
inline float atan2f(float x, float y) { return swai::cpe::math::atan2(x, y); }
inline float fmodf(float x, float y) { return swai::cpe::math::fmod(x, y); }
inline float remainderf(float x, float y) { return swai::cpe::math::remainder(x, y); }
inline float fmaf(float x, float y, float z) { return swai::cpe::math::fma(x, y, z); }
inline float nearbyintf(float x) { return rintf(x); }
inline long lrintf(float x) { return static_cast<long>(rintf(x)); }
inline long lroundf(float x) { return static_cast<long>(roundf(x)); }
inline void sincosf(float x, float* sine, float* cosine) {
  *sine = sinf(x);
  *cosine = cosf(x);
}
inline float modff(float x, float* whole) {
  *whole = truncf(x);
  return swai::cpe::math::copysign(swai::cpe::math::size(x) == __builtin_inff() ? 0 : x - *whole, x);
}
inline float fabsf(float x) { return swai::cpe::math::size(x); }
inline float copysignf(float x, float sign) { return swai::cpe::math::copysign(x, sign); }
// Of a number and what is none, the number.
inline float fminf(float x, float y) { return x < y || y != y ? x : y; }
inline float fmaxf(float x, float y) { return x > y || y != y ? x : y; }
inline float fdimf(float x, float y) { return x > y ? x - y : x <= y ? 0 : x + y; }
inline float ldexpf(float x, int exponent) { return swai::cpe::math::scale(x, exponent); }
inline float scalbnf(float x, int exponent) { return swai::cpe::math::scale(x, exponent); }
inline float __saturatef(float x) { return fminf(fmaxf(x, 0), 1); }

// What is approximate on a GPU is as exact as the others here.
inline float __expf(float x) { return expf(x); }
inline float __exp10f(float x) { return exp10f(x); }
inline float __logf(float x) { return logf(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __log10f(float x) { return log10f(x); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __tanf(float x) { return tanf(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __fdividef(float x, float y) { return x / y; }
inline void __sincosf(float x, float* sine, float* cosine) { sincosf(x, sine, cosine); }
inline float __fadd_rn(float x, float y) { return x + y; }
inline float __fsub_rn(float x, float y) { return x - y; }
inline float __fmul_rn(float x, float y) { return x * y; }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float __frcp_rn(float x) { return 1 / x; }
inline float __fsqrt_rn(float x) { return sqrtf(x); }
inline float __frsqrt_rn(float x) { return rsqrtf(x); }
inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }

inline int __float_as_int(float x) { return std::bit_cast<int>(x); }
inline unsigned int __float_as_uint(float x) { return std::bit_cast<unsigned int>(x); }
inline float __int_as_float(int x) { return std::bit_cast<float>(x); }
inline float __uint_as_float(unsigned int x) { return std::bit_cast<float>(x); }
inline int __popc(unsigned int x) { return std::popcount(x); }
inline int __popcll(unsigned long long x) { return std::popcount(x); }
inline int __clz(int x) { return std::countl_zero(static_cast<unsigned int>(x)); }
inline int __clzll(long long x) { return std::countl_zero(static_cast<unsigned long long>(x)); }
// The place of the lowest bit that is set, from 1 on; 0: there is none.
inline int __ffs(int x) { return x == 0 ? 0 : std::countr_zero(static_cast<unsigned int>(x)) + 1; }
inline int __mulhi(int x, int y) { return static_cast<int>((static_cast<long long>(x) * y) >> 32); }
inline unsigned int __umulhi(unsigned int x, unsigned int y) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(x) * y) >> 32);
}
inline int __mul24(int x, int y) { return x * y; }
inline unsigned int __umul24(unsigned int x, unsigned int y) { return x * y; }
inline int abs(int x) { return x < 0 ? -x : x; }
}

template <std::floating_point T>
constexpr bool isnan(T x) {
  return __builtin_isnan(x);
}
template <std::floating_point T>
constexpr bool isinf(T x) {
  return __builtin_isinf(x);
}
template <std::floating_point T>
constexpr bool isfinite(T x) {
  return __builtin_isfinite(x);
}
template <std::floating_point T>
constexpr bool signbit(T x) {
  return __builtin_signbit(x);
}

namespace swai::cpe::cuda {

// A number itself, or what an element of Global<T> holds.
template <typename T>
struct Held {
  using type = T;
};
template <typename T>
requires requires { typename T::Value; }
struct Held<T> {
  using type = typename T::Value;
};
template <typename T>
using HeldBy = typename Held<T>::type;

template <typename A, typename B>
concept BothWhole = std::is_integral_v<HeldBy<A>> && std::is_integral_v<HeldBy<B>>;
template <typename A, typename B>
using Common = std::common_type_t<HeldBy<A>, HeldBy<B>>;

}  // namespace swai::cpe::cuda

template <typename A, typename B>
requires swai::cpe::cuda::BothWhole<A, B>
constexpr swai::cpe::cuda::Common<A, B> min(A a, B b) {
  const swai::cpe::cuda::Common<A, B> first = std::move(a), second = std::move(b);
  return first < second ? first : second;
}
template <typename A, typename B>
requires swai::cpe::cuda::BothWhole<A, B>
constexpr swai::cpe::cuda::Common<A, B> max(A a, B b) {
  const swai::cpe::cuda::Common<A, B> first = std::move(a), second = std::move(b);
  return first < second ? second : first;
}
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
