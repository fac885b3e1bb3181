// Functions of fp32 numbers for the scalar core, which has no floating point: they compute with integers, so
// the same on every model of the card. sqrt is rounded correctly; of the others the error is below 1 ulp
// (verif/firmware/launch/math_test.cpp). cuda.hpp gives them the names of C. For rows of numbers the vector
// unit is faster.
#pragma once

namespace swai::cpe::math {

float sqrt(float x);
float exp(float x);
float exp2(float x);
float log(float x);
float log2(float x);
float log10(float x);
float sin(float x);
float cos(float x);
float pow(float x, float y);
// To an integer: downwards, upwards, towards zero; to the nearest, halves away from zero or to the even one.
float floor(float x);
float ceil(float x);
float trunc(float x);
float round(float x);
float rint(float x);

}  // namespace swai::cpe::math
