// SPDX-License-Identifier: Apache-2.0
// DMA transfers that fail: the channel ends in the documented state and says why, the other channels do not
// notice, and after a reset of the channel everything works.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "verif/kit/doctest_main.hpp"
#include "verif/system/rig.hpp"
#include "verif/system/traffic.hpp"

namespace swai::system {
namespace {

namespace error = regs::dma::error;
namespace state = regs::dma::status;
using link::vendor::Fault;
using link::vendor::Statistic;

constexpr uint32_t kAerTimeout = 1 << 14;

class Bench {
 public:
  Bench() : card(rig.open()), traffic(*card, test_seed()), dma(traffic.dma), random(traffic.random) {
    traffic.prove();  // what failed transfers leave untouched is known
    victim = static_cast<unsigned>(random.below(dma::kChannels));
    others = kAllChannels & ~(uint64_t{1} << victim);
  }

  uint32_t aer() { return card->read<uint32_t>(link::Card::kConfig, kAerUncorrectable); }

  // All channels work; the victim meets `bad` after two good descriptors. Returns how it stopped.
  std::vector<Dma::Stop> run(const dma::Descriptor& bad) {
    traffic.send(others);
    first = dma.read(regs::dma::head::kAddr, victim);
    for (int i = 0; i < 4; ++i) {
      if (i == 2) dma.add(victim, bad);
      dma.add(victim, traffic.sent_at(victim) + 1000 * i, traffic.card_at(victim) + 1000 * i, 1000, false);
    }
    return dma.finish_or_stop();
  }

  void expect(const std::vector<Dma::Stop>& stops, uint64_t cause, uint64_t access = error::kAccessData) {
    REQUIRE(stops.size() == 1);
    CHECK(stops[0].channel == victim);
    CHECK(stops[0].state == state::kStateError);
    CHECK(stops[0].cause == cause);
    CHECK(stops[0].access == access);
    CHECK(stops[0].index == first + 2);
    CHECK(dma.read(regs::dma::head::kAddr, victim) <= first + 2);
  }

  // The others' data is right; then everything works again.
  void recover() {
    traffic.fetch(others);
    dma.finish();
    traffic.check(others);
    CHECK(dma.read(state::kAddr, victim) != state::kStateRunning);
    dma.reset(victim);
    CHECK(dma.read(error::kAddr, victim) == 0);
    traffic.prove();
  }

  dma::Descriptor descriptor(uint64_t host, uint64_t at, uint32_t length, bool to_host) const {
    return {.host = host,
            .card = at,
            .length = length,
            .flags = to_host ? dma::kToHost : 0,
            .tag = 0,
            .reserved = 0};
  }

  const Rig rig;
  std::unique_ptr<link::Card> card;
  Traffic traffic;
  Dma& dma;
  verif::Random& random;
  unsigned victim = 0;
  uint64_t others = 0;
  uint64_t first = 0;  // number of the victim's first descriptor in a run
};

bool within(uint64_t address, uint64_t base, uint64_t bytes) { return address - base < bytes; }

}  // namespace

TEST_CASE("errors: host memory that is not mapped") {
  Bench bench;
  const uint64_t faults = bench.traffic.statistic(Statistic::kIommuFaults);
  const uint64_t host = Traffic::kNobody + bench.random.below(1 << 20);
  const uint64_t at = bench.traffic.card_at(bench.victim);
  const auto stops = bench.run(bench.descriptor(host, at, 5000, false));
  bench.expect(stops, error::kCauseUnsupported);
  CHECK(within(stops[0].address, host, 5000));
  const uint64_t read_faults = bench.traffic.statistic(Statistic::kIommuFaults);
  CHECK(read_faults > faults);
  bench.recover();

  // Writes are posted: the host drops them, and the card cannot know.
  CHECK(bench.run(bench.descriptor(host, at, 5000, true)).empty());
  CHECK(bench.traffic.statistic(Statistic::kIommuFaults) >= read_faults + 5000 / 256);
  bench.recover();
}

TEST_CASE("errors: host memory that the card may only read, or only write") {
  Bench bench;
  constexpr uint64_t kReadOnly = 0x4'0000'0000;
  constexpr uint64_t kWriteOnly = 0x4'0010'0000;
  auto read_only = bench.card->pin(kReadOnly, 16 << 10, link::Access::kRead);
  auto write_only = bench.card->pin(kWriteOnly, 16 << 10, link::Access::kWrite);
  std::ranges::fill(read_only.bytes(), uint8_t{0x3C});
  const uint64_t at = bench.traffic.card_at(bench.victim);

  CHECK(bench.run(bench.descriptor(kReadOnly + 77, at, 5000, true)).empty());
  CHECK(bench.traffic.statistic(Statistic::kIommuFaults) >= 5000 / 256);
  CHECK(std::ranges::all_of(read_only.bytes(), [](uint8_t byte) { return byte == 0x3C; }));
  bench.recover();

  bench.expect(bench.run(bench.descriptor(kWriteOnly + 77, at, 5000, false)), error::kCauseUnsupported);
  bench.recover();

  // Where a mapping ends; and what is taken away.
  bench.expect(bench.run(bench.descriptor(kReadOnly + (15 << 10), at, 5000, false)),
               error::kCauseUnsupported);
  bench.recover();
  CHECK(bench.run(bench.descriptor(kReadOnly + 77, at, 5000, false)).empty());
  bench.recover();
  read_only.release();
  bench.expect(bench.run(bench.descriptor(kReadOnly + 77, at, 5000, false)), error::kCauseUnsupported);
  bench.recover();
}

TEST_CASE("errors: card memory that is not there, and descriptors that cannot be") {
  Bench bench;
  const uint64_t host = bench.traffic.sent_at(bench.victim);
  const uint64_t groups = bench.traffic.pcie(regs::pcie::card::kAddr) & 0xF;
  const uint64_t end = regs::kHbmRegion.base + (groups << 34);
  for (const bool to_host : {false, true}) {
    const auto stops = bench.run(bench.descriptor(host, end - 1000, 3000, to_host));
    bench.expect(stops, error::kCauseRingNobody);
    CHECK(stops[0].address == end);
    bench.recover();
  }
  const uint64_t at = bench.traffic.card_at(bench.victim);
  auto bad = bench.descriptor(host, at, 100, false);
  bad.flags |= 1u << bench.random.between(5, 31);
  const auto stops = bench.run(bad);
  bench.expect(stops, error::kCauseBadDescriptor, error::kAccessDescriptor);
  CHECK(stops[0].address == bad.card);
  bench.recover();
  bad = bench.descriptor(host, uint64_t{1} << 40, 100, true);
  bench.expect(bench.run(bad), error::kCauseBadDescriptor, error::kAccessDescriptor);
  bench.recover();
  bad = bench.descriptor(~uint64_t{0} - 10, at, 100, true);
  bench.expect(bench.run(bad), error::kCauseBadDescriptor, error::kAccessDescriptor);
  bench.recover();

  // More descriptors than the ring has.
  bench.dma.write(regs::dma::tail::kAddr, bench.victim,
                  bench.dma.read(regs::dma::head::kAddr, bench.victim) + Dma::kEntries + 1);
  CHECK(bench.card->run_until(uint64_t{1} << bench.victim, 100'000).vectors != 0);
  CHECK(bench.dma.read(state::kAddr, bench.victim) == state::kStateError);
  CHECK(error::kCause.get(bench.dma.read(error::kAddr, bench.victim)) == error::kCauseBadTail);
  bench.dma.reset(bench.victim);
  bench.traffic.prove();
}

// Answers of the host that are wrong. Which channel is hit is chance; its chunk keeps its old bytes.
TEST_CASE("errors: completions that are lost, damaged or refused") {
  struct Kind {
    Fault fault;
    uint64_t cause;
    uint64_t counter;
    uint32_t aer;
  };
  const Kind kinds[] = {
      {Fault::kDropCompletion, error::kCauseTimeout, regs::pcie::errors_timeouts::kAddr, kAerTimeout},
      {Fault::kPoisonCompletion, error::kCausePoisonedCompletion,
       regs::pcie::errors_poisoned_completions::kAddr, kAerPoisoned},
      {Fault::kUnsupported, error::kCauseUnsupported, 0, 0},
      {Fault::kAbort, error::kCauseCompleterAbort, 0, 0},
  };
  Bench bench;
  Traffic& traffic = bench.traffic;
  bench.card->post<uint64_t>(kRegisterBar, register_at(regs::dma::timeout::kAddr), 4096);
  for (int round = 0; round < 2; ++round) {
    for (const Kind& kind : kinds) {
      bench.card->write<uint32_t>(link::Card::kConfig, kAerUncorrectable, ~uint32_t{0});
      const uint64_t count = kind.counter != 0 ? traffic.pcie(kind.counter) : 0;
      // Old bytes of all channels: those of prove(), at the same places.
      std::vector<uint8_t> old(traffic.buffer.data(), traffic.buffer.data() + traffic.buffer.bytes().size());
      for (unsigned c = 0; c < dma::kChannels; ++c) {
        traffic.fill(traffic.sent(c), Traffic::kSlice);
        bench.dma.add(c, traffic.sent_at(c), traffic.card_at(c), Traffic::kSlice, false);
      }
      traffic.inject(kind.fault, 1, bench.random.below(200));
      const auto stops = bench.dma.finish_or_stop();
      INFO("fault ", static_cast<uint64_t>(kind.fault), " round ", round);
      REQUIRE(stops.size() == 1);
      const unsigned c = stops[0].channel;
      CHECK(stops[0].state == state::kStateError);
      // Where the lost one was not the last of its read the next does not fit.
      const bool gap = kind.fault == Fault::kDropCompletion && stops[0].cause == error::kCauseBadCompletion;
      if (!gap) CHECK(stops[0].cause == kind.cause);
      REQUIRE(within(stops[0].address, traffic.sent_at(c), Traffic::kSlice));
      if (kind.counter != 0 && !gap) CHECK(traffic.pcie(kind.counter) == count + 1);
      CHECK(bench.aer() == (gap ? 0 : kind.aer));

      bench.dma.reset(c);
      for (unsigned i = 0; i < dma::kChannels; ++i)
        bench.dma.add(i, traffic.fetched_at(i), traffic.card_at(i), Traffic::kSlice, true);
      bench.dma.finish();
      traffic.check(kAllChannels & ~(uint64_t{1} << c));
      const uint64_t chunk = stops[0].address - traffic.sent_at(c);
      const uint64_t chunk_end = std::min(chunk + 512 - stops[0].address % 512, Traffic::kSlice);
      for (uint64_t i = 0; i < Traffic::kSlice; ++i) {
        const uint8_t before = old[traffic.sent_at(c) - kBufferAt + i];
        const uint8_t now = traffic.fetched(c)[i];
        const bool fits = now == before || (now == traffic.sent(c)[i] && (i < chunk || i >= chunk_end));
        if (!fits) FAIL("byte ", i, " of channel ", c, " is neither old nor new; chunk at ", chunk);
      }
      traffic.prove();
    }
  }
}

TEST_CASE("errors: channels stopped in mid copy") {
  Bench bench;
  auto big = bench.card->pin(0x4'0000'0000, 1 << 20);
  const unsigned count = rounds(6, 2);
  for (unsigned round = 0; round < count; ++round) {
    const bool to_host = round % 2 != 0;
    const unsigned victim = bench.victim;
    bench.traffic.send(bench.others);
    for (int i = 0; i < 4; ++i)
      bench.dma.add(victim, big.iova() + (i << 18), regs::kHbmRegion.base + (i << 18), 1 << 18, to_host);
    bench.dma.start();
    bench.card->run_until(0, bench.random.between(300, 20'000));
    CHECK(bench.dma.abort(victim).state == state::kStateAborted);
    bench.dma.finish();
    // Memory may go now: nothing of the channel is under way any more.
    if (round + 1 == count) big.release();
    const uint64_t faults = bench.traffic.statistic(Statistic::kIommuFaults);
    bench.recover();
    CHECK(bench.traffic.statistic(Statistic::kIommuFaults) == faults);
    CHECK(regs::dma::tags::kWaiting.get(bench.traffic.pcie(regs::dma::tags::kAddr)) == 0);
  }
}

// Packets are cut off in the midst: completions to the card, packets from it, descriptors, records.
TEST_CASE("errors: resets at any point of a copy") {
  const Rig rig;
  const auto card = rig.open();
  Traffic traffic(*card, test_seed());
  for (unsigned round = 0; round < rounds(40); ++round) {
    traffic.send();
    traffic.dma.start();
    if (round % 4 == 3) {
      traffic.dma.finish();
      traffic.fetch();
      traffic.dma.start();
    }
    card->run_until(0, 1 + traffic.random.below(6000));
    card->reset();
    for (unsigned c = 0; c < dma::kChannels; ++c) traffic.dma.reset(c);
    card->run_until(kAllChannels, 1);  // what had fired before the reset
    if (round % 5 == 4) traffic.prove();
  }
}

TEST_CASE("errors: bus mastering off") {
  Bench bench;
  const auto command = bench.card->read<uint16_t>(link::Card::kConfig, 4);
  bench.card->write<uint16_t>(link::Card::kConfig, 4, command & ~4);
  bench.dma.add(bench.victim, bench.traffic.sent_at(bench.victim), regs::kHbmRegion.base, 1000, false);
  bench.dma.start();
  bench.card->run_until(0, 10'000);
  CHECK(bench.dma.read(state::kAddr, bench.victim) == state::kStateError);
  CHECK(error::kCause.get(bench.dma.read(error::kAddr, bench.victim)) == error::kCauseNoBusMaster);
  bench.card->write<uint16_t>(link::Card::kConfig, 4, command);
  bench.dma.reset(bench.victim);
  // The interrupt that could not be sent then may come now.
  bench.card->run_until(kAllChannels, 1000);
  bench.traffic.prove();
}

}  // namespace swai::system
