// SPDX-License-Identifier: Apache-2.0
// Several cards: routes between them, one clock, the same results however time is cut.
#include <doctest/doctest.h>

#include "verif/kit/doctest_main.hpp"
#include "verif/sim/board/rootport/test_bench.hpp"

using namespace swai;
using namespace swai::rootport;

namespace {

SoftCardOptions seeded() { return {.seed = test_seed()}; }
uint16_t id_of(unsigned card) { return static_cast<uint16_t>((card + 1) << 8); }

// FNV-1a.
struct Hash {
  uint64_t value = 0xCBF2'9CE4'8422'2325;
  void add(uint64_t number) {
    for (int i = 0; i < 8; ++i) value = (value ^ (number >> 8 * i & 0xFF)) * 0x100'0000'01B3;
  }
  void add(const Tlp& tlp) {
    for (const uint32_t word : encode(tlp)) add(word);
    for (const uint8_t byte : tlp.payload()) add(byte);
  }
};

}  // namespace

TEST_CASE("cards reach each other's BAR0, and their own") {
  verif::Random random(test_seed());
  TestBench bench(seeded(), {.route_latency = static_cast<uint32_t>(test_seed() % 2 * 40)}, 3);
  bench.up();
  std::vector<std::vector<uint8_t>> models;
  for (unsigned i = 0; i < 3; ++i) models.push_back(bench.card(i).bar0());
  struct Question {
    unsigned card;
    uint64_t offset;
    Tlp tlp;
    std::vector<uint8_t> got;
    CplStatus status = CplStatus::kSuccess;
  };
  std::vector<std::vector<Question>> questions(3);
  for (unsigned i = 0; i < 3; ++i) {
    bench.card(i).on_completion = [&, i](const Tlp& tlp) {
      for (Question& question : questions[i]) {
        if (question.tlp.tag != tlp.tag) continue;
        question.status = tlp.status;
        const unsigned start = tlp.lower_address & 3u;
        const size_t want = question.tlp.byte_span() - question.got.size();
        const size_t bytes = std::min<size_t>(want, tlp.payload_bytes() - start);
        question.got.insert(question.got.end(), tlp.data.begin() + start,
                            tlp.data.begin() + start + static_cast<long>(bytes));
      }
    };
  }
  for (int round = 0; round < 300; ++round) {
    const auto from = static_cast<unsigned>(random.below(3));
    const auto to = static_cast<unsigned>(random.below(3));
    const uint64_t base = bench.port(to).bar(0).address;
    // Everyone writes to a part of its own and reads what nobody writes.
    const uint64_t offset = from * 0x10000 + random.below(0xF000);
    const auto room = static_cast<unsigned>(4096 - offset % 4096);
    if (random.chance(60)) {
      const auto data = random_bytes(random, 1 + random.below(std::min(room, 253u)));
      bench.card(from).send(memory_write(base + offset, data, id_of(from)));
      std::copy(data.begin(), data.end(), models[to].begin() + static_cast<long>(offset));
    } else {
      const auto tag = static_cast<uint8_t>(questions[from].size());
      const Tlp tlp =
          memory_read(base + 0x80000 + offset, 1 + static_cast<unsigned>(random.below(std::min(room, 500u))),
                      id_of(from), tag);
      questions[from].push_back({.card = to, .offset = 0x80000 + offset, .tlp = tlp, .got = {}});
      bench.card(from).send(tlp);
    }
    if (random.chance(30)) bench.root.advance(random.below(200));
  }
  REQUIRE(bench.idle());
  uint64_t routed = 0;
  for (unsigned i = 0; i < 3; ++i) {
    CHECK(bench.card(i).bar0() == models[i]);
    for (const Question& question : questions[i]) {
      REQUIRE(question.got.size() == question.tlp.byte_span());
      REQUIRE(std::equal(question.got.begin(), question.got.end(),
                         models[question.card].begin() + static_cast<long>(question.offset)));
    }
    routed += bench.port(i).counters().routed_requests;
    CHECK(bench.port(i).counters().malformed == 0);
    CHECK(bench.port(i).counters().unexpected_completions == 0);
  }
  CHECK(routed == 300);
}

TEST_CASE("the IOMMU goes before routes; routes need a BAR that is on, and leave") {
  TestBench bench({.stalls = false}, {}, 2);
  bench.up();
  const uint64_t target = bench.port(1).bar(0).address;
  const std::vector<uint8_t> data(64, 0xA5);
  std::vector<uint8_t> memory(4096);
  REQUIRE(bench.port(0).iommu().map(target, 4096, memory.data(), {}) == MapResult::kOk);
  bench.card(0).send(memory_write(target, data, id_of(0)));
  CHECK(bench.idle());
  CHECK(memory[0] == 0xA5);
  // Partly mapped is not a route.
  bench.port(0).iommu().unmap_all();
  REQUIRE(bench.port(0).iommu().map(target, 100, memory.data(), {}) == MapResult::kOk);
  bench.card(0).send(memory_write(target + 64, data, id_of(0)));
  CHECK(bench.idle());
  CHECK(bench.port(0).counters().routed_requests == 0);
  CHECK(bench.port(0).iommu().fault_count() == 1);
  bench.port(0).iommu().unmap_all();
  REQUIRE(bench.done(bench.port(1).config_write(4, std::array<uint8_t, 1>{0})));
  bench.card(0).send(memory_write(target, data, id_of(0)));
  CHECK(bench.idle());
  CHECK(bench.port(0).iommu().fault_count() == 2);
  bench.port(1).hot_reset();
  CHECK(bench.until([&] { return bench.port(1).link() == LinkState::kReady; }));
  bench.card(0).send(memory_write(target, data, id_of(0)));
  CHECK(bench.idle());
  CHECK(bench.port(0).counters().routed_requests == 1);
  CHECK(bench.card(1).bar0()[0] == 0xA5);
}

TEST_CASE("no routes when they are off") {
  TestBench bench({.stalls = false}, {}, 2, {.card_routes = false});
  bench.up();
  CplStatus status = CplStatus::kSuccess;
  bench.card(0).on_completion = [&](const Tlp& tlp) { status = tlp.status; };
  for (const unsigned to : {0u, 1u}) {
    status = CplStatus::kSuccess;
    bench.card(0).send(memory_read(bench.port(to).bar(0).address, 64, id_of(0), 1));
    CHECK(bench.idle());
    CHECK(status == CplStatus::kUnsupported);
  }
  CHECK(bench.port(0).iommu().fault_count() == 2);
}

TEST_CASE("a card that takes no packets holds up those who send to it, not the others") {
  TestBench bench({.stalls = false}, {}, 2);
  bench.up();
  bench.idle();
  bench.root.advance(3000);
  std::vector<uint8_t> memory(4096);
  REQUIRE(bench.port(0).iommu().map(0x1000, 4096, memory.data(), {}) == MapResult::kOk);
  bench.card(1).options().returns_credits = false;
  const std::vector<uint8_t> data(256, 1);
  for (int i = 0; i < 300; ++i)
    bench.card(0).send(memory_write(bench.port(1).bar(0).address, data, id_of(0)));
  bench.root.advance(20000);
  // 32 of them are in the other card; the rest of card 0's credits are used up.
  CHECK(bench.port(1).counters().to_card.of(TlpKind::kMemWrite) == 32);
  CHECK(bench.port(0).counters().to_root.of(TlpKind::kMemWrite) == 32 + 96);
  const ReadHandle handle = bench.port(0).mmio_read(0, 0, 8);
  CHECK(bench.until([&] { return handle->status != RequestStatus::kPending; }, 3000) ==
        false);  // behind its writes
  SUBCASE("until it takes them") { bench.card(1).options().returns_credits = true; }
  SUBCASE("until it is reset") {
    bench.card(1).options().returns_credits = true;
    bench.port(1).hot_reset();
  }
  SUBCASE("until the sender is reset") {
    bench.port(0).hot_reset();
    bench.root.advance(1);
    bench.card(1).options().returns_credits = true;
  }
  CHECK(bench.done(handle));
  CHECK(bench.idle());
  CHECK(bench.card(0).waiting() == 0);
  CHECK(bench.port(0).counters().credits_exceeded == 0);
  CHECK(bench.port(1).counters().credits_exceeded == 0);
}

TEST_CASE("answers that come after the asker's reset are not for it") {
  TestBench bench({.stalls = false}, {}, 2);
  bench.up();
  unsigned answers = 0;
  bench.card(0).on_completion = [&](const Tlp& tlp) { answers += tlp.tag == 9; };
  bench.card(1).options().answers = false;
  const Tlp read = memory_read(bench.port(1).bar(0).address, 4, id_of(0), 9);
  const std::array<uint8_t, 4> data{};
  for (const bool reset : {false, true}) {
    bench.card(0).send(read);
    CHECK(bench.idle());
    if (reset) {
      bench.port(0).hot_reset();
      REQUIRE(bench.until([&] { return bench.port(0).link() == LinkState::kReady; }));
    }
    bench.card(1).send(completion(read, 0, data, id_of(1)));
    CHECK(bench.idle());
    CHECK(answers == 1);
    CHECK(bench.port(1).counters().unexpected_completions == reset);
  }
}

TEST_CASE("credits of packets on their way to a card come back when it is reset") {
  TestBench bench({.stalls = false}, {.route_latency = 100'000}, 2);
  bench.up();
  std::vector<uint8_t> memory(4096);
  REQUIRE(bench.port(0).iommu().map(0x1000, 4096, memory.data(), {}) == MapResult::kOk);
  const std::vector<uint8_t> data(256, 1);
  for (int i = 0; i < 90; ++i) bench.card(0).send(memory_write(bench.port(1).bar(0).address, data, id_of(0)));
  bench.root.advance(5000);
  bench.port(1).hot_reset();
  for (int i = 0; i < 200; ++i) bench.card(0).send(memory_write(0x1000, data, id_of(0)));
  bench.root.advance(10000);
  CHECK(bench.card(0).waiting() == 0);
}

TEST_CASE("stop() ends with the cycle of the callback") {
  TestBench bench({.stalls = false});
  bench.up();
  uint64_t when = 0;
  bench.port().on_interrupt([&](uint32_t) {
    when = bench.root.cycle();
    bench.root.stop();
  });
  const uint64_t start = bench.root.cycle();
  bench.root.stop();  // means nothing here
  CHECK(bench.root.advance(10) == 10);
  CHECK_FALSE(bench.root.stopped());
  bench.card().send(memory_write(0xFEE0'0000, std::array<uint8_t, 4>{7}, id_of(0)));
  CHECK(bench.root.advance(10'000) == 1 + 250 + 1);
  CHECK(bench.root.stopped());
  CHECK(when == start + 10 + 1 + 250);
  CHECK(bench.root.cycle() == when + 1);
  CHECK(bench.port().card_cycle() == when + 1);
}

TEST_CASE("the same results, whatever the slices") {
  // Traffic of every kind among three cards and the host; what happens is written down packet by packet.
  const auto run = [](unsigned way) {
    TestBench bench(seeded(), {.split = CompletionSplit::kRandom, .reorder = 50}, 3);
    Hash hash;
    std::vector<uint8_t> memory(1 << 16);
    const auto go = [&](uint64_t cycles) {
      verif::Random cut(way * 77);
      if (way == 0) {
        // One cycle at a time.
        for (uint64_t i = 0; i < cycles; ++i) {
          REQUIRE(bench.root.step());
          for (unsigned c = 3; c-- > 0;) bench.card(c).clock();
        }
        return;
      }
      for (uint64_t done = 0; done < cycles;) {
        done += bench.root.advance(way == 1 ? cycles - done
                                            : 1 + cut.below(std::min<uint64_t>(400, cycles - done)));
      }
    };
    for (unsigned i = 0; i < 3; ++i) {
      bench.port(i).on_packet([&, i](bool to_card, uint64_t cycle, const Tlp& tlp) {
        hash.add(cycle * 8 + i * 2 + to_card);
        hash.add(tlp);
        // Pauses change nothing, either.
        if (way == 3 && tlp.tag % 3 == 0) bench.root.stop();
      });
      bench.port(i).link_up();
      REQUIRE(bench.port(i).iommu().map(0x10000, memory.size(), memory.data(), {}) == MapResult::kOk);
    }
    go(20000);
    verif::Random random(test_seed());
    for (int round = 0; round < 100; ++round) {
      for (unsigned i = 0; i < 3; ++i) {
        const uint64_t base =
            random.chance(50) ? 0x10000 : bench.port(static_cast<unsigned>(random.below(3))).bar(0).address;
        const uint64_t at = base + random.below(0x1000 / 256) * 256;
        bench.card(i).send(memory_write(at, random_bytes(random, 1 + random.below(250)), id_of(i)));
        bench.card(i).send(memory_read(at, 1 + static_cast<unsigned>(random.below(250)), id_of(i),
                                       static_cast<uint8_t>(round)));
        bench.port(i).mmio_write(0, random.below(4096), random_bytes(random, 60));
        bench.port(i).mmio_read(0, random.below(4096), 60, [&](RequestStatus, std::span<const uint8_t> data) {
          for (const uint8_t byte : data) hash.add(byte);
        });
      }
      if (round == 70) bench.port(1).hot_reset();
      go(random.below(400));
    }
    go(30000);
    CHECK(bench.root.quiet());
    hash.add(bench.root.cycle());
    for (unsigned i = 0; i < 3; ++i) {
      for (const uint8_t byte : bench.card(i).bar0()) hash.add(byte);
      hash.add(bench.port(i).counters().to_card.wire_bytes);
      hash.add(bench.port(i).counters().to_root.wire_bytes);
      hash.add(bench.port(i).counters().stalled_cycles);
    }
    return hash.value;
  };
  const uint64_t first = run(0);
  for (const unsigned way : {1u, 2u, 3u}) CHECK(run(way) == first);
}

TEST_CASE("a sleeping card need not be clocked") {
  TestBench bench({.stalls = false});
  bench.up();
  bench.idle();
  uint64_t clocks = 0;
  bench.root.set_run(0, [&](uint64_t cycles) {
    RootPort& port = bench.port();
    const uint64_t end = port.card_cycle() + cycles;
    while (port.card_cycle() < end) {
      const bool asleep = bench.card().waiting() == 0 && bench.card().pins().rx_valid == 0;
      const uint64_t next = std::min(port.next_input(), end);
      if (asleep && next > port.card_cycle()) {
        port.skip(next - port.card_cycle());
        continue;
      }
      bench.card().clock();
      ++clocks;
    }
  });
  const uint64_t start = bench.root.cycle();
  uint64_t end = 0;
  bench.port().mmio_read(0, 0, 8, [&](RequestStatus, std::span<const uint8_t>) { end = bench.root.cycle(); });
  bench.root.advance(5000);
  CHECK(end - start == 1 + 250 + 1 + 1 + 250);
  CHECK(clocks < 20);
}
