// SPDX-License-Identifier: Apache-2.0
// What clients give back and leave behind: nobody else gets it before nothing uses it and nothing is in it.
#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <optional>

#include "verif/firmware/runtime/guest.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::runtime {
namespace {

constexpr uint64_t kBlock = memory::kBlockBytes;

struct Piece {
  uint64_t pointer;
  uint64_t physical;
  uint64_t bytes;
};
// Asks again as long as the card wants that; nothing: there is no memory.
std::optional<Piece> allocate(Played& played, Guest& guest, uint64_t bytes, uint64_t usage = 0) {
  constexpr unsigned kPatience = 10'000;
  for (unsigned i = 0; i < kPatience; ++i) {
    const auto reply = guest.ask(Operation::kAllocate, {bytes, usage | uint64_t{0} << 8});
    if (reply.ok()) return Piece{reply.values[0], reply.values[1], bytes};
    if (reply.status != Status::kAgain) return {};
    played.run(1);
  }
  FAIL("the card wants to be asked again for ever");
  return {};
}
// Group 0, in large pieces, as far as it goes.
std::vector<Piece> all_of(Played& played, Guest& guest) {
  std::vector<Piece> pieces;
  for (uint64_t bytes = 16 * kBlock; bytes >= kBlock; bytes /= 2) {
    while (const auto piece = allocate(played, guest, bytes)) pieces.push_back(*piece);
  }
  return pieces;
}
void write(Played& played, const Piece& piece, uint8_t value) {
  std::fill_n(played.processor().at(piece.physical, piece.bytes), piece.bytes, value);
}
bool holds_only(Played& played, const Piece& piece, uint8_t value) {
  const uint8_t* bytes = played.processor().at(piece.physical, piece.bytes);
  return std::all_of(bytes, bytes + piece.bytes, [&](uint8_t byte) { return byte == value; });
}
bool overlap(const Piece& one, const Piece& other) {
  return one.physical < other.physical + other.bytes && other.physical < one.physical + one.bytes;
}

TEST_CASE(
    "what a client left is cleared before another one gets it; what it gave back itself it has at once") {
  Played played;
  auto one = std::make_unique<Guest>(played, window_of(0));
  auto mine = all_of(played, *one);
  uint64_t sum = 0;
  for (const Piece& piece : mine) {
    write(played, piece, 0xa5);
    sum += piece.bytes;
  }
  CHECK(sum >= 48 << 20);
  // Its own again: as it is, and without waiting.
  const Piece again = mine.front();
  REQUIRE(one->ask(Operation::kFree, {again.pointer}).ok());
  const auto reply = one->ask(Operation::kAllocate, {again.bytes, 0});
  REQUIRE(reply.ok());
  mine.front() = {reply.values[0], reply.values[1], again.bytes};
  CHECK(holds_only(played, mine.front(), 0xa5));

  SUBCASE("gone") {
    CHECK(one->detach() == Status::kOk);
    played.run(10);
  }
  SUBCASE("given back") {
    for (const Piece& piece : mine) REQUIRE(one->ask(Operation::kFree, {piece.pointer}).ok());
  }
  Guest two(played, window_of(1));
  const auto theirs = all_of(played, two);
  uint64_t got = 0;
  for (const Piece& piece : theirs) {
    CHECK(holds_only(played, piece, 0));
    got += piece.bytes;
  }
  CHECK(got == sum);
}

TEST_CASE("memory that is given back while it is copied to, from, or a kernel runs stays away from others") {
  verif::Random random(test_seed());
  for (unsigned round = 0; round < 3; ++round) {
    Played played;
    Guest one(played, window_of(0));
    REQUIRE(one.open(random));
    one.load();
    Guest::Lane& lane = one.lanes.front();
    auto mine = all_of(played, one);
    const Piece used = mine.front();
    // The host hears of an end later than the card knows.
    const auto ended = [&] { return played.runtime().usage(one.context % protocol::kContexts).commands; };
    const uint64_t before = ended();
    // As long as it takes for others to ask often: the host's page comes last, or the kernel runs long.
    uint32_t last = 0;
    switch (round) {
      case 0:
        last = one.put(lane, command::Type::kCopy,
                       command::Copy{{}, Guest::kAreas, used.pointer, 4096, 512, 0, 0, 4096});
        break;
      case 1:
        last =
            one.put(lane, command::Type::kCopyDevice,
                    command::CopyDevice{
                        {}, used.pointer, mine.back().pointer, kBlock, 1, command::Engine::kProcessor, 0, 0});
        break;
      default:
        last = one.launch(lane, Guest::kSlow);
    }
    std::fill_n(one.area(Guest::kAreas), 4096, uint8_t{0x77});
    if (round == 1) write(played, mine.back(), 0x77);
    played.run(0);
    REQUIRE_FALSE(one.complete(lane, last));
    for (const Piece& piece : mine) REQUIRE(one.ask(Operation::kFree, {piece.pointer}).ok());
    Guest two(played, window_of(1));
    bool early = false;
    std::vector<Piece> theirs;
    for (unsigned i = 0; i < 20'000; ++i) {
      const auto reply = two.ask(Operation::kAllocate, {kBlock, 0});
      if (reply.ok()) {
        theirs.push_back({reply.values[0], reply.values[1], kBlock});
        early |= ended() == before && overlap(theirs.back(), used);
      } else if (reply.status == Status::kNoMemory) {
        break;
      }
      played.run(1);
    }
    CHECK_FALSE(early);
    CHECK(ended() == before + 1);
    CHECK(one.complete(lane, last));
    CHECK(std::ranges::any_of(theirs, [&](const Piece& piece) { return overlap(piece, used); }));
    for (const Piece& piece : theirs) CHECK(holds_only(played, piece, 0));
  }
}

// The watchdog is the group's: whose launch needs another one waits until the group is idle for a moment.
TEST_CASE("clearing what somebody left keeps nobody's launches, however long these may take") {
  verif::Random random(test_seed());
  Played played;
  Guest two(played, window_of(1));
  REQUIRE(two.open(random));
  two.load();
  auto one = std::make_unique<Guest>(played, window_of(0));
  REQUIRE(!all_of(played, *one).empty());
  CHECK(one->detach() == Status::kOk);
  Guest::Lane& lane = two.lanes.front();
  for (const uint32_t watchdog : {20'000U, 2'000'000U, 900'000U}) {
    CAPTURE(watchdog);
    const uint32_t last = two.launch(lane, Guest::kNothing, {}, 0, watchdog);
    // Some blocks, of 24 and more.
    unsigned events = 0;
    for (; events < 16 && !two.complete(lane, last); ++events) played.run(1);
    CHECK(two.complete(lane, last));
    two.finish(lane, last);
  }
  // And what was left is cleared beside them.
  CHECK(!all_of(played, two).empty());
}

TEST_CASE("launches that always want another watchdog do not keep what somebody left from being cleared") {
  verif::Random random(test_seed());
  Played played;
  // Each has its own watchdog, and is always ahead; the group is idle between their launches only.
  struct Busy {
    Busy(Played& played, uint64_t window, uint32_t its) : guest(played, window), watchdog(its) {}
    void go_on() {
      Guest::Lane& lane = guest.lanes.front();
      for (; !under_way.empty() && guest.complete(lane, under_way.front()); under_way.pop_front())
        guest.finish(lane, under_way.front());
      while (under_way.size() < 12) under_way.push_back(guest.launch(lane, Guest::kNothing, {}, 0, watchdog));
    }
    Guest guest;
    uint32_t watchdog;
    std::deque<uint32_t> under_way;
  };
  Busy two(played, window_of(1), 20'000), three(played, window_of(2), 2'000'000);
  for (Busy* const busy : {&two, &three}) {
    REQUIRE(busy->guest.open(random));
    busy->guest.load();
  }
  auto one = std::make_unique<Guest>(played, window_of(0));
  REQUIRE(!all_of(played, *one).empty());
  two.go_on();
  three.go_on();
  played.run(4);
  CHECK(one->detach() == Status::kOk);
  Guest four(played, window_of(3));
  constexpr unsigned kAll = 24;  // blocks, at least
  unsigned had = 0;
  for (unsigned turns = 0; turns < 1000 && had < kAll; ++turns) {
    two.go_on();
    three.go_on();
    played.run(1);
    if (turns % 4 == 0) had += four.ask(Operation::kAllocate, {kBlock, 0}).ok() ? 1 : 0;
  }
  CHECK(had == kAll);
}

// The cores of a group that was given up have stores under way when they are switched off.
TEST_CASE("memory that a lost group may still write to is nobody else's, and its launches have not ended") {
  verif::Random random(test_seed());
  Played played;
  Guest one(played, window_of(0)), two(played, window_of(1));
  REQUIRE(one.open(random));
  one.load();
  auto mine = all_of(played, one);
  const Piece used = mine.front();
  const uint32_t last = one.launch(one.lanes.front(), Guest::kDead, {}, 0, 20'000);
  played.run(0);
  bool rests = true, leaves = false;
  SUBCASE("given back") {
    for (const Piece& piece : mine) REQUIRE(one.ask(Operation::kFree, {piece.pointer}).ok());
  }
  SUBCASE("gone") { leaves = true; }
  SUBCASE("given back; its cores never rest") {
    rests = false;
    for (const Piece& piece : mine) REQUIRE(one.ask(Operation::kFree, {piece.pointer}).ok());
  }
  SUBCASE("gone; its cores never rest") {
    rests = false;
    leaves = true;
  }
  played.processor().drain_cycles = rests ? 300'000 : ~uint64_t{0};
  if (leaves) CHECK(one.detach() == Status::kOk);
  std::vector<Piece> theirs;
  bool early = false, wrong = false;
  for (unsigned i = 0; i < 2000; ++i) {
    const bool at_rest = played.processor().at_rest(0);
    if (!at_rest) write(played, used, 0xee);
    if (rests && !at_rest && !leaves) early |= one.complete(one.lanes.front(), last);
    const auto reply = two.ask(Operation::kAllocate, {kBlock, uint64_t{0} << 8});
    if (reply.ok()) {
      theirs.push_back({reply.values[0], reply.values[1], kBlock});
      wrong |= !at_rest && overlap(theirs.back(), used);
    }
    played.run(1);
  }
  CHECK_FALSE(early);
  CHECK_FALSE(wrong);
  for (const Piece& piece : theirs) CHECK(holds_only(played, piece, 0));
  CHECK(rests == std::ranges::any_of(theirs, [&](const Piece& piece) { return overlap(piece, used); }));
  // Its client hears of it in any case.
  if (!leaves) one.fails(one.lanes.front(), last, Status::kGroupLost);
}

// Until this group was given up.
void lose(Played& played, unsigned group) {
  for (unsigned i = 0; i < 1000 && !played.runtime().groups().lost(group); ++i) played.run(1);
  REQUIRE(played.runtime().groups().lost(group));
}
// That long nothing else happens.
void pass(Played& played, uint64_t cycles) {
  bool over = false;
  played.processor().later(cycles, [&] { over = true; });
  for (unsigned i = 0; i < 10'000 && !over; ++i) played.run(1);
  REQUIRE(over);
}
constexpr uint64_t kNever = ~uint64_t{0};

TEST_CASE("who asks for memory that a lost group may still write to is told so, or gets other memory") {
  verif::Random random(test_seed());
  Played played;
  Guest one(played, window_of(0)), two(played, window_of(1));
  REQUIRE(one.open(random));
  REQUIRE(one.open(random));
  one.load();
  REQUIRE(two.open(random));
  two.load();
  Guest::Lane& lane = two.lanes.front();
  const auto file = sdaa::fake_module();
  const auto place = two.ask(Operation::kAllocate,
                             {file.size(), protocol::AllocateFlags{protocol::Usage::kShared, 0}.bits()});
  REQUIRE(place.ok());
  const uint64_t at = place.values[0];
  std::ranges::copy(file, two.area(Guest::kAreas));
  two.finish(lane, two.copy(lane, at, Guest::kAreas, static_cast<uint32_t>(file.size()), false));
  const auto mine = all_of(played, one);
  played.processor().drain_cycles = kNever;
  bool all = false;
  SUBCASE("the cores of one group never rest") {}
  SUBCASE("those of all groups") { all = true; }
  SUBCASE("they do later") { played.processor().drain_cycles = 5'000'000; }
  one.launch(one.lanes[0], Guest::kDead, {}, 0, 20'000);
  if (all) one.launch(one.lanes[1], Guest::kDead, {}, 1, 20'000);
  played.run(0);
  for (const Piece& piece : mine) REQUIRE(one.ask(Operation::kFree, {piece.pointer}).ok());
  const uint32_t load = two.put(lane, command::Type::kModuleLoad, command::ModuleLoad{{}, at, file.size()});
  CHECK(all_of(played, two).empty());
  two.fails(lane, load, Status::kNoMemory);
  CHECK(played.runtime().groups().all_lost() == all);
  // Its client has it again at once.
  CHECK(one.ask(Operation::kAllocate, {mine.front().bytes, 0}).ok());
  if (played.processor().drain_cycles == kNever) return;
  pass(played, 6'000'000);
  CHECK_FALSE(played.runtime().groups().awaits_rest());
  CHECK_FALSE(all_of(played, two).empty());
}

TEST_CASE(
    "where a launch that clears memory is lost nobody gets what it was to clear, and clearing goes on") {
  Played played;
  auto one = std::make_unique<Guest>(played, window_of(0));
  const auto mine = all_of(played, *one);
  bool rests = false;
  SUBCASE("its cores rest") { rests = true; }
  SUBCASE("they never do") {}
  played.processor().own_fills_die = true;
  played.processor().drain_cycles = rests ? 50 : kNever;
  CHECK(one->detach() == Status::kOk);
  played.run(0);
  lose(played, 0);
  played.processor().own_fills_die = false;
  uint64_t left = 0, got = 0;
  for (const Piece& piece : mine) left += piece.bytes;
  Guest two(played, window_of(1));
  for (const Piece& piece : all_of(played, two)) got += piece.bytes;
  CHECK(got == left - (rests ? 0 : kBlock));
}

// Which of the launches that have not ended runs is not known: done words may not have come.
TEST_CASE("memory of all whose launches a lost group has not ended stays away from others") {
  verif::Random random(test_seed());
  Played played;
  Guest one(played, window_of(0)), two(played, window_of(1)), three(played, window_of(2));
  for (Guest* const guest : {&one, &two}) {
    REQUIRE(guest->open(random));
    guest->load();
  }
  two.finish(two.lanes.front(), two.launch(two.lanes.front(), Guest::kNothing, {}, 0, 20'000));
  const auto mine = all_of(played, one);
  played.processor().drain_cycles = kNever;
  played.processor().words_lost = true;
  two.launch(two.lanes.front(), Guest::kNothing, {}, 0, 20'000);
  one.launch(one.lanes.front(), Guest::kDead, {}, 0, 20'000);
  played.run(1);
  played.processor().words_lost = false;
  CHECK(one.detach() == Status::kOk);
  lose(played, 0);
  pass(played, 2'000'000);
  CHECK(all_of(played, three).empty());
}

TEST_CASE("a client whose cores never rest goes; what they may write to is nobody's") {
  verif::Random random(test_seed());
  Played played;
  auto one = std::make_unique<Guest>(played, window_of(0));
  REQUIRE(one->open(random));
  one->load();
  const auto mine = all_of(played, *one);
  REQUIRE(one->ask(Operation::kFree, {mine.back().pointer}).ok());
  played.processor().drain_cycles = kNever;
  one->launch(one->lanes.front(), Guest::kDead, {}, 0, 20'000);
  played.run(0);
  CHECK(one->detach() == Status::kOk);
  pass(played, 3'000'000);
  const auto alone = played.ask(Operation::kAttach, {protocol::kVersion, 0, 0, 0, 0});
  REQUIRE(alone.ok());
  CHECK(played.ask(Operation::kDetach, {alone.values[0]}).ok());
  std::vector<std::unique_ptr<Guest>> guests;
  const auto attach = [&](unsigned place) {
    guests.push_back(std::make_unique<Guest>(played, window_of(1 + place)));
    REQUIRE(guests.back()->status == Status::kOk);
    // Its cores may still act in its name.
    REQUIRE(guests.back()->context != one->context);
  };
  for (unsigned place = 0; place < protocol::kContexts; ++place) attach(place);
  for (unsigned i = 0; i < 5 * protocol::kMaxContext / 4; ++i) {
    for (const auto& guest : guests) CHECK(guest->detach() == Status::kOk);
    played.run(10);
    guests.clear();
    attach(0);
  }
  CHECK(all_of(played, *guests.back()).empty());
}

TEST_CASE("what a kernel before has left running, and does not stop, keeps what was given out then") {
  verif::Random random(test_seed());
  Played played;
  auto one = std::make_unique<Guest>(played, window_of(0));
  const auto mine = all_of(played, *one);
  one.reset();
  played.restart(1);
  Guest two(played, window_of(1));
  CHECK(all_of(played, two).empty());
  const auto other =
      two.ask(Operation::kAllocate, {kBlock, protocol::AllocateFlags{protocol::Usage::kCpe, 1}.bits()});
  CHECK(other.ok());
  CHECK(played.runtime().groups().lost(0));
  CHECK_FALSE(played.runtime().groups().lost(1));
  CHECK(played.runtime().groups().least_busy() == 1);
}

// The wipe between the launches of two clients fails, and all have ended when the card hears of it.
struct GivenUp {
  GivenUp() {
    verif::Random random(test_seed());
    auto two = std::make_unique<Guest>(played, window_of(1));
    for (Guest* const guest : {&one, two.get()}) {
      REQUIRE(guest->open(random));
      guest->load();
    }
    one.finish(one.lanes.front(), one.launch(one.lanes.front(), Guest::kNothing, {}, 0));
    played.processor().wipes_fail = true;
    played.processor().drain_cycles = kNever;
    two->launch(two->lanes.front(), Guest::kNothing, {}, 0);
    played.run(0);
    CHECK(two->detach() == Status::kOk);
    for (unsigned i = 0; i < 2; ++i) played.processor().run_next();
    played.run(0);
    REQUIRE(played.runtime().groups().lost(0));
    REQUIRE_FALSE(played.runtime().groups().busy(0));
  }
  Played played;
  Guest one{played, window_of(0)};
};

TEST_CASE_FIXTURE(GivenUp,
                  "who launches the same again on a group that was given up behind its back hears of it") {
  one.fails(one.lanes.front(), one.launch(one.lanes.front(), Guest::kNothing, {}, 0), Status::kGroupLost);
}

TEST_CASE_FIXTURE(GivenUp,
                  "that a group which was given up is at rest is seen soon, though no launch waits for it") {
  pass(played, 100'000);
  REQUIRE(played.runtime().groups().awaits_rest());
  played.processor().drain_cycles = 0;
  pass(played, 100'000);
  CHECK_FALSE(played.runtime().groups().awaits_rest());
}

// One client with one queue, and nobody else.
struct Alone {
  Alone() {
    verif::Random random(test_seed());
    REQUIRE(one.open(random));
    one.load();
  }
  Played played;
  Guest one{played, window_of(0)};
};

TEST_CASE_FIXTURE(Alone, "a lost group is not suspected of standing still") {
  played.processor().cores_wait = true;
  const uint32_t last = one.launch(one.lanes.front(), Guest::kDead, {}, 0, 20'000);
  pass(played, 50'000);
  CHECK(played.runtime().groups().suspects());
  one.fails(one.lanes.front(), last, Status::kGroupLost);
  CHECK_FALSE(played.runtime().groups().suspects());
}

// A look may take all cores' registers, each over the ring: of several groups at once it would take too long.
TEST_CASE("with each alarm the cores of one group are looked at") {
  verif::Random random(test_seed());
  Played played;
  Guest one(played, window_of(0));
  for (unsigned lane = 0; lane < 2; ++lane) REQUIRE(one.open(random));
  one.load();
  auto& processor = played.processor();
  SUBCASE("those whose launch may stand still") { processor.cores_wait = true; }
  SUBCASE("those that are lost") { processor.drain_cycles = 1'000'000; }
  for (uint8_t group = 0; group < 2; ++group) one.launch(one.lanes[group], Guest::kDead, {}, group, 20'000);
  std::array<unsigned, 2> alarms = {};
  for (unsigned i = 0; i < 60; ++i) {
    const auto before = processor.core_looks;
    played.run(1);
    unsigned groups = 0;
    for (unsigned group = 0; group < 2; ++group) {
      if (processor.core_looks[group] == before[group]) continue;
      ++alarms[group];
      ++groups;
    }
    CHECK(groups <= 1);
  }
  for (const unsigned count : alarms) CHECK(count >= 10);
}

TEST_CASE_FIXTURE(Alone, "a lost group whose cores never rest is looked at rarely when nobody waits for it") {
  played.processor().drain_cycles = kNever;
  const uint32_t last = one.launch(one.lanes.front(), Guest::kDead, {}, 0, 20'000);
  one.fails(one.lanes.front(), last, Status::kGroupLost);
  pass(played, 2'000'000);
  const uint64_t before = played.processor().core_looks[0];
  pass(played, 10'000'000);
  const uint64_t looks = played.processor().core_looks[0] - before;
  CHECK(looks >= 10);
  CHECK(looks <= 25);
  // Somebody's launch in another group is watched as ever, once the alarm has come that was set before.
  one.launch(one.lanes.front(), Guest::kHang, {}, 1, 2'000'000);
  pass(played, 600'000);
  const uint64_t since = played.processor().core_looks[0];
  pass(played, 1'000'000);
  CHECK(played.processor().core_looks[0] - since >= 25);
}

// Launch numbers begin again after 2^32, and which of two is the earlier one is known for half of these.
TEST_CASE(
    "what many launches have had as their settings is still known of those that a lost group takes along") {
  verif::Random random(test_seed());
  Played played;
  Guest one(played, window_of(0)), two(played, window_of(1));
  for (Guest* const guest : {&one, &two}) {
    REQUIRE(guest->open(random));
    guest->load();
  }
  auto& groups = played.runtime().groups();
  Guest::Lane& lane = one.lanes.front();
  const uint16_t code = protocol::LoadedModule::decode(one.line(lane).value).segment;
  one.finish(lane, one.launch(lane, Guest::kNothing, {}, 0, 20'000));
  const auto mine = all_of(played, one);
  for (unsigned i = 0; i < 3; ++i) {
    // The driver begins with the group's number, and what it runs for the kernel is collected at once. Nobody
    // writes the settings then.
    played.processor().skip_launches(0, uint32_t{1} << 30);
    std::construct_at(&groups.driver(0), played.processor(), 0U);
    REQUIRE(groups.run(0, {.pc = Played::kWipe, .code_segment = Played::kCode}, 0));
    groups.driver(0).prepare({groups.all(0), code, code, static_cast<uint8_t>(one.context), true});
    two.finish(two.lanes.front(), two.launch(two.lanes.front(), Guest::kSlow, {}, 1));
  }
  played.processor().drain_cycles = kNever;
  played.processor().words_lost = true;
  one.launch(lane, Guest::kNothing, {}, 0, 20'000);
  lose(played, 0);
  played.processor().words_lost = false;
  for (const Piece& piece : mine) REQUIRE(one.ask(Operation::kFree, {piece.pointer}).ok());
  CHECK(all_of(played, two).empty());
}

// Who waited for the group to be idle has gone when it is.
TEST_CASE("clearing goes on by itself when whom it let go first has gone") {
  verif::Random random(test_seed());
  Played played;
  Guest two(played, window_of(1));
  auto three = std::make_unique<Guest>(played, window_of(2));
  for (Guest* const guest : {&two, three.get()}) {
    REQUIRE(guest->open(random));
    guest->load();
  }
  auto one = std::make_unique<Guest>(played, window_of(0));
  REQUIRE(!all_of(played, *one).empty());
  // Nobody is to hear of its end, so nothing else happens then.
  two.put(two.lanes.front(), command::Type::kLaunch,
          command::Launch{{}, two.module, Guest::kSlow, 0, 0, 0, ~uint32_t{0}, 2'000'000}, {},
          command::kQuiet);
  played.run(0);
  three->launch(three->lanes.front(), Guest::kNothing, {}, 0, 20'000);
  played.run(0);
  CHECK(one->detach() == Status::kOk);
  CHECK(three->detach() == Status::kOk);
  played.run(0);
  const auto ended = [&] {
    return played.runtime().usage(two.context % protocol::kContexts).busy >= 100'000;
  };
  for (unsigned i = 0; i < 1000 && !ended(); ++i) played.run(1);
  REQUIRE(ended());
  CHECK(played.runtime().groups().busy(0));
}

}  // namespace
}  // namespace swai::runtime
