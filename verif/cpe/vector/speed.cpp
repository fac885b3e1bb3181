// How fast the vector unit is simulated: at a memory that is always ready, idle and in fma over rows of 256
// (or what the mode says).
//   vector-speed [CYCLES [MODE]]
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>

#include "Vtb_vector.h"
#include "verif/lib/field.hpp"

int main(int argc, char** argv) {
  const uint64_t cycles = argc > 1 ? std::strtoull(argv[1], nullptr, 0) : 2'000'000;
  const auto mode = static_cast<uint32_t>(argc > 2 ? std::strtoul(argv[2], nullptr, 0) : 0);
  VerilatedContext context;
  Vtb_vector top(&context);
  const auto tick = [&] {
    top.clk_i = 1;
    top.eval();
    top.clk_i = 0;
    top.eval();
  };
  top.rst_ni = 0;
  tick();
  tick();
  top.rst_ni = 1;
  top.ready_i = 15;
  for (unsigned i = 0; i < 24; ++i) top.rdata_i[i] = 0x3f000001 + 0x10305 * i;
  swai::verif::Field issue(top.issue_i, 0, 107);
  const auto command = [&](unsigned op, uint32_t rs1, uint32_t rs2) {
    issue.set(32, 32, rs2);
    issue.set(64, 32, rs1);
    issue.set(96, 7, op);
    issue.set(103, 4, 9);
    top.issue_valid_i = 1;
    do {
      top.eval();
    } while (!top.issue_ready_o && (tick(), true));
    tick();
    top.issue_valid_i = 0;
  };
  const auto time = [&](auto work) {
    const std::clock_t start = std::clock();  // of this process: what else runs on the machine hardly matters
    work();
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC * 1e9;
  };
  const double idle = time([&] {
    for (uint64_t i = 0; i < cycles; ++i) tick();
  });
  for (unsigned i = 0; i < 4; ++i) command(i, 0x1000'0000 + 0x4000 * i, 1024);
  command(4, 0x1001'0000, 4);
  command(5, 256, 8);
  uint64_t groups = 0, busy_cycles = 0;
  command(16, mode | 1U << 8, 0);
  const double busy = time([&] {
    for (; busy_cycles < cycles; ++busy_cycles) {
      issue.set(64, 32, mode | 1U << 8);
      top.issue_valid_i = 1;
      tick();
      groups += top.event_group_o;
    }
  });
  fmt::print("idle {:.1f} ns a cycle, busy {:.1f} ns a cycle with {:.3f} groups\n",
             idle / static_cast<double>(cycles), busy / static_cast<double>(cycles),
             static_cast<double>(groups) / static_cast<double>(cycles));
  return 0;
}
