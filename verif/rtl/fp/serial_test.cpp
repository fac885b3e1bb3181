// SPDX-License-Identifier: Apache-2.0
// The serial arithmetic against the model: every operation, with all that the units' own tests ask of each.

#include <fmt/format.h>

#include <array>
#include <functional>

#include "Vtb_fp_serial.h"
#include "sim/iss/cpe/special.hpp"
#include "verif/rtl/fp/numbers.hpp"
#include "verif/rtl/lib/bench.hpp"
#include "verif/rtl/lib/test_main.hpp"

namespace swai::fp {
namespace {

namespace special = iss::cpe::special;
using verif::check;
using verif::Random;

using Triple = std::array<uint32_t, 3>;

constexpr uint32_t kOne = 0x3f800000;

// As fp32_serial_pkg has them: two bits of the group, three of what is done.
struct Operation {
  uint8_t op;
  const char* name;
  uint32_t mask;  // of the result
  std::function<uint32_t(const Triple&)> model;
};

// What is chosen has the one NaN that there is.
uint32_t chosen(uint32_t x) { return fp32::fma(x, kOne, fp32::kSign); }

const std::vector<Operation>& operations() {
  static const std::vector<Operation> kOperations = {
      {0, "fma", ~0U, [](const Triple& x) { return fp32::fma(x[0], x[1], x[2]); }},
      {1, "mul", ~0U, [](const Triple& x) { return fp32::mul(x[0], x[1]); }},
      {2, "add", ~0U, [](const Triple& x) { return fp32::add(x[0], x[2]); }},
      {3, "min", ~0U, [](const Triple& x) { return fp32::min(x[0], x[1]); }},
      {4, "max", ~0U, [](const Triple& x) { return fp32::max(x[0], x[1]); }},
      {5, "less", ~0U, [](const Triple& x) { return fp32::less(x[0], x[1]) ? kOne : 0; }},
      {6, "equal", ~0U, [](const Triple& x) { return fp32::equal(x[0], x[1]) ? kOne : 0; }},
      {7, "select", ~0U, [](const Triple& x) { return chosen((x[0] & ~fp32::kSign) != 0 ? x[1] : x[2]); }},
      {9, "exp2", ~0U, [](const Triple& x) { return special::exp2(x[0]); }},
      {10, "log2", ~0U, [](const Triple& x) { return special::log2(x[0]); }},
      {11, "reciprocal", ~0U, [](const Triple& x) { return special::reciprocal(x[0]); }},
      {12, "root", ~0U, [](const Triple& x) { return special::root(x[0]); }},
      {16, "of fp32", ~0U, [](const Triple& x) { return chosen(x[0]); }},
      {17, "of int32", ~0U, [](const Triple& x) { return fp32::of_int32(static_cast<int32_t>(x[0])); }},
      {18, "of fp16", ~0U, [](const Triple& x) { return fp32::of_fp16(static_cast<uint16_t>(x[0])); }},
      {19, "of int8", ~0U, [](const Triple& x) { return fp32::of_int32(static_cast<int8_t>(x[0])); }},
      {25, "to int32", ~0U, [](const Triple& x) { return static_cast<uint32_t>(fp32::to_int32(x[0])); }},
      {26, "to fp16", 0xffff, [](const Triple& x) { return uint32_t{fp32::to_fp16(x[0])}; }},
      {27, "to int8", 0xff,
       [](const Triple& x) { return static_cast<uint32_t>(fp32::to_int8(x[0])) & 0xff; }},
  };
  return kOperations;
}

class Device {
 public:
  explicit Device(uint64_t seed) : random_(seed ^ 0x5a5a), run_(seed) {
    run_.top().valid_i = 0;
    run_.tick();
  }

  void compute(const Operation& operation, const Triple& operands) {
    auto& top = run_.top();
    offer(operation.op, operands);
    uint64_t cycles = 1;
    while (top.done_o == 0) {
      run_.tick();
      check(++cycles < 200, fmt::format("{} takes for ever", operation.name));
    }
    const uint32_t should = operation.model(operands);
    const uint32_t is = top.y_o & operation.mask;
    if (is != should) {
      check(false, fmt::format("{}({:08x}, {:08x}, {:08x}) is {:08x}, should be {:08x}", operation.name,
                               operands[0], operands[1], operands[2], is, should));
    }
    most_ = std::max(most_, cycles);
    cycles_ += cycles;
    ++results_;
    run_.tick();
    top.valid_i = 0;
    if (random_.below(4) == 0) run_.tick();
  }

  // With every operation.
  void compute(const Triple& operands) {
    for (const Operation& operation : operations()) compute(operation, operands);
  }

  // Begins something and takes it back.
  void forget(const Triple& operands) {
    offer(operations()[random_.below(operations().size())].op, operands);
    for (uint64_t cycles = random_.below(30); cycles > 0 && run_.top().done_o == 0; --cycles) run_.tick();
    run_.top().valid_i = 0;
    run_.tick();
  }

  ~Device() {
    fmt::print("{} results, {:.1f} cycles each, {} at most\n", results_,
               static_cast<double>(cycles_) / static_cast<double>(results_), most_);
  }

 private:
  void offer(uint8_t op, const Triple& operands) {
    auto& top = run_.top();
    top.valid_i = 1;
    top.op_i = op;
    top.a_i = operands[0];
    top.b_i = operands[1];
    top.c_i = operands[2];
    run_.settle();
  }

  Random random_;
  VerilatedRun<Vtb_fp_serial> run_;
  uint64_t results_ = 0;
  uint64_t cycles_ = 0;
  uint64_t most_ = 0;
};

void test_random(uint64_t seed, uint64_t cycles) {
  Random random(seed);
  Numbers numbers(random);
  Device device(seed);
  for (uint64_t i = 0; i < cycles; ++i) {
    device.compute(numbers.triple());
    const auto [a, b] = numbers.pair();
    device.compute({a, b, random.below(2) != 0 ? b : numbers.number()});
    // Sums take their operands from elsewhere than orders do.
    device.compute({a, kOne, b});
    // Quarters of integers up to 2^31, neighbours of fp16's halves, and their neighbours.
    const auto integer = static_cast<int32_t>(random.next()) >> random.below(32);
    const uint32_t near =
        fp32::mul(fp32::of_int32(integer), kOne - static_cast<uint32_t>(random.below(3) << 23));
    const uint32_t half = fp32::of_fp16(static_cast<uint16_t>(random.next()));
    device.compute({near + static_cast<uint32_t>(random.below(3)) - 1, near, half});
    device.compute(
        {half + static_cast<uint32_t>(random.below(5) << 11) + static_cast<uint32_t>(random.below(3)) - 1,
         half, near});
    device.compute({static_cast<uint32_t>(integer), near, half});
    if (random.below(4) == 0) device.forget(numbers.triple());
  }
}

// Every number at which something changes with every other.
void test_corners(uint64_t seed, uint64_t) {
  Device device(seed);
  const std::vector<uint32_t> numbers = special_numbers();
  for (const uint32_t a : numbers) {
    for (const uint32_t b : numbers) {
      device.compute({a, b, b});
      for (const uint32_t c : numbers) {
        device.compute(operations()[0], {a, b, c});
        device.compute(operations()[7], {a, b, c});
      }
    }
  }
}

// Addends at distances from a product at which something changes, with all ways to round.
void test_distances(uint64_t seed, uint64_t) {
  Device device(seed);
  static constexpr uint32_t kMantissas[] = {0, 1, 0x3fffff, 0x400000, 0x400001, 0x7ffffe, 0x7fffff, 0x2aaaaa};
  static constexpr std::array<uint32_t, 2> kExponents[] = {
      {127, 127}, {0, 127}, {0, 253}, {1, 126}, {30, 96}, {60, 60}, {0, 0}, {0, 230}, {200, 181}};
  for (const auto& exponents : kExponents) {
    for (const uint32_t a : kMantissas) {
      for (const uint32_t b : kMantissas) {
        for (uint32_t c = 0; c < 255; ++c) {
          const uint32_t m = kMantissas[(a + b + c) % 8];
          const Triple positive{exponents[0] << 23 | a, exponents[1] << 23 | b, c << 23 | m};
          device.compute(operations()[0], positive);
          device.compute(operations()[0], {positive[0], positive[1] | fp32::kSign, positive[2]});
        }
      }
    }
  }
}

// The ends of all pieces of the special functions, at every exponent.
void test_pieces(uint64_t seed, uint64_t) {
  Device device(seed);
  for (size_t function = 8; function < 12; ++function) {
    const Operation& operation = operations()[function];
    for (uint32_t exponent = 0; exponent < 256; ++exponent) {
      for (uint32_t piece = 0; piece < 128; ++piece) {
        const uint32_t first = exponent << 23 | piece << 16;
        for (const uint32_t x : {first, first + 0xffff}) {
          device.compute(operation, {x, 0, 0});
          if (piece % 16 == 0 || function == 8) device.compute(operation, {x | fp32::kSign, 0, 0});
        }
      }
    }
  }
  // Of exp2 the pieces are 64ths, whatever the exponent: these and their neighbours.
  for (int32_t piece = -150 * 64; piece <= 130 * 64; ++piece) {
    const uint32_t x = fp32::mul(fp32::of_int32(piece), 0x3c800000);
    for (const uint32_t offset : {0U, 1U, ~0U}) device.compute(operations()[8], {x + offset, 0, 0});
  }
}

std::vector<verif::TestCase> tests() {
  return {{"random", test_random},
          {"corners", test_corners},
          {"distances", test_distances},
          {"pieces", test_pieces}};
}

}  // namespace
}  // namespace swai::fp

int main(int argc, char** argv) { return swai::verif::test_main(argc, argv, swai::fp::tests()); }
