// SPDX-License-Identifier: Apache-2.0
// The systolic unit of a CPE under random streams of runs, against the model, bit for bit.

#include <fmt/format.h>

#include "verif/rtl/cpe/systolic/systolic_bench.hpp"
#include "verif/rtl/lib/test_main.hpp"

namespace swai::cpe {
namespace {

using verif::check;

// A few runs and what comes between them.
void some_runs(SystolicBench& bench, uint64_t most) {
  auto& random = bench.random();
  for (uint64_t left = random.between(1, most); left > 0; --left) {
    while (random.chance(15)) bench.command(random_nonsense(random));
    bench.run(random_run(random));
    while (random.chance(25)) {
      const auto age = static_cast<uint32_t>(random.below(std::min<uint64_t>(bench.planned(), 4)));
      if (random.chance(40)) {
        bench.wait(bench.planned() - age);
      } else {
        bench.poll(random.chance(10) ? bench.planned() + 1 : bench.planned() - age);
      }
    }
  }
}

void print(const SystolicBench& bench) {
  fmt::print(
      "{} cycles, {} runs, {} commands refused, {} waits, {} faults; waited for weights {}, activations {}, "
      "drain {} cycles\n",
      bench.cycle(), bench.runs, bench.refused, bench.waits, bench.faults, bench.waits_weights,
      bench.waits_activations, bench.waits_drain);
}

void test_random(uint64_t seed, uint64_t cycles) {
  SystolicBench bench(seed);
  while (bench.cycle() < cycles) {
    some_runs(bench, 12);
    bench.finish();
    check(!bench.failed(), "a run that should fit leaves local memory");
  }
  print(bench);
  check(bench.runs > cycles / (kSlower * 10000) && bench.refused > 0, "too few runs or refusals");
}

void test_faults(uint64_t seed, uint64_t cycles) {
  SystolicBench bench(seed);
  auto& random = bench.random();
  while (bench.cycle() < cycles) {
    if (random.chance(60)) some_runs(bench, 3);
    bench.run(random_overrun(random));
    if (random.chance(50)) some_runs(bench, 2);
    bench.finish();
    if (!bench.failed()) continue;
    bench.expect_fault();
    if (random.chance(50)) bench.halt();
    bench.restart();
  }
  print(bench);
  check(bench.faults > cycles / (kSlower * 20000), "too few faults");
}

void test_halt(uint64_t seed, uint64_t cycles) {
  SystolicBench bench(seed);
  auto& random = bench.random();
  uint64_t halts = 0;
  while (bench.cycle() < cycles) {
    some_runs(bench, 6);
    bench.steps(random.below(random.chance(50) ? 100 : kSlower * 4000));
    bench.halt();
    bench.restart();
    ++halts;
    if (random.chance(30)) bench.finish();
  }
  print(bench);
  fmt::print("{} halts\n", halts);
}

// The runs of these tests are legal and stay inside: the model alone takes as many of them as `count`.
void test_runs(uint64_t seed, uint64_t count) {
  verif::Random random(seed);
  std::vector<uint8_t> memory(map::kBytes);
  fill_memory(memory, random);
  iss::cpe::Systolic model(memory);
  for (uint64_t n = 0; n < count; ++n) {
    const Run run = random_run(random);
    auto commands = run.settings();
    commands.push_back(run.command());
    for (const Command& command : commands) {
      const auto answer = model.issue(command.op, command.rs1, command.rs2, 0);
      check(answer.kind == iss::cpe::Environment::Answer::kDone,
            fmt::format("run {}: command {} is refused: {}", n, command.op, run.text()));
    }
    check(model.fault().cause == iss::cpe::Cause::kNone,
          fmt::format("run {} leaves memory: {}", n, run.text()));
  }
  fmt::print("{} runs\n", count);
}

std::vector<verif::TestCase> tests() {
  return {{"runs", test_runs}, {"random", test_random}, {"faults", test_faults}, {"halt", test_halt}};
}

}  // namespace
}  // namespace swai::cpe

int main(int argc, char** argv) { return swai::verif::test_main(argc, argv, swai::cpe::tests()); }
