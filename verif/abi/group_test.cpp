// SPDX-License-Identifier: Apache-2.0
// The driver of a core group, and the classic start, against a group that is played.
#include "abi/group/group.hpp"

#include <doctest/doctest.h>

#include <bit>

#include "abi/group/classic.hpp"
#include "abi/group/load.hpp"
#include "verif/abi/fake_group.hpp"
#include "verif/abi/module_file.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::group {
namespace {

namespace cg = regs::cg;
using segment::Entry;

constexpr uint64_t kTable = 0x80'0000'0000;
constexpr uint64_t kDaemonCode = 0x80'0001'0000;
constexpr uint64_t kKernelCode = 0x80'0010'0000;
constexpr uint16_t kDaemonSegment = 3;
constexpr uint16_t kCodeSegment = 5;
constexpr uint16_t kArgumentSegment = 7;
constexpr uint64_t kLimit = 100'000;

// A group that runs the daemon, with a module loaded.
struct Setting {
  explicit Setting(unsigned number = 0, unsigned rows = 4, unsigned columns = 8)
      : fake(test_seed(), number, rows, columns), group(fake, number) {
    file = module::ModuleFile().make();
    REQUIRE(module.open(file).ok());
    group.use_segments(kTable, 1024);
    group.set_segment(kDaemonSegment, {kDaemonCode, 4096, segment::kRead | segment::kExecute});
    group.set_segment(kArgumentSegment, {0x80'0002'0000, 4096, segment::kRead});
    group.set_segment(kCodeSegment, load_code(fake, module, kKernelCode));
    group.use_daemon(kDaemonSegment, 0x4000'0004);
    group.enable(group.all());
    REQUIRE(group.wait_ready(group.all(), kLimit));
  }

  FakeGroup fake;
  Group<FakeGroup> group;
  module::Bytes file;
  module::Module module;
};

TEST_CASE("entries of the segment table") {
  const Entry entry = {0x80'1234'5000, 0x12'3000, segment::kRead | segment::kExecute, 42};
  CHECK(segment::representable(entry));
  const uint64_t word = segment::encode(entry);
  CHECK(word == (uint64_t{42} << 56 | uint64_t{0xd} << 52 | uint64_t{0x123} << 28 | 0x801'2345));
  CHECK(segment::is_valid(word));
  const Entry back = segment::decode(word);
  CHECK(back.base == entry.base);
  CHECK(back.size == entry.size);
  CHECK(back.permissions == entry.permissions);
  CHECK(back.owner == entry.owner);
  CHECK_FALSE(segment::is_valid(segment::kNoEntry));
  CHECK_FALSE(segment::representable({1, 4096, 1}));
  CHECK_FALSE(segment::representable({0, 4095, 1}));
  CHECK_FALSE(segment::representable({uint64_t{1} << 40, 4096, 1}));
  CHECK_FALSE(segment::representable({0, uint64_t{1} << 36, 1}));
  CHECK(segment::representable({0, (uint64_t{1} << 36) - 4096, 7}));
  CHECK_FALSE(segment::representable({0, 4096, 8}));
  CHECK(segment::number(segment::pointer(0x1234, 0x5678'9abc'def0)) == 0x1234);
  CHECK(segment::offset(segment::pointer(0x1234, 0x5678'9abc'def0)) == 0x5678'9abc'def0);
}

TEST_CASE("sizes come from the group, and every group has registers of its own") {
  for (unsigned number = 0; number < 4; ++number) {
    Setting setting(number, 2, 2);
    CHECK(setting.group.cpes() == 4);
    CHECK(setting.group.all() == 0xf);
    CHECK(setting.fake.complaint().empty());
  }
  Setting setting;
  CHECK(setting.group.all() == 0xffff'ffff);
}

TEST_CASE("a segment is what the group finds in memory") {
  Setting setting;
  setting.group.set_segment(9, {0x80'0100'0000, 0x4000, segment::kWrite, 3});
  CHECK(setting.fake.word(kTable + 9 * 8) == segment::encode({0x80'0100'0000, 0x4000, segment::kWrite, 3}));
  setting.group.clear_segment(9);
  CHECK(setting.fake.word(kTable + 9 * 8) == 0);
  setting.group.forget(Group<FakeGroup>::kSegments | Group<FakeGroup>::kCode);
  CHECK(setting.fake.last(cg::invalidate::kOffset) == 3);
}

TEST_CASE("a launch has what it was given, and its result") {
  Setting setting;
  setting.group.prepare({0x0000'ff01, kCodeSegment, kArgumentSegment, 9, true});
  const uint32_t number = setting.group.start(0x5000'0080, 0xc000'0040);
  CHECK(number == 1);
  REQUIRE(setting.group.wait_ended(number, kLimit));
  REQUIRE(setting.fake.launches().size() == 1);
  const FakeLaunch& launch = setting.fake.launches()[0];
  CHECK(launch.pc == 0x5000'0080);
  CHECK(launch.argument == 0xc000'0040);
  CHECK(launch.mask == 0xff01);
  CHECK(cg::launch_setup::kCodeSegment.get(launch.setup) == kCodeSegment);
  CHECK(cg::launch_setup::kArgumentSegment.get(launch.setup) == kArgumentSegment);
  CHECK(cg::launch_setup::kOwner.get(launch.setup) == 9);
  CHECK(cg::launch_setup::kNotify.get(launch.setup) == 1);
  CHECK(launch.code == 0x1313'1313'1313'1313);

  const auto done = setting.group.last_done();
  CHECK(done.sequence == 1);
  CHECK_FALSE(done.failed);
  const auto result = setting.group.result(number);
  CHECK(result.cycles == done.cycles);
  CHECK(result.waited == 1);
  CHECK_FALSE(result.failed);
  CHECK(setting.fake.complaint().empty());
}

TEST_CASE("a chain never overruns the queue, and everything in it runs in order") {
  Setting setting;
  setting.group.prepare({setting.group.all(), kCodeSegment, kArgumentSegment});
  constexpr uint32_t kCount = 200;
  for (uint32_t i = 0; i < kCount; ++i) {
    while (setting.group.room() == 0) {
    }
    CHECK(setting.group.start(0x5000'0000, i) == i + 1);
  }
  REQUIRE(setting.group.wait_ended(kCount, kLimit));
  CHECK(setting.group.room() == launch::kQueue);
  REQUIRE(setting.fake.launches().size() == kCount);
  for (uint32_t i = 0; i < kCount; ++i) CHECK(setting.fake.launches()[i].argument == i);
  CHECK(setting.fake.complaint().empty());
}

TEST_CASE(
    "numbers go on where the group is, around zero, also when the processor has lost the last done word") {
  for (const uint32_t first : {1'000u, 0xffff'fffcu, 0x7fff'fffeu}) {
    CAPTURE(first);
    const bool lost = first == 1'000;
    Setting setting;
    setting.fake.set_ended(first);
    setting.fake.set_inbox(lost ? 0 : first);
    Group<FakeGroup> group(setting.fake, 0);
    group.prepare({1, kCodeSegment, kArgumentSegment});
    for (uint32_t i = 1; i <= 20; ++i) {
      if (i == 1) CHECK(group.room() == launch::kQueue);
      CHECK(group.start(0x5000'0000, 0) == first + i);
      CHECK(group.room() < launch::kQueue);
      REQUIRE(group.wait_ended(first + i, kLimit));
      CHECK_FALSE(group.ended(first + i + 1));
      CHECK(group.room() == launch::kQueue);
    }
    CHECK(setting.fake.complaint().empty());
  }
}

TEST_CASE("a launch that does not end, CPEs that do not come up: limits are kept") {
  Setting setting;
  setting.fake.launches_hang = true;
  setting.group.prepare({1, kCodeSegment, kArgumentSegment});
  const uint32_t number = setting.group.start(0x5000'0000, 0);
  const uint64_t before = setting.fake.cycles();
  CHECK_FALSE(setting.group.wait_ended(number, 5'000));
  CHECK(setting.fake.cycles() - before >= 5'000);
  CHECK(setting.fake.cycles() - before < 6'000);
  setting.fake.broken_cpes = 0x10;
  CHECK_FALSE(setting.group.wait_ready(setting.group.all(), 5'000));
  CHECK(setting.group.wait_ready(0xf, 5'000));
}

TEST_CASE("faults are taken once, with everything that their records say") {
  Setting setting;
  const uint64_t record0 = cg::fault_record0::kPc.put(0x5000'0012) |
                           cg::fault_record0::kCause.put(cg::fault_record0::kCauseLimit) |
                           cg::fault_record0::kAccess.put(3) | cg::fault_record0::kDma.put(1);
  const uint64_t record1 = segment::pointer(0x11, 0x1234'5678'9abc);
  setting.fake.fail_next(17, record0, record1);
  setting.group.prepare({setting.group.all(), kCodeSegment, kArgumentSegment});
  const uint32_t number = setting.group.start(0x5000'0000, 0);
  REQUIRE(setting.group.wait_ended(number, kLimit));
  CHECK(setting.group.last_done().failed);
  CHECK(setting.group.result(number).failed);
  unsigned taken = 0;
  setting.group.take_faults([&](unsigned cpe, const launch::Fault& fault) {
    ++taken;
    CHECK(cpe == 17);
    CHECK(fault.cause == launch::Cause::kLimit);
    CHECK(fault.access == launch::Access::kWrite);
    CHECK(fault.dma);
    CHECK(fault.pc == 0x5000'0012);
    CHECK(fault.segment == 0x11);
    CHECK(fault.offset == 0x1234'5678'9abc);
  });
  CHECK(taken == 1);
  setting.group.take_faults([&](unsigned, const launch::Fault&) { ++taken; });
  CHECK(taken == 1);
}

TEST_CASE("loading code: all of it is where the group looks, gaps are zero") {
  Setting setting;
  module::ModuleFile file;
  file.segments[0].data = module::Bytes(100, 0xaa);
  file.segments[0].memory_bytes = 104;
  file.segments.push_back({.address = 0x5000'2000, .data = module::Bytes(8, 0xbb), .memory_bytes = 16});
  file.kernels.clear();
  const module::Bytes bytes = file.make();
  module::Module module;
  REQUIRE(module.open(bytes).ok());
  CHECK(code_segment_bytes(module) == 0x3000);
  constexpr uint64_t kAt = 0x80'0200'0000;
  setting.fake.copy(kAt, module::Bytes(0x3000, 0x55));
  setting.fake.publish(kAt, 0x3000);
  const Entry entry = load_code(setting.fake, module, kAt, 6);
  CHECK(entry.base == kAt);
  CHECK(entry.size == 0x3000);
  CHECK(entry.permissions == (segment::kRead | segment::kExecute));
  CHECK(entry.owner == 6);
  CHECK(setting.fake.word(kAt) == 0xaaaa'aaaa'aaaa'aaaa);
  CHECK(setting.fake.word(kAt + 96) == 0xaaaa'aaaa);
  CHECK(setting.fake.word(kAt + 0x1000) == 0);
  CHECK(setting.fake.word(kAt + 0x2000) == 0xbbbb'bbbb'bbbb'bbbb);
  CHECK(setting.fake.word(kAt + 0x2008) == 0);
}

TEST_CASE("the classic start does everything for every CPE") {
  for (const unsigned columns : {2u, 8u}) {
    Setting setting(0, columns / 2, columns);
    const ClassicPlan plan = {.module = &setting.module,
                              .pc = 0x5000'0080,
                              .argument = 0xc000'0000,
                              .argument_segment = kArgumentSegment,
                              .first_code_segment = 100,
                              .code = 0x80'0300'0000,
                              .limit = kLimit};
    ClassicStart classic(setting.group);
    for (unsigned round = 1; round <= 2; ++round) {
      const ClassicTerms terms = classic.run(plan);
      CHECK(setting.fake.complaint() == "");
      REQUIRE(terms.ok);
      const unsigned cpes = setting.group.cpes();
      REQUIRE(setting.fake.launches().size() == round * cpes);
      for (unsigned cpe = 0; cpe < cpes; ++cpe) {
        CAPTURE(cpe);
        const FakeLaunch& launch = setting.fake.launches()[(round - 1) * cpes + cpe];
        CHECK(launch.mask == uint32_t{1} << cpe);
        CHECK(launch.pc == plan.pc);
        CHECK(launch.argument == plan.argument);
        CHECK(launch.code == 0x1313'1313'1313'1313);
        CHECK(cg::launch_setup::kCodeSegment.get(launch.setup) == 100 + cpe);
        CHECK(segment::decode(setting.fake.word(kTable + (100 + cpe) * 8)).base == plan.code + cpe * 4096);
        CHECK(setting.fake.resets(cpe) == round);
        CHECK(setting.fake.clears(cpe) == round);
      }
      CHECK(setting.group.running() == 0);
      CHECK(cg::launch_status::kRunning.get(setting.group.status()) == 0);
      CHECK(terms.init >= 512 * cpes);
      CHECK(terms.init + terms.start + terms.query <= terms.total);
      CHECK(terms.total - (terms.init + terms.start + terms.query) < 10 * cpes);
    }
  }
}

TEST_CASE("the classic start of long kernels does not overrun the queue, and waits for the last") {
  Setting setting;
  setting.fake.run_cycles = 20'000;
  const ClassicPlan plan = {&setting.module, 0x5000'0000, 0, kArgumentSegment, 100,
                            0x80'0300'0000,  1'000'000};
  const ClassicTerms terms = ClassicStart(setting.group).run(plan);
  CHECK(setting.fake.complaint() == "");
  CHECK(terms.ok);
  CHECK(setting.fake.launches().size() == 32);
  CHECK(cg::launch_status::kRunning.get(setting.group.status()) == 0);
}

TEST_CASE("the classic start gives up where something hangs") {
  for (unsigned what = 0; what < 3; ++what) {
    CAPTURE(what);
    Setting setting;
    if (what == 0) setting.fake.broken_cpes = 0x8000'0000;
    if (what == 1) setting.fake.clear_hangs = true;
    if (what == 2) setting.fake.launches_hang = true;
    const ClassicPlan plan = {&setting.module, 0x5000'0000, 0, kArgumentSegment, 100, 0x80'0300'0000, 5'000};
    CHECK_FALSE(ClassicStart(setting.group).run(plan).ok);
  }
}

}  // namespace
}  // namespace swai::group
