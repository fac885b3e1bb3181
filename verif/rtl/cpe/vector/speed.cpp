// SPDX-License-Identifier: Apache-2.0
// How fast the vector unit is simulated, idle and busy: in fma over rows of 256, or what the mode
// (vector_mode_t) says.
//   vector-speed [CYCLES [MODE]]
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <ctime>

#include "Vtb_vector_speed.h"

int main(int argc, char** argv) {
  const uint64_t cycles = argc > 1 ? std::strtoull(argv[1], nullptr, 0) : 2'000'000;
  const auto mode = static_cast<uint32_t>(argc > 2 ? std::strtoul(argv[2], nullptr, 0) : 0);
  VerilatedContext context;
  Vtb_vector_speed top(&context);
  uint64_t groups = 0;
  const auto ticks = [&](uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) {
      top.clk_i = 1;
      top.eval();
      top.clk_i = 0;
      top.eval();
      groups += top.group_o;
    }
  };
  const auto ns_a_cycle = [&] {
    const std::clock_t start = std::clock();  // of this process: what else runs on the machine hardly matters
    ticks(cycles);
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC * 1e9 / static_cast<double>(cycles);
  };
  top.rst_ni = 0;
  top.mode_i = mode | 1U << 8;  // runs overlap
  top.run_i = 0;
  ticks(3);
  top.rst_ni = 1;
  const double idle = ns_a_cycle();
  top.run_i = 1;
  ticks(100);
  groups = 0;
  const double busy = ns_a_cycle();
  fmt::print("idle {:.1f} ns a cycle, busy {:.1f} ns a cycle with {:.3f} groups (digest {:08x})\n", idle,
             busy, static_cast<double>(groups) / static_cast<double>(cycles), top.digest_o);
  return 0;
}
