// SPDX-License-Identifier: Apache-2.0
// Clients that share the card get equal shares of it, and nobody waits for ever.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "verif/firmware/runtime/guest.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::runtime {
namespace {

TEST_CASE(
    "clients with equal load get equal shares, whatever queues they have; a backlog keeps nobody waiting") {
  verif::Random random(test_seed());
  for (const std::vector<unsigned>& queues :
       {std::vector<unsigned>{1, 3}, {3, 1}, {3, 3}, {1, 3, 2}, {3, 1, 1, 3, 2}, {2, 1, 3, 1, 3, 1, 2, 3}}) {
    Played played;
    std::vector<std::unique_ptr<Guest>> guests;
    for (unsigned i = 0; i < queues.size(); ++i) {
      guests.push_back(std::make_unique<Guest>(played, window_of(i)));
      for (unsigned k = 0; k < queues[i]; ++k) REQUIRE(guests[i]->open(random));
      guests[i]->load();
    }
    const auto busy = [&](unsigned i) {
      return played.runtime().usage(guests[i]->context % protocol::kContexts).busy;
    };
    const auto fill = [&](Guest& guest) {
      for (Guest::Lane& lane : guest.lanes) {
        while (lane.next - guest.line(lane).completed < protocol::kSlots)
          guest.launch(lane, Guest::kSlow, {}, 0);
      }
    };
    for (int round = 0; round < 400; ++round) {
      for (auto& guest : guests) fill(*guest);
      played.run(5);
    }
    uint64_t least = ~uint64_t{0}, most = 0;
    for (unsigned i = 0; i < guests.size(); ++i) {
      least = std::min(least, busy(i));
      most = std::max(most, busy(i));
    }
    MESSAGE(guests.size(), " clients: smaller share over larger ",
            static_cast<double>(least) / static_cast<double>(most));
    CHECK(least * 10 >= most * 9);
    // One that comes now, and waits for each of its launches, waits for few of the others'.
    if (guests.size() == protocol::kContexts) continue;
    Guest late(played, window_of(8));
    REQUIRE(late.open(random));
    Guest::Lane& lane = late.lanes.front();
    late.load();
    const uint64_t begin = played.processor().now();
    late.finish(lane, late.launch(lane, Guest::kNothing, {}, 0));
    CHECK(played.processor().now() - begin < (2 * guests.size() + 2) * 100'000 + 10'000);
  }
}

TEST_CASE("a client with many copies leaves channels for others") {
  verif::Random random(test_seed());
  Played played;
  const auto busy = make_guest(played, random, 0), other = make_guest(played, random, 1);
  const uint64_t memory = busy->allocate(1 << 20, protocol::Usage::kCpe);
  const auto fill = [&] {
    for (Guest::Lane& lane : busy->lanes) {
      while (lane.next - busy->line(lane).completed < protocol::kSlots) {
        busy->put(lane, command::Type::kCopy, command::Copy{{}, Guest::kAreas, memory, 1, 1 << 20, 0, 0, 1},
                  {}, command::kConcurrent);
      }
    }
  };
  fill();
  played.run(50);
  Guest::Lane& lane = other->lanes.front();
  for (int i = 0; i < 5; ++i) {
    const uint64_t begin = played.processor().now();
    const uint32_t last = other->copy(lane, lane.pointers[0], Guest::kAreas, 64, false);
    while (!other->complete(lane, last) && played.processor().now() - begin < 1'000'000) {
      fill();
      played.run(1);
    }
    CHECK(played.processor().now() - begin < 3000);
  }
}

TEST_CASE("who wants another watchdog gets its turn among those who keep the group busy") {
  verif::Random random(test_seed());
  Played played;
  const auto busy = make_guest(played, random, 0), other = make_guest(played, random, 1);
  const auto fill = [&] {
    for (Guest::Lane& lane : busy->lanes) {
      while (lane.next - busy->line(lane).completed < protocol::kSlots)
        busy->launch(lane, Guest::kSlow, {}, 0);
    }
  };
  fill();
  played.run(20);
  Guest::Lane& lane = other->lanes.front();
  const uint32_t last = other->launch(lane, Guest::kNothing, {}, 0, 5000);
  for (int i = 0; i < 200 && !other->complete(lane, last); ++i) {
    fill();
    played.run(1);
  }
  CHECK(other->complete(lane, last));
  // A module goes while others launch.
  const uint32_t gone =
      other->put(lane, command::Type::kModuleUnload, command::ModuleUnload{{}, other->module, 0});
  for (int i = 0; i < 200 && !other->complete(lane, gone); ++i) {
    fill();
    played.run(1);
  }
  CHECK(other->complete(lane, gone));
}

}  // namespace
}  // namespace swai::runtime
