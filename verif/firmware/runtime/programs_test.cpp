// Model programs on the played card: what the kernel does for them, and what it does not let them do.
#include <doctest/doctest.h>

#include "verif/common/doctest_main.hpp"
#include "verif/firmware/runtime/guest.hpp"

namespace {

using namespace swai;
using namespace swai::runtime;
using swai::sdaa::FakePrograms;

constexpr unsigned kA0 = 10, kA1 = 11, kA7 = 17;
constexpr uint64_t kEntry = program::kCode + 0x10;

void call(ProgramState& state, program::Call function, uint64_t first = 0, uint64_t second = 0) {
  state.cause = FakePrograms::kCall;
  state.registers[kA7] = static_cast<uint64_t>(function);
  state.registers[kA0] = first;
  state.registers[kA1] = second;
}
void submit(ProgramState& state, command::Type type, const std::array<uint64_t, 7>& words) {
  call(state, program::Call::kSubmit);
  state.registers[kA7] = program::submit_word(static_cast<uint8_t>(type), command::kQuiet);
  std::ranges::copy(words, state.registers.begin() + kA0);
}

// A client with a queue for a program, and one beside it.
struct Bed {
  Played played;
  verif::Random random{1};
  std::unique_ptr<Guest> guest = make_guest(played, random, 0);
  std::unique_ptr<Guest> other = make_guest(played, random, 1);
  unsigned queue = 0;
  uint64_t memory = 0;

  Bed() {
    if (guest->lanes.size() == protocol::kSharedQueues) {
      const unsigned last = guest->lanes.back().number;
      REQUIRE(guest->ask(Operation::kQueueClose, {last}).ok());
      guest->lanes.pop_back();
    }
    const auto opened = guest->ask(Operation::kQueueOpen, {});
    REQUIRE(opened.ok());
    queue = static_cast<unsigned>(opened.values[0]);
    memory = guest->allocate(2 * program::kPageBytes, protocol::Usage::kShared);
  }
  FakePrograms& programs() { return played.processor().programs; }
  // What the program does next, which waits as program::wait() does: anew, when the processor has done
  // something else meanwhile.
  template <typename Turn>
  void runs(Turn turn) {
    played.processor().sleeps = true;
    programs().turn = [turn, waits = std::array<uint64_t, 2>{}](unsigned number,
                                                                ProgramState& state) mutable {
      if (state.registers[kA7] == static_cast<uint64_t>(program::Call::kWait) &&
          static_cast<Status>(state.registers[kA0]) == Status::kAgain)
        return call(state, program::Call::kWait, waits[0], waits[1]);
      turn(number, state);
      waits = {state.registers[kA0], state.registers[kA1]};
    };
  }
  Status start(uint64_t argument = 0) {
    return guest->ask(Operation::kProgramStart, {queue, memory, kEntry, argument}).status;
  }
  protocol::QueueStatus line() const {
    Guest::Lane lane;
    lane.number = queue;
    return guest->line(lane);
  }
  void renew() {
    const auto closed = guest->ask(Operation::kQueueReset, {queue});
    REQUIRE(closed.ok());
  }
};

}  // namespace

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

constexpr uint64_t kFar = Guest::kHostBytes - Guest::kBytes;

uint32_t copy_beside(Guest& guest, uint64_t host) {
  Guest::Lane& lane = guest.lanes.front();
  return guest.put(lane, command::Type::kCopy,
                   command::Copy{{}, host, lane.pointers[0], Guest::kBytes, 1, 1, 0, 0}, {},
                   command::kConcurrent);
}

void fill_with(Guest& guest, uint8_t value) {
  Guest::Lane& lane = guest.lanes.front();
  guest.finish(lane, guest.put(lane, command::Type::kFill,
                               command::Fill{{}, lane.pointers[0], Guest::kBytes, 1, value, 0}));
}

TEST_CASE("programs: a copy beside a launch is there while that runs, and complete behind it") {
  Bed bed;
  Guest& guest = *bed.guest;
  Guest::Lane& lane = guest.lanes.front();
  const auto beside = [&](uint64_t host) { return copy_beside(guest, host); };
  fill_with(guest, 0x5a);
  const uint32_t slow = guest.launch(lane, Guest::kSlow);
  const uint32_t copies[] = {beside(Guest::kAreas), beside(kFar)};
  const auto is_there = [&] {
    return *guest.area(Guest::kAreas) == 0x5a && *guest.area(kFar + Guest::kBytes - 1) == 0x5a;
  };
  for (int i = 0; i < 100 && !is_there(); ++i) bed.played.run(1);
  CHECK(is_there());
  CHECK_FALSE(guest.complete(lane, slow));
  // Another launch waits for them alone, and begins while the first one runs; a copy that may not run beside
  // waits for it.
  const auto under_way = [&] { return bed.played.runtime().groups().under_way(); };
  CHECK(under_way() == 1);
  const uint32_t next = guest.launch(lane, Guest::kSlow);
  const uint32_t last = guest.copy(lane, lane.pointers[0], Guest::kAreas, Guest::kBytes, true);
  for (int i = 0; i < 100 && under_way() == 1; ++i) bed.played.run(1);
  CHECK(under_way() == 2);
  CHECK_FALSE(guest.complete(lane, slow));
  guest.finish(lane, copies[1]);
  CHECK_FALSE(guest.complete(lane, next));
  guest.finish(lane, last);

  // One that fails does so behind the launch, which counts if it fails, too.
  auto& mapping = bed.played.processor().mappings[window_of(0)];
  for (const uint16_t kernel : {Guest::kSlow, Guest::kBreakpoint}) {
    mapping.bytes = kFar;
    const uint32_t first = guest.launch(lane, kernel);
    const uint32_t bad = beside(kFar);
    bed.played.run(20);
    const bool launch_fails = kernel == Guest::kBreakpoint;
    guest.fails(lane, launch_fails ? first : bad, launch_fails ? Status::kKernelFault : Status::kTransfer);
    mapping.bytes = Guest::kHostBytes;
  }
  guest.finish(lane, guest.launch(lane, Guest::kNothing));
}

TEST_CASE("programs: copies beside a launch that fail hold no channel, and the first of them is told of") {
  Bed bed;
  Guest& guest = *bed.guest;
  Guest::Lane& lane = guest.lanes.front();
  fill_with(guest, 0x5a);
  bed.played.processor().mappings[window_of(0)].bytes = kFar - Guest::kBytes;
  const uint32_t slow = guest.launch(lane, Guest::kSlow);
  const uint32_t first = copy_beside(guest, kFar - Guest::kBytes);
  // More than there are channels.
  for (unsigned i = 0; i < 10; ++i) copy_beside(guest, kFar);
  copy_beside(guest, Guest::kAreas);
  const auto is_there = [&] { return *guest.area(Guest::kAreas) == 0x5a; };
  for (int i = 0; i < 100 && !is_there(); ++i) bed.played.run(1);
  CHECK(is_there());
  CHECK_FALSE(guest.complete(lane, slow));
  CHECK(guest.line(lane).status == Status::kOk);
  guest.fails(lane, first, Status::kTransfer);
  CHECK(guest.line(lane).detail_address == kFar - Guest::kBytes);
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

TEST_CASE("programs: see memory of their client, and no more of it when it is freed") {
  Bed bed;
  const uint64_t mine = bed.guest->allocate(program::kPageBytes, protocol::Usage::kMpe);
  const uint64_t cores = bed.guest->allocate(program::kPageBytes, protocol::Usage::kCpe);
  const uint64_t foreign = bed.other->allocate(program::kPageBytes, protocol::Usage::kShared);
  std::vector<uint64_t> asks = {mine, cores, foreign, 0, mine + 8, ~uint64_t{0}};
  std::vector<std::pair<Status, uint64_t>> answers;
  size_t next = 0;
  bed.programs().turn = [&](unsigned, ProgramState& state) {
    if (next != 0 && next <= asks.size())
      answers.emplace_back(static_cast<Status>(state.registers[kA0]), state.registers[kA1]);
    if (next < asks.size()) {
      call(state, program::Call::kShow, asks[next++]);
    } else {
      ++next;
      state.cause = FakePrograms::kInterrupt;
    }
  };
  REQUIRE(bed.start() == Status::kOk);
  bed.played.run(10);
  REQUIRE(answers.size() == asks.size());
  CHECK(answers[0] == std::pair(Status::kOk, program::kData + program::kPageBytes));
  for (const unsigned bad : {1, 2, 3, 5}) CHECK(answers[bad].first == Status::kBadPointer);
  CHECK(answers[4] == std::pair(Status::kOk, program::kData + program::kPageBytes + 8));
  CHECK(bed.programs().physical(0, answers[0].second));
  REQUIRE(bed.guest->ask(Operation::kFree, {mine}).ok());
  CHECK_FALSE(bed.programs().physical(0, answers[0].second));
  REQUIRE(bed.guest->ask(Operation::kFree, {bed.memory}).ok());
  CHECK_FALSE(bed.programs().physical(0, program::kCode));
}

TEST_CASE(
    "programs: cores of one client at a time answer beside the processor, where nobody else has left "
    "anything") {
  Bed bed;
  Guest& former = *bed.guest;
  Guest& later = *bed.other;
  const unsigned its_queue = later.lanes.back().number;
  const uint64_t its_memory = later.allocate(2 * program::kPageBytes, protocol::Usage::kShared);
  const std::array<uint64_t, 8> kLeft = {1, 2, 3, 4, 5, 6, 7, 8};
  const auto leave_something = [&] {
    for (uint64_t at = 0; at < program::kAnswerBytes; at += sizeof kLeft)
      bed.played.processor().put(Played::kAnswers + at, kLeft.data(), sizeof kLeft);
  };
  const auto check_cleared = [&] {
    std::array<uint64_t, program::kAnswerBytes / 8> words;
    bed.played.processor().fetch(Played::kAnswers, words.data(), sizeof words);
    CHECK(std::ranges::count(words, 0U) == words.size());
  };
  const auto entry = [&] {
    return bed.played.processor().load(regs::kHbmRegion.base + program::kAnswerSegment * 8);
  };
  const auto check_owner = [&](uint64_t context) {
    const segment::Entry now = segment::decode(entry());
    CHECK(now.base == Played::kAnswers);
    CHECK(now.size == program::kAnswerBytes);
    CHECK(now.permissions == segment::kWrite);
    CHECK(now.owner == context);
  };
  std::array<std::vector<Status>, 2> said;  // to each program
  bool ends = false;
  bed.programs().turn = [&](unsigned number, ProgramState& state) {
    const bool asked = state.cause == FakePrograms::kCall;
    if (asked) said[number].push_back(static_cast<Status>(state.registers[kA0]));
    if (ends && number == 0) return call(state, program::Call::kExit);
    state.cause = FakePrograms::kInterrupt;
    if (!asked && (said[number].empty() || said[number].back() != Status::kOk))
      call(state, program::Call::kAnswers, 99);
  };

  leave_something();
  REQUIRE(bed.start() == Status::kOk);
  bed.played.run(4);
  REQUIRE(said[0] == std::vector{Status::kOk});
  CHECK(bed.programs().space(0).answers == Played::kAnswers);
  check_owner(former.context);
  check_cleared();

  // Another program has it, then cores of its client may still write there.
  REQUIRE(later.ask(Operation::kProgramStart, {its_queue, its_memory, kEntry, 0}).status == Status::kOk);
  bed.played.run(4);
  REQUIRE(!said[1].empty());
  CHECK(std::ranges::count(said[1], Status::kNoMemory) == said[1].size());
  CHECK(bed.programs().space(1).answers == 0);
  Guest::Lane& lane = former.lanes.front();
  constexpr uint32_t kLong = 1'000'000;
  const auto ticket = former.launch(lane, Guest::kHang, {}, protocol::kAnyGroup, kLong);
  ends = true;
  while (bed.programs().space(0).lives) bed.played.run(1);
  REQUIRE_FALSE(former.complete(lane, ticket));
  said[1].clear();
  for (unsigned i = 0; i < 4; ++i) bed.played.run(0);
  CHECK(entry() == segment::kNoEntry);
  REQUIRE(!said[1].empty());
  CHECK(said[1].back() == Status::kNoMemory);
  leave_something();
  while (former.line(lane).status == Status::kOk) bed.played.run(1);
  bed.played.run(4);
  CHECK(said[1].back() == Status::kOk);
  CHECK(bed.programs().space(1).answers == Played::kAnswers);
  check_owner(later.context);
  check_cleared();

  // Who waits for an event, for ever, writes nowhere.
  if (later.lanes.size() == 1) REQUIRE(later.open(bed.random));
  Guest::Lane& other_lane = later.lanes[later.lanes.front().number == its_queue ? 1 : 0];
  const auto waits = later.put(other_lane, command::Type::kEventWait, command::Event{{}, 9, 0, 1});
  REQUIRE(later.ask(Operation::kQueueReset, {its_queue}).ok());
  bed.played.run(4);
  REQUIRE_FALSE(later.complete(other_lane, waits));
  ends = false;
  said[0].clear();
  bed.renew();
  REQUIRE(bed.start() == Status::kOk);
  bed.played.run(4);
  REQUIRE(!said[0].empty());
  CHECK(said[0].back() == Status::kOk);
  check_owner(former.context);
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
