// SPDX-License-Identifier: Apache-2.0
// The model itself: the special functions against double precision, fp16 by its definition.
//   test-fp-model [STEP]
// Every STEP-th number is taken (default 509, a prime; 1: all 2^32). Prints the largest errors, in units of
// the last place of the result, and where they are.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "sim/iss/cpe/fp32.hpp"
#include "sim/iss/cpe/special.hpp"

namespace swai::fp {
namespace {

namespace fp32 = iss::cpe::fp32;
namespace special = iss::cpe::special;

float number(uint32_t bits) { return std::bit_cast<float>(bits); }
uint32_t bits(float number) { return std::bit_cast<uint32_t>(number); }

struct Function {
  const char* name;
  uint32_t (*model)(uint32_t);
  double (*exact)(double);
  double bound;  // of the error, as docs/hardware/floating-point.md has it
};

constexpr Function kFunctions[] = {
    {"exp2", special::exp2, [](double x) { return std::exp2(x); }, 0.75},
    {"log2", special::log2, [](double x) { return std::log2(x); }, 0.66},
    {"reciprocal", special::reciprocal, [](double x) { return 1 / x; }, 0.78},
    {"root", special::root, [](double x) { return 1 / std::sqrt(x); }, 0.70},
};

class Accuracy {
 public:
  explicit Accuracy(const Function& function) : function_(function) {}

  void look(uint32_t x) {
    const bool subnormal = (x & fp32::kInfinity) == 0;
    const double exact = function_.exact(number(subnormal ? x & fp32::kSign : x));
    const uint32_t result = function_.model(x);
    const uint32_t sign = std::signbit(exact) ? fp32::kSign : 0;
    if (std::isnan(exact)) {
      same(x, result, fp32::kNan);
    } else if (std::fabs(exact) >= 0x1p128) {
      same(x, result, sign | fp32::kInfinity);
    } else if (std::fabs(exact) < 0x1p-126) {
      same(x, result, sign);
    } else {
      measure(x, result, exact);
    }
  }

  bool report() const {
    fmt::print("{:10}  {:.4f} at {:08x}  not the nearest: {:.2f} %  beyond any rounding: {}\n",
               function_.name, worst_, worst_at_,
               100.0 * static_cast<double>(not_nearest_) / static_cast<double>(measured_), wrong_);
    return wrong_ == 0 && worst_ <= function_.bound;
  }

 private:
  void same(uint32_t x, uint32_t result, uint32_t should) {
    if (result != should) wrong(x, result, number(should));
  }

  void measure(uint32_t x, uint32_t result, double exact) {
    int exponent = 0;
    const bool power_of_two = std::fabs(std::frexp(exact, &exponent)) == 0.5;
    const double error = std::fabs(std::ldexp(number(result) - exact, 24 - exponent));
    ++measured_;
    if (!(error < 1) || (power_of_two && error != 0)) {
      wrong(x, result, exact);
    } else if (error > worst_) {
      worst_ = error;
      worst_at_ = x;
    }
    not_nearest_ += error > 0.5;
  }

  void wrong(uint32_t x, uint32_t result, double exact) {
    if (++wrong_ <= 10) fmt::print("{}({:08x}) is {:08x}, should be {}\n", function_.name, x, result, exact);
  }

  const Function& function_;
  uint64_t measured_ = 0;
  uint64_t not_nearest_ = 0;
  uint64_t wrong_ = 0;
  double worst_ = 0;
  uint32_t worst_at_ = 0;
};

// Every number of fp16 comes back, and what lies between two neighbours goes to the nearer one, from the
// middle to the even one. As the conversion rises this leaves nothing open but what is beyond.
bool fp16_by_definition() {
  uint64_t wrong = 0;
  for (uint32_t h = 0; h < 0x7c00; ++h) {
    const auto this_one = static_cast<uint16_t>(h);
    const double value =
        h < 0x400 ? std::ldexp(h, -24) : std::ldexp(0x400 | (h & 0x3ff), static_cast<int>(h >> 10) - 25);
    const double next = h == 0x7bff ? 0x1p16 : number(fp32::of_fp16(static_cast<uint16_t>(h + 1)));
    const uint32_t middle = bits(static_cast<float>((value + next) / 2));
    wrong += number(fp32::of_fp16(this_one)) != value;
    wrong += fp32::to_fp16(bits(static_cast<float>(value))) != h;
    wrong += fp32::to_fp16(middle - 1) != h;
    wrong += fp32::to_fp16(middle) != h + (h & 1);
    wrong += fp32::to_fp16(middle + 1) != h + 1;
    wrong += fp32::to_fp16(middle | fp32::kSign) != (0x8000 | (h + (h & 1)));
    wrong += fp32::of_fp16(static_cast<uint16_t>(h | 0x8000)) != (fp32::of_fp16(this_one) | fp32::kSign);
  }
  wrong += fp32::of_fp16(0x7c00) != fp32::kInfinity || fp32::to_fp16(fp32::kInfinity) != 0x7c00;
  wrong += fp32::of_fp16(0xfc01) != fp32::kNan || fp32::to_fp16(fp32::kNan | fp32::kSign) != 0x7e00;
  fmt::print("fp16: {} wrong\n", wrong);
  return wrong == 0;
}

bool accurate(const Function& function, uint64_t step) {
  Accuracy accuracy(function);
  for (uint64_t x = 0; x <= std::numeric_limits<uint32_t>::max(); x += step)
    accuracy.look(static_cast<uint32_t>(x));
  // Infinities, and the numbers from which on results are infinite or 0.
  for (const float x :
       {128.0F, -126.0F, 0x1p126F, 1.0F, 4.0F, 0x1p-126F, std::numeric_limits<float>::infinity()}) {
    for (const uint32_t near : {bits(x) - 1, bits(x), bits(x) + 1}) {
      accuracy.look(near);
      accuracy.look(near | fp32::kSign);
    }
  }
  return accuracy.report();
}

}  // namespace
}  // namespace swai::fp

int main(int argc, char** argv) {
  const uint64_t step = argc > 1 ? std::strtoull(argv[1], nullptr, 0) : 509;
  if (step == 0) {
    fmt::print(stderr, "usage: test-fp-model [STEP]\n");
    return 2;
  }
  bool good = swai::fp::fp16_by_definition();
  for (const auto& function : swai::fp::kFunctions) good = swai::fp::accurate(function, step) && good;
  return good ? 0 : 1;
}
