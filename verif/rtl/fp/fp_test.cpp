// SPDX-License-Identifier: Apache-2.0
// Sum, product and order of rtl/fp against the host's floats.

#include <fmt/format.h>

#include <array>
#include <deque>

#include "Vtb_fp.h"
#include "verif/rtl/fp/numbers.hpp"
#include "verif/rtl/lib/bench.hpp"
#include "verif/rtl/lib/test_main.hpp"

namespace swai::fp {
namespace {

using verif::check;
using verif::Random;
using verif::Stalls;

using Triple = std::array<uint32_t, 3>;

constexpr size_t kLatency = 3;

class Device {
 public:
  explicit Device(uint64_t seed) : random_(seed ^ 0x5a5a), run_(seed) {}

  // One step of the pipelines with these operands, and what comes out.
  void step(const Triple& operands) {
    const auto [a, b, c] = operands;
    auto& top = run_.top();
    top.a_i = a;
    top.b_i = b;
    top.c_i = c;
    top.en_i = 1;
    run_.settle();
    order(a, b);
    run_.tick();
    expected_.push_back({.a = a, .b = b, .c = c, .fma = fp32::fma(a, b, c), .add = fp32::add(a, b)});
    if (expected_.size() == kLatency) {
      look();
      expected_.pop_front();
    }
  }

  // Nothing may change while the pipelines stand, whatever the operands are.
  void stand() {
    auto& top = run_.top();
    const std::array before{top.fma_o, top.add_o};
    top.a_i = static_cast<uint32_t>(random_.next());
    top.b_i = static_cast<uint32_t>(random_.next());
    top.c_i = static_cast<uint32_t>(random_.next());
    top.en_i = 0;
    run_.tick();
    check(before == std::array{top.fma_o, top.add_o}, "a result changes although the pipeline stands");
  }

 private:
  struct Expected {
    uint32_t a, b, c;
    uint32_t fma, add;
  };

  void look() {
    auto& top = run_.top();
    const Expected& e = expected_.front();
    check(top.fma_o == e.fma, fmt::format("fma({:08x}, {:08x}, {:08x}) is {:08x}, should be {:08x}", e.a, e.b,
                                          e.c, top.fma_o, e.fma));
    check(top.add_o == e.add,
          fmt::format("add({:08x}, {:08x}) is {:08x}, should be {:08x}", e.a, e.b, top.add_o, e.add));
  }

  void order(uint32_t a, uint32_t b) {
    auto& top = run_.top();
    check(top.less_o == fp32::less(a, b), fmt::format("less({:08x}, {:08x}) is {}", a, b, top.less_o));
    check(top.equal_o == fp32::equal(a, b), fmt::format("equal({:08x}, {:08x}) is {}", a, b, top.equal_o));
    check(top.min_o == fp32::min(a, b), fmt::format("min({:08x}, {:08x}) is {:08x}", a, b, top.min_o));
    check(top.max_o == fp32::max(a, b), fmt::format("max({:08x}, {:08x}) is {:08x}", a, b, top.max_o));
  }

  Random random_;  // of what nobody may look at
  VerilatedRun<Vtb_fp> run_;
  std::deque<Expected> expected_;
};

void test_random(uint64_t seed, uint64_t cycles) {
  Random random(seed);
  Stalls stalls(random);
  Numbers numbers(random);
  Device device(seed);
  for (uint64_t i = 0; i < cycles; ++i) {
    if (!stalls.go()) {
      device.stand();
    } else if (random.below(2) == 0) {
      device.step(numbers.triple());
    } else {  // the first two count: they are added
      const auto [a, b] = numbers.pair();
      device.step({a, b, numbers.number()});
    }
  }
}

// Every number at which something changes with every other.
void test_corners(uint64_t seed, uint64_t) {
  Device device(seed);
  const std::vector<uint32_t> numbers = special_numbers();
  for (const uint32_t a : numbers) {
    for (const uint32_t b : numbers) {
      for (const uint32_t c : numbers) device.step({a, b, c});
    }
  }
  for (size_t i = 0; i < kLatency; ++i) device.step({});
  fmt::print("{} triples\n", numbers.size() * numbers.size() * numbers.size());
}

// Addends at every distance from a product, of both signs, each with mantissas that end in ones, zeros or a
// half.
void test_distances(uint64_t seed, uint64_t) {
  Device device(seed);
  static constexpr uint32_t kMantissas[] = {0,        1,        2,        0x3fffff, 0x400000,
                                            0x400001, 0x7ffffe, 0x7fffff, 0x2aaaaa};
  // Products in the middle, at both ends and with a subnormal factor.
  static constexpr std::array<uint32_t, 2> kExponents[] = {
      {127, 127}, {0, 127}, {0, 253}, {1, 126}, {30, 96}, {60, 60}, {0, 0}, {0, 230}, {200, 181}};
  for (const auto& exponents : kExponents) {
    for (const uint32_t a : kMantissas) {
      for (const uint32_t b : kMantissas) {
        for (uint32_t c = 0; c < 255; ++c) {
          for (const uint32_t m : {kMantissas[0], kMantissas[(a + c) % 9], kMantissas[(b + c) % 9]}) {
            const Triple positive{exponents[0] << 23 | a, exponents[1] << 23 | b, c << 23 | m};
            device.step(positive);
            device.step({positive[0], positive[1] | fp32::kSign, positive[2]});
            // The first two, and so the ones that are added.
            device.step({positive[0], positive[2], positive[1]});
            device.step({positive[1], positive[2] | fp32::kSign, positive[0]});
          }
        }
      }
    }
  }
  for (size_t i = 0; i < kLatency; ++i) device.step({});
}

std::vector<verif::TestCase> tests() {
  return {{"random", test_random}, {"corners", test_corners}, {"distances", test_distances}};
}

}  // namespace
}  // namespace swai::fp

int main(int argc, char** argv) { return swai::verif::test_main(argc, argv, swai::fp::tests()); }
