// SPDX-License-Identifier: Apache-2.0
// The vector unit against its model: random commands, stalls, halts, runs that leave local memory.

#include <fmt/format.h>

#include "verif/rtl/cpe/vector/vector_bench.hpp"
#include "verif/rtl/cpe/vector/vector_program.hpp"
#include "verif/rtl/lib/test_main.hpp"

namespace swai::cpe {
namespace {

using verif::check;

constexpr uint64_t kPatience = 2'000'000;  // cycles: one element after the other takes its time

void finish(VectorBench& bench) {
  bench.next = [] { return std::nullopt; };
  bench.until([&] { return !bench.issuing() && !bench.top().busy_o; }, kPatience, "all runs");
  check(!bench.top().fault_valid_o, "a fault");
  bench.compare();
}

// Rounds of commands; `cycles` is how long all of them take at least.
void test_random(uint64_t seed, uint64_t cycles) {
  VectorBench bench(seed);
  uint64_t runs = 0, faults = 0, halts = 0;
  while (bench.cycle() < cycles) {
    bench.prompt = bench.random().chance(30);
    VectorProgram program(bench.random(), {.overrun_percent = bench.random().chance(50) ? 10U : 0U,
                                           .groups = bench.random().chance(70) ? 40U : 150U});
    bench.next = [&]() -> std::optional<iss::cpe::Command> {
      if (program.over()) return std::nullopt;
      return program.next();
    };
    const uint64_t end = bench.cycle() + bench.random().between(1, 6000);
    while (bench.cycle() < end && !program.over()) bench.step();
    if (bench.random().chance(50) && !program.over()) {
      bench.halt();
      bench.steps(bench.random().between(1, 200));
      ++halts;
    } else if (!program.over()) {
      finish(bench);
    } else {
      bench.until([&] { return !bench.issuing(); }, kPatience, "the last command");
      if (bench.failed()) {
        bench.until([&] { return static_cast<bool>(bench.top().fault_valid_o); }, kPatience, "the fault");
        bench.check_fault();
        bench.compare();
        bench.steps(50);
        bench.check_fault();
        bench.compare();
        ++faults;
      } else {
        finish(bench);
      }
    }
    runs += bench.model.begun();
    bench.restart();
  }
  fmt::print("{} commands, {} refused, {} runs, {} groups, {} faults, {} halts, memory compared {} times\n",
             bench.commands, bench.refused, runs, bench.groups, faults, halts, bench.compared);
  fmt::print("{} cycles waited for operands, {} for the store\n", bench.wait_operands, bench.wait_store);
  if (cycles >= 50'000) check(faults > 0 && halts > 0 && bench.refused > 0, "too little happened");
}

std::vector<verif::TestCase> tests() { return {{"random", test_random}}; }

}  // namespace
}  // namespace swai::cpe

int main(int argc, char** argv) { return swai::verif::test_main(argc, argv, swai::cpe::tests()); }
