// SPDX-License-Identifier: Apache-2.0
// Clients that share the card and die at random moments, some of them hostile: the others do not notice.
#include <doctest/doctest.h>

#include <memory>

#include "verif/firmware/runtime/guest.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::runtime {
namespace {

// Things that a client cannot do, with names of others.
class Hostile {
 public:
  Hostile(Guest& guest, verif::Random& random) : guest_(guest), random_(random) {}
  // Nobody hears of it, and the client's own queue is reset when it has failed.
  void act(const Guest& victim) {
    Guest::Lane& lane = guest_.lanes.front();
    if (lane.next - guest_.line(lane).completed > protocol::kSlots / 2) return reset(lane);
    const Guest::Lane& other = victim.lanes[random_.below(victim.lanes.size())];
    const uint64_t pointer = other.pointers[random_.below(2)];
    switch (random_.below(12)) {
      case 0:
        CHECK(guest_.ask(Operation::kFree, {pointer}).status == Status::kBadPointer);
        CHECK(guest_.ask(Operation::kPointerInfo, {pointer}).status == Status::kBadPointer);
        break;
      case 1:
        CHECK(guest_.ask(Operation::kQueueClose, {other.number}).status == Status::kBadHandle);
        CHECK(guest_.ask(Operation::kQueueReset, {other.number}).status == Status::kBadHandle);
        CHECK(guest_.ask(Operation::kResume, {other.number, other.next - 1}).status == Status::kBadHandle);
        break;
      case 2:
        CHECK(guest_.ask(Operation::kModuleInfo, {victim.module}).status == Status::kBadHandle);
        guest_.put(lane, command::Type::kModuleUnload, command::ModuleUnload{{}, victim.module, 0});
        break;
      case 3:
        guest_.copy(lane, pointer, Guest::kAreas, 64, random_.chance(50));
        break;
      case 4:  // host memory of somebody else
        guest_.copy(lane, lane.pointers[0], random_.number() | Guest::kHostBytes, 64, random_.chance(50));
        break;
      case 5:
        guest_.put(lane, command::Type::kFill, command::Fill{{}, pointer, 64, 1, 0xee, 0});
        break;
      case 6:
        guest_.put(lane, command::Type::kCopyDevice,
                   command::CopyDevice{{}, lane.pointers[0], pointer, 64, 1, command::Engine::kBest, 0, 0});
        break;
      case 7:
        guest_.axpy(lane, pointer, lane.pointers[0], 3);
        break;
      case 8:
        guest_.launch(lane, random_.chance(50) ? Guest::kHang : Guest::kBreakpoint, {}, protocol::kAnyGroup,
                      static_cast<uint32_t>(random_.between(1000, 100'000)));
        break;
      case 9:
        guest_.put(lane, command::Type::kEventRecord, command::Event{{}, 7, 0, 0});
        break;
      case 10:
        CHECK(guest_.ask(Operation::kQueueFeed, {lane.number, 0}).status == Status::kBadOperation);
        break;
      default:
        reset(lane);
    }
  }

 private:
  void reset(Guest::Lane& lane) {
    const auto reply = guest_.ask(Operation::kQueueReset, {lane.number});
    if (reply.ok()) lane.next = static_cast<uint32_t>(reply.values[0]);
  }
  Guest& guest_;
  verif::Random& random_;
};

// From when the card has said that it is gone on, nothing of it may change any more.
void bury(Played& played, std::unique_ptr<Guest> guest, bool memory_first, unsigned& again) {
  if (memory_first) {
    guest->unmap();
    played.run(5);
  }
  for (;;) {
    const Status status = guest->detach();
    if (status == Status::kOk) break;
    REQUIRE(status == Status::kAgain);
    ++again;
    played.run(0);
  }
  guest->map();
  const auto memory = guest->host();
  played.run(40);
  REQUIRE(memory == guest->host());
}

TEST_CASE("a thousand clients die at random moments: what the others do is right, nothing is left") {
  verif::Random random(test_seed());
  Played played;
  const uint64_t free = played.free_memory();
  constexpr unsigned kDeaths = 1000;
  std::array<std::unique_ptr<Guest>, 6> guests;
  unsigned deaths = 0, again = 0;
  uint64_t checked = 0;
  for (uint64_t step = 0; deaths < kDeaths; ++step) {
    const auto place = static_cast<unsigned>(random.below(guests.size()));
    auto& guest = guests[place];
    // The last ones are hostile, and count the others' work.
    const bool hostile = place >= 4;
    if (guest == nullptr) {
      if (played.runtime().clients().attached() == protocol::kContexts) continue;
      guest = make_guest(played, random, place);
    } else if (random.chance(5)) {
      checked += guest->checked();
      bury(played, std::move(guest), random.chance(30), again);
      played.processor().clear_looks = random.chance(10) ? 150 : 0;
      ++deaths;
    } else if (hostile) {
      const auto& victim = guests[random.below(4)];
      if (victim != nullptr) Hostile(*guest, random).act(*victim);
    } else {
      guest->work(random);
    }
    played.run(random.below(6));
    for (unsigned i = 0; i < 4; ++i) {
      if (guests[i] != nullptr) guests[i]->check();
    }
  }
  // Whoever is left comes to the end of its work.
  for (unsigned i = 0; i < 4; ++i) {
    if (guests[i] == nullptr) continue;
    for (const Guest::Lane& lane : guests[i]->lanes) {
      for (int looks = 0; looks < 10'000 && !lane.jobs.empty(); ++looks) {
        played.run(1);
        guests[i]->check();
      }
      CHECK(lane.jobs.empty());
    }
    checked += guests[i]->checked();
  }
  played.processor().clear_looks = 0;
  for (auto& guest : guests) {
    if (guest != nullptr) bury(played, std::move(guest), false, again);
  }
  MESSAGE(checked, " jobs were checked; ", again, " times a client was told to ask again");
  CHECK(checked > 3000);
  CHECK(again > 0);
  check_nothing_left(played, free);
}

}  // namespace
}  // namespace swai::runtime
