// SPDX-License-Identifier: Apache-2.0
// Model programs on the played card: how they begin, take turns and end.
#include <doctest/doctest.h>

#include "verif/firmware/runtime/guest.hpp"
#include "verif/firmware/runtime/program_bed.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::runtime {
namespace {

TEST_CASE("programs: begin with their memory, code that cannot be written first") {
  Bed bed;
  unsigned turns = 0;
  bed.programs().turn = [&](unsigned number, ProgramState& state) {
    if (turns++ == 0) {
      CHECK(state.pc == kEntry);
      CHECK(state.registers[kA0] == 77);
      for (unsigned i = 1; i < 32; ++i) CHECK((i == kA0 || state.registers[i] == 0));
      const auto& space = bed.programs().space(number);
      REQUIRE(space.shown == 3);
      CHECK(space.pages[1]->executable);
      CHECK_FALSE(space.pages[2]->executable);
      CHECK(space.pages[2]->physical == space.pages[1]->physical + program::kPageBytes);
    }
    call(state, program::Call::kExit, 9);
  };
  REQUIRE(bed.start(77) == Status::kOk);
  bed.played.run(10);
  CHECK(bed.line().status == Status::kProgramEnded);
  CHECK(protocol::code_at_end(bed.line().value) == 9);
  CHECK(protocol::status_at_end(bed.line().value) == Status::kOk);
  CHECK(turns == 1);
  // The queue is to be reset before another one.
  CHECK(bed.start() == Status::kBadOperation);
  bed.renew();
  CHECK(bed.start() == Status::kOk);
}

TEST_CASE("programs: cores that somebody else had are cleared when one begins, and interrupt it not") {
  Bed bed;
  auto& lane = bed.other->lanes.front();
  bed.other->finish(lane, bed.other->launch(lane, Guest::kNothing, {}, 0));
  const auto& group = bed.played.runtime().groups().driver(0);
  const uint32_t before = group.number();
  uint32_t at_first = 0;
  uint64_t heard = 0;
  bed.programs().turn = [&](unsigned, ProgramState& state) {
    at_first = group.number();
    heard = bed.played.processor().heard();
    call(state, program::Call::kExit);
  };
  REQUIRE(bed.start() == Status::kOk);
  bed.played.run(10);
  CHECK(at_first == before + 1);
  CHECK((heard & regs::inbox::work::kGroups.mask()) == 0);
}

TEST_CASE("programs: what cannot begin") {
  Bed bed;
  bed.programs().turn = [](unsigned, ProgramState& state) { state.cause = FakePrograms::kInterrupt; };
  const auto start = [&](uint64_t queue, uint64_t memory) {
    return bed.guest->ask(Operation::kProgramStart, {queue, memory, kEntry, 0}).status;
  };
  CHECK(start(bed.other->lanes.front().number, bed.memory) == Status::kBadHandle);
  CHECK(start(99, bed.memory) == Status::kBadHandle);
  CHECK(start(bed.queue, bed.memory + 64) == Status::kBadPointer);
  CHECK(start(bed.queue, 0) == Status::kBadPointer);
  CHECK(start(bed.queue, bed.guest->allocate(2 * program::kPageBytes, protocol::Usage::kCpe)) ==
        Status::kBadPointer);
  CHECK(start(bed.queue, bed.other->allocate(2 * program::kPageBytes, protocol::Usage::kShared)) ==
        Status::kBadPointer);
  CHECK(start(bed.queue, bed.guest->allocate(program::kPageBytes, protocol::Usage::kShared)) ==
        Status::kBadRange);
  CHECK(bed.guest->ask(Operation::kProgramTell, {bed.queue, 0, 1}).status == Status::kBadOperation);
  REQUIRE(bed.start() == Status::kOk);
  CHECK(bed.start() == Status::kBadOperation);
  CHECK(bed.guest->ask(Operation::kProgramTell, {bed.queue, program::kWords, 1}).status ==
        Status::kBadOperation);
  CHECK(bed.other->ask(Operation::kProgramTell, {bed.queue, 0, 1}).status == Status::kBadHandle);
  // A client that shares the card has one.
  const auto memory = bed.guest->allocate(2 * program::kPageBytes, protocol::Usage::kShared);
  CHECK(start(bed.guest->lanes.front().number, memory) == Status::kNoProgram);
}

TEST_CASE("programs: a queue takes as many commands as it has slots, and says so") {
  Bed bed;
  unsigned given = 0;
  bool full = false;
  bed.programs().turn = [&](unsigned, ProgramState& state) {
    if (given != 0 && static_cast<Status>(state.registers[kA0]) == Status::kAgain) {
      full = true;
      return call(state, program::Call::kExit, 0);
    }
    REQUIRE(++given < 2 * protocol::kSlots);
    // Never recorded so often.
    submit(state, command::Type::kEventWait, {3, 1'000'000, 0, 0, 0, 0, 0});
  };
  REQUIRE(bed.start() == Status::kOk);
  bed.played.run(10);
  CHECK(full);
  CHECK(given == protocol::kSlots + 1);
}

TEST_CASE(
    "programs: who is interrupted whenever it goes on has a turn that nobody interrupts, one after the "
    "other") {
  Bed bed;
  auto& processor = bed.played.processor();
  const uint64_t memory = bed.other->allocate(2 * program::kPageBytes, protocol::Usage::kShared);
  const auto opened = bed.other->ask(Operation::kQueueOpen, {});
  REQUIRE(opened.ok());
  std::array<unsigned, program::kPrograms> entries = {}, quanta = {};
  bool calls = false;
  bed.programs().turn = [&](unsigned number, ProgramState& state) {
    ++entries[number];
    if (processor.in_quantum()) ++quanta[number];
    state.cause = FakePrograms::kInterrupt;
    if (calls && processor.in_quantum()) call(state, program::Call::kShow);
  };
  REQUIRE(bed.start() == Status::kOk);
  REQUIRE(bed.other->ask(Operation::kProgramStart, {opened.values[0], memory, kEntry, 0}).ok());
  for (unsigned i = 0; i < 10; ++i) bed.played.run(0);
  CHECK(std::ranges::count(entries, 0U) < program::kPrograms);
  CHECK(std::ranges::count(quanta, 0U) == program::kPrograms);
  constexpr uint64_t kLong = 20'000;
  const auto wait = [&] {
    processor.pass_to(processor.now() + kLong);
    bed.played.run(0);
  };
  for (unsigned i = 0; i < 8; ++i) wait();
  CHECK(std::ranges::count(quanta, 0U) == program::kPrograms - 2);
  CHECK(std::ranges::count(quanta, 4U) == 2);
  // Calls do not end it; its time does.
  calls = true;
  wait();
  const auto most = std::ranges::max(quanta);
  CHECK(most > 4 + 5);
  CHECK(most < 4 + 50);
}

TEST_CASE(
    "programs: no alarm comes soon after one resumes; the delayed alarm comes when the program sleeps") {
  Bed bed;
  auto& processor = bed.played.processor();
  REQUIRE(bed.other->detach() == Status::kOk);
  const command::Launch launch = {{}, bed.guest->module, Guest::kNothing, 0, 0, 0, ~0U, 0};
  std::array<uint64_t, 7> words = {};
  std::memcpy(words.data(), reinterpret_cast<const uint8_t*>(&launch) + 8, 16);
  constexpr uint64_t kUndisturbed = Programs<sdaa::FakeProcessor>::kUndisturbed;
  constexpr uint64_t kShort = 500;  // a launch takes less
  uint64_t due = 0;
  unsigned alarms = 0, step = 0;
  bed.runs([&](unsigned, ProgramState& state) {
    if (state.registers[kA7] != static_cast<uint64_t>(program::Call::kWait) &&
        state.cause == FakePrograms::kCall)
      return call(state, program::Call::kWait, state.registers[kA1], 0);
    switch (step++) {
      case 0:  // A launch that ends shortly before the alarm is due.
        due = processor.alarm();
        REQUIRE(due - processor.now() > kUndisturbed);
        processor.pass_to(due - kShort);
        return submit(state, command::Type::kLaunch, words);
      case 1:
        REQUIRE(processor.now() < due);
        CHECK(processor.alarm() == processor.now() + kUndisturbed);
        // The alarm is due, and does not come before the program sleeps.
        alarms = bed.played.alarms();
        processor.pass_to(due + kShort);
        return submit(state, command::Type::kLaunch, words);
      case 2:
        CHECK(bed.played.alarms() == alarms + 1);
        CHECK(processor.now() < due + 2 * kShort);
        // An earlier interrupt leaves the alarm unchanged.
        due = processor.alarm();
        processor.pass_to(due - kShort);
        return submit(state, command::Type::kLaunch, words);
      case 3:
        CHECK(processor.alarm() == processor.now() + kUndisturbed);
        state.cause = FakePrograms::kInterrupt;
        return;
      default:
        call(state, program::Call::kExit);
    }
  });
  REQUIRE(bed.start() == Status::kOk);
  CHECK(step == 4);
  CHECK(processor.alarm() == due);
  bed.played.run(100);
  CHECK(bed.line().status == Status::kProgramEnded);
}

TEST_CASE("programs: one that fails has a record with cause and pc; one that spins gives way") {
  Bed bed;
  bed.programs().turn = [](unsigned, ProgramState& state) {
    state.cause = 13;
    state.value = 0x1234;
    state.pc = program::kCode + 0x40;
  };
  REQUIRE(bed.start() == Status::kOk);
  bed.played.run(10);
  CHECK(bed.line().status == Status::kProgramFault);
  CHECK(bed.line().detail == 13);
  CHECK(bed.line().detail_address == 0x1234);
  CHECK(bed.line().detail_pc == program::kCode + 0x40);
  bed.renew();
  uint64_t turns = 0;
  bed.programs().turn = [&](unsigned, ProgramState& state) {
    ++turns;
    state.cause = FakePrograms::kInterrupt;
  };
  REQUIRE(bed.start() == Status::kOk);
  for (unsigned i = 0; i < 200; ++i) {
    bed.other->work(bed.random);
    bed.played.run(5);
    bed.other->check();
  }
  CHECK(turns > 200);
  CHECK(bed.other->checked() > 20);
}

TEST_CASE("programs: end with their queue, and with their client") {
  Bed bed;
  uint64_t turns = 0;
  bed.programs().turn = [&](unsigned, ProgramState& state) {
    ++turns;
    state.cause = FakePrograms::kInterrupt;
  };
  const auto ends = [&](auto what) {
    REQUIRE(bed.start() == Status::kOk);
    bed.played.run(20);
    REQUIRE(turns > 0);
    what();
    turns = 0;
    bed.played.run(20);
    CHECK(turns == 0);
    CHECK_FALSE(bed.programs().space(0).lives);
  };
  ends([&] { bed.renew(); });
  ends([&] {
    REQUIRE(bed.guest->ask(Operation::kQueueClose, {bed.queue}).ok());
    bed.queue = static_cast<unsigned>(bed.guest->ask(Operation::kQueueOpen, {}).values[0]);
  });
  ends([&] { bed.guest->detach(); });
}

}  // namespace
}  // namespace swai::runtime
