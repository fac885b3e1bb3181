// The functions of numbers that kernels have, on the host: they compute with integers, so the same
// everywhere.
#include "swai/math.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>

#include "verif/common/doctest_main.hpp"

namespace swai::cpe {
namespace {

constexpr int kTimes = 20'000;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// In units of the last place of what is right.
double error(float found, double right) {
  if (std::isnan(right)) return std::isnan(found) ? 0 : kInfinity;
  if (found == static_cast<float>(right)) return 0;
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
  Numbers near_one() {
    return [this] {
      return std::bit_cast<float>(0x3f80'0000 + static_cast<int>(bits() % 2'000'001) - 1'000'000);
    };
  }
};

void compare(const char* name, float (*ours)(float), double (*right)(double), const Numbers& numbers,
             double most) {
  CAPTURE(name);
  for (int i = 0; i < kTimes; ++i) {
    const float x = numbers();
    CAPTURE(x);
    REQUIRE(error(ours(x), right(x)) <= most);
  }
}

TEST_CASE("functions of one number: rounded once, nearly") {
  Random random;
  compare("sqrt", math::sqrt, std::sqrt, random.any(), 0.5);
  for (const Numbers& numbers : {random.any(), random.within(100), random.within(1), random.near_one()}) {
    compare("exp", math::exp, std::exp, numbers, 0.6);
    compare("exp2", math::exp2, std::exp2, numbers, 0.6);
    compare("log", math::log, std::log, numbers, 0.6);
    compare("log2", math::log2, std::log2, numbers, 0.6);
    compare("log10", math::log10, std::log10, numbers, 0.6);
    compare("sin", math::sin, std::sin, numbers, 0.6);
    compare("cos", math::cos, std::cos, numbers, 0.6);
    compare("floor", math::floor, std::floor, numbers, 0);
    compare("ceil", math::ceil, std::ceil, numbers, 0);
    compare("trunc", math::trunc, std::trunc, numbers, 0);
    compare("round", math::round, std::round, numbers, 0);
    compare("rint", math::rint, std::rint, numbers, 0);
  }
  for (float half = -5.5f; half < 6; half += 1) {
    CHECK(math::round(half) == std::round(half));
    CHECK(math::rint(half) == std::rint(half));
  }
}

TEST_CASE("powers, and their special cases") {
  Random random;
  const auto compare_powers = [](const Numbers& bases, const Numbers& exponents) {
    for (int i = 0; i < kTimes; ++i) {
      const float x = bases();
      const float y = exponents();
      CAPTURE(x);
      CAPTURE(y);
      REQUIRE(error(math::pow(x, y), std::pow(double{x}, double{y})) <= 1);
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
