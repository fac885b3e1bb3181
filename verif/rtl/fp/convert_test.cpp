// SPDX-License-Identifier: Apache-2.0
// The conversions of rtl/fp against the model.

#include <fmt/format.h>

#include "Vtb_fp_convert.h"
#include "verif/rtl/fp/numbers.hpp"
#include "verif/rtl/lib/bench.hpp"
#include "verif/rtl/lib/test_main.hpp"

namespace swai::fp {
namespace {

using verif::check;
using verif::Random;

class Device {
 public:
  explicit Device(uint64_t seed) : run_(seed) {}

  void convert(uint32_t x) {
    auto& top = run_.top();
    top.x_i = x;
    top.of_int32_en_i = 1;
    run_.settle();
    compare("fp32 of int32", x, top.of_int32_o, fp32::of_int32(static_cast<int32_t>(x)));
    compare("fp32 of fp16", x & 0xffff, top.of_fp16_o, fp32::of_fp16(static_cast<uint16_t>(x)));
    compare("int32 of fp32", x, top.to_int32_o, static_cast<uint32_t>(fp32::to_int32(x)));
    compare("int8 of fp32", x, top.to_int8_o, static_cast<uint8_t>(fp32::to_int8(x)));
    compare("fp16 of fp32", x, top.to_fp16_o, fp32::to_fp16(x));
  }

  void convert_nothing(uint32_t x) {
    auto& top = run_.top();
    top.x_i = x;
    top.of_int32_en_i = 0;
    run_.settle();
    compare("fp32 of int32 without en_i", x, top.of_int32_o, 0);
  }

 private:
  static void compare(const char* what, uint32_t x, uint32_t is, uint32_t should) {
    if (is != should) check(false, fmt::format("{}: {:08x} gives {:x}, should be {:x}", what, x, is, should));
  }

  VerilatedRun<Vtb_fp_convert> run_;
};

// All of 16 bits and of 8, and random ones: numbers, integers of all sizes, numbers near integers and their
// halves.
void test_random(uint64_t seed, uint64_t cycles) {
  Random random(seed);
  Numbers numbers(random);
  Device device(seed);
  for (uint32_t x = 0; x < 0x10000; ++x) {
    device.convert(x);
    device.convert(0U - x);
  }
  for (uint64_t i = 0; i < cycles; ++i) {
    device.convert(numbers.number());
    device.convert(static_cast<uint32_t>(random.number()));
    device.convert_nothing(static_cast<uint32_t>(random.number()));
    // Quarters of integers up to 2^31, and their neighbours.
    const auto integer = static_cast<int32_t>(random.next()) >> random.below(32);
    const uint32_t near =
        fp32::mul(fp32::of_int32(integer), 0x3f800000 - static_cast<uint32_t>(random.below(3) << 23));
    device.convert(near + static_cast<uint32_t>(random.below(3)) - 1);
    // Between two neighbours of fp16, and nearly.
    const uint32_t half = fp32::of_fp16(static_cast<uint16_t>(random.next()));
    device.convert(half + static_cast<uint32_t>(random.below(5) << 11) +
                   static_cast<uint32_t>(random.below(3)) - 1);
  }
}

void test_all(uint64_t seed, uint64_t) {
  Device device(seed);
  uint32_t x = 0;
  do {
    device.convert(x);
    if ((x & 0x0fffffff) == 0) {
      fmt::print("{} of 16\n", x >> 28);
      std::fflush(stdout);
    }
  } while (++x != 0);
}

std::vector<verif::TestCase> tests() { return {{"random", test_random}, {"all", test_all}}; }

}  // namespace
}  // namespace swai::fp

int main(int argc, char** argv) { return swai::verif::test_main(argc, argv, swai::fp::tests()); }
