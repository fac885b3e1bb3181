// SPDX-License-Identifier: Apache-2.0
// BAR0: reads and writes of every size, alignment and byte enable against a model of the memory, with
// requests of all kinds under way at once.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "verif/rtl/pcie/bench.hpp"
#include "verif/rtl/pcie/tests.hpp"

namespace swai::pcie {
namespace {

using verif::check;

// A few pages, so that accesses meet: in both groups and in the part of the SRAM that is open after reset.
constexpr uint64_t kWindows[] = {0x0000'0000,   0x3'ffff'f000,          0x4'0000'0000,
                                 0x7'ffff'f000, kSramWindow + 0x3'0000, kSramWindow + 0x3'f000};
constexpr uint64_t kPage = 4096;

uint64_t card_address(uint64_t offset) {
  return offset < kSramWindow ? kHbm + offset : kSram + offset - kSramWindow;
}

class MemoryTest {
 public:
  explicit MemoryTest(uint64_t seed) : bench_(seed), random_(bench_.random) {
    bench_.enumerate(random_.chance(70) ? 256 : 128);
    bench_.ring.slow(random_.chance(30));
  }

  void run(uint64_t cycles) {
    const uint64_t end = bench_.cycle() + cycles;
    // What the host wants changes, so that queues fill and drain.
    unsigned activity = 30, share = 50;
    while (bench_.cycle() < end) {
      if (random_.below(1000) == 0) {
        static constexpr unsigned kActivities[] = {0, 2, 5, 10, 60};
        activity = kActivities[random_.below(std::size(kActivities))];
        share = static_cast<unsigned>(random_.below(101));
      }
      if (random_.chance(activity)) {
        if (random_.chance(share))
          write();
        else if (bench_.host.waiting() < 60)
          read();
      }
      bench_.bench.step();
    }
    bench_.quiet();
    fmt::print("{} reads, {} writes\n", reads_, writes_);
    check(reads_ > cycles / 400 && writes_ > cycles / 400,
          fmt::format("only {} reads, {} writes", reads_, writes_));
    for (const auto& [addr, value] : model_) {
      check(bench_.ring.memory.get(addr) == value, fmt::format("memory at {:#x} is wrong in the end", addr));
    }
    check_credits(bench_);
  }

 private:
  // Posted writes may pass reads that wait: what comes after the read is allowed, too.
  struct Expected {
    uint64_t addr;                              // on the card
    std::vector<std::vector<uint8_t>> allowed;  // by byte
  };

  uint8_t model(uint64_t addr) const {
    const auto found = model_.find(addr);
    return found == model_.end() ? untouched(addr) : found->second;
  }

  // Mostly where the last one went: a change of target costs the time of all writes under way.
  uint64_t choose_window() {
    if (random_.chance(20)) window_ = kWindows[random_.below(std::size(kWindows))];
    return window_;
  }

  void write() {
    if (!bench_.wire.idle() && random_.chance(50)) return;
    const uint64_t window = choose_window();
    const unsigned most = bench_.host.mps;
    Tlp tlp;
    if (random_.chance(20)) {
      // Byte enables with gaps: one doubleword, or an aligned quadword.
      const bool two = random_.chance(50);
      const uint64_t offset = window + random_.below(kPage / 8) * 8 + (two ? 0 : 4 * random_.below(2));
      tlp = bench_.host.request(true, kBar0 + offset, two ? 8 : 4);
      tlp.first_be = static_cast<unsigned>(two ? random_.between(1, 15) : random_.below(16));
      tlp.last_be = two ? static_cast<unsigned>(random_.between(1, 15)) : 0;
    } else {
      const auto count =
          static_cast<unsigned>(random_.chance(50) ? random_.between(1, most) : random_.between(1, 16));
      uint64_t at = random_.below(kPage);
      if (at % 4 + count > most) at -= at % 4;
      at = std::min(at, kPage - count);
      if (at % 4 + count > most) at &= ~uint64_t{3};
      tlp = bench_.host.request(true, kBar0 + window + at, count);
    }
    for (unsigned i = 0; i < tlp.length; ++i) tlp.data.push_back(static_cast<uint32_t>(random_.next()));
    for (unsigned i = 0; i < 4 * tlp.length; ++i) {
      const unsigned be = i / 4 == 0 ? tlp.first_be : i / 4 + 1 == tlp.length ? tlp.last_be : 0xf;
      if (((be >> (i % 4)) & 1) == 0) continue;
      const uint64_t addr = card_address(tlp.addr - kBar0) + i;
      const auto value = static_cast<uint8_t>(tlp.data[i / 4] >> (8 * (i % 4)));
      model_[addr] = value;
      for (auto& [number, expected] : outstanding_) {
        if (addr - expected.addr < expected.allowed.size())
          expected.allowed[addr - expected.addr].push_back(value);
      }
    }
    tlp.requester = static_cast<unsigned>(random_.below(0x10000));
    bench_.wire.send(tlp);
    last_ = tlp.addr - kBar0;
    ++writes_;
  }

  void read() {
    uint64_t window = choose_window();
    auto count = static_cast<unsigned>(random_.chance(4)    ? random_.between(1, kPage)
                                       : random_.chance(40) ? random_.between(1, 512)
                                                            : random_.between(1, 16));
    // Often what has just been written: it may still be under way.
    uint64_t at = std::min(random_.below(kPage), kPage - count);
    if (random_.chance(50)) {
      window = last_ & ~(kPage - 1);
      at = std::min(last_ % kPage, kPage - count);
    }
    Tlp tlp = bench_.host.request(false, kBar0 + window + at, count);
    if (tlp.length == 1 && random_.chance(50)) tlp.first_be = static_cast<unsigned>(random_.below(16));
    const uint64_t number = ++reads_;
    Expected expected{card_address(tlp.addr - kBar0), {}};
    for (unsigned i = 0; i < 4 * tlp.length; ++i) expected.allowed.push_back({model(expected.addr + i)});
    outstanding_.emplace(number, std::move(expected));
    bench_.host.ask(tlp, [this, number, tlp](const Result& result) {
      const auto& expect = outstanding_.at(number);
      check(result.status == kSuccess && !result.poisoned, "a read failed: " + tlp.text());
      for (unsigned i = 0; i < 4 * tlp.length; ++i) {
        const unsigned be = i / 4 == 0 ? tlp.first_be : i / 4 + 1 == tlp.length ? tlp.last_be : 0xf;
        if (((be >> (i % 4)) & 1) == 0) continue;
        check(std::ranges::find(expect.allowed[i], result.bytes[i]) != expect.allowed[i].end(),
              fmt::format("byte {} is {:#x} instead of {:#x}: {}", i, result.bytes[i],
                          expect.allowed[i].front(), tlp.text()));
      }
      outstanding_.erase(number);
    });
  }

  EndpointBench bench_;
  verif::Random& random_;
  std::map<uint64_t, uint8_t> model_;
  std::map<uint64_t, Expected> outstanding_;
  uint64_t window_ = 0;
  uint64_t last_ = 0;  // where the last write went
  uint64_t reads_ = 0, writes_ = 0;
};

}  // namespace

void test_memory(uint64_t seed, uint64_t cycles) { MemoryTest(seed).run(cycles); }

// A read of one doubleword, without stalls, from memory that answers after ten cycles.
void test_latency(uint64_t seed, uint64_t) {
  EndpointBench bench(seed);
  bench.enumerate();
  bench.wire.hurry();
  bench.ring.fixed_latency(10);
  bench.quiet();
  bench.bench.steps(300);
  const auto measure = [&](uint64_t addr, unsigned count) {
    bench.quiet();
    bench.read(addr, count);
    return bench.wire.last_beat_out() - bench.wire.last_beat_in();
  };
  const uint64_t memory = measure(kBar0 + 0x1000, 4);
  const uint64_t registers = measure(kBar4, 8);
  fmt::print("read of memory {} cycles, of a register {} cycles\n", memory, registers);
  check(memory <= 10 + 5, "a read of memory takes too long");
  check(registers <= 9, "a read of a register takes too long");
}

void check_credits(EndpointBench& bench) {
  bench.quiet();
  Credits expected = bench.wire.sent();
  expected.posted_header = (expected.posted_header + 127) & 0xff;
  expected.posted_data = (expected.posted_data + 1536) & 0xfff;
  expected.nonposted_header = (expected.nonposted_header + 32) & 0xff;
  expected.nonposted_data = (expected.nonposted_data + 32) & 0xfff;
  check(bench.wire.granted() == expected, "credits have been lost or found");
}

}  // namespace swai::pcie
