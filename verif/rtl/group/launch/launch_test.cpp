// SPDX-License-Identifier: Apache-2.0
// The launch hardware: launches, their order, end and failures, records, done words, registers, the way into
// the CPEs.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <vector>

#include "card_regs_table.hpp"
#include "verif/rtl/group/launch/launch_bench.hpp"
#include "verif/rtl/lib/test_main.hpp"

namespace swai::cg {
namespace {

namespace r = regs::cg;
constexpr uint32_t kAll = (1U << kCpes) - 1;

uint64_t copy_of(uint64_t offset, unsigned i) { return offset + 8 * uint64_t{i}; }

Launch random_launch(verif::Random& random, uint32_t mask) {
  return {.mask = mask,
          .code_segment = static_cast<uint16_t>(random.chance(80) ? 7 : random.below(4)),
          .argument_segment = static_cast<uint16_t>(random.next()),
          .owner = static_cast<uint8_t>(random.chance(80) ? 1 : random.below(3)),
          .notify = random.chance(30)};
}

void test_registers(uint64_t seed, uint64_t) {
  LaunchBench bench(seed);
  auto& random = bench.random();
  bench.reset();
  const auto ours = [](const regs::RegisterInfo& info) {
    return info.base == r::kBase && info.offset >= r::launch_mask::kOffset;
  };
  for (const auto& info : regs::kRegisters) {
    if (!ours(info)) continue;
    const uint64_t value = bench.read(info.offset);
    check((value & info.reset_known) == info.reset, fmt::format("{} is {:#x} after reset", info.name, value));
  }
  check(r::config::kRows.get(bench.read(r::config::kOffset)) == kCpes / kColumns, "rows");
  check(r::config::kColumns.get(bench.read(r::config::kOffset)) == kColumns, "columns");
  check(bench.read(r::cpe_stopped::kOffset) == kAll && bench.read(r::cpe_asleep::kOffset) == 0, "who is up?");
  for (const auto& info : regs::kRegisters) {
    if (!ours(info) || info.offset == r::cpe_enable::kOffset) continue;
    if (info.rw == 0) {
      if (info.wo == 0) bench.write(info.offset, random.next());
      continue;
    }
    uint64_t value = info.reset;
    for (unsigned i = 0; i < 20; ++i) {
      const unsigned size = static_cast<unsigned>(random.below(4));
      const unsigned at = static_cast<unsigned>(random.below(8)) & ~((1U << size) - 1);
      const uint64_t data = random.next();
      const uint64_t strobes = ((uint64_t{1} << (1U << size)) - 1) << at;
      uint64_t lanes = 0;
      for (unsigned byte = 0; byte < 8; ++byte) lanes |= strobes >> byte & 1 ? uint64_t{0xff} << 8 * byte : 0;
      check(bench.access(true, info.offset, data, strobes, random.chance(20)).status == Status::kOk,
            "a write was refused");
      value = (value & ~lanes) | (data & lanes & info.rw);
      check(bench.read(info.offset) == value, fmt::format("{} has not kept what was written", info.name));
    }
  }
  bench.enable(0xffff'ffff);
  check(bench.read(r::cpe_enable::kOffset) == kAll, "CPEs that are not there");
  bench.write(r::daemon::kOffset, 0x1'1234'5678);
  check(bench.top().boot_pc_o == 0x1234'5678, "boot pc");
  for (const uint64_t nowhere :
       {uint64_t{0x1d0}, uint64_t{0x1f8}, uint64_t{0x280}, uint64_t{0x600}, uint64_t{0x7f'fff8}}) {
    check(bench.access(false, nowhere).status == Status::kDenied,
          fmt::format("there is something at {:#x}", nowhere));
  }
  for (const uint64_t strobes : {uint64_t{0xf}, uint64_t{0xf0}, uint64_t{1}}) {
    check(bench.access(true, r::doorbell::kOffset, 1, strobes).status == Status::kDenied,
          "a part of a doorbell");
  }
  // Pulses, and what they do not touch.
  const auto pulses = [&](uint64_t value) {
    const uint64_t code = bench.model.invalidations();
    const uint64_t dslb = bench.model.forgotten();
    bench.write(r::invalidate::kOffset, value);
    bench.steps(3);
    return 16 * (bench.model.invalidations() - code) + bench.model.forgotten() - dslb;
  };
  check(pulses(0) == 0 && pulses(1) == 1 && pulses(2) == 0x10 && pulses(3) == 0x11, "wrong invalidations");
  check(bench.model.started() == 0, "a launch out of nothing");
}

// Each step of a launch in its cycle, all CPEs asleep.
void test_latency(uint64_t seed, uint64_t) {
  LaunchBench bench(seed);
  bench.cpes.habits = {.longest = 0};
  bench.model.stalls.never();
  bench.reset();
  bench.enable(kAll);
  bench.steps(30);
  bench.set_up({.mask = kAll, .code_segment = 3, .owner = 1});
  bench.ring(0x5000'0000, 0);
  bench.finish();
  check(bench.read(r::cpe_asleep::kOffset) == kAll, "not all sleep");
  const uint64_t edges = bench.cpes.edges();
  bench.steps(100);
  check(bench.cpes.edges() == edges, "sleepers with a clock");

  uint64_t rung = 0;
  uint64_t offered = 0;
  uint64_t finished = 0;
  uint64_t told = 0;
  uint64_t first_taken = 0;
  struct Watch : verif::Agent {
    std::function<void()> look;
    void drive() override {}
    void sample() override { look(); }
  } watch;
  uint32_t before = 0;
  watch.look = [&] {
    const auto& top = bench.top();
    if (top.push_o && rung == 0) rung = bench.cycle();
    if (top.launch_valid_o != 0 && offered == 0) offered = bench.cycle();
    if (top.launch_valid_o == 0 && offered != 0 && first_taken == 0) first_taken = bench.cycle();
    if (first_taken != 0 && top.finished_o == kAll && before != kAll) finished = bench.cycle();
    before = top.finished_o;
    if (top.done_valid_o && told == 0) told = bench.cycle();
  };
  bench.add(watch);
  bench.ring(0x5000'0000, 0);
  bench.finish();
  fmt::print("doorbell to offer {}, offer to taken {}, finished to done word {}: {} of the hardware's own\n",
             offered - rung, first_taken - offered, told - finished, offered - rung + told - finished);
  check(offered - rung == 2, "from doorbell to offer");
  check(first_taken - offered == 1, "sleepers take a launch in the cycle of its offer");
  check(told - finished == 3, "from the last CPE to the done word");

  // A chain: from the last CPE of one to the offer of the next.
  std::vector<uint64_t> gaps;
  uint64_t last = 0;
  watch.look = [&] {
    const auto& top = bench.top();
    if (top.finished_o == kAll && before != kAll) last = bench.cycle();
    before = top.finished_o;
    if (top.launch_valid_o == kAll && last != 0) {
      gaps.push_back(bench.cycle() - last);
      last = 0;
    }
  };
  for (unsigned i = 0; i < 6; ++i) bench.ring(0x5000'0000, 0);
  bench.finish();
  check(!gaps.empty(), "no chain");
  for (const uint64_t gap : gaps) check(gap == 4, fmt::format("{} cycles between launches", gap));
  bench.check_results();
}

// The queue: its size, its order, refusals, flushes.
void test_queue(uint64_t seed, uint64_t) {
  LaunchBench bench(seed);
  auto& random = bench.random();
  bench.reset();
  bench.enable(kAll);
  uint64_t refused = 0;
  for (unsigned round = 0; round < 12; ++round) {
    bench.cpes.habits = {.hang = 100, .longest = 10};
    bench.set_up(random_launch(random, 1 + static_cast<uint32_t>(random.below(kAll))));
    check(bench.ring(0x5000'0000, 0, random.chance(30)), "the first");
    bench.steps(10);
    const unsigned more = static_cast<unsigned>(random.below(11));
    for (unsigned i = 0; i < more; ++i) {
      if (random.chance(30))
        bench.set_up(
            random_launch(random, random.chance(10) ? 0 : 1 + static_cast<uint32_t>(random.below(kAll))));
      const bool taken = bench.ring(static_cast<uint32_t>(random.next()),
                                    static_cast<uint32_t>(random.below(64)), random.chance(30));
      check(taken == (i < 8), fmt::format("launch {} was {}", i, taken ? "taken" : "refused"));
      if (!taken) ++refused;
    }
    const unsigned waiting = std::min(more, 8U);
    const uint64_t status = bench.status();
    check(r::launch_status::kQueued.get(status) == waiting &&
              r::launch_status::kFree.get(status) == 8 - waiting &&
              r::launch_status::kRunning.get(status) == 1,
          "status of a full queue");
    check(bench.read(r::cpe_running::kOffset) != 0, "nobody runs");
    bench.cpes.habits = {.longest = 10};
    const bool flush = random.chance(50);
    if (flush) bench.write(r::launch_control::kOffset, r::launch_control::kFlush.put(1));
    if (flush && more < 8 && random.chance(50)) bench.ring(0, 0);  // is not touched
    const uint32_t failures = bench.model.failures();
    bench.write(r::launch_control::kOffset, r::launch_control::kKill.put(1));
    bench.finish();
    check(bench.model.failures() - failures == (flush ? waiting : 0) + 1, "not as many failures");
    check(bench.read(r::doorbells_refused::kOffset) == refused, "refused doorbells");
    bench.check_results();
    bench.check_records();
  }
  check(bench.read(r::launches::kOffset) == bench.model.ended(), "launches");
  check(bench.read(r::launch_failures::kOffset) == bench.model.failures(), "failures");
  bench.write(r::control::kOffset, 7);
  check(bench.read(r::launches::kOffset) == 0, "not cleared");
}

// Every way to fail: masks of nobody, faults, watchdog, kill, CPEs taken away; what is held then.
void test_failures(uint64_t seed, uint64_t) {
  LaunchBench bench(seed);
  auto& random = bench.random();
  bench.reset();
  const uint32_t some = 1 + static_cast<uint32_t>(random.below(kAll));
  uint32_t before = 0;
  const auto rings = [&](uint32_t mask) {
    before = bench.model.failures();
    bench.set_up(random_launch(random, mask));
    check(bench.ring(0x5000'0000, 0), "refused");
  };
  const auto fails = [&](const std::string& what, bool expected) {
    bench.finish();
    check((bench.model.failures() != before) == expected, what);
    bench.check_results();
  };
  rings(some);
  fails("CPEs that are not enabled", true);
  bench.enable(kAll);
  for (unsigned bit = kCpes; bit < 32; bit += 5) {
    rings(some | 1U << bit);
    fails("CPEs that are not there", true);
  }
  rings(0);
  fails("an empty mask", false);
  rings(some);
  fails("a launch while they boot", false);
  check(bench.read(r::fault_pending::kOffset) == 0 && !bench.top().cpe_fault_o, "faults of nobody");

  // The watchdog; until then the launch grows older.
  bench.cpes.habits = {.hang = 100, .longest = 10};
  bench.model.watchdog = 200;
  bench.write(r::watchdog::kOffset, 200);
  check(bench.read(r::launch_age::kOffset) == 0, "nothing runs, and has an age");
  rings(some);
  bench.steps(20);
  const uint64_t age = bench.read(r::launch_age::kOffset);
  bench.steps(50);
  check(age != 0 && bench.read(r::launch_age::kOffset) >= age + 50, "the age of the launch");
  fails("the watchdog", true);
  check(bench.model.expired() == 1 && bench.read(r::fault_pending::kOffset) == some,
        "not all of them have a record");
  check(bench.top().cpe_fault_o, "no fault");
  bench.write(r::control::kOffset, 1);
  check(!bench.top().cpe_fault_o, "a fault that is not allowed");
  bench.write(r::control::kOffset, 5);
  for (unsigned i = 0; i < kCpes; ++i) {
    const uint64_t record = bench.read(copy_of(r::fault_record0::kOffset, i));
    check(some >> i & 1 ? r::fault_record0::kCause.get(record) == r::fault_record0::kCauseWatchdog
                        : record == 0,
          "cause");
  }
  bench.check_records();
  bench.write(r::fault_pending::kOffset, some);
  check(bench.read(r::fault_pending::kOffset) == 0 && !bench.top().cpe_fault_o, "records are not cleared");

  // Killed; held; what waits is not started, but may be flushed.
  bench.write(r::launch_control::kOffset,
              r::launch_control::kHoldAfterFailure.put(1) | r::launch_control::kKill.put(1));
  bench.model.watchdog = 0;
  bench.write(r::watchdog::kOffset, 0);
  rings(some);
  bench.steps(random.below(60));
  for (unsigned i = 0; i < 3; ++i) rings(kAll);
  bench.write(r::launch_control::kOffset,
              r::launch_control::kHoldAfterFailure.put(1) | r::launch_control::kKill.put(1));
  bench.cpes.habits = {.longest = 10};
  bench.until([&] { return !bench.top().busy_o; }, 10000, "being held");
  check(
      r::launch_status::kHeld.get(bench.status()) == 1 && r::launch_status::kQueued.get(bench.status()) == 3,
      "not held");
  bench.steps(300);
  check(bench.model.queued() == 3, "a launch that is held has started");
  check(r::fault_record0::kCause.get(bench.read(
            copy_of(r::fault_record0::kOffset, std::countr_zero(some)))) == r::fault_record0::kCauseKilled,
        "cause");
  before = bench.model.failures();
  if (random.chance(50)) {
    bench.write(r::launch_control::kOffset,
                r::launch_control::kHoldAfterFailure.put(1) | r::launch_control::kFlush.put(1));
    fails("flushed", true);
    check(r::launch_status::kHeld.get(bench.status()) == 1, "no longer held");
    bench.write(r::launch_control::kOffset, r::launch_control::kResume.put(1));
  } else {
    bench.write(r::launch_control::kOffset, r::launch_control::kResume.put(1));
    fails("what was held", false);
  }
  check(r::launch_status::kHeld.get(bench.status()) == 0, "still held");
  bench.check_records();

  // CPEs that are taken away while they work, or before they could begin.
  for (unsigned round = 0; round < 6; ++round) {
    bench.cpes.habits = {.hang = 100, .longest = 10};
    rings(kAll);
    bench.steps(random.below(80));
    const uint32_t left = static_cast<uint32_t>(random.below(kAll));
    bench.enable(left);
    bench.steps(random.below(80));
    if (random.chance(50)) bench.enable(kAll);
    bench.steps(random.below(80));
    bench.cpes.habits = {.longest = 10};
    bench.write(r::launch_control::kOffset, r::launch_control::kKill.put(1));
    fails("CPEs taken away", true);
    bench.enable(kAll);
    bench.check_records();
  }
  // One that is taken away before it has the launch, and comes back while the others are at it, does not get
  // it any more.
  bench.enable(0);
  bench.steps(100);
  bench.cpes.habits = {.hang = 100, .longest = 200};
  bench.enable(kAll);
  rings(kAll);
  bench.enable(some);
  bench.steps(10);
  bench.enable(kAll);
  bench.steps(1000);
  bench.cpes.habits = {.longest = 10};
  bench.write(r::launch_control::kOffset, r::launch_control::kKill.put(1));
  fails("CPEs that were away", true);
  bench.check_records();

  // Flushed launches hold nothing.
  bench.write(r::launch_control::kOffset, r::launch_control::kHoldAfterFailure.put(1));
  bench.cpes.habits = {.longest = 400};
  for (unsigned i = 0; i < 3; ++i) rings(kAll);
  bench.write(r::launch_control::kOffset,
              r::launch_control::kHoldAfterFailure.put(1) | r::launch_control::kFlush.put(1));
  fails("flushed", true);
  check(r::launch_status::kHeld.get(bench.status()) == 0, "held by what was flushed");
  bench.cpes.habits = {.longest = 10};
  rings(kAll);
  fails("all is well again", false);
  check(bench.read(r::cpe_faults::kOffset) == bench.model.captured(), "faults are counted wrongly");
}

// A daemon that faults: three restarts, then the CPE is given up until it is enabled anew.
void test_daemon(uint64_t seed, uint64_t) {
  LaunchBench bench(seed);
  auto& random = bench.random();
  bench.cpes.habits = {.daemon_fault = 100, .longest = 10};
  bench.reset();
  for (unsigned round = 0; round < 4; ++round) {
    const uint64_t before = bench.model.captured();
    const uint32_t some = 1 + static_cast<uint32_t>(random.below(kAll));
    bench.cpes.habits.daemon_fault = 100;
    bench.enable(some);
    // A launch that waits for them fails when they are given up.
    const bool early = random.chance(50);
    if (early) {
      bench.set_up(random_launch(random, some));
      bench.ring(1, 0);
    }
    bench.until([&] { return (bench.top().usable_o & some) == 0; }, 5000, "giving them up");
    bench.steps(300);
    check(bench.model.captured() - before == 4 * static_cast<unsigned>(std::popcount(some)),
          "not four faults each");
    check(bench.read(r::cpe_stopped::kOffset) == kAll, "given up, but up");
    bench.set_up(random_launch(random, some));
    const uint32_t failures = bench.model.failures();
    bench.ring(1, 0);
    bench.finish();
    check(bench.model.failures() == failures + 1, "those that were given up took a launch");
    bench.check_records();
    // Two faults in a row, a launch, three faults: not a row of four.
    bench.enable(0);
    const uint32_t one = some & -some;
    const uint64_t five = bench.model.captured() + 5;
    bench.enable(one);
    bench.until([&] { return bench.model.captured() == five - 3; }, 2000, "two faults");
    bench.cpes.habits.daemon_fault = 0;
    bench.set_up(random_launch(random, one));
    bench.ring(1, 0);
    bench.finish();
    bench.cpes.habits.daemon_fault = 100;
    bench.ring(1, 0);
    bench.until([&] { return bench.model.captured() == five; }, 2000, "three faults");
    bench.cpes.habits.daemon_fault = 0;
    bench.finish();
    check(bench.top().usable_o == one && bench.model.failures() == failures + 1, "given up too early");

    // From now on it is well.
    bench.enable(0);
    bench.cpes.habits.daemon_fault = 0;
    bench.enable(some);
    bench.ring(1, 0);
    bench.finish();
    check(bench.model.failures() == failures + 1, "they did not come back");
    bench.enable(0);
    bench.steps(100);
  }
}

// The window on the CPEs.
void test_access(uint64_t seed, uint64_t cycles) {
  LaunchBench bench(seed);
  auto& random = bench.random();
  bench.cpes.habits = {.nudge = 1, .longest = 20};
  unsigned writes = 0;
  unsigned expected = 0;
  uint64_t want_addr = 0;
  uint64_t want_data = 0;
  unsigned want_cpe = 0;
  bench.cpes.on_access_write = [&](unsigned cpe, uint64_t addr, uint64_t data, uint64_t strobes) {
    ++writes;
    check(cpe == want_cpe && addr == want_addr && data == want_data && strobes == 0xff,
          "a write that went wrong");
  };
  bench.reset();
  uint32_t enabled = 0;
  for (uint64_t i = 0; i < cycles / 20; ++i) {
    if (random.chance(5)) {
      enabled = static_cast<uint32_t>(random.below(kAll + 1));
      bench.enable(enabled);
      if (random.chance(80)) bench.steps(100);
    }
    const unsigned cpe = static_cast<unsigned>(random.below(random.chance(20) ? 32 : kCpes));
    const uint64_t addr = 8 * random.below(0x4'0000 / 8);
    const uint64_t offset = regs::kCgAccess + cpe * regs::kCgAccessStride + addr;
    const bool sure = cpe < kCpes && (enabled >> cpe & 1) != 0 && (bench.top().tile_rst_no >> cpe & 1) != 0 &&
                      (bench.top().halt_o >> cpe & 1) == 0;
    const bool never = cpe >= kCpes || (bench.top().parked_o >> cpe & 1) != 0;
    want_cpe = cpe;
    want_addr = addr;
    want_data = random.next();
    const bool write = random.chance(50);
    const auto answer = bench.access(write, offset, want_data);
    check(answer.status == Status::kOk || !sure, fmt::format("CPE {} was not reached", cpe));
    check(answer.status == Status::kDenied || !never || (enabled >> cpe & 1) != 0,
          fmt::format("CPE {} was reached", cpe));
    if (answer.status == Status::kOk && write) ++expected;
    if (answer.status == Status::kOk && !write) check(answer.data == Cpes::memory(cpe, addr), "other data");
    check(writes == expected, "a write was lost or came twice");
  }
}

// Everything at once.
void test_random(uint64_t seed, uint64_t cycles) {
  LaunchBench bench(seed);
  auto& random = bench.random();
  bench.reset();
  bench.enable(kAll);
  uint64_t refused = 0;
  while (bench.cycle() < cycles) {
    // One mood after another; what stops endless loops is a watchdog or a kill.
    const auto chance = [&](unsigned percent, unsigned most) {
      return random.chance(percent) ? static_cast<unsigned>(random.below(most + 1)) : 0;
    };
    bench.cpes.habits = {.daemon_fault = chance(20, 40),
                         .kernel_fault = chance(40, 20),
                         .hang = chance(30, 10),
                         .bad_command = chance(20, 10),
                         .nudge = chance(50, 30),
                         .longest = static_cast<unsigned>(random.below(40))};
    bench.model.longest_answer = static_cast<unsigned>(random.below(random.chance(20) ? 400 : 30));
    bench.model.watchdog = random.chance(70) ? static_cast<uint32_t>(random.between(1, 600)) : 0;
    bench.write(r::watchdog::kOffset, bench.model.watchdog);
    const bool hold = random.chance(30);
    bench.write(r::launch_control::kOffset, r::launch_control::kHoldAfterFailure.put(hold));
    for (unsigned i = 0; i < 40; ++i) {
      switch (random.below(12)) {
        case 0:
          if (random.chance(20)) bench.enable(static_cast<uint32_t>(random.below(kAll + 1)));
          if (random.chance(70)) bench.enable(kAll);
          break;
        case 1:
          bench.write(r::launch_control::kOffset, r::launch_control::kHoldAfterFailure.put(hold) |
                                                      r::launch_control::kKill.put(random.chance(30)) |
                                                      r::launch_control::kFlush.put(random.chance(20)) |
                                                      r::launch_control::kResume.put(random.chance(50)));
          break;
        case 2:
          bench.check_records();
          break;
        case 3:
          bench.steps(random.below(300));
          break;
        case 4:
          bench.read(random.chance(50) ? r::launch_status::kOffset : r::cpe_asleep::kOffset);
          break;
        case 5:
          bench.access(random.chance(50), regs::kCgAccess + random.below(kCpes) * regs::kCgAccessStride, 0);
          break;
        case 6:
        case 7:
          bench.set_up(random_launch(
              random, random.chance(50) ? kAll : static_cast<uint32_t>(random.below(kAll + 3))));
          break;
        default:
          if (!bench.ring(static_cast<uint32_t>(random.next()), static_cast<uint32_t>(random.next())))
            ++refused;
          break;
      }
    }
    // Whatever hangs is killed in the end; whatever is held goes on.
    uint64_t patience = 0;
    while (bench.model.queued() != 0 || bench.model.started() != bench.model.ended() || bench.top().busy_o) {
      bench.steps(500);
      check(++patience < 400, "no end");
      bench.write(r::launch_control::kOffset,
                  r::launch_control::kKill.put(patience > 2) | r::launch_control::kResume.put(1));
    }
    bench.finish();
    bench.check_results();
    bench.check_records();
  }
  check(bench.read(r::launches::kOffset) == bench.model.ended(), "launches");
  check(bench.read(r::launch_failures::kOffset) == bench.model.failures(), "failures");
  check(bench.read(r::doorbells_refused::kOffset) == refused, "refused doorbells");
  check(bench.read(r::cpe_faults::kOffset) == bench.model.captured(), "faults");
  fmt::print("{} launches, {} failed, {} of them by the watchdog; {} doorbells refused, {} faults recorded\n",
             bench.model.ended(), bench.model.failures(), bench.model.expired(), refused,
             bench.model.captured());
}

std::vector<verif::TestCase> tests() {
  return {{"registers", test_registers}, {"latency", test_latency}, {"queue", test_queue},
          {"failures", test_failures},   {"daemon", test_daemon},   {"access", test_access},
          {"random", test_random}};
}

}  // namespace
}  // namespace swai::cg

int main(int argc, char** argv) { return swai::verif::test_main(argc, argv, swai::cg::tests()); }
