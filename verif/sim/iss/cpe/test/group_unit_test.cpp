// SPDX-License-Identifier: Apache-2.0
// A group as the management processor sees it: its driver (abi/group) on the registers, launches beside those
// of Group.
#include "sim/iss/cpe/group_unit.hpp"

#include "abi/group/group.hpp"
#include "verif/sim/iss/cpe/test/bench.hpp"

namespace swai::iss::cpe {
namespace {

namespace cg = regs::cg;

constexpr uint32_t kLdm = kLdmBase;
constexpr uint32_t kForever = 0x0000'006f;  // jumps to itself
constexpr unsigned kNumber = 2;             // of the group

struct UnitBench : Bench {
  struct Event {
    uint64_t word = 0;
    bool notify = false;
  };

  std::vector<Event> events;
  unsigned fault_edges = 0;
  GroupUnit unit;

  // What the driver runs on.
  struct Machine {
    UnitBench& bench;
    uint64_t time = 0;

    uint64_t read(uint64_t address) {
      if (address < cg::kBase) return bench.events.empty() ? 0 : bench.events.back().word;
      const uint64_t offset = address - cg::kBase - kNumber * cg::kSize;
      uint64_t value = 0;
      if (offset < regs::kCgAccess) {
        REQUIRE(bench.unit.read(offset, 8, value));
      } else {
        uint8_t bytes[8];
        REQUIRE(bench.unit.read_window(offset, bytes));
        std::memcpy(&value, bytes, sizeof value);
      }
      return value;
    }
    uint32_t read_low(uint64_t address) { return static_cast<uint32_t>(read(address)); }
    void write(uint64_t address, uint64_t value) {
      const uint64_t offset = address - cg::kBase - kNumber * cg::kSize;
      if (offset < regs::kCgAccess) {
        REQUIRE(bench.unit.write(offset, 8, value));
      } else {
        REQUIRE(bench.unit.write_window(offset, {reinterpret_cast<const uint8_t*>(&value), 8}));
      }
    }
    void store(uint64_t address, uint64_t value) { bench.poke(address, std::span(&value, 1)); }
    void copy(uint64_t address, std::span<const uint8_t> bytes) { bench.memory.poke(address, bytes); }
    void zero(uint64_t address, uint64_t bytes) { bench.poke(address, std::vector<uint8_t>(bytes)); }
    void publish(uint64_t, uint64_t) {}
    uint64_t cycles() { return time += std::max<uint64_t>(bench.unit.run(50), 50); }
  };
  static_assert(group::Machine<Machine>);
  Machine machine{*this};
  group::Group<Machine> driver;

  explicit UnitBench(unsigned rows = 2, unsigned columns = 2, uint64_t turn = 16)
      : Bench(rows, columns),
        unit(rows, columns, memory, {.number = kNumber, .hbm_kib = 4096, .turn = turn},
             {.done =
                  [this](uint64_t word, bool notify) {
                    events.push_back({word, notify});
                  },
              .fault = [this] { ++fault_edges; }}),
        driver(machine, kNumber) {
    driver.use_segments(kTable, kEntries);
    driver.use_daemon(kDaemon, space::kDaemon << 28);
    driver.enable(all());
    REQUIRE(driver.wait_ready(all(), 1000));
    prepare(all());
  }
  void prepare(uint32_t mask, bool notify = false) {
    driver.prepare({.mask = mask,
                    .code_segment = kCode,
                    .argument_segment = kArgument,
                    .owner = kContext,
                    .notify = notify});
  }
  void put(const Assembler& assembler) {
    code(assembler);
    driver.forget(group::Group<Machine>::kCode);
  }
  uint32_t start(uint32_t argument = 0) { return driver.start(kKernel, argument); }
  launch::Done end(uint32_t number) {
    REQUIRE(driver.wait_ended(number, 100'000));
    return driver.last_done();
  }
  void idle() {
    for (unsigned i = 0; i < 1000 && unit.busy(); ++i) unit.run(100);
    REQUIRE_FALSE(unit.busy());
  }
  bool write(uint64_t offset, uint64_t value, unsigned bytes = 8) { return unit.write(offset, bytes, value); }
  uint64_t read(uint64_t offset, unsigned bytes = 8) {
    uint64_t value = 0;
    REQUIRE(unit.read(offset, bytes, value));
    return value;
  }
  uint32_t word_of(unsigned cpe, uint32_t at) {
    return static_cast<uint32_t>(machine.read(driver.ldm_address(cpe) + at));
  }
};

TEST_CASE("unit: launches, their numbers, done words, notifications and results") {
  UnitBench bench(4, 8);
  CHECK(bench.driver.rows() == 4);
  CHECK(bench.driver.columns() == 8);
  CHECK(cg::identity::kGroup.get(bench.read(cg::identity::kOffset)) == kNumber);
  CHECK(cg::config::kHbmKib.get(bench.read(cg::config::kOffset)) == 4096);
  bench.put(Assembler().li(kT0, kLdm)({enc::sw(kA0, kT0, 0)}).ret());
  bench.idle();
  CHECK(bench.driver.asleep() == bench.all());
  for (uint32_t number = 1; number <= 40; ++number) {
    bench.prepare(number, number % 3 == 0);
    CHECK(bench.start(number * 100) == number);
    const launch::Done done = bench.end(number);
    CHECK(done.sequence == number);
    CHECK_FALSE(done.failed);
    CHECK_FALSE(done.watchdog);
    CHECK(bench.events.size() == number);
    CHECK(bench.events.back().notify == (number % 3 == 0));
    const auto result = bench.driver.result(number);
    CHECK(result.cycles == done.cycles);
    CHECK(result.cycles >= 6);
    // The first one finds code that nobody has run.
    CHECK(result.cycles < (number == 1 ? 300 : 30));
    CHECK(result.waited >= 1);
    for (unsigned i = 0; i < 32; ++i) {
      if ((number >> i & 1) != 0) CHECK(bench.word_of(i, 0) == number * 100);
    }
  }
  CHECK(bench.read(cg::launches::kOffset) == 40);
  CHECK(bench.write(cg::control::kOffset, cg::control::kReset | cg::control::kClearCounters.mask()));
  CHECK(bench.read(cg::launches::kOffset) == 0);
  // Mask 0 ends at once; CPEs that are not there, or not enabled: as failed.
  bench.prepare(0);
  CHECK_FALSE(bench.end(bench.start()).failed);
  bench.driver.enable(bench.all() & ~4u);
  bench.prepare(6);
  CHECK(bench.end(bench.start()).failed);
  CHECK(bench.driver.faults() == 0);
  CHECK(bench.read(cg::launch_failures::kOffset) == 1);
}

TEST_CASE("unit: eight launches wait, the ninth is refused; they run in their order; flush and hold") {
  UnitBench bench;
  bench.put(Assembler()({kForever}));
  for (uint32_t i = 0; i < 8; ++i) bench.start();
  CHECK_FALSE(bench.write(cg::doorbell::kOffset, 0));
  CHECK_FALSE(bench.write(cg::doorbell::kOffset, 0, 4));  // half a doorbell is none, and not counted
  CHECK(bench.read(cg::doorbells_refused::kOffset) == 1);
  bench.unit.run(100);
  uint64_t status = bench.driver.status();
  CHECK(cg::launch_status::kQueued.get(status) == 7);
  CHECK(cg::launch_status::kFree.get(status) == 1);
  CHECK(cg::launch_status::kRunning.get(status) == 1);
  CHECK(bench.driver.running() == bench.all());
  CHECK(bench.driver.age() >= 90);
  bench.put(Assembler().ret());
  CHECK(bench.write(cg::launch_control::kOffset, cg::launch_control::kHoldAfterFailure.mask()));
  bench.driver.kill();
  CHECK(bench.write(cg::launch_control::kOffset, cg::launch_control::kHoldAfterFailure.mask()));
  CHECK(bench.end(1).failed);
  bench.idle();
  CHECK(bench.driver.age() == 0);
  CHECK(cg::launch_status::kHeld.get(bench.driver.status()) == 1);
  CHECK(cg::launch_status::kEnded.get(bench.driver.status()) == 1);
  CHECK(bench.events.size() == 1);
  // What waits is flushed even while it is held; the next one is still held.
  bench.driver.flush();
  bench.start();
  bench.idle();
  REQUIRE(bench.events.size() == 8);
  for (uint32_t i = 1; i < 8; ++i) {
    const launch::Done done = launch::decode_done(bench.events[i].word);
    CHECK(done.sequence == i + 1);
    CHECK(done.failed);
    CHECK(done.cycles == 0);
  }
  CHECK(bench.write(cg::launch_control::kOffset, cg::launch_control::kResume.mask()));
  CHECK_FALSE(bench.end(9).failed);
}

TEST_CASE("unit: kill and watchdog, records, the fault's line") {
  UnitBench bench;
  bench.codes({Assembler()({kForever}), Assembler()({0}), Assembler().ret(), Assembler().sync(4).ret()});
  bench.driver.forget(group::Group<UnitBench::Machine>::kCode);
  bench.start();
  bench.unit.run(500);
  CHECK(bench.driver.running() == 0b1001);
  CHECK(bench.driver.faults() == 0b0010);
  CHECK(bench.fault_edges == 1);
  bench.driver.kill();
  launch::Done done = bench.end(1);
  CHECK(done.failed);
  CHECK_FALSE(done.watchdog);
  CHECK(bench.driver.faults() == 0b1011);
  CHECK(bench.fault_edges == 1);
  CHECK(bench.read(cg::cpe_faults::kOffset) == 3);
  CHECK(bench.driver.fault(0).cause == Cause::kKilled);
  CHECK(bench.driver.fault(0).pc == kKernel + Bench::kCodeOfCpe);
  CHECK(bench.driver.fault(0).segment == kNoSegment);
  CHECK(bench.driver.fault(1).cause == Cause::kIllegal);
  CHECK(bench.driver.fault(2).cause == Cause::kNone);
  CHECK(bench.driver.fault(3).cause == Cause::kKilled);
  // The record of the first fault stays, also when it is cleared; only then comes the next.
  CHECK(bench.write(cg::fault_pending::kOffset, 0b0010));
  bench.driver.set_watchdog(700);
  done = bench.end(bench.start());
  CHECK(done.failed);
  CHECK(done.watchdog);
  CHECK(done.cycles >= 700);
  CHECK(done.cycles < 740);
  CHECK(bench.driver.fault(0).cause == Cause::kKilled);
  CHECK(bench.driver.faults() == 0b1011);
  unsigned taken = 0;
  bench.driver.take_faults([&](unsigned, const launch::Fault&) { ++taken; });
  CHECK(taken == 3);
  CHECK(bench.driver.faults() == 0);
  CHECK(bench.driver.fault(1).cause == Cause::kIllegal);
  done = bench.end(bench.start());
  CHECK(bench.fault_edges == 2);
  CHECK(bench.driver.fault(0).cause == Cause::kWatchdog);
  // Nobody can go on: that is told by busy(), and still the watchdog, or kill, ends it.
  bench.driver.set_watchdog(0);
  bench.put(Assembler().sync(4).ret());
  bench.prepare(0b0001);
  bench.driver.set_watchdog(0);
  CHECK_FALSE(bench.end(bench.start()).failed);
  bench.put(Assembler().command(unit::kDma, dma_op::kWait, 1).ret());
  const uint32_t number = bench.start();
  bench.idle();
  CHECK(cg::launch_status::kRunning.get(bench.driver.status()) == 1);
  bench.driver.kill();
  CHECK(bench.end(number).failed);
  bench.driver.set_watchdog(100'000);
  bench.machine.time = 0;
  bench.start();
  CHECK(bench.unit.run(1'000'000) >= 100'000);
  CHECK(bench.driver.last_done().watchdog);
}

// The firmware stops a launch of which it sees twice, 10,000 cycles apart, that all wait at the same place.
TEST_CASE("unit: who computes for long before a barrier is not seen to wait there") {
  UnitBench bench(2, 2, 1024);
  Assembler divides;
  for (unsigned i = 0; i < 400; ++i) divides({enc::divu(kT0, kA0, 0)});
  bench.put(divides.sync(4).ret());
  namespace word = cpe_status;
  const auto waits = [&] {
    const uint64_t status = bench.driver.cpe_status(0);
    return word::kWaits.get(status) != 0 && word::kIdle.get(status) == 0;
  };
  const uint32_t number = bench.start();
  unsigned slices = 0;
  unsigned waiting = 0;
  for (; cg::launch_status::kEnded.get(bench.driver.status()) != number; ++slices) {
    REQUIRE(slices < 1000);
    bench.unit.run(100);
    if (waits()) ++waiting;
  }
  CHECK(slices > 100);
  CHECK(waiting <= 1);
  // Whoever waits for someone who does not come is seen to.
  const Assembler syncs = Assembler().sync(4).ret();
  bench.codes({syncs, syncs, syncs, Assembler()({kForever})});
  bench.driver.forget(group::Group<UnitBench::Machine>::kCode);
  bench.start();
  bench.unit.run(5000);
  CHECK(waits());
}

TEST_CASE("unit: a CPE that is disabled fails its launch and is gone; it is back when enabled") {
  UnitBench bench;
  bench.put(Assembler()({kForever}));
  const uint32_t number = bench.start();
  bench.unit.run(100);
  bench.driver.enable(0b1011);
  CHECK(bench.driver.running() == 0b1011);
  CHECK(bench.driver.stopped() == 0b0100);
  CHECK(bench.driver.fault(2).cause == Cause::kKilled);
  bench.driver.enable(0b1111);
  bench.unit.run(100);
  CHECK(bench.driver.running() == 0b1011);  // it does not take this launch again
  bench.driver.enable(0);
  CHECK(bench.end(number).failed);
  CHECK(bench.driver.stopped() == 0b1111);
  uint8_t byte[1];
  CHECK_FALSE(bench.unit.read_window(regs::kCgAccess, byte));
  bench.driver.enable(0b1111);
  bench.put(Assembler().ret());
  CHECK_FALSE(bench.end(bench.start()).failed);
  // A broken daemon: three times more, then given up; records say so.
  bench.driver.take_faults([](unsigned, const launch::Fault&) {});
  const std::array<uint32_t, 1> broken = {0};
  bench.poke(Bench::base(Bench::kDaemon) + 0x100, broken);
  bench.driver.use_daemon(Bench::kDaemon, (space::kDaemon << 28) + 0x100);
  const uint64_t before = bench.read(cg::cpe_faults::kOffset);
  bench.driver.enable(0b1110);
  bench.driver.enable(0b1111);
  bench.idle();
  CHECK(bench.driver.stopped() == 0b0001);
  CHECK(bench.read(cg::cpe_faults::kOffset) == before + 4);
  CHECK(bench.end(bench.start()).failed);
  bench.prepare(0b1110);
  CHECK_FALSE(bench.end(bench.start()).failed);
}

TEST_CASE("unit: registers are parts of words; what is not there refuses") {
  UnitBench bench;
  CHECK(bench.write(cg::launch_mask::kOffset, 0x1122'3344, 4));
  CHECK(bench.write(cg::launch_mask::kOffset + 1, 0xaa, 1));
  CHECK(bench.read(cg::launch_mask::kOffset) == 0x1122'aa44);
  CHECK(bench.read(cg::launch_mask::kOffset + 2, 2) == 0x1122);
  CHECK(bench.write(cg::launch_setup::kOffset, ~uint64_t{0}));
  CHECK(bench.read(cg::launch_setup::kOffset) == 0x1ff'ffff'ffff);
  CHECK(bench.write(cg::launch_status::kOffset, ~uint64_t{0}));
  CHECK(bench.write(cg::segment_table::kOffset, ~uint64_t{0}));
  CHECK(bench.read(cg::segment_table::kOffset) == 0xff'ffff'ffc0);
  uint64_t value = 0;
  for (const uint64_t offset : {uint64_t{0x30}, uint64_t{0x1d0}, uint64_t{0x280}, uint64_t{0x600}}) {
    CAPTURE(offset);
    CHECK_FALSE(bench.unit.read(offset, 8, value));
    CHECK_FALSE(bench.write(offset, 0));
  }
  CHECK_FALSE(bench.unit.read(cg::launch_mask::kOffset + 1, 2, value));
  CHECK_FALSE(bench.unit.read(cg::launch_mask::kOffset, 3, value));
  // The window: local memory, status, what does not exist.
  bench.machine.write(bench.driver.ldm_address(3) + 16, 0x1234'5678'9abc'def0);
  CHECK(bench.machine.read(bench.driver.ldm_address(3) + 16) == 0x1234'5678'9abc'def0);
  CHECK(bench.driver.clear_ldm(3, 100));
  CHECK(bench.machine.read(bench.driver.ldm_address(3) + 16) == 0);
  bench.idle();
  // Asleep, without a launch, until one comes.
  namespace word = cpe_status;
  CHECK(bench.driver.cpe_status(3) == (word::kAsleep.mask() | word::kIdle.mask() | word::kWaits.mask()));
  uint8_t bytes[8];
  CHECK_FALSE(bench.unit.read_window(regs::kCgAccess + 4 * regs::kCgAccessStride, bytes));
  CHECK_FALSE(bench.unit.read_window(regs::kCgAccess + 4, bytes));
}

TEST_CASE("unit: reset forgets all but memories") {
  UnitBench bench;
  bench.put(Assembler().li(kT0, kLdm)({enc::sw(kA0, kT0, 0)})({kForever}));
  bench.start(77);
  bench.start();
  bench.unit.run(200);
  bench.unit.reset();
  CHECK_FALSE(bench.unit.busy());
  CHECK(bench.driver.status() == cg::launch_status::kReset);
  CHECK(bench.driver.stopped() == bench.all());
  CHECK(bench.driver.faults() == 0);
  CHECK(bench.read(cg::cpe_faults::kOffset) == 0);
  CHECK(bench.read(cg::daemon::kOffset) == cg::daemon::kReset);
  bench.driver.use_segments(Bench::kTable, Bench::kEntries);
  bench.driver.use_daemon(Bench::kDaemon, space::kDaemon << 28);
  bench.driver.enable(bench.all());
  CHECK(bench.word_of(0, 0) == 77);
  bench.prepare(bench.all());
  bench.put(Assembler().ret());
  bench.start();
  bench.idle();
  CHECK(launch::decode_done(bench.events.back().word).sequence == 1);
}

// Programs of four CPEs, that may store to and load from the same places or have their own, and may fail.
std::vector<Assembler> random_programs(verif::Random& random, bool racy) {
  std::vector<Assembler> codes;
  for (unsigned i = 0; i < 4; ++i) {
    Assembler code;
    for (unsigned n = 0; n < 30; ++n) {
      const auto at = static_cast<uint32_t>(32 * random.below(64));
      const uint64_t far = Bench::pointer(Bench::kData, 64 * random.below(24) + (racy ? 0 : i * 0x800));
      if (n % 10 == 9) code.sync(4);
      switch (random.below(random.chance(10) ? 4 : 3)) {
        case 0:
          code.global(far).command(unit::kDma, dma_op::kStore, kLdm + at, 96);
          break;
        case 1:
          code.global(far).command(unit::kDma, dma_op::kLoad, kLdm + at, 160);
          break;
        case 2:
          code.li(kT0, kLdm + at)({enc::csrr(kA1, 0xf14), enc::andi(kA1, kA1, 31), enc::sw(kA1, kT0, 0)});
          break;
        default:
          code({random.chance(20) ? 0 : enc::addi(0, 0, 0)});
      }
    }
    codes.push_back(code.ret());
  }
  return codes;
}

// What a launch leaves.
struct Outcome {
  uint64_t done = 0;
  std::vector<Fault> faults;
  std::vector<uint8_t> memory;
  std::vector<uint8_t> ldm;

  bool operator==(const Outcome&) const = default;
};

constexpr size_t kUsed = 0x2000;  // bytes of memory, and of each local memory

Outcome leave(Bench& bench, const Group& group, uint64_t done) {
  Outcome outcome{.done = done, .memory = bench.peek(Bench::base(Bench::kData), kUsed)};
  for (unsigned i = 0; i < group.size(); ++i) {
    outcome.faults.push_back(group.fault(i));
    const auto ldm = group.cpe(i).ldm().first(kUsed);
    outcome.ldm.insert(outcome.ldm.end(), ldm.begin(), ldm.end());
  }
  return outcome;
}

Outcome run_in_slices(const std::vector<Assembler>& codes, const std::vector<uint8_t>& noise,
                      uint64_t slice) {
  UnitBench bench(2, 2, 16);
  bench.poke(Bench::base(Bench::kData), noise);
  bench.codes(codes);
  bench.idle();
  bench.start(kArguments);
  for (unsigned i = 0; i < 100'000 && bench.unit.busy(); ++i) bench.unit.run(slice);
  bench.driver.kill();  // a deadlock
  for (unsigned i = 0; i < 100 && bench.unit.busy(); ++i) bench.unit.run(slice);
  REQUIRE(bench.events.size() == 1);
  return leave(bench, bench.unit.group(), bench.events[0].word);
}

TEST_CASE("unit: the slices in which it runs change nothing, and Group says the same") {
  verif::Random random(test_seed());
  unsigned failed = 0;
  for (unsigned round = 0; round < 30; ++round) {
    const bool racy = round % 2 != 0;
    const std::vector<Assembler> codes = random_programs(random, racy);
    Bench reference(2, 2, 16);
    const std::vector<uint8_t> noise = reference.noise(kUsed);
    const Outcome one = run_in_slices(codes, noise, 1);
    CHECK(one == run_in_slices(codes, noise, 37));
    CHECK(one == run_in_slices(codes, noise, 1'000'000));
    reference.poke(Bench::base(Bench::kData), noise);
    reference.codes(codes);
    const Result result = reference.launch();
    CHECK(launch::decode_done(one.done).failed == !result.ok());
    if (!result.ok()) ++failed;
    // Who comes first at a place, and why it ended, may differ: here the daemon has slept before.
    if (racy || result.ending == Ending::kDeadlock) continue;
    CHECK(one == leave(reference, reference.group, one.done));
  }
  CHECK(failed > 0);
  CHECK(failed < 30);
}

}  // namespace
}  // namespace swai::iss::cpe
