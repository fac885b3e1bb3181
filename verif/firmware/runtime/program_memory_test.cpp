// SPDX-License-Identifier: Apache-2.0
// Memory that model programs see, and the page in which cores answer them.
#include <doctest/doctest.h>

#include "verif/firmware/runtime/guest.hpp"
#include "verif/firmware/runtime/program_bed.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::runtime {
namespace {

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

}  // namespace
}  // namespace swai::runtime
