// SPDX-License-Identifier: Apache-2.0
// What a cycle of eight fma lanes costs a simulator, at work and standing:
//   fp-speed [CYCLES]
// Operands are of sizes as in products of matrices: 2^-8 to 2^8, of both signs.
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include "Vtb_fp_speed.h"
#include "sim/common/random.hpp"

int main(int argc, char** argv) {
  const uint64_t cycles = argc > 1 ? std::strtoull(argv[1], nullptr, 0) : 5'000'000;
  constexpr size_t kWords = 8;
  constexpr size_t kRows = 1024;
  swai::verif::Random random(1);
  std::vector<uint32_t> numbers(3 * kRows * kWords);
  for (auto& number : numbers) {
    const auto bits = static_cast<uint32_t>(random.next());
    number = (bits & 0x807fffff) | static_cast<uint32_t>(random.between(119, 135)) << 23;
  }
  VerilatedContext context;
  Vtb_fp_speed top(&context);
  const auto nanoseconds = [&](bool enabled) {
    top.en_i = enabled;
    const std::clock_t start = std::clock();  // of this process: what else runs on the machine hardly matters
    for (uint64_t i = 0; i < cycles; ++i) {
      const uint32_t* row = &numbers[i % kRows * kWords];
      std::memcpy(&top.a_i, row, kWords * 4);
      std::memcpy(&top.b_i, row + kRows * kWords, kWords * 4);
      std::memcpy(&top.c_i, row + 2 * kRows * kWords, kWords * 4);
      top.clk_i = 1;
      top.eval();
      top.clk_i = 0;
      top.eval();
    }
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC * 1e9 / static_cast<double>(cycles);
  };
  const double standing = nanoseconds(false);
  const double busy = nanoseconds(true);
  fmt::print("{{\"sim.fma_lanes_ns\": {:.0f}, \"sim.fma_lanes_idle_ns\": {:.0f}}}\n", busy, standing);
  return 0;
}
