// SPDX-License-Identifier: Apache-2.0
// What a card does to the host's memory through its root port.
#include <doctest/doctest.h>

#include <map>

#include "verif/kit/doctest_main.hpp"
#include "verif/sim/board/rootport/test_bench.hpp"

using namespace swai;
using namespace swai::rootport;

namespace {

constexpr uint64_t kBase = 0x7F12'3456'0000;
constexpr uint16_t kCard = 0x0100;

SoftCardOptions seeded() { return {.seed = test_seed()}; }
SoftCardOptions fast() { return {.stalls = false}; }

// Gathers the completions of reads, by tag, and checks that they follow each other.
class Answers {
 public:
  struct Answer {
    Tlp request;
    std::vector<uint8_t> data;
    CplStatus status = CplStatus::kSuccess;
    bool poisoned = false;
    bool done = false;
    unsigned packets = 0;
  };

  explicit Answers(SoftCard& card) : card_(card) {
    card.on_completion = [this](const Tlp& tlp) { take(tlp); };
  }
  void ask(const Tlp& request) {
    by_tag[request.tag] = {.request = request, .data = {}};
    ++open;
    card_.send(request);
  }

  std::map<uint8_t, Answer> by_tag;
  std::vector<uint8_t> order;  // tags as their answers end
  unsigned open = 0;

 private:
  void take(const Tlp& tlp) {
    REQUIRE(by_tag.count(tlp.tag) == 1);
    Answer& answer = by_tag[tlp.tag];
    REQUIRE_FALSE(answer.done);
    ++answer.packets;
    const unsigned all = answer.request.byte_span();
    const unsigned left = all - static_cast<unsigned>(answer.data.size());
    REQUIRE(tlp.requester == answer.request.requester);
    if (tlp.kind == TlpKind::kCompletion) {
      answer.status = tlp.status;
      answer.done = true;
    } else {
      const uint64_t at = answer.request.address + answer.request.first_byte() + answer.data.size();
      REQUIRE(tlp.byte_count == left);
      REQUIRE(tlp.lower_address == (at & 0x7F));
      const unsigned start = tlp.lower_address & 3u;
      const unsigned bytes = std::min(left, tlp.payload_bytes() - start);
      answer.data.insert(answer.data.end(), tlp.data.begin() + start, tlp.data.begin() + start + bytes);
      answer.poisoned |= tlp.poisoned;
      answer.done = bytes == left;
    }
    if (!answer.done) return;
    --open;
    order.push_back(tlp.tag);
  }

  SoftCard& card_;
};

struct MemoryBench : TestBench {
  explicit MemoryBench(const SoftCardOptions& card = {}, const PortOptions& options = {})
      : TestBench(card, options), memory(1 << 16), answers(this->card()) {
    verif::Random random(test_seed() + 5);
    memory = random_bytes(random, memory.size());
    up();
    REQUIRE(port().iommu().map(kBase, memory.size(), memory.data(), {}) == MapResult::kOk);
  }
  std::vector<uint8_t> memory;
  Answers answers;
};

// Remote memory that answers a while later, as a client with messages does.
class RemoteClient final : public RemoteMemory {
 public:
  explicit RemoteClient(std::vector<uint8_t>& memory) : memory_(memory) {}
  void read(uint64_t iova, std::span<uint8_t> into, Done done) override {
    std::copy_n(memory_.begin() + static_cast<long>(iova - kBase), into.size(), into.begin());
    pending.push_back(std::move(done));
  }
  void write(uint64_t iova, std::span<const uint8_t> from, Done done) override {
    std::copy(from.begin(), from.end(), memory_.begin() + static_cast<long>(iova - kBase));
    pending.push_back(std::move(done));
  }
  // Answers everything.
  void answer(bool ok = true) {
    for (const Done& done : std::exchange(pending, {})) done(ok);
  }
  std::vector<Done> pending;

 private:
  std::vector<uint8_t>& memory_;
};

}  // namespace

TEST_CASE("reads and writes of every size and alignment, in every way to cut answers") {
  verif::Random random(test_seed());
  for (const auto split : {CompletionSplit::kLargest, CompletionSplit::kBoundary, CompletionSplit::kRandom}) {
    for (const uint32_t reorder : {0u, 300u}) {
      const PortOptions options = {.split = split, .split_seed = test_seed(), .reorder = reorder};
      MemoryBench bench(seeded(), options);
      std::vector<uint8_t> model = bench.memory;
      uint64_t packets = 0;
      for (int i = 0; i < 400; ++i) {
        const uint64_t at = random.below(0x8000);
        const auto room = static_cast<unsigned>(4096 - at % 4096);
        if (random.chance(40)) {
          const auto data = random_bytes(random, 1 + random.below(std::min(room, 253u)));
          bench.card().send(memory_write(kBase + at, data, kCard));
          std::copy(data.begin(), data.end(), model.begin() + static_cast<long>(at));
        } else if (bench.answers.open < 200) {
          const auto bytes = static_cast<unsigned>(1 + random.below(std::min(room, 509u)));
          uint8_t tag = static_cast<uint8_t>(random.next());
          while (bench.answers.by_tag.count(tag) != 0 && !bench.answers.by_tag[tag].done) ++tag;
          bench.answers.ask(memory_read(kBase + 0x8000 + at, bytes, kCard, tag));
        }
        if (random.chance(10)) bench.root.advance(random.below(500));
      }
      REQUIRE(bench.idle());
      CHECK(bench.answers.open == 0);
      CHECK(bench.memory == model);
      for (const auto& [tag, answer] : bench.answers.by_tag) {
        REQUIRE(answer.status == CplStatus::kSuccess);
        const uint64_t at = answer.request.address + answer.request.first_byte() - kBase;
        REQUIRE(std::equal(answer.data.begin(), answer.data.end(), model.begin() + static_cast<long>(at)));
        packets += answer.packets;
        const uint64_t last = at + answer.data.size() - 1;
        if (split == CompletionSplit::kBoundary) REQUIRE(answer.packets == last / 64 - at / 64 + 1);
        if (split == CompletionSplit::kLargest) REQUIRE(answer.packets <= 3);
      }
      CHECK(packets > 100);
      CHECK(bench.port().iommu().fault_count() == 0);
      CHECK(bench.port().counters().credits_exceeded == 0);
      CHECK(bench.port().counters().malformed == 0);
    }
  }
}

TEST_CASE("answers are reordered between tags, not within one") {
  const auto order_of = [](uint32_t reorder, uint64_t seed) {
    MemoryBench bench(fast(),
                      {.split = CompletionSplit::kBoundary, .reorder = reorder, .reorder_seed = seed});
    for (unsigned tag = 0; tag < 64; ++tag) {
      bench.answers.ask(memory_read(kBase + tag * 512, 512, kCard, static_cast<uint8_t>(tag)));
    }
    REQUIRE(bench.idle());
    return bench.answers.order;
  };
  const auto straight = order_of(0, 1);
  CHECK(std::is_sorted(straight.begin(), straight.end()));
  const auto mixed = order_of(1000, 1);
  CHECK_FALSE(std::is_sorted(mixed.begin(), mixed.end()));
  CHECK(order_of(1000, 1) == mixed);
  CHECK(order_of(1000, 2) != mixed);
}

TEST_CASE("latency of a read, rate of writes and reads") {
  MemoryBench bench(fast());
  bench.idle();
  bench.root.advance(1000);
  uint64_t asked = 0;
  uint64_t answered = 0;
  bench.card().on_completion = [&](const Tlp&) { answered = bench.card().cycle(); };
  bench.card().send(memory_read(kBase, 64, kCard, 1));
  asked = bench.card().cycle() + 1;  // at the pins with the next edge
  bench.root.advance(2000);
  // 24 bytes: one cycle, 250 there, 150 in memory, 84 bytes: three cycles, 250 back, taken with the edge
  // behind it.
  CHECK(answered - asked == 1 + 250 + 150 + 3 + 250 + 1);

  // 256-byte writes one after the other: 280 bytes each.
  constexpr int kWrites = 400;
  const std::vector<uint8_t> data(256, 0x11);
  uint64_t first = 0;
  uint64_t last = 0;
  bench.port().on_packet([&](bool to_card, uint64_t cycle, const Tlp& tlp) {
    if (to_card || tlp.kind != TlpKind::kMemWrite) return;
    if (first == 0) first = cycle;
    last = cycle;
  });
  for (int i = 0; i < kWrites; ++i) bench.card().send(memory_write(kBase + i % 200 * 256, data, kCard));
  CHECK(bench.idle());
  CHECK(last - first == (kWrites - 1) * 280 / 32);
  CHECK(bench.port().counters().to_root.of(TlpKind::kMemWrite) == kWrites);

  // Reads of 512 bytes, 64 at a time: two completions of 268 bytes each.
  constexpr unsigned kReads = 64;
  uint64_t taken = 0;
  first = last = 0;
  bench.card().on_completion = [&](const Tlp& tlp) {
    if (first == 0) first = bench.card().cycle();
    last = bench.card().cycle();
    taken += tlp.payload_bytes();
  };
  for (unsigned i = 0; i < kReads; ++i) {
    bench.card().send(memory_read(kBase + i * 512, 512, kCard, static_cast<uint8_t>(i)));
  }
  CHECK(bench.idle());
  CHECK(taken == kReads * 512);
  // 12 + 256 + 8 bytes each, behind the first one.
  CHECK(last - first == (2 * kReads - 1) * 276 / 32);
}

TEST_CASE("byte enables with gaps, and none at all") {
  MemoryBench bench(seeded());
  const std::vector<uint8_t> data = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<uint8_t> want(bench.memory.begin(), bench.memory.begin() + 8);
  Tlp tlp = memory_write(kBase, data, kCard);
  tlp.first_be = 0b1001;
  tlp.last_be = 0b0101;
  bench.card().send(tlp);
  for (const unsigned i : {0, 3, 4, 6}) want[i] = data[i];
  Tlp nothing = memory_write(kBase + 4, std::span(data).first(4), kCard);
  nothing.first_be = 0;
  bench.card().send(nothing);
  nothing.address = 0x5000;  // not mapped, but it touches nothing
  bench.card().send(nothing);
  CHECK(bench.idle());
  CHECK(std::equal(want.begin(), want.end(), bench.memory.begin()));
  CHECK(bench.port().iommu().fault_count() == 0);
  Tlp flush = memory_read(0x5000, 4, kCard, 9);  // not mapped, either
  flush.first_be = 0;
  bench.answers.ask(flush);
  Tlp gaps = memory_read(kBase, 8, kCard, 10);
  gaps.first_be = 0b0100;
  gaps.last_be = 0b0010;
  bench.answers.ask(gaps);
  CHECK(bench.idle());
  CHECK(bench.answers.by_tag[9].done);
  CHECK(bench.answers.by_tag[9].status == CplStatus::kSuccess);
  const auto& got = bench.answers.by_tag[10].data;
  CHECK(std::equal(got.begin(), got.end(), want.begin() + 2));
  CHECK(got.size() == 4);
}

TEST_CASE("what the IOMMU does not allow is refused, logged, and the card works on") {
  MemoryBench bench(seeded());
  const std::vector<uint8_t> data(64, 1);
  bench.port().iommu().unmap_all();
  std::vector<uint8_t> before = bench.memory;
  REQUIRE(bench.port().iommu().map(kBase, 0x1000, bench.memory.data(), {.read = true, .write = false}) ==
          MapResult::kOk);
  bench.card().send(memory_write(kBase, data, kCard));
  bench.card().send(memory_write(kBase - 64, data, kCard));
  bench.answers.ask(memory_read(kBase + 0x1000, 64, kCard, 1));
  bench.answers.ask(memory_read(kBase + 0x800, 64, kCard, 2));
  CHECK(bench.idle());
  CHECK(bench.answers.by_tag[1].status == CplStatus::kUnsupported);
  CHECK(bench.answers.by_tag[2].status == CplStatus::kSuccess);
  CHECK(bench.memory == before);
  CHECK(bench.port().iommu().fault_count() == 3);
  CHECK(bench.port().counters().refused_requests == 3);
  CHECK(bench.port().iommu().faults()[0].address == kBase);
  CHECK(bench.port().iommu().faults()[0].reason == IommuFault::Reason::kPermission);
  CHECK(bench.port().iommu().faults()[1].address == kBase - 64);
  CHECK(bench.port().iommu().faults()[2].access == Access::kRead);
}

TEST_CASE("unmapped while requests are under way") {
  MemoryBench bench(fast());
  for (unsigned i = 0; i < 8; ++i)
    bench.answers.ask(memory_read(kBase + i * 64, 64, kCard, static_cast<uint8_t>(i)));
  const std::vector<uint8_t> data(64, 1);
  bench.root.advance(251 + 100);  // at the root, not yet answered
  for (unsigned i = 0; i < 8; ++i) bench.card().send(memory_write(kBase + i * 64, data, kCard));
  bench.root.advance(20);  // on the wire
  CHECK(bench.port().iommu().unmap(kBase, bench.memory.size()) == MapResult::kOk);
  const std::vector<uint8_t> before = bench.memory;
  std::fill(bench.memory.begin(), bench.memory.end(), uint8_t{0xEE});
  CHECK(bench.idle());
  CHECK(std::count(bench.memory.begin(), bench.memory.end(), 0xEE) == 1 << 16);
  for (unsigned i = 0; i < 8; ++i)
    CHECK(bench.answers.by_tag[static_cast<uint8_t>(i)].status == CplStatus::kUnsupported);
  CHECK(bench.port().iommu().fault_count() == 16);
}

TEST_CASE("faults on demand") {
  MemoryBench bench(fast());
  FaultKnobs& faults = bench.port().faults();
  faults.count(Fault::kUnsupportedRead, 1);
  faults.count(Fault::kAbortRead, 2);
  faults.count(Fault::kPoisonCompletion, 0);
  faults.count(Fault::kDropCompletion, 1);
  for (unsigned i = 0; i < 6; ++i) bench.answers.ask(memory_read(kBase, 64, kCard, static_cast<uint8_t>(i)));
  CHECK(bench.idle());
  auto& got = bench.answers.by_tag;
  CHECK(got[0].poisoned);
  CHECK(got[1].status == CplStatus::kUnsupported);
  CHECK_FALSE(got[2].done);
  CHECK(got[3].status == CplStatus::kAbort);
  CHECK(got[4].done);
  CHECK(got[5].done);
  faults.clear();
  faults.chance(Fault::kDropCompletion, 300'000, test_seed());
  for (unsigned i = 10; i < 110; ++i)
    bench.answers.ask(memory_read(kBase, 64, kCard, static_cast<uint8_t>(i)));
  CHECK(bench.idle());
  CHECK(faults.hits(Fault::kDropCompletion) > 5);
  CHECK(faults.hits(Fault::kDropCompletion) < 70);
  CHECK(bench.answers.open == faults.hits(Fault::kDropCompletion) + 1);
}

TEST_CASE("poisoned and malformed packets of the card") {
  MemoryBench bench(seeded());
  const std::vector<uint8_t> before = bench.memory;
  const std::vector<uint8_t> data(128, 1);
  Tlp tlp = memory_write(kBase, data, kCard);
  tlp.poisoned = true;
  bench.card().send(tlp);
  CHECK(bench.idle());
  CHECK(bench.port().counters().poisoned_writes == 1);
  CHECK(bench.port().counters().malformed == 0);

  verif::Random random(test_seed());
  const std::array<uint32_t, kBeatWords> blank{};
  uint64_t sent = 0;
  for (int i = 0; i < 500; ++i) {
    auto beat = blank;
    for (uint32_t& word : beat) word = static_cast<uint32_t>(random.next());
    beat[kBeatFlagsWord] = kBeatSop | kBeatEop;
    // Never a request that means something: its class is reserved.
    bench.card().send_raw(
        {static_cast<uint32_t>(random.next()) | 0x0080'0000, static_cast<uint32_t>(random.next()),
         static_cast<uint32_t>(random.next()), static_cast<uint32_t>(random.next())},
        {beat});
    ++sent;
    if (random.chance(10)) bench.root.advance(random.below(500));
  }
  CHECK(bench.idle());
  CHECK(bench.port().counters().malformed == sent);
  CHECK(bench.port().counters().last_error != TlpError::kNone);
  CHECK(bench.memory == before);
  // Configuration requests are not for the root.
  Tlp config = memory_read(0, 4, kCard, 77);
  config.kind = TlpKind::kConfigRead;
  bench.answers.ask(config);
  CHECK(bench.idle());
  CHECK(bench.answers.by_tag[77].status == CplStatus::kUnsupported);
  bench.answers.ask(memory_read(kBase, 64, kCard, 78));
  CHECK(bench.idle());
  CHECK(bench.answers.by_tag[78].status == CplStatus::kSuccess);
}

TEST_CASE("memory of a client that is reached by messages: time stands still until it has answered") {
  MemoryBench bench(fast());
  RemoteClient client(bench.memory);
  bench.port().iommu().unmap_all();
  REQUIRE(bench.port().iommu().map(kBase, bench.memory.size(), client, {}) == MapResult::kOk);
  const auto wait = [&] {
    uint64_t moved = 0;
    while (!bench.root.waiting() && moved < 5000) moved += bench.root.advance(1000);
    REQUIRE(bench.root.waiting());
    REQUIRE(client.pending.size() == 1);
    const uint64_t cycle = bench.root.cycle();
    CHECK(bench.root.advance(1000) == 0);
    CHECK(bench.root.cycle() == cycle);
    CHECK_FALSE(bench.root.quiet());
  };
  std::vector<uint32_t> interrupts;
  bench.port().on_interrupt([&](uint32_t vector) { interrupts.push_back(vector); });
  const std::vector<uint8_t> data = {1, 2, 3, 4, 5, 6, 7, 8};
  Tlp gaps = memory_write(kBase + 8, data, kCard);
  gaps.first_be = 0b0011;
  gaps.last_be = 0b0110;
  const uint64_t start = bench.root.cycle();
  SUBCASE("in order") {
    bench.card().send(gaps);
    bench.card().send(memory_write(0xFEE0'0000, std::span(data).first(4), kCard));
    bench.answers.ask(memory_read(kBase, 64, kCard, 3));
    wait();
    CHECK(bench.root.cycle() - start == 1 + 250);
    client.answer();
    wait();  // the second run of bytes
    CHECK(interrupts.empty());
    client.answer();
    wait();  // the read
    CHECK(bench.root.cycle() - start == 3 + 250 + 150);
    CHECK(interrupts.size() == 1);
    client.answer();
    CHECK(bench.idle());
    CHECK(bench.answers.by_tag[3].data[13] == 6);
    CHECK(bench.memory[9] == 2);
    CHECK(bench.memory[13] == 6);
    CHECK(bench.port().counters().to_root.of(TlpKind::kMemWrite) == 2);
  }
  SUBCASE("refused") {
    bench.card().send(gaps);
    bench.answers.ask(memory_read(kBase, 64, kCard, 3));
    wait();
    client.answer(false);
    wait();
    client.answer(false);
    CHECK(bench.idle());
    CHECK(bench.answers.by_tag[3].status == CplStatus::kUnsupported);
    CHECK(bench.port().iommu().fault_count() == 2);
  }
  SUBCASE("unmapped meanwhile") {
    bench.answers.ask(memory_read(kBase, 64, kCard, 3));
    wait();
    bench.port().iommu().unmap_all();
    CHECK_FALSE(bench.root.waiting());
    CHECK(bench.idle());
    CHECK(bench.answers.by_tag[3].status == CplStatus::kUnsupported);
    client.answer();
  }
  SUBCASE("reset meanwhile") {
    bench.card().send(gaps);
    wait();
    bench.port().hot_reset();
    bench.port().iommu().unmap_all();
    CHECK(bench.until([&] { return bench.port().link() == LinkState::kReady; }));
    client.answer();
    CHECK(bench.idle());
    CHECK(bench.port().iommu().fault_count() == 0);
  }
  SUBCASE("reset alone") {
    bench.card().send(gaps);
    wait();
    bench.port().hot_reset();
    CHECK(bench.until([&] { return bench.port().link() == LinkState::kReady; }));
    client.answer();
  }
}
