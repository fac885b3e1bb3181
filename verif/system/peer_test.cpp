// SPDX-License-Identifier: Apache-2.0
// Cards that reach each other's memory, and their own, through the root complex.

#include <doctest/doctest.h>

#include "verif/kit/doctest_main.hpp"
#include "verif/system/rig.hpp"
#include "verif/system/traffic.hpp"

namespace swai::system {
namespace {

using link::vendor::Statistic;

// Where the card's BAR0 lies on the bus, as its configuration space says.
uint64_t bus_address(link::Card& card) {
  return card.read<uint64_t>(link::Card::kConfig, 0x10) & ~uint64_t{15};
}

struct Pair {
  explicit Pair(const RigOptions& options, uint64_t seed)
      : rig(options),
        cards{rig.open(0), rig.open(1)},
        traffic{Traffic(*cards[0], seed), Traffic(*cards[1], seed + 1)} {}

  // Random bytes into a card's memory, through BAR0.
  std::vector<uint8_t> put(unsigned card, uint64_t at, size_t bytes) {
    std::vector<uint8_t> data(bytes);
    for (auto& byte : data) byte = static_cast<uint8_t>(traffic[0].random.next());
    cards[card]->post_block(kMemoryBar, at, data);
    cards[card]->read<uint8_t>(kMemoryBar, at);  // it is there
    return data;
  }
  std::vector<uint8_t> get(unsigned card, uint64_t at, size_t bytes) {
    std::vector<uint8_t> data(bytes);
    cards[card]->read_block(kMemoryBar, at, data);
    return data;
  }

  Rig rig;
  std::array<std::unique_ptr<link::Card>, 2> cards;
  std::array<Traffic, 2> traffic;
};

constexpr uint64_t kHbm = regs::kHbmRegion.base;

// Card `from` moves memory of card `to` (which may be itself) to its own and back to another place.
void there_and_back(Pair& pair, unsigned from, unsigned to) {
  verif::Random& random = pair.traffic[0].random;
  Dma& dma = pair.traffic[from].dma;
  const uint64_t bus = bus_address(*pair.cards[to]);
  const auto length = static_cast<uint32_t>(random.between(1, 20'000));
  const uint64_t source = (1 << 20) + random.below(4096);
  const uint64_t middle = (4 << 20) + random.below(4096);
  const uint64_t target = (8 << 20) + random.below(4096);
  const auto data = pair.put(to, source, length);
  const auto around = pair.get(to, target - 64, length + 128);
  const auto channel = static_cast<unsigned>(random.below(dma::kChannels));
  dma.add(channel, bus + source, kHbm + middle, length, false);
  dma.finish();
  CHECK(pair.get(from, middle, length) == data);
  dma.add(channel, bus + target, kHbm + middle, length, true);
  dma.finish();
  auto expected = around;
  std::copy(data.begin(), data.end(), expected.begin() + 64);
  // What was posted to the other card arrives before what is asked of it later by way of the same host.
  pair.cards[from]->run_until(0, 5000);
  CHECK(pair.get(to, target - 64, length + 128) == expected);
}

}  // namespace

TEST_CASE("peers: two cards copy to each other, and a card to itself") {
  Pair pair({.cards = 2}, test_seed());
  REQUIRE(bus_address(*pair.cards[0]) != bus_address(*pair.cards[1]));
  for (unsigned round = 0; round < rounds(3); ++round) {
    there_and_back(pair, 0, 1);
    there_and_back(pair, 1, 0);
    there_and_back(pair, 0, 0);
    there_and_back(pair, 1, 1);
  }
  CHECK(pair.traffic[0].statistic(Statistic::kIommuFaults) == 0);
  CHECK(pair.traffic[1].statistic(Statistic::kIommuFaults) == 0);
}

TEST_CASE("peers: both at once, beside traffic with the host") {
  Pair pair({.cards = 2}, test_seed());
  constexpr uint32_t kLength = 100'000;
  std::array<std::vector<uint8_t>, 2> data;
  for (unsigned c = 0; c < 2; ++c) data[c] = pair.put(c, 1 << 20, kLength);
  // Each channel 0 and 1 reads from and writes to the other card; the rest work with the host.
  for (unsigned c = 0; c < 2; ++c) {
    Dma& dma = pair.traffic[c].dma;
    const uint64_t other = bus_address(*pair.cards[1 - c]);
    dma.add(0, other + (1 << 20), kHbm + (4 << 20), kLength, false);
    dma.add(1, other + (8 << 20) + 5, kHbm + (1 << 20), kLength, true);
    pair.traffic[c].send(kAllChannels & ~uint64_t{3});
    dma.start();
  }
  for (auto& traffic : pair.traffic) traffic.dma.finish();
  pair.cards[0]->run_until(0, 5000);
  for (unsigned c = 0; c < 2; ++c) {
    CHECK(pair.get(c, 4 << 20, kLength) == data[1 - c]);
    CHECK(pair.get(c, (8 << 20) + 5, kLength) == data[1 - c]);
    pair.traffic[c].fetch(kAllChannels & ~uint64_t{3});
    pair.traffic[c].dma.finish();
    pair.traffic[c].check(kAllChannels & ~uint64_t{3});
  }
}

TEST_CASE("peers: without routes the other card is memory that nobody has mapped") {
  Pair pair({.cards = 2, .arguments = {"--no-iommu"}}, test_seed());
  const auto before = pair.get(1, 1 << 20, 1000);
  for (unsigned to : {1u, 0u}) {
    Dma& dma = pair.traffic[0].dma;
    const uint64_t faults = pair.traffic[0].statistic(Statistic::kIommuFaults);
    const uint64_t bus = bus_address(*pair.cards[to]) + (1 << 20);
    dma.add(2, bus, kHbm, 1000, false);
    const auto stops = dma.finish_or_stop();
    REQUIRE(stops.size() == 1);
    CHECK(stops[0].cause == regs::dma::error::kCauseUnsupported);
    CHECK(stops[0].address - bus < 1000);
    dma.reset(2);
    dma.add(2, bus, kHbm + 4096, 1000, true);
    CHECK(dma.finish_or_stop().empty());
    pair.cards[0]->run_until(0, 5000);
    CHECK(pair.traffic[0].statistic(Statistic::kIommuFaults) > faults);
  }
  CHECK(pair.get(1, 1 << 20, 1000) == before);
  for (auto& traffic : pair.traffic) traffic.prove();
}

TEST_CASE("peers: a card that is reset in the midst leaves the other one an error, no more") {
  Pair pair({.cards = 2}, test_seed());
  for (unsigned round = 0; round < rounds(4, 2); ++round) {
    const bool to_other = round % 2 != 0;
    Dma& dma = pair.traffic[0].dma;
    dma.write(regs::dma::timeout::kAddr, 0, 4096);
    dma.add(1, bus_address(*pair.cards[1]) + (1 << 20), kHbm, 200'000, to_other);
    pair.traffic[0].send(kAllChannels & ~uint64_t{2});
    dma.start();
    pair.cards[0]->run_until(0, pair.traffic[0].random.between(500, 9000));
    pair.cards[1]->reset();
    const auto stops = dma.finish_or_stop();
    CHECK(stops.size() <= 1);
    for (const auto& stop : stops) {
      CHECK(stop.channel == 1);
      dma.reset(1);
    }
    pair.traffic[0].fetch(kAllChannels & ~uint64_t{2});
    dma.finish();
    pair.traffic[0].check(kAllChannels & ~uint64_t{2});
    for (unsigned c = 0; c < dma::kChannels; ++c) pair.traffic[1].dma.reset(c);
    for (auto& traffic : pair.traffic) traffic.prove();
    there_and_back(pair, 0, 1);
  }
}

}  // namespace swai::system
