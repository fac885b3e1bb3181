// SPDX-License-Identifier: Apache-2.0
// The special functions of rtl/fp against the model.

#include "sim/iss/cpe/special.hpp"

#include <fmt/format.h>

#include <array>
#include <deque>

#include "Vtb_fp_special.h"
#include "verif/rtl/fp/numbers.hpp"
#include "verif/rtl/lib/bench.hpp"
#include "verif/rtl/lib/test_main.hpp"

namespace swai::fp {
namespace {

namespace special = iss::cpe::special;
using verif::check;
using verif::Random;
using verif::Stalls;

constexpr size_t kLatency = 4;
constexpr const char* kNames[] = {"exp2", "log2", "reciprocal", "root"};

class Device {
 public:
  explicit Device(uint64_t seed) : random_(seed ^ 0x5a5a), run_(seed) {}

  // One step of the pipelines with this argument, and what comes out. The unit that does everything does the
  // function `op`.
  void step(uint32_t x, size_t op) {
    auto& top = run_.top();
    top.x_i = x;
    top.op_i = static_cast<uint8_t>(op + 1);
    top.en_i = 1;
    run_.tick();
    expected_.push_back(
        {.x = x,
         .op = op,
         .results = {special::exp2(x), special::log2(x), special::reciprocal(x), special::root(x)}});
    if (expected_.size() == kLatency) {
      look();
      expected_.pop_front();
    }
  }

  void step(uint32_t x) { step(x, static_cast<size_t>(random_.below(4))); }

  // Nothing may change while the pipelines stand, whatever the arguments are.
  void stand() {
    auto& top = run_.top();
    const std::array before = outputs();
    top.x_i = static_cast<uint32_t>(random_.next());
    top.op_i = static_cast<uint8_t>(1 + random_.below(4));
    top.en_i = 0;
    run_.tick();
    check(before == outputs(), "a result changes although the pipeline stands");
  }

  void drain() {
    for (size_t i = 0; i < kLatency; ++i) step(0);
  }

 private:
  struct Expected {
    uint32_t x;
    size_t op;
    std::array<uint32_t, 4> results;
  };

  std::array<uint32_t, 5> outputs() {
    auto& top = run_.top();
    return {top.exp2_o, top.log2_o, top.reciprocal_o, top.root_o, top.any_o};
  }

  void look() {
    const Expected& e = expected_.front();
    const std::array is = outputs();
    for (size_t i = 0; i < e.results.size(); ++i) {
      if (is[i] != e.results[i]) {
        check(false,
              fmt::format("{}({:08x}) is {:08x}, should be {:08x}", kNames[i], e.x, is[i], e.results[i]));
      }
    }
    if (is[4] != e.results[e.op]) {
      check(false, fmt::format("{}({:08x}) among others is {:08x}, should be {:08x}", kNames[e.op], e.x,
                               is[4], e.results[e.op]));
    }
  }

  Random random_;
  VerilatedRun<Vtb_fp_special> run_;
  std::deque<Expected> expected_;
};

void test_random(uint64_t seed, uint64_t cycles) {
  Random random(seed);
  Stalls stalls(random);
  Numbers numbers(random);
  Device device(seed);
  for (uint64_t i = 0; i < cycles; ++i) {
    if (stalls.go()) {
      device.step(random.below(2) != 0 ? static_cast<uint32_t>(random.next()) : numbers.number());
    } else {
      device.stand();
    }
  }
}

// The ends of all pieces of all functions, at every exponent that a function looks at in a way of its own.
void test_pieces(uint64_t seed, uint64_t) {
  Device device(seed);
  for (uint32_t exponent = 0; exponent < 256; ++exponent) {
    for (uint32_t piece = 0; piece < 128; ++piece) {
      const uint32_t first = exponent << 23 | piece << 16;
      for (const uint32_t x : {first, first + 1, first + 0xffff}) {
        device.step(x);
        device.step(x | fp32::kSign);
      }
    }
  }
  // Of exp2 the pieces are 64ths, whatever the exponent: these and their neighbours.
  for (int32_t piece = -150 * 64; piece <= 130 * 64; ++piece) {
    const uint32_t x = fp32::mul(fp32::of_int32(piece), 0x3c800000);
    for (const uint32_t offset : {0U, 1U, ~0U}) device.step(x + offset);
  }
  device.drain();
}

// All mantissas, at exponents where the functions differ: the ends, both parities, around 1, and where exp2
// loses bits.
void test_mantissas(uint64_t seed, uint64_t) {
  Device device(seed);
  for (const uint32_t exponent :
       {1U, 102U, 112U, 119U, 122U, 124U, 125U, 126U, 127U, 128U, 130U, 133U, 134U, 252U, 253U, 254U}) {
    for (uint32_t mantissa = 0; mantissa < 1U << 23; ++mantissa) {
      const uint32_t x = exponent << 23 | mantissa;
      device.step(x);
      device.step(x | fp32::kSign);
    }
    fmt::print("exponent {}\n", exponent);
    std::fflush(stdout);
  }
  device.drain();
}

std::vector<verif::TestCase> tests() {
  return {{"random", test_random}, {"pieces", test_pieces}, {"mantissas", test_mantissas}};
}

}  // namespace
}  // namespace swai::fp

int main(int argc, char** argv) { return swai::verif::test_main(argc, argv, swai::fp::tests()); }
