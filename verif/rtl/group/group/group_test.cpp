// SPDX-License-Identifier: Apache-2.0
// Whole groups: random programs with all engines at once, faults, launches at any time, interventions.
#include <fmt/format.h>

#include <algorithm>

#include "sim/iss/cpe/text.hpp"
#include "verif/rtl/group/group/digest.hpp"
#include "verif/rtl/group/group/garbage.hpp"
#include "verif/rtl/group/group/group_bench.hpp"
#include "verif/rtl/lib/test_main.hpp"

namespace swai::cg {
namespace {

using verif::check;
namespace enc = cpe::enc;
using cpe::Assembler, cpe::kT0, cpe::kA0, cpe::kA1;

constexpr uint64_t kChannelWord = 32;

// Small CPEs count nothing of their engines.
#ifdef SMALL_CPES
constexpr bool kCountsEngines = false;
#else
constexpr bool kCountsEngines = true;
#endif
constexpr unsigned kFirstOfEngines = 11;

// The counters of a launch that went well: by CPE, kCounters of each.
void check_counters(GroupBench& bench, const std::vector<uint32_t>& before,
                    const std::vector<uint32_t>& after, const cpe::Result& expected,
                    const std::vector<uint64_t>& row_bytes, const std::vector<uint64_t>& column_bytes,
                    const std::vector<uint64_t>& dma_bytes, uint32_t mask) {
  for (unsigned i = 0; i < bench.cpes(); ++i) {
    const auto delta = [&](unsigned number) {
      return after[i * GroupBench::kCounters + number] - before[i * GroupBench::kCounters + number];
    };
    uint32_t reasons = 0;
    for (unsigned number = 1; number <= 10; ++number) reasons += after[i * GroupBench::kCounters + number];
    // Each reading gave it cycles in which it waited for the next launch.
    check(reasons - after[i * GroupBench::kCounters] <= 2 * GroupBench::kCounters,
          fmt::format("CPE {}: {} cycles, {} reasons", i, after[i * GroupBench::kCounters], reasons));
    if ((mask >> i & 1) == 0) continue;
    // The daemon's last two: done, and the jump.
    check(delta(1) == expected.instructions[i] + 2,
          fmt::format("CPE {}: {} instructions, not {}", i, delta(1), expected.instructions[i] + 2));
    if (!kCountsEngines) {
      for (unsigned number = kFirstOfEngines; number < GroupBench::kCounters; ++number) {
        check(after[i * GroupBench::kCounters + number] == 0,
              fmt::format("CPE {}: counter {} counts", i, number));
      }
      continue;
    }
    check(delta(13) == row_bytes[i] / kChannelWord,
          fmt::format("CPE {}: {} words on its row, not {}", i, delta(13), row_bytes[i] / kChannelWord));
    check(
        delta(14) == column_bytes[i] / kChannelWord,
        fmt::format("CPE {}: {} words on its column, not {}", i, delta(14), column_bytes[i] / kChannelWord));
    // A piece has 1 to 64 bytes.
    check(delta(12) * 64 >= dma_bytes[i] && delta(12) <= dma_bytes[i],
          fmt::format("CPE {}: {} lines for {} bytes", i, delta(12), dma_bytes[i]));
    check(delta(11) >= delta(12), fmt::format("CPE {}: DMA busy for {} cycles only", i, delta(11)));
  }
}

// Nothing of what kernels set up is there in the next launch.
void leave_transfers(GroupBench& bench) {
  std::vector<Assembler> codes;
  for (unsigned i = 0; i < bench.cpes(); ++i) codes.push_back(unfinished_transfer(bench.random));
  bench.codes(codes);
  check(!bench.launch(bench.all()).result.failed && bench.launch_model(bench.all()).ok(),
        "a kernel that sets a transfer up fails");
  check(bench.driver.wait([&] { return bench.driver.asleep() == bench.all(); }, 1000), "CPEs do not sleep");
}

// One random program, against what it must leave and against the model.
void random_program(GroupBench& bench, unsigned events) {
  const cpe::GroupProgram program = bench.program(events);
  bench.load(program);
  if (bench.random.chance(50)) {
    leave_transfers(bench);
    bench.code(program.code());
  }
  const auto before = bench.counters();
  const auto ended = bench.launch(program.mask());
  check(!ended.result.failed,
        "a good program failed: " +
            cpe::text(ended.faults[static_cast<unsigned>(std::countr_zero(ended.failed | 1u << 31))]));
  const cpe::Result expected = bench.launch_model(program.mask());
  check(expected.ok(), "the model says that a good program fails");
  check(bench.driver.wait([&] { return bench.driver.asleep() == bench.all(); }, 1000), "CPEs do not sleep");
  bench.check(program);
  bench.check_ldm(program);
  // The model's counts begin with its boot, in load().
  const unsigned columns = bench.driver.columns();
  std::vector<uint64_t> row;
  std::vector<uint64_t> column;
  std::vector<uint64_t> dma;
  for (unsigned i = 0; i < bench.cpes(); ++i) {
    const auto& own_row = bench.model.row(i / columns);
    const auto& own_column = bench.model.column(i % columns);
    row.push_back(own_row.bytes_sent(i % columns) + own_row.bytes_received(i % columns));
    column.push_back(own_column.bytes_sent(i / columns) + own_column.bytes_received(i / columns));
    dma.push_back(bench.model.cpe(i).dma().bytes_loaded() + bench.model.cpe(i).dma().bytes_stored());
  }
  static std::vector<uint64_t> row_before, column_before, dma_before;
  const auto since = [](std::vector<uint64_t>& last, const std::vector<uint64_t>& now) {
    std::vector<uint64_t> difference = now;
    for (size_t i = 0; i < last.size(); ++i) difference[i] -= last[i];
    last = now;
    return difference;
  };
  const auto row_moved = since(row_before, row);
  const auto column_moved = since(column_before, column);
  const auto dma_moved = since(dma_before, dma);
  check_counters(bench, before, bench.counters(), expected, row_moved, column_moved, dma_moved,
                 program.mask());
}

void test_random(uint64_t seed, uint64_t cycles) {
  GroupBench bench(seed);
  unsigned programs = 0;
  for (; bench.sim.cycles() < cycles; ++programs)
    random_program(bench, static_cast<unsigned>(bench.random.between(10, bench.cpes() * 12)));
  fmt::print("{} programs, {} cycles, {} requests to the ring\n", programs, bench.sim.cycles(),
             bench.sim.far_requests());
}

// Every CPE does one bad thing; their records are the model's.
void test_faults(uint64_t seed, uint64_t cycles) {
  GroupBench bench(seed);
  constexpr uint32_t kWatchdog = 4000;
  bench.model.set_limit(kWatchdog);
  const uint64_t read_only = bench.base(GroupBench::kReadOnly);
  if (read_only < GroupSim::kFarBase) {
    for (unsigned i = 0; i < 6; ++i) bench.poison(read_only + 64 * bench.random.below(64));
  }
  unsigned causes[32] = {};
  unsigned launches = 0;
  for (; bench.sim.cycles() < cycles; ++launches) {
    bench.recover();
    bench.driver.set_watchdog(kWatchdog);
    if (bench.random.chance(30)) leave_transfers(bench);
    std::vector<Assembler> codes;
    for (unsigned i = 0; i < bench.cpes(); ++i)
      codes.push_back(bench.random.chance(20) ? Assembler().ret() : one_fault(bench.random));
    bench.codes(codes);
    const uint32_t mask = bench.some_mask();
    const auto ended = bench.launch(mask);
    bench.model.clear_faults();
    const cpe::Result expected = bench.launch_model(mask);
    check(ended.result.failed == !expected.ok(), "the launch failed here or in the model only");
    // Who goes on after somebody else has stopped it all depends on when.
    for (unsigned i = 0; i < bench.cpes(); ++i) {
      cpe::Fault fault = ended.faults[i];
      const cpe::Fault& model = expected.faults[i];
      ++causes[static_cast<unsigned>(fault.cause) & 31];
      if (expected.ending == cpe::Ending::kLimit && fault.cause == cpe::Cause::kWatchdog) fault.pc = model.pc;
      check(fault == model, fmt::format("launch {}, CPE {}: {}; in the model: {}", ended.number, i,
                                        cpe::text(fault), cpe::text(model)));
    }
  }
  std::string text;
  for (unsigned i = 1; i < 32; ++i) {
    if (causes[i] != 0) text += fmt::format(", {} {}", causes[i], cpe::text(static_cast<cpe::Cause>(i)));
  }
  fmt::print("{} launches{}\n", launches, text);
}

// Doorbells at any time: each CPE runs each launch that is for it, once.
void test_doorbell(uint64_t seed, uint64_t cycles) {
  GroupBench bench(seed);
  auto& random = bench.random;
  constexpr uint32_t kCount = 0x40;  // in local memory
  // Counts, and takes as long as the argument says.
  Assembler code;
  code.li(kT0,
          cpe::kLdmBase + kCount)({enc::lw(kA1, kT0, 0), enc::addi(kA1, kA1, 1), enc::sw(kA1, kT0, 0),
                                   enc::branch(enc::kBeq, kA0, 0) | enc::imm_b(12), enc::addi(kA0, kA0, -1),
                                   enc::branch(enc::kBeq, 0, 0) | enc::imm_b(-8)});
  bench.code(code.ret().words());
  std::vector<uint32_t> expected(bench.cpes());
  for (unsigned i = 0; i < bench.cpes(); ++i) {
    bench.driver.clear_ldm(i, 2000);
    check(bench.ldm(i, kCount) == 0, "local memory is not clear");
  }
  uint32_t mask = bench.all();
  bench.prepare(mask);
  uint64_t launches = 0;
  uint32_t number = 0;
  while (bench.sim.cycles() < cycles) {
    if (random.chance(20)) {
      mask = bench.some_mask();
      bench.prepare(mask);
    }
    // Around the end of the last one, mostly; the CPEs fall asleep then, or have the next one at once.
    if (random.chance(60) && number != 0) bench.driver.wait_ended(number, 10'000);
    bench.sim.steps(random.below(random.chance(80) ? 30 : 300));
    while (bench.driver.room() == 0) bench.sim.step();
    number =
        bench.driver.start(cpe::kKernel, random.chance(50) ? 0 : static_cast<uint32_t>(random.below(40)));
    ++launches;
    for (unsigned i = 0; i < bench.cpes(); ++i) expected[i] += mask >> i & 1;
  }
  const auto ended = bench.finish(number);
  check(ended.failed == 0 && bench.sim.read(regs::cg::launch_failures::kAddr) == 0, "a launch failed");
  check(bench.sim.read(regs::cg::launches::kAddr) == launches, "launches are counted wrongly");
  for (unsigned i = 0; i < bench.cpes(); ++i) {
    const auto count = static_cast<uint32_t>(bench.ldm(i, kCount));
    check(count == expected[i], fmt::format("CPE {} ran {} launches, not {}", i, count, expected[i]));
  }
  fmt::print("{} launches, {} cycles\n", launches, bench.sim.cycles());
}

// Programs, good ones and garbage, are disturbed; after that the group works.
void disturb(GroupBench& bench, bool report) {
  auto& random = bench.random;
  const bool sensible = random.chance(50);
  uint32_t mask = bench.all();
  if (sensible) {
    const cpe::GroupProgram program =
        bench.program(static_cast<unsigned>(random.between(10, bench.cpes() * 8)));
    mask = program.mask();
    bench.load(program);
  } else {
    std::vector<Assembler> codes;
    for (unsigned i = 0; i < bench.cpes(); ++i)
      codes.push_back(random.chance(20) ? Assembler().ret() : garbage(random));
    bench.codes(codes);
    mask = bench.some_mask();
  }
  // A group that was disturbed may wait for what does not come.
  bench.driver.set_watchdog(static_cast<uint32_t>(random.chance(30) ? random.between(1, 3000) : 20'000));
  bench.prepare(mask);
  uint32_t number = bench.driver.start(cpe::kKernel, 0);
  uint32_t disabled = 0;
  bool killed = false;
  bench.sim.steps(random.below(random.chance(50) ? 100 : 6000));
  switch (random.below(4)) {
    case 0:
      bench.driver.kill();
      killed = true;
      break;
    case 1:
      disabled = static_cast<uint32_t>(random.next()) & bench.all();
      bench.driver.enable(~disabled & bench.all());
      if (random.chance(50)) {
        bench.sim.steps(random.below(100));
        bench.driver.enable(bench.all());
      }
      break;
    case 2:  // launches behind it; whatever they do
      for (uint64_t i = random.between(1, 4); i > 0; --i) number = bench.driver.start(cpe::kKernel, 0);
      if (random.chance(50)) {
        bench.sim.steps(random.below(1000));
        if (random.chance(50)) bench.driver.kill();
        if (random.chance(50)) bench.driver.flush();
      }
      break;
    default:
      break;
  }
  const auto ended = bench.finish(number);
  if (report) {
    bench.digest(fmt::format("{} {} {} {}", ended.result.cycles, ended.result.waited, ended.result.failed,
                             ended.failed));
    for (const cpe::Fault& fault : ended.faults) {
      if (fault.cause != cpe::Cause::kNone) fmt::print("  {}\n", cpe::text(fault));
    }
  }
  for (const cpe::Fault& fault : ended.faults) {
    check(fault.cause != cpe::Cause::kKilled || killed || disabled != 0 || number > ended.number - 4,
          "a CPE was killed that nobody killed");
  }
  bench.recover();
}

void test_disturb(uint64_t seed, uint64_t cycles) {
  GroupBench bench(seed);
  unsigned rounds = 0;
  unsigned failed = 0;
  for (; bench.sim.cycles() < cycles; ++rounds) {
    const uint64_t before = bench.sim.read(regs::cg::launch_failures::kAddr);
    for (uint64_t i = bench.random.between(1, 3); i > 0; --i) disturb(bench, false);
    failed += bench.sim.read(regs::cg::launch_failures::kAddr) != before ? 1 : 0;
    random_program(bench, static_cast<unsigned>(bench.random.between(10, bench.cpes() * 6)));
  }
  fmt::print("{} rounds, {} with failed launches, {} cycles\n", rounds, failed, bench.sim.cycles());
}

// Random launches, disturbed ones among them, and all that depends on time as text: builds of one group must
// agree (same_test.py).
void print_digest(uint64_t seed, uint64_t cycles, uint64_t every) {
  GroupBench bench(seed, false);
  const Digest digest(bench.sim, every);
  while (bench.sim.cycles() < cycles) {
    disturb(bench, true);
    const cpe::GroupProgram program =
        bench.program(static_cast<unsigned>(bench.random.between(10, bench.cpes() * 8)));
    bench.load(program);
    const auto ended = bench.launch(program.mask());
    check(!ended.result.failed, "a good program failed");
    bench.check(program);
    bench.digest(fmt::format("{} {}", ended.result.cycles, ended.result.waited));
  }
}

void test_digest(uint64_t seed, uint64_t cycles) { print_digest(seed, cycles, 1000); }

// The same, but a line for every cycle: where two builds part.
void test_cycles(uint64_t seed, uint64_t cycles) { print_digest(seed, cycles, 1); }

}  // namespace
}  // namespace swai::cg

int main(int argc, char** argv) {
  using namespace swai::cg;
  return swai::verif::test_main(argc, argv,
                                {{"random", test_random},
                                 {"faults", test_faults},
                                 {"doorbell", test_doorbell},
                                 {"disturb", test_disturb},
                                 {"digest", test_digest},
                                 {"cycles", test_cycles}});
}
