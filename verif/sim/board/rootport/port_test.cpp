// SPDX-License-Identifier: Apache-2.0
// What host software does through a root port.
#include <doctest/doctest.h>

#include <array>

#include "sim/board/rootport/enumeration.hpp"
#include "verif/kit/doctest_main.hpp"
#include "verif/sim/board/rootport/test_bench.hpp"

using namespace swai;
using namespace swai::rootport;

namespace {

uint32_t word(std::span<const uint8_t> bytes, unsigned at) {
  return bytes[at] | bytes[at + 1] << 8 | bytes[at + 2] << 16 | uint32_t{bytes[at + 3]} << 24;
}

SoftCardOptions seeded() { return {.seed = test_seed()}; }
SoftCardOptions fast() { return {.stalls = false}; }

}  // namespace

TEST_CASE("enumeration sizes and places the BARs and switches the card on") {
  TestBench bench(seeded(), {}, 3);
  CHECK(bench.port().link() == LinkState::kDown);
  std::vector<LinkState> states;
  bench.port().on_link([&](LinkState state) { states.push_back(state); });
  bench.up();
  CHECK(states == std::vector{LinkState::kEnumerating, LinkState::kReady});
  for (unsigned i = 0; i < 3; ++i) {
    const RootPort& port = bench.port(i);
    const std::vector<uint8_t>& config = bench.card(i).config();
    CHECK(port.bar(0).size == 1 << 20);
    CHECK(port.bar(2).size == SoftCard::kTableBytes);
    CHECK(port.bar(4).size == SoftCard::kBar4Bytes);
    CHECK(port.bar(1).size == 0);
    for (const unsigned bar : {0u, 2u, 4u}) {
      CHECK(port.bar(bar).wide);
      const uint64_t held = (word(config, 0x10 + 4 * bar) & ~0xFu) | uint64_t{word(config, 0x14 + 4 * bar)}
                                                                         << 32;
      CHECK(port.bar(bar).address == held);
      CHECK(held % port.bar(bar).size == 0);
      CHECK(held / kWideBarWindow == kWideBarBase / kWideBarWindow + i);
    }
    CHECK((word(config, 4) & 0xFFFF) == 0x0406);
    CHECK((word(config, 0x48) & 0xFFFF) == 0x2930);  // 256 bytes payload, 512 bytes reads, 8-bit tags
    CHECK(port.memory_enabled());
    CHECK(port.capability(0x10) == 0x40);
    CHECK(port.capability(0x11) == 0x80);
    CHECK(port.capability(0x05) == 0);
  }
  CHECK(bench.idle());
}

TEST_CASE("enumeration fails where it must") {
  SUBCASE("nobody answers") {
    SoftCardOptions options = fast();
    options.answers = false;
    TestBench bench(options, {.read_timeout = 5000});
    bench.port().link_up();
    CHECK(bench.until([&] { return bench.port().link() == LinkState::kFailed; }));
    CHECK(bench.idle());
    // The next one may have more luck.
    bench.card().options().answers = true;
    bench.port().enumerate();
    CHECK(bench.until([&] { return bench.port().link() == LinkState::kReady; }));
  }
  SUBCASE("a BAR does not fit") {
    SoftCardOptions options = fast();
    options.bar0_claimed = kWideBarWindow;
    TestBench bench(options);
    bench.port().link_up();
    CHECK(bench.until([&] { return bench.port().link() == LinkState::kFailed; }));
  }
  SUBCASE("it is a bridge") {
    TestBench bench(fast());
    bench.card().config()[0x0E] = 1;
    bench.port().link_up();
    CHECK(bench.until([&] { return bench.port().link() == LinkState::kFailed; }));
  }
  SUBCASE("its packets are too short") {
    TestBench bench(fast());
    bench.card().config()[0x44] = 0;
    bench.port().link_up();
    CHECK(bench.until([&] { return bench.port().link() == LinkState::kFailed; }));
  }
}

TEST_CASE("reads and writes of every size and alignment") {
  verif::Random random(test_seed());
  TestBench bench(seeded());
  bench.up();
  std::vector<uint8_t> model = bench.card().bar0();
  std::vector<ReadHandle> handles;
  std::vector<std::vector<uint8_t>> wanted;
  for (int i = 0; i < 2000; ++i) {
    const uint64_t at = random.below(5000);
    const auto bytes = static_cast<unsigned>(random.chance(80) ? 1 + random.below(16) : random.below(1000));
    if (random.chance(50)) {
      const auto data = random_bytes(random, bytes);
      REQUIRE(bench.port().mmio_write(0, at, data));
      std::copy(data.begin(), data.end(), model.begin() + static_cast<long>(at));
    } else {
      handles.push_back(bench.port().mmio_read(0, at, bytes));
      wanted.emplace_back(model.begin() + static_cast<long>(at),
                          model.begin() + static_cast<long>(at + bytes));
    }
    if (random.chance(20)) bench.root.advance(random.below(300));
  }
  REQUIRE(bench.idle());
  for (size_t i = 0; i < handles.size(); ++i) {
    REQUIRE(handles[i]->status == RequestStatus::kOk);
    // Reads do not overtake writes that came before; writes may overtake reads.
    if (handles[i]->data.size() != wanted[i].size()) FAIL("wrong length");
  }
  CHECK(bench.card().bar0() == model);
  const ReadHandle all = bench.port().mmio_read(0, 0, 6000);
  REQUIRE(bench.done(all));
  CHECK(std::equal(all->data.begin(), all->data.end(), model.begin()));
  CHECK(bench.port().counters().unexpected_completions == 0);
  CHECK(bench.port().counters().malformed == 0);
}

TEST_CASE("a read never overtakes a write that was there before") {
  verif::Random random(test_seed());
  TestBench bench(seeded());
  bench.up();
  for (int i = 0; i < 300; ++i) {
    const uint64_t at = random.below(64) * 8;
    const auto data = random_bytes(random, 8);
    for (int k = 0; k < 4; ++k)
      bench.port().mmio_write(0, 4096 + random.below(4096), random_bytes(random, 200));
    bench.port().mmio_write(0, at, data);
    const ReadHandle handle = bench.port().mmio_read(0, at, 8);
    REQUIRE(bench.done(handle));
    REQUIRE(handle->data == data);
  }
}

TEST_CASE("what is outside, and what the card refuses") {
  TestBench bench(fast());
  const std::array<uint8_t, 8> data{};
  CHECK(bench.port().mmio_read(0, 0, 4)->status == RequestStatus::kLinkDown);
  CHECK(bench.port().config_read(0, 4)->status == RequestStatus::kLinkDown);
  CHECK_FALSE(bench.port().mmio_write(0, 0, data));
  bench.up();
  CHECK(bench.port().mmio_read(0, (1 << 20) - 4, 8)->status == RequestStatus::kUnsupported);
  CHECK(bench.port().mmio_read(0, UINT64_MAX, 2)->status == RequestStatus::kUnsupported);
  CHECK(bench.port().mmio_read(1, 0, 4)->status == RequestStatus::kUnsupported);
  CHECK(bench.port().mmio_read(6, 0, 4)->status == RequestStatus::kUnsupported);
  CHECK_FALSE(bench.port().mmio_write(5, 0, data));
  CHECK_FALSE(bench.port().mmio_write(4, SoftCard::kBar4Bytes - 7, data));
  CHECK(bench.port().config_read(4093, 4)->status == RequestStatus::kUnsupported);
  CHECK(bench.port().config_write(4096, std::span(data).first(1))->status == RequestStatus::kUnsupported);
  CHECK(bench.port().mmio_read(0, 0, 0)->status == RequestStatus::kOk);
  // Memory off: the card says so itself.
  REQUIRE(bench.done(bench.port().config_write(4, std::array<uint8_t, 1>{0})));
  CHECK_FALSE(bench.port().memory_enabled());
  const ReadHandle refused = bench.port().mmio_read(0, 0, 300);
  REQUIRE(bench.done(refused));
  CHECK(refused->status == RequestStatus::kUnsupported);
  CHECK(bench.idle());
}

TEST_CASE("configuration space, by bytes; moved BARs are followed") {
  TestBench bench(seeded());
  bench.up();
  for (const auto& [offset, bytes] :
       {std::pair{0u, 4u}, {1u, 2u}, {3u, 1u}, {2u, 9u}, {0x3Fu, 3u}, {0u, 4096u}}) {
    const ReadHandle handle = bench.port().config_read(offset, bytes);
    REQUIRE(bench.done(handle));
    REQUIRE(handle->status == RequestStatus::kOk);
    REQUIRE(std::equal(handle->data.begin(), handle->data.end(), bench.card().config().begin() + offset));
  }
  const std::array<uint8_t, 6> address = {0x30, 0x12, 0x34, 0x56, 0x01, 0x00};  // bytes 2.. of BAR 0
  const WriteHandle written = bench.port().config_write(0x12, address);
  REQUIRE(bench.done(written));
  CHECK(written->status == RequestStatus::kOk);
  CHECK(bench.port().bar(0).address == 0x0001'5634'1230'0000);
  const ReadHandle handle = bench.port().mmio_read(0, 16, 16);
  REQUIRE(bench.done(handle));
  CHECK(handle->status == RequestStatus::kOk);
  CHECK(std::equal(handle->data.begin(), handle->data.end(), bench.card().bar0().begin() + 16));
}

TEST_CASE("more reads than tags") {
  TestBench bench(seeded());
  bench.up();
  unsigned answered = 0;
  for (unsigned i = 0; i < 1000; ++i) {
    bench.port().mmio_read(0, i * 8, 8, [&, i](RequestStatus status, std::span<const uint8_t> data) {
      REQUIRE(status == RequestStatus::kOk);
      REQUIRE(std::equal(data.begin(), data.end(), bench.card().bar0().begin() + i * 8));
      ++answered;
    });
  }
  REQUIRE(bench.idle());
  CHECK(answered == 1000);
}

TEST_CASE("latency of an MMIO read") {
  TestBench bench(fast());
  bench.up();
  bench.root.advance(1000);
  const uint64_t start = bench.root.cycle();
  uint64_t end = 0;
  bench.port().mmio_read(4, 0, 8, [&](RequestStatus, std::span<const uint8_t>) { end = bench.root.cycle(); });
  bench.root.advance(2000);
  // 24 bytes (one cycle) and 250 cycles; the card answers with the edge that takes the request, and its pins
  // show it then; 28 bytes (one cycle) and 250 cycles.
  CHECK(end - start == 1 + 250 + 1 + 1 + 250);
}

TEST_CASE("no credits, no packets") {
  SoftCardOptions options = fast();
  TestBench bench(options);
  bench.up();
  bench.idle();
  bench.root.advance(2000);
  bench.card().options().returns_credits = false;
  const uint64_t before = bench.port().counters().to_card.of(TlpKind::kMemWrite);
  const std::vector<uint8_t> data(256);
  for (int i = 0; i < 100; ++i) bench.port().mmio_write(0, 0, data);
  bench.root.advance(5000);
  CHECK(bench.port().counters().to_card.of(TlpKind::kMemWrite) - before == 32);  // headers
  CHECK_FALSE(bench.root.quiet());
  CHECK(bench.port().posted_packets() == 68);
  bench.card().give_credits({.posted_header = 10, .posted_data = 3 * 16});
  bench.root.advance(1000);
  CHECK(bench.port().counters().to_card.of(TlpKind::kMemWrite) - before == 35);  // data
  bench.card().options().returns_credits = true;
  CHECK(bench.idle());
  CHECK(bench.port().counters().to_card.of(TlpKind::kMemWrite) - before == 100);
  CHECK(bench.card().error == "");
}

TEST_CASE("timeouts, and answers that do not fit") {
  TestBench bench(fast(), {.read_timeout = 3000});
  bench.up();
  bench.card().options().answers = false;
  const uint64_t start = bench.root.cycle();
  uint64_t end = 0;
  RequestStatus got = RequestStatus::kPending;
  bench.port().mmio_read(0, 0, 8, [&](RequestStatus status, std::span<const uint8_t>) {
    got = status;
    end = bench.root.cycle();
  });
  bench.root.advance(10000);
  CHECK(got == RequestStatus::kTimeout);
  CHECK(end - start == 3000);
  CHECK(bench.root.quiet());
  // An answer by hand: first one that nobody asked for, then wrong ones.
  Tlp question;
  bench.card().on_packet = [&](uint64_t, const Tlp& tlp) { question = tlp; };
  const auto ask = [&] {
    const ReadHandle handle = bench.port().mmio_read(0, 12, 8);
    bench.root.advance(300);
    return handle;
  };
  ReadHandle handle = ask();
  Tlp answer = completion(question, 0, std::array<uint8_t, 8>{1, 2, 3, 4, 5, 6, 7, 8}, bench.card().id());
  answer.tag ^= 0x80;
  bench.card().send(answer);
  REQUIRE(bench.done(handle));
  CHECK(handle->status == RequestStatus::kTimeout);
  CHECK(bench.port().counters().unexpected_completions == 1);
  const auto status_for = [&](auto change) {
    handle = ask();
    answer = completion(question, 0, std::array<uint8_t, 8>{1, 2, 3, 4, 5, 6, 7, 8}, bench.card().id());
    change(answer);
    bench.card().send(answer);
    REQUIRE(bench.done(handle));
    return handle->status;
  };
  CHECK(status_for([](Tlp&) {}) == RequestStatus::kOk);
  CHECK(handle->data == std::vector<uint8_t>{1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(status_for([](Tlp& tlp) { tlp.poisoned = true; }) == RequestStatus::kPoisoned);
  CHECK(status_for([](Tlp& tlp) { tlp.lower_address ^= 4; }) == RequestStatus::kBroken);
  CHECK(status_for([](Tlp& tlp) { tlp.byte_count = 7; }) == RequestStatus::kBroken);
  CHECK(status_for([&](Tlp& tlp) { tlp = completion(question, CplStatus::kAbort, 0); }) ==
        RequestStatus::kAborted);
  CHECK(status_for([&](Tlp& tlp) { tlp = completion(question, CplStatus::kRetry, 0); }) ==
        RequestStatus::kRetry);
  CHECK(status_for([&](Tlp& tlp) { tlp = completion(question, CplStatus::kSuccess, 0); }) ==
        RequestStatus::kBroken);
  CHECK(bench.idle());
}

TEST_CASE("an old deadline does not end a later request with the same tag") {
  SoftCardOptions options = fast();
  options.granted.nonposted_header = 128;
  TestBench bench(options, {.read_timeout = 5000});
  bench.up();
  bench.port().faults().count(Fault::kDropAnswer, 0);
  const ReadHandle lost = bench.port().mmio_read(0, 0, 4);
  for (int round = 0; round < 12; ++round) {
    std::vector<ReadHandle> handles;
    for (unsigned i = 0; i < 255; ++i) handles.push_back(bench.port().mmio_read(0, i * 4, 4));
    for (const ReadHandle& handle : handles) {
      REQUIRE(bench.done(handle));
      REQUIRE(handle->status == RequestStatus::kOk);
    }
  }
  CHECK(lost->status == RequestStatus::kTimeout);
}

TEST_CASE("MSI-X") {
  TestBench bench(seeded());
  std::vector<uint32_t> got;
  bench.port().on_interrupt([&](uint32_t vector) { got.push_back(vector); });
  int result = -1;
  const auto answer = [&](bool ok) { result = ok; };
  bench.port().enable_msix(4, answer);
  CHECK(result == 0);  // not up yet
  bench.up();
  result = -1;
  bench.port().enable_msix(33, answer);
  CHECK(bench.until([&] { return result != -1; }));
  CHECK(result == 0);
  CHECK_FALSE(bench.card().interrupt(0));
  result = -1;
  bench.port().enable_msix(5, answer);
  CHECK(bench.until([&] { return result != -1; }));
  CHECK(result == 1);
  for (unsigned vector = 0; vector < 5; ++vector) CHECK(bench.card().interrupt(vector));
  CHECK_FALSE(bench.card().interrupt(5));
  CHECK(bench.idle());
  CHECK(got == std::vector<uint32_t>{0, 1, 2, 3, 4});
  CHECK(bench.port().counters().interrupts == 5);
  // Other writes into the window are not interrupts.
  bench.card().send(memory_write(0xFEE0'0000, std::array<uint8_t, 2>{1, 2}, bench.card().id()));
  bench.card().send(memory_write(0xFEEF'FFF8, std::array<uint8_t, 8>{1, 2}, bench.card().id()));
  CHECK(bench.idle());
  CHECK(got.size() == 5);
  CHECK(bench.port().counters().refused_requests == 2);
  result = -1;
  bench.port().disable_msix(answer);
  CHECK(bench.until([&] { return result != -1; }));
  CHECK(result == 1);
  CHECK_FALSE(bench.card().interrupt(0));
}

TEST_CASE("a reset ends all requests, those without a tag, too") {
  TestBench bench(fast());
  bench.up();
  unsigned ended = 0;
  for (unsigned i = 0; i < 600; ++i) {
    bench.port().mmio_read(0, i * 8, 8, [&](RequestStatus status, std::span<const uint8_t>) {
      CHECK(status == RequestStatus::kLinkDown);
      ++ended;
    });
  }
  bench.root.advance(100);
  bench.port().hot_reset();
  bench.root.advance(1);
  CHECK(ended == 600);
}

TEST_CASE("a reset at any point of enumeration starts it again") {
  TestBench bench(fast());
  bool failed = false;
  bench.port().on_link([&](LinkState state) { failed |= state == LinkState::kFailed; });
  bench.port().link_up();
  for (uint64_t cycles = 150; cycles < 6000; cycles += 150) {
    bench.root.advance(cycles);
    bench.port().hot_reset();
    REQUIRE(bench.until([&] { return bench.port().link() == LinkState::kEnumerating; }));
  }
  CHECK(bench.until([&] { return bench.port().link() == LinkState::kReady; }));
  CHECK_FALSE(failed);
}

TEST_CASE("resets at any time") {
  verif::Random random(test_seed());
  TestBench bench(seeded());
  std::vector<uint8_t> memory(1 << 16);
  unsigned asked = 0;
  unsigned answered = 0;
  for (int round = 0; round < 30; ++round) {
    if (round == 0) {
      bench.up();
    } else {
      bench.port().hot_reset();
      bench.root.advance(1);
      CHECK(bench.port().link() == LinkState::kDown);
      CHECK(bench.port().bar(0).size == 0);
      CHECK_FALSE(bench.port().memory_enabled());
      CHECK_FALSE(bench.card().link());
      if (random.chance(30)) bench.root.advance(random.below(3000));
      if (random.chance(20)) bench.port().hot_reset();
      if (random.chance(20)) {
        bench.port().link_down();
        bench.root.advance(5000);
        CHECK(bench.root.quiet());
        CHECK(bench.port().link() == LinkState::kDown);
        bench.port().link_up();
      }
      REQUIRE(bench.until([&] { return bench.port().link() == LinkState::kReady; }));
    }
    bench.port().iommu().unmap_all();
    REQUIRE(bench.port().iommu().map(0x10000, memory.size(), memory.data(), {}) == MapResult::kOk);
    const uint64_t stop = bench.root.cycle() + random.below(3000);
    while (bench.root.cycle() < stop) {
      ++asked;
      bench.port().mmio_read(0, random.below(1000), 1 + static_cast<unsigned>(random.below(600)),
                             [&](RequestStatus status, std::span<const uint8_t>) {
                               ++answered;
                               CHECK((status == RequestStatus::kOk || status == RequestStatus::kLinkDown));
                             });
      bench.port().mmio_write(0, random.below(1000), random_bytes(random, 100));
      bench.card().send(memory_write(0x10000 + random.below(100) * 256, random_bytes(random, 200), 0x100));
      bench.card().send(
          memory_read(0x10000 + random.below(100) * 512, 512, 0x100, static_cast<uint8_t>(asked)));
      bench.root.advance(1 + random.below(100));
    }
  }
  REQUIRE(bench.idle());
  CHECK(asked == answered);
  CHECK(bench.port().counters().malformed == 0);
  CHECK(bench.port().counters().credits_exceeded == 0);
  CHECK(bench.port().counters().unexpected_completions == 0);
  CHECK(bench.port().iommu().fault_count() == 0);
  CHECK(bench.port().counters().lost_in_reset > 0);
}

TEST_CASE("faults of the host's own requests") {
  TestBench bench(fast(), {.read_timeout = 5000});
  bench.up();
  bench.port().faults().count(Fault::kPoisonWrite, 1);
  unsigned poisoned = 0;
  bench.card().on_packet = [&](uint64_t, const Tlp& tlp) { poisoned += tlp.poisoned; };
  const std::vector<uint8_t> data(4, 0x77);
  for (int i = 0; i < 3; ++i) bench.port().mmio_write(0, 0, data);
  bench.port().faults().count(Fault::kDropAnswer, 0);
  const ReadHandle lost = bench.port().mmio_read(0, 0, 4);
  const ReadHandle found = bench.port().mmio_read(0, 0, 4);
  REQUIRE(bench.done(lost));
  CHECK(lost->status == RequestStatus::kTimeout);
  CHECK(found->status == RequestStatus::kOk);
  CHECK(poisoned == 1);
  CHECK(bench.port().faults().hits(Fault::kPoisonWrite) == 1);
}

TEST_CASE("options that cannot be") {
  RootComplex root;
  CHECK_THROWS(root.add({.to_card = {.bytes_per_cycle = 0}}));
  CHECK_THROWS(root.add({.to_root = {.delay = 0}}));
  CHECK_THROWS(root.add({.granted = {.posted_header = 129}}));
  CHECK_THROWS(root.add({.max_payload = 200}));
  CHECK_THROWS(root.add({.max_read = 1024}));
  CHECK_THROWS(root.add({.completion_boundary = 32}));
  CHECK_THROWS(root.add({.reset_cycles = 250}));
  CHECK(root.cards() == 0);
  for (unsigned i = 0; i < kMaxCards; ++i) root.add();
  CHECK_THROWS(root.add());
}
