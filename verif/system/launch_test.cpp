// SPDX-License-Identifier: Apache-2.0
// Launches on the whole card: stopped ones, a reset of their group, traffic of the host beside them, segments
// that show other memory. Faulty kernels are in launch.faults.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "abi/kernel_arguments.hpp"
#include "verif/kit/doctest_main.hpp"
#include "verif/system/bar_debug.hpp"
#include "verif/system/group_rig.hpp"
#include "verif/system/rig.hpp"
#include "verif/system/traffic.hpp"

namespace swai::system {
namespace {

using cpe::GlobalPtr;

constexpr uint64_t kSramFrom = 0x8003'1000;  // what the host may use, without the processor's program
constexpr uint64_t kSramBytes = 0x6000;      // up to the rings of DMA
constexpr const char* kTiny = "build/swai-card-tiny";

cpe::CopyArgs copy_args(uint16_t to_segment, uint64_t to, uint16_t from_segment, uint64_t from,
                        uint64_t bytes) {
  return {GlobalPtr<void>(to_segment, to), GlobalPtr<const void>(from_segment, from),
          static_cast<uint32_t>(bytes), 0};
}

cpe::FaultArgs nothing_wrong(unsigned culprit) {
  return {GlobalPtr<void>(GroupRig::kDataSegment, 0), culprit, 0};
}

void reset_groups(link::Card& card, uint64_t groups) {
  card.post<uint64_t>(kRegisterBar, register_at(regs::pcie::reset_request::kAddr),
                      regs::pcie::reset_request::kKey.put(regs::pcie::reset_request::kKeyGo) |
                          regs::pcie::reset_request::kGroups.put(groups));
}
uint64_t reset_status(link::Card& card) {
  return card.read<uint64_t>(kRegisterBar, register_at(regs::pcie::reset_status::kAddr));
}
// That the reset ends, and before it had to give up waiting for what was under way.
void await_reset(link::Card& card) {
  const uint64_t begin = card.cycle();
  while (reset_status(card) != 0 && card.cycle() - begin < 4000) {
  }
  REQUIRE(reset_status(card) == 0);
}

}  // namespace

TEST_CASE("launch: kill and watchdog stop kernels that do not end, and the processor hears of it") {
  const Rig rig({.program = kTiny});
  const auto card = rig.open();
  MpeProxy mpe(*card);
  GroupRig group(mpe, 0);
  verif::Random random(test_seed());
  const unsigned cpes = group.driver().cpes();
  CHECK(cpes == 4);
  for (int round = 0; round < 6; ++round) {
    const bool watchdog = round % 2 != 0;
    const std::string kernel = round < 2 ? "endless_loop" : round < 4 ? "deadlock_channel" : "deadlock_sync";
    const auto culprit = static_cast<unsigned>(random.below(cpes));
    CAPTURE(kernel);
    CAPTURE(watchdog);
    const uint64_t limit = 3000 + random.below(3000);
    group.driver().set_watchdog(watchdog ? static_cast<uint32_t>(limit) : 0);
    group.take_fault_report();
    group.take_notification();
    const uint32_t number = group.launch(kernel, nothing_wrong(culprit), 0, true);
    // A good one waits behind it.
    const uint32_t next = group.launch("empty");
    card->run_until(0, 2000 + random.below(5000));
    if (!watchdog) {
      CHECK_FALSE(group.driver().ended(number));
      CHECK(group.driver().running() == uint32_t{1} << culprit);
      group.driver().kill();
    }
    group.check_good(next);
    const auto result = group.driver().result(number);
    CHECK(result.failed);
    CHECK(result.watchdog == watchdog);
    CHECK(result.cycles >= (watchdog ? limit : 2000));
    if (watchdog) CHECK(result.cycles < limit + 10);
    CHECK(group.take_notification());
    CHECK(group.take_fault_report());
    const auto records = group.take_faults();
    REQUIRE(records.size() == 1);
    CHECK(records[0].cpe == culprit);
    CHECK(records[0].fault.cause == (watchdog ? launch::Cause::kWatchdog : launch::Cause::kKilled));
    CHECK((records[0].fault.pc >> 28) == 5);
    group.driver().set_watchdog(0);
    group.prove(random);
  }
}

TEST_CASE("launch: a done word of a launch that failed says so, also for those that are flushed") {
  const Rig rig({.program = kTiny});
  const auto card = rig.open();
  MpeProxy mpe(*card);
  GroupRig group(mpe, 0);
  const uint32_t first = group.launch("endless_loop", nothing_wrong(2));
  for (int i = 0; i < 5; ++i) group.launch("empty");
  const uint32_t last = group.driver().number();
  CHECK(regs::cg::launch_status::kQueued.get(group.driver().status()) == 5);
  group.driver().flush();
  group.driver().kill();
  const auto done = group.finish(last);
  CHECK(done.failed);
  CHECK_FALSE(done.watchdog);
  for (uint32_t number = first; number <= last; ++number) CHECK(group.driver().result(number).failed);
  CHECK(group.take_faults().size() == 1);  // the flushed ones have not run
  group.check_good(group.launch("empty"));
}

TEST_CASE("launch: kernels stream while the host copies by DMA") {
  const Rig rig({.program = kTiny});
  const auto card = rig.open();
  MpeProxy mpe(*card);
  GroupRig group(mpe, 0);
  Traffic traffic(*card, test_seed());
  constexpr uint64_t kBytes = 256 << 10;
  constexpr uint64_t kTo = 8 << 20;
  for (int round = 0; round < 2; ++round) {
    const uint64_t from = traffic.random.below(5000), to = kTo + traffic.random.below(5000);
    const auto bytes = random_bytes(traffic.random, kBytes);
    mpe.copy(group.data() + from, bytes);
    traffic.send();
    const uint32_t number = group.launch(
        "copy", copy_args(GroupRig::kDataSegment, to, GroupRig::kDataSegment, from, kBytes), 0, true);
    traffic.dma.start();
    CHECK_FALSE(group.driver().ended(number));  // they are under way at the same time
    traffic.dma.finish();
    traffic.fetch();
    traffic.dma.finish();
    traffic.check();
    group.check_good(number);
    CHECK(group.take_notification());
    CHECK(holds(mpe, group.data() + to, bytes));
  }
}

TEST_CASE("launch: segments that show the processor's SRAM") {
  const Rig rig({.program = kTiny});
  const auto card = rig.open();
  MpeProxy mpe(*card);
  GroupRig group(mpe, 0);
  verif::Random random(test_seed());
  constexpr uint16_t kSram = GroupRig::kFreeSegment, kBehind = kSram + 1, kNobody = kSram + 2;
  group.segment(kSram, {kSramFrom, kSramBytes, segment::kRead | segment::kWrite});
  for (int round = 0; round < 4; ++round) {
    const uint64_t bytes = 1 + random.below(kSramBytes / 2), at = random.below(kSramBytes - bytes);
    const uint64_t far = random.below(10'000);
    const auto there = random_bytes(random, bytes), back = random_bytes(random, bytes);
    mpe.copy(group.data() + far, there);
    group.run("copy", copy_args(kSram, at, GroupRig::kDataSegment, far, bytes));
    CHECK(holds(mpe, kSramFrom + at, there));
    mpe.copy(kSramFrom + at, back);
    group.run("copy", copy_args(GroupRig::kDataSegment, far, kSram, at, bytes));
    CHECK(holds(mpe, group.data() + far, back));
  }
  // Behind its end nobody is, and none in the place of a group that this card does not have.
  group.segment(kBehind,
                {regs::kLocalRegion.base + regs::kSramBytes, segment::kGranuleBytes, segment::kRead});
  group.segment(kNobody, {regs::kHbmRegion.base + 3 * kGroupBytes, segment::kGranuleBytes, segment::kRead});
  for (const uint16_t number : {kBehind, kNobody}) {
    for (const bool by_dma : {false, true}) {
      const cpe::FaultArgs arguments = {GlobalPtr<void>(number, 64), 1, 0};
      const uint32_t launch = group.launch(by_dma ? "dma_read" : "window_read", arguments);
      CHECK(group.finish(launch).failed);
      const auto records = group.take_faults();
      REQUIRE(records.size() == 1);
      CHECK(records[0].cpe == 1);
      CHECK(records[0].fault.cause == launch::Cause::kBus);
      CHECK(records[0].fault.dma == by_dma);
      CHECK(records[0].fault.segment == number);
      CHECK(records[0].fault.access == launch::Access::kRead);
      group.check_good(group.launch("empty"));
    }
  }
  group.prove(random);
}

TEST_CASE("launch: the group is reset by the host while kernels and DMA run, and launches again") {
  const Rig rig({.program = kTiny});
  const auto card = rig.open();
  MpeProxy mpe(*card);
  GroupRig group(mpe, 0);
  Traffic traffic(*card, test_seed());
  constexpr uint16_t kSram = GroupRig::kFreeSegment;
  unsigned stopped = 0;
  for (int round = 0; round < 6; ++round) {
    CAPTURE(round);
    // Rounds without end: loads and stores of HBM, and copies from and to SRAM, whose answers come over the
    // ring.
    group.segment(kSram, {kSramFrom, kSramBytes, segment::kRead | segment::kWrite});
    const bool sram = round % 3 == 2;
    const uint32_t pieces[] = {4096, 192, 64};
    const cpe::StreamArgs arguments = {GlobalPtr<void>(sram ? kSram : GroupRig::kDataSegment, 0),
                                       sram ? 0x1000u : 0x10000u, pieces[round % 3],
                                       static_cast<uint32_t>(round & 1), 1'000'000};
    group.launch("stream", arguments);
    traffic.send();
    traffic.dma.start();
    card->run_until(0, traffic.random.below(8000));
    reset_groups(*card, 1);
    await_reset(*card);
    for (const auto& stop : traffic.dma.finish_or_stop(300'000)) {
      CHECK(stop.state == regs::dma::status::kStateError);
      CHECK(stop.cause == regs::dma::error::kCauseRingDenied);
      traffic.dma.reset(stop.channel);
      ++stopped;
    }
    // The processor and its memory are as before; the group is as new.
    const uint64_t status = group.driver().status();
    CHECK(regs::cg::launch_status::kEnded.get(status) == 0);
    CHECK(regs::cg::launch_status::kRunning.get(status) == 0);
    CHECK(regs::cg::launch_status::kQueued.get(status) == 0);
    CHECK(group.driver().stopped() == group.driver().all());
    traffic.prove();
    group.start();
    // Launches count from 1 again: what the inbox had from the life before must not be taken for this one's.
    const uint32_t endless = group.launch("endless_loop", nothing_wrong(0));
    CHECK(endless == 1);
    CHECK_FALSE(group.driver().ended(endless));
    group.driver().kill();
    CHECK(group.finish(endless).failed);
    group.take_faults();
    group.prove(traffic.random);
  }
  MESSAGE(stopped, " channels stopped");
}

// What a program of launches saw and when, as a text.
std::string random_session(uint64_t seed) {
  const Rig rig({.program = kTiny});
  const auto card = rig.open();
  MpeProxy mpe(*card);
  GroupRig group(mpe, 0);
  Traffic traffic(*card, seed);
  verif::Random& random = traffic.random;
  std::string log;
  for (int round = 0; round < 4; ++round) {
    traffic.send();
    traffic.dma.start();
    const auto mask = static_cast<uint32_t>(1 + random.below(15));
    const uint64_t bytes = 1000 + random.below(30'000);
    mpe.copy(group.data(), random_bytes(random, bytes));
    const uint32_t first = group.launch(
        "copy", copy_args(GroupRig::kDataSegment, 1 << 20, GroupRig::kDataSegment, 0, bytes), mask);
    group.launch("sync_loop", cpe::SyncArgs{static_cast<uint32_t>(random.below(200)), 4}, mask);
    const uint32_t last =
        group.launch("scalar", cpe::ScalarArgs{GlobalPtr<uint32_t>(GroupRig::kDataSegment, 2 << 20), 50, 0});
    group.check_good(last);
    for (uint32_t number = first; number <= last; ++number) {
      const auto result = group.driver().result(number);
      log += fmt::format("{}: {} {}\n", number, result.cycles, result.waited);
    }
    log += fmt::format("dma {}, at {}\n", traffic.dma.finish(), card->cycle());
  }
  return log;
}

TEST_CASE("launch: the same again takes the same cycles") {
  const std::string log = random_session(test_seed());
  CHECK(random_session(test_seed()) == log);
  CHECK(random_session(test_seed() + 1) != log);
}

}  // namespace swai::system
