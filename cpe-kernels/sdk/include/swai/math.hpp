// SPDX-License-Identifier: Apache-2.0
// Functions of fp32 numbers for the scalar core, which has no floating point: they compute with integers, so
// the same on every model of the card. What has one exact result, sqrt and fma are rounded correctly; of the
// others the error is below 0.6 ulp, of pow below 1 (verif/abi/math_test.cpp). cuda.hpp gives
// them the names of C. For rows of numbers the vector unit is faster.
#pragma once

namespace swai::cpe::math {

float sqrt(float x);
float rsqrt(float x);
float cbrt(float x);
float hypot(float x, float y);
float exp(float x);
float exp2(float x);
float exp10(float x);
float expm1(float x);
float log(float x);
float log2(float x);
float log10(float x);
float log1p(float x);
float pow(float x, float y);
float sin(float x);
float cos(float x);
float tan(float x);
float sinpi(float x);  // of x half-turns
float cospi(float x);
float asin(float x);
float acos(float x);
float atan(float x);
float atan2(float y, float x);
float sinh(float x);
float cosh(float x);
float tanh(float x);
float asinh(float x);
float acosh(float x);
float atanh(float x);
float erf(float x);
float erfc(float x);
// Without its sign; with the sign of another one; times 2^exponent.
float size(float x);
float copysign(float x, float sign);
float scale(float x, int exponent);
// Rounded once.
float fma(float x, float y, float z);
// What is left of x without whole multiples of y: those towards zero, or the nearest one.
float fmod(float x, float y);
float remainder(float x, float y);
// To an integer: downwards, upwards, towards zero; to the nearest, halves away from zero or to the even one.
float floor(float x);
float ceil(float x);
float trunc(float x);
float round(float x);
float rint(float x);

}  // namespace swai::cpe::math
