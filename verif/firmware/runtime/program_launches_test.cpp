// SPDX-License-Identifier: Apache-2.0
// What model programs launch on the played card, and how they hear of the ends.
#include <doctest/doctest.h>

#include "verif/firmware/runtime/guest.hpp"
#include "verif/firmware/runtime/program_bed.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::runtime {
namespace {

TEST_CASE("programs: launch kernels, sleep until they have ended, and others never wait for them") {
  Bed bed;
  Guest& guest = *bed.guest;
  const Guest::Lane& lane = guest.lanes.front();
  const std::vector<uint32_t> ones(Guest::kBytes / 4, 1);
  for (const uint64_t pointer : lane.pointers) {
    std::memcpy(guest.area(Guest::kAreas), ones.data(), Guest::kBytes);
    guest.finish(guest.lanes.front(),
                 guest.copy(guest.lanes.front(), pointer, Guest::kAreas, Guest::kBytes, false));
  }
  const swai::sdaa::AxpyIntArgs axpy = {cpe::GlobalPtr<int32_t>(lane.pointers[0]),
                                        cpe::GlobalPtr<const int32_t>(lane.pointers[1]), Guest::kBytes / 4,
                                        2};
  const command::Launch launch = {{}, guest.module, Guest::kAxpyInt, sizeof axpy, protocol::kAnyGroup, 0, ~0U,
                                  0};
  std::array<uint64_t, 7> words = {};
  std::memcpy(words.data(), reinterpret_cast<const uint8_t*>(&launch) + 8, 16);
  std::memcpy(words.data() + 2, &axpy, sizeof axpy);
  constexpr unsigned kLaunches = 3;
  unsigned step = 0;  // launch, wait, launch, wait ...
  bed.runs([&](unsigned, ProgramState& state) {
    if (step != 0) REQUIRE(static_cast<Status>(state.registers[kA0]) == Status::kOk);
    const unsigned now = step++;
    if (now == 2 * kLaunches) return call(state, program::Call::kExit, 0);
    if (now % 2 == 0) return submit(state, command::Type::kLaunch, words);
    call(state, program::Call::kWait, state.registers[kA1], 0);
  });
  REQUIRE(bed.start() == Status::kOk);
  for (unsigned i = 0; i < 100; ++i) {
    bed.other->work(bed.random);
    bed.played.run(5);
    bed.other->check();
  }
  CHECK(step == 2 * kLaunches + 1);
  CHECK(bed.line().status == Status::kProgramEnded);
  guest.finish(guest.lanes.front(),
               guest.copy(guest.lanes.front(), lane.pointers[0], Guest::kAreas, Guest::kBytes, true));
  uint32_t sum = 0;
  std::memcpy(&sum, guest.area(Guest::kAreas), sizeof sum);
  CHECK(sum == 1 + kLaunches * 2);
  CHECK(bed.other->checked() > 5);
}

TEST_CASE("programs: a command begins in its call if nobody else has anything to do") {
  Bed bed;
  Guest& other = *bed.other;
  const auto& group = bed.played.runtime().groups().driver(0);
  const command::Launch launch = {
      {}, bed.guest->module, Guest::kAxpyInt, sizeof(swai::sdaa::AxpyIntArgs), 0, 0, ~0U, 0};
  const auto& lane = bed.guest->lanes.front();
  const swai::sdaa::AxpyIntArgs axpy = {cpe::GlobalPtr<int32_t>(lane.pointers[0]),
                                        cpe::GlobalPtr<const int32_t>(lane.pointers[1]), Guest::kBytes / 4,
                                        1};
  std::array<uint64_t, 7> words = {};
  std::memcpy(words.data(), reinterpret_cast<const uint8_t*>(&launch) + 8, 16);
  std::memcpy(words.data() + 2, &axpy, sizeof axpy);
  // Of launches one after the other those that have begun when the program goes on, and those that the
  // program goes on behind without anybody else's turn.
  constexpr unsigned kLaunches = 4, kDisturbed = 2;
  unsigned given = 0, last_poll = 0;
  uint32_t before = 0;
  std::vector<bool> begun, at_once;
  bed.runs([&](unsigned, ProgramState& state) {
    if (state.cause == FakePrograms::kCall &&
        state.registers[kA7] != static_cast<uint64_t>(program::Call::kWait)) {
      begun.push_back(group.number() != before);
      at_once.push_back(bed.played.polls() == last_poll);
      return call(state, program::Call::kWait, state.registers[kA1], 0);
    }
    if (given++ == kLaunches) return call(state, program::Call::kExit);
    before = group.number();
    last_poll = bed.played.polls();
    if (given == kDisturbed) bed.played.processor().set_work(uint64_t{1} << other.lanes.front().number);
    submit(state, command::Type::kLaunch, words);
  });
  REQUIRE(bed.start() == Status::kOk);
  bed.played.run(100);
  CHECK(bed.line().status == Status::kProgramEnded);
  CHECK(begun == std::vector<bool>{true, true, true, true});
  CHECK(at_once == std::vector<bool>{true, false, true, true});
}

TEST_CASE("programs: the last launch once more is handed over by the machine, until something is between") {
  Bed bed;
  auto& processor = bed.played.processor();
  processor.sleeps = true;
  // Of several clients each launch takes its turn.
  REQUIRE(bed.other->detach() == Status::kOk);
  const auto words_of = [&](uint16_t kernel, uint16_t bytes) {
    const command::Launch launch = {{}, bed.guest->module, kernel, bytes, 0, 0, ~0U, 0};
    std::array<uint64_t, 7> words = {};
    std::memcpy(words.data(), reinterpret_cast<const uint8_t*>(&launch) + 8, 16);
    return words;
  };
  // The first; again behind its end; before the end; while a doorbell waits; another kernel; the
  // first one again; a command that is no launch; again.
  enum Case : unsigned { kFirst, kAgain, kUnwaited, kDoorbell, kOther, kBack, kMarker, kAfter, kCases };
  std::vector<bool> by_machine;
  unsigned step = 0, before = 0;
  bool waits = false;
  bed.programs().turn = [&](unsigned, ProgramState& state) {
    if (step != 0) REQUIRE(static_cast<Status>(state.registers[kA0]) == Status::kOk);
    if (std::exchange(waits, false)) return call(state, program::Call::kWait, state.registers[kA1], 0);
    if (step != 0) by_machine.push_back(bed.programs().handed_over != before);
    before = bed.programs().handed_over;
    if (step == kCases) return call(state, program::Call::kExit);
    waits = step + 1 != kUnwaited;
    if (step == kDoorbell) processor.set_work(uint64_t{1} << bed.guest->lanes.front().number);
    auto words = words_of(step == kOther ? Guest::kNothing : Guest::kWord, step == kOther ? 0 : 4);
    words[2] = 0xaaaa'bbbb'0000'0000 | step;
    submit(state, step == kMarker ? command::Type::kMarker : command::Type::kLaunch, words);
    state.registers[kA7] |= step == kOther || step == kMarker ? 0 : uint64_t{command::kWord} << 16;
    ++step;
  };
  REQUIRE(bed.start() == Status::kOk);
  bed.played.run(200);
  CHECK(bed.line().status == Status::kProgramEnded);
  CHECK(by_machine == std::vector<bool>{false, true, false, false, false, false, false, true});
  CHECK(processor.words == std::vector<uint32_t>{kFirst, kAgain, kUnwaited, kDoorbell, kBack, kAfter});
}

TEST_CASE("programs: a word that was dropped for the sake of another launch is there when it starts again") {
  Bed bed;
  Guest& guest = *bed.guest;
  REQUIRE(bed.other->detach() == Status::kOk);
  // Of these the first fails, and the second is dropped with all that wait.
  auto& lane = guest.lanes.front();
  guest.launch(lane, Guest::kBreakpoint, {}, 0);
  guest.launch(lane, Guest::kNothing, {}, 0);
  constexpr uint32_t kArgument = 0x1234'5678;
  const command::Launch launch = {{}, guest.module, Guest::kWord, sizeof kArgument, 0, 0, ~0U, 0};
  std::array<uint64_t, 7> words = {};
  std::memcpy(words.data(), reinterpret_cast<const uint8_t*>(&launch) + 8, 16);
  words[2] = kArgument;
  unsigned step = 0;
  auto answer = Status::kAgain;
  bed.runs([&](unsigned, ProgramState& state) {
    answer = static_cast<Status>(state.registers[kA0]);
    if (step == 2) return call(state, program::Call::kExit);
    if (step++ == 1) return call(state, program::Call::kWait, state.registers[kA1], 0);
    submit(state, command::Type::kLaunch, words);
    state.registers[kA7] |= uint64_t{command::kWord} << 16;
  });
  REQUIRE(bed.start() == Status::kOk);
  bed.played.run(200);
  CHECK(answer == Status::kOk);
  CHECK(bed.played.processor().words == std::vector<uint32_t>{kArgument});
}

TEST_CASE("programs: an argument in the launch's word has four bytes") {
  Bed bed;
  const auto answer = [&](uint16_t kernel, uint16_t bytes) {
    Status status = Status::kAgain;
    unsigned step = 0;
    const command::Launch launch = {{}, bed.guest->module, kernel, bytes, 0, 0, ~0U, 0};
    std::array<uint64_t, 7> words = {};
    std::memcpy(words.data(), reinterpret_cast<const uint8_t*>(&launch) + 8, 16);
    bed.runs([&](unsigned, ProgramState& state) {
      status = static_cast<Status>(state.registers[kA0]);
      if (step == 2) return call(state, program::Call::kExit);
      if (step++ == 1) return call(state, program::Call::kWait, state.registers[kA1], 0);
      submit(state, command::Type::kLaunch, words);
      state.registers[kA7] |= uint64_t{command::kWord} << 16;
    });
    REQUIRE(bed.start() == Status::kOk);
    bed.played.run(100);
    bed.renew();
    return status;
  };
  CHECK(answer(Guest::kWord, 4) == Status::kOk);
  CHECK(answer(Guest::kAxpyInt, sizeof(swai::sdaa::AxpyIntArgs)) == Status::kBadArguments);
  CHECK(answer(Guest::kNothing, 0) == Status::kBadArguments);
}

TEST_CASE("programs: a call that is refused keeps nobody's end to itself") {
  Bed bed;
  auto& processor = bed.played.processor();
  unsigned step = 0, polls = 0;
  bool others_first = false;
  bed.programs().turn = [&](unsigned, ProgramState& state) {
    switch (step++) {
      case 0:  // no command: the queue fails
        return submit(state, command::Type{}, {});
      case 1:
        bed.other->launch(bed.other->lanes.front(), Guest::kNothing, {}, 0);
        processor.later(1, [] {});
        state.cause = FakePrograms::kInterrupt;
        return;
      case 2:
        while ((processor.read(regs::inbox::work::kAddr) & regs::inbox::work::kGroups.mask()) == 0)
          processor.run_next();
        polls = bed.played.polls();
        return submit(state, command::Type::kMarker, {});
      default:
        CHECK(state.registers[kA0] != static_cast<uint64_t>(Status::kOk));
        others_first = bed.played.polls() != polls;
        return call(state, program::Call::kExit);
    }
  };
  REQUIRE(bed.start() == Status::kOk);
  bed.played.run(100);
  CHECK(bed.line().status == Status::kProgramEnded);
  CHECK(others_first);
}

TEST_CASE("programs: an end that something waits for, or that the host wants to hear of, interrupts") {
  const auto launches_until_heard = [](bool loud) {
    Bed bed;
    REQUIRE(bed.other->detach() == Status::kOk);
    const command::Launch launch = {{}, bed.guest->module, Guest::kNothing, 0, 0, 0, ~0U, 0};
    std::array<uint64_t, 7> words = {};
    std::memcpy(words.data(), reinterpret_cast<const uint8_t*>(&launch) + 8, 16);
    unsigned step = 0, launches = 0;
    bed.runs([&](unsigned, ProgramState& state) {
      // The group is cleared behind somebody else first.
      if (step == 0) submit(state, command::Type::kLaunch, words);
      if (step == 1) call(state, program::Call::kWait, state.registers[kA1], 0);
      if (step == 2) state.cause = FakePrograms::kInterrupt;
      if (step++ < 3) return;
      if (bed.played.processor().heard() == ~uint64_t{0}) return call(state, program::Call::kExit);
      submit(state, command::Type::kLaunch, words);
      if (loud) state.registers[kA7] = program::submit_word(static_cast<uint8_t>(command::Type::kLaunch), 0);
      ++launches;
    });
    REQUIRE(bed.start() == Status::kOk);
    bed.played.run(100);
    CHECK(bed.line().status == Status::kProgramEnded);
    return launches;
  };
  CHECK(launches_until_heard(true) == 1);
  CHECK(launches_until_heard(false) == launch::kQueue + 1);
}

TEST_CASE("programs: an end is waited for in the call, unless somebody else wants something") {
  Bed bed;
  auto& processor = bed.played.processor();
  processor.sleeps = true;
  const auto& lane = bed.guest->lanes.front();
  const swai::sdaa::AxpyIntArgs axpy = {cpe::GlobalPtr<int32_t>(lane.pointers[0]),
                                        cpe::GlobalPtr<const int32_t>(lane.pointers[1]), Guest::kBytes / 4,
                                        1};
  const command::Launch launch = {{}, bed.guest->module, Guest::kAxpyInt, sizeof axpy, 0, 0, ~0U, 0};
  std::array<uint64_t, 7> words = {};
  std::memcpy(words.data(), reinterpret_cast<const uint8_t*>(&launch) + 8, 16);
  std::memcpy(words.data() + 2, &axpy, sizeof axpy);
  // What happens between a launch and its end: nothing; somebody's doorbell, before the program waits and
  // while it does; nothing, but the host is to be told; the launch fails.
  enum Case : unsigned { kAlone, kBefore, kMeanwhile, kLoud, kFails, kCases };
  unsigned given = 0, polls = 0;
  std::vector<bool> in_call, noted, told;
  std::vector<Status> answers;
  bed.runs([&](unsigned number, ProgramState& state) {
    const auto status = static_cast<Status>(state.registers[kA0]);
    if (state.registers[kA7] == static_cast<uint64_t>(program::Call::kWait)) {
      in_call.push_back(bed.played.polls() == polls);
      const uint32_t last = bed.played.runtime().queues().next_sequence(bed.queue) - 1;
      noted.push_back(bed.programs().space(number).notes.completed == last);
      told.push_back(bed.line().completed == last);
      answers.push_back(status);
    } else if (given != 0) {
      REQUIRE(status == Status::kOk);
      polls = bed.played.polls();
      const auto ring = [&] { processor.set_work(uint64_t{1} << bed.other->lanes.front().number); };
      if (given == kBefore + 1) ring();
      if (given == kMeanwhile + 1) processor.later(1, ring);
      return call(state, program::Call::kWait, state.registers[kA1], 0);
    }
    if (given == kCases) return call(state, program::Call::kExit);
    if (given == kFails) words[2] = 0;
    submit(state, command::Type::kLaunch, words);
    if (given++ == kLoud)
      state.registers[kA7] = program::submit_word(static_cast<uint8_t>(command::Type::kLaunch), 0);
  });
  REQUIRE(bed.start() == Status::kOk);
  bed.played.run(100);
  CHECK(bed.line().status == Status::kProgramEnded);
  CHECK(in_call == std::vector<bool>{true, false, false, false, false});
  CHECK(noted == std::vector<bool>(kCases, true));
  CHECK(answers ==
        std::vector<Status>{Status::kOk, Status::kOk, Status::kOk, Status::kOk, Status::kKernelFault});
  // The host hears of a quiet end later, when something else is to be done.
  CHECK_FALSE(told.front());
  CHECK(bed.line().completed == bed.played.runtime().queues().next_sequence(bed.queue) - 1);
}

}  // namespace
}  // namespace swai::runtime
