// SPDX-License-Identifier: Apache-2.0
// The functions of numbers that kernels have, on the host: they compute with integers, so the same
// everywhere.
#include "swai/math.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "verif/kit/doctest_main.hpp"

namespace swai::cpe {
namespace {

constexpr int kTimes = 20'000;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// In units of the last place of what is right.
double error(float found, double right) {
  if (std::isnan(right)) return std::isnan(found) ? 0 : kInfinity;
  if (found == static_cast<float>(right)) return std::signbit(found) == std::signbit(right) ? 0 : kInfinity;
  int exponent = 0;
  std::frexp(right, &exponent);
  return std::abs(found - right) / std::ldexp(1.0, std::max(exponent - 24, -149));
}

using Numbers = std::function<float()>;

struct Random {
  std::mt19937 bits{static_cast<uint32_t>(test_seed())};
  Numbers any() {
    return [this] { return std::bit_cast<float>(static_cast<uint32_t>(bits())); };
  }
  Numbers within(float most) {
    return [this, most] { return std::uniform_real_distribution<float>(-most, most)(bits); };
  }
  Numbers whole(int most) {
    return [this, most] { return static_cast<float>(std::uniform_int_distribution<int>(-most, most)(bits)); };
  }
  Numbers near_one() {
    return [this] {
      return std::bit_cast<float>(0x3f80'0000 + static_cast<int>(bits() % 2'000'001) - 1'000'000);
    };
  }
};

// sin and cos of pi x, of which whole turns are taken away while x is exact.
double sin_of_half_turns(double x) {
  const double rest = std::remainder(x, 2);
  const double folded = std::abs(rest) > 0.5 ? std::copysign(1, rest) - rest : rest;
  return folded == 0 ? std::copysign(0, x) : std::sin(std::numbers::pi * folded);
}
double cos_of_half_turns(double x) {
  return std::sin(std::numbers::pi * (0.5 - std::abs(std::remainder(x, 2))));
}

struct Function {
  const char* name;
  float (*ours)(float);
  double (*right)(double);
  double most;  // ulp
};
constexpr double kNearly = 0.6;
const Function kFunctions[] = {
    {"sqrt", math::sqrt, std::sqrt, 0.5},
    {"rsqrt", math::rsqrt, [](double x) { return 1 / std::sqrt(x); }, kNearly},
    {"cbrt", math::cbrt, std::cbrt, kNearly},
    {"exp", math::exp, std::exp, kNearly},
    {"exp2", math::exp2, std::exp2, kNearly},
    {"exp10", math::exp10, [](double x) { return std::pow(10.0, x); }, kNearly},
    {"expm1", math::expm1, std::expm1, kNearly},
    {"log", math::log, std::log, kNearly},
    {"log2", math::log2, std::log2, kNearly},
    {"log10", math::log10, std::log10, kNearly},
    {"log1p", math::log1p, std::log1p, kNearly},
    {"sin", math::sin, std::sin, kNearly},
    {"cos", math::cos, std::cos, kNearly},
    {"tan", math::tan, std::tan, kNearly},
    {"sinpi", math::sinpi, sin_of_half_turns, kNearly},
    {"cospi", math::cospi, cos_of_half_turns, kNearly},
    {"asin", math::asin, std::asin, kNearly},
    {"acos", math::acos, std::acos, kNearly},
    {"atan", math::atan, std::atan, kNearly},
    {"sinh", math::sinh, std::sinh, kNearly},
    {"cosh", math::cosh, std::cosh, kNearly},
    {"tanh", math::tanh, std::tanh, kNearly},
    {"asinh", math::asinh, std::asinh, kNearly},
    {"acosh", math::acosh, std::acosh, kNearly},
    {"atanh", math::atanh, std::atanh, kNearly},
    {"erf", math::erf, std::erf, kNearly},
    {"erfc", math::erfc, std::erfc, kNearly},
    {"floor", math::floor, std::floor, 0},
    {"ceil", math::ceil, std::ceil, 0},
    {"trunc", math::trunc, std::trunc, 0},
    {"round", math::round, std::round, 0},
    {"rint", math::rint, std::rint, 0},
    {"size", math::size, std::abs, 0},
};

const float kLeast = std::numeric_limits<float>::denorm_min();
const float kLeastNormal = std::numeric_limits<float>::min();
const float kLargest = std::numeric_limits<float>::max();
// Of both signs.
const float kSpecial[] = {0, kLeast, 1e-40f, kLeastNormal, 1e-20f,    0.25f, 0.5f,     0.75f,     1,  1.5f, 2,
                          3, 4,      10,     8388607.f,    8388609.f, 1e20f, kLargest, kInfinity, NAN};

std::vector<float> special() {
  std::vector<float> all;
  for (const float size : kSpecial)
    for (const float x : {size, -size, std::nextafter(size, 0.f), std::nextafter(size, kInfinity)})
      all.push_back(x);
  return all;
}

TEST_CASE("functions of one number: rounded once, nearly") {
  Random random;
  for (const Function& one : kFunctions) {
    const auto compare = [&](float x) {
      if (error(one.ours(x), one.right(x)) <= one.most) return;
      CAPTURE(one.name);
      CAPTURE(x);
      REQUIRE(one.ours(x) == one.right(x));
    };
    for (const Numbers& numbers :
         {random.any(), random.within(1000), random.within(10), random.within(1), random.near_one()}) {
      for (int i = 0; i < kTimes; ++i) compare(numbers());
    }
    for (const float x : special()) compare(x);
  }
  for (float half = -5.5f; half < 6; half += 1) {
    CHECK(math::round(half) == std::round(half));
    CHECK(math::rint(half) == std::rint(half));
  }
}

TEST_CASE("functions of several numbers") {
  Random random;
  const auto compare = [](float x, float y, float z) {
    const auto check = [&](const char* name, float found, double right, double most) {
      if (error(found, right) <= most) return;
      CAPTURE(name);
      CAPTURE(x);
      CAPTURE(y);
      CAPTURE(z);
      REQUIRE(found == right);
    };
    check("atan2", math::atan2(y, x), std::atan2(double{y}, double{x}), kNearly);
    check("hypot", math::hypot(x, y), std::hypot(double{x}, double{y}), kNearly);
    check("fmod", math::fmod(x, y), std::fmod(x, y), 0);
    check("remainder", math::remainder(x, y), std::remainder(x, y), 0);
    check("copysign", math::copysign(x, y), std::copysign(x, y), 0);
    check("fma", math::fma(x, y, z), std::fma(x, y, z), 0);
  };
  const Numbers any = random.any();
  const Numbers near_one = random.near_one();
  for (const Numbers& numbers : {any, random.within(1000), near_one, random.whole(20)}) {
    for (int i = 0; i < kTimes; ++i) {
      const float x = numbers();
      const float y = numbers();
      // The last one takes away all but what a product rounded by itself would lose.
      for (const float z : {numbers(), -x * y}) compare(x, y, z);
    }
  }
  // A product half way between two numbers, and so little beside it that 64 bits do not hold both.
  for (const float x : {1 + 0x1p-12f, -1 - 0x1p-12f})
    for (const float z : {kLeast, -kLeast}) compare(x, 1 + 0x1p-12f, z);
  for (const float x : special()) {
    for (const float y : special()) {
      for (const float z : {0.f, -0.f, 1.f, -kLeast, kLargest, -kInfinity, NAN}) compare(x, y, z);
    }
    for (const int exponent : {0, 1, -1, 23, -24, 148, -149, 300, -300, 1 << 30, -(1 << 30)})
      CHECK(error(math::scale(x, exponent), std::ldexp(x, exponent)) == 0);
  }
}

TEST_CASE("powers, and their special cases") {
  Random random;
  const auto compare_powers = [](const Numbers& bases, const Numbers& exponents) {
    for (int i = 0; i < kTimes; ++i) {
      const float x = bases();
      const float y = exponents();
      const double right = std::pow(double{x}, double{y});
      if (error(math::pow(x, y), right) <= 1) continue;
      CAPTURE(x);
      CAPTURE(y);
      REQUIRE(math::pow(x, y) == right);
    }
  };
  compare_powers(random.any(), random.any());
  compare_powers(random.within(10), random.within(30));
  compare_powers(random.near_one(), random.within(1000));
  const float special[] = {0.f,  -0.f,  1.f,       -1.f,       2.f, -2.f,   3.f,    -3.f,
                           0.5f, -0.5f, kInfinity, -kInfinity, NAN, 1e-40f, -1e-40f};
  for (const float x : special) {
    for (const float y : special) {
      CAPTURE(x);
      CAPTURE(y);
      const float found = math::pow(x, y);
      const float right = std::pow(x, y);
      CHECK(std::isnan(found) == std::isnan(right));
      if (!std::isnan(right)) CHECK(std::bit_cast<uint32_t>(found) == std::bit_cast<uint32_t>(right));
    }
  }
}

}  // namespace
}  // namespace swai::cpe
