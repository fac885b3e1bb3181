// SPDX-License-Identifier: Apache-2.0
// The memory port of a core group with its HBM: random requests and fetches of 32 CPEs, legal and not, while
// others use the HBM over the ring, segments move and everything is invalidated now and then. Every answer
// against a model.

#include <fmt/format.h>

#include "verif/rtl/group/memory/memory_scenario.hpp"
#include "verif/rtl/lib/test_main.hpp"

namespace swai::cg {
namespace {

void test_random(uint64_t seed, uint64_t cycles) {
  Scenario scenario(seed);
  constexpr unsigned kRounds = 12;
  for (unsigned round = 0; round < kRounds; ++round) {
    scenario.go();
    for (uint64_t i = 0; i < cycles / kRounds; ++i) scenario.step();
    scenario.drain();
    scenario.compare_memory();
    scenario.configure();
  }
  const auto& cpes = scenario.cpes;
  const auto& events = cpes.events;
  fmt::print(
      "{} requests ({} writes), {} over the ring, {} fetches in {} answers, longest wait {}, {} requests of "
      "others\n",
      cpes.requests(), cpes.writes(), scenario.far.requests(), cpes.fetches(), cpes.fetch_answers(),
      cpes.longest(), scenario.others.requests());
  fmt::print("segments {} hits {} misses, code {} hits {} misses, {} reads {} writes; answers by cause:",
             events[0], events[1], events[2], events[3], events[4], events[5]);
  for (const auto& [cause, count] : cpes.causes()) fmt::print(" {}: {}", static_cast<int>(cause), count);
  fmt::print("\n");
  check(cpes.requests() > cycles / 20 && cpes.fetches() > cycles / 20, "too few requests");
  check(events[5] == scenario.legal_writes, "the writes are not counted right");
  check(cpes.causes().size() == 8, "not every cause has been seen");
}

// Steps until there is a response; who gets it.
uint32_t next_response(MemoryBench& bench) {
  for (unsigned i = 0;; ++i) {
    check(i < 1000, "nobody answers");
    bench.settle();
    const uint32_t mask = bench.top().rsp_valid_o;
    if (mask) return mask;
    bench.tick();
  }
}

// Lines of code of which none comes behind another that is not here.
constexpr uint32_t kApart = 4;

struct Quiet {
  explicit Quiet(uint64_t seed) : bench(seed) {
    for (unsigned i = 0; i < 8; ++i) put_entry(i, kOwnData);
    bench.reset();
    bench.set_space({kOwnTable, 8, 1, 2, 1});
  }
  void put_entry(unsigned number, uint64_t base, uint32_t size = 1 << 16) {
    const uint64_t word = Segment{.valid = true,
                                  .execute = true,
                                  .write = true,
                                  .read = true,
                                  .size = size,
                                  .base = static_cast<uint32_t>(base / kGranule)}
                              .packed();
    bench.cells.write(kGroup, kOwnTable - kOwnBase + uint64_t{8} * number,
                      {reinterpret_cast<const uint8_t*>(&word), 8});
  }
  MemoryBench bench;
};

// A line that all want at the same time, or while it is on its way, is answered once. From the cache it comes
// after three cycles.
void test_multicast(uint64_t seed, uint64_t /*cycles*/) {
  Quiet quiet(seed);
  auto& bench = quiet.bench;
  auto& top = bench.top();
  for (unsigned round = 0; round < 20; ++round) {
    const uint32_t line = 5U << 22 | (kApart * round);
    for (unsigned cpe = 0; cpe < kCpes; ++cpe) bench.fetch_line(cpe).set(line);
    const auto early = static_cast<uint32_t>(bench.random().next()) | 1;
    top.fetch_valid_i = early;
    for (auto i = bench.random().below(10); i != 0; --i) bench.tick();
    top.fetch_valid_i = ~uint32_t{0};
    bench.tick();
    check(next_response(bench) == ~uint32_t{0}, "a line from memory is not answered to all at once");
    bench.tick();
    top.fetch_valid_i = 0;
    bench.tick();
    top.fetch_valid_i = ~uint32_t{0};
    for (unsigned i = 0; i < 3; ++i) {
      bench.settle();
      check(top.rsp_valid_o == 0, "an answer too early");
      bench.tick();
    }
    check(next_response(bench) == ~uint32_t{0}, "a line from the cache is not answered to all at once");
    bench.tick();
    top.fetch_valid_i = 0;
    bench.tick();
  }
}

// A line that is asked for ahead is answered at once: with a cause, and it is on its way then, or with the
// line. What cannot be had is a fault only to those who wait for it. Behind a line that is not here two more
// come.
void test_ahead(uint64_t seed, uint64_t /*cycles*/) {
  constexpr uint32_t kCode = 5U << 22;
  constexpr uint32_t kPages = 16;
  constexpr uint32_t kLines = kPages * kGranule / 64;
  Quiet quiet(seed);
  quiet.put_entry(2, kOwnData, kPages);
  auto& bench = quiet.bench;
  auto& top = bench.top();
  uint64_t misses = 0;
  const auto tick = [&] {
    bench.settle();
    misses += top.events_o >> 3 & 1;
    bench.tick();
  };
  // Asks for a line, which is to be answered so; how many cycles the answer takes.
  const auto fetch = [&](uint32_t line, Cause cause) {
    bench.fetch_line(0).set(line);
    top.fetch_valid_i = 1;
    unsigned cycles = 0;
    for (bench.settle(); top.rsp_valid_o == 0; bench.settle()) {
      check(++cycles < 1000, "nobody answers");
      tick();
    }
    const Cause got = bench.response().cause;
    check(got == cause, fmt::format("line {:#x}: cause {}", line, static_cast<int>(got)));
    tick();
    top.fetch_valid_i = 0;
    tick();
    return cycles;
  };
  const auto rest = [&] {
    for (unsigned i = 0; top.busy_o; ++i) {
      check(i < 1000, "it never rests");
      tick();
    }
  };
  for (uint32_t line = 0; line < 60; line += 6) {
    check(fetch(kCode | kAhead | line, Cause::kVacant) == 3, "who asks ahead has to wait");
    check(top.busy_o, "the line is not on its way");
    rest();
    check(fetch(kCode | line, Cause::kNone) == 3, "a line that was asked for ahead is not here");
    check(fetch(kCode | kAhead | line, Cause::kNone) == 3, "a line that is here is not given ahead");
    for (const uint32_t behind : {1, 2})
      check(fetch(kCode | (line + behind), Cause::kNone) == 3, "a line behind it is not here");
    // Who waits joins a line that is on its way.
    fetch(kCode | kAhead | (line + 3), Cause::kVacant);
    fetch(kCode | (line + 3), Cause::kNone);
    rest();
  }
  check(misses == 60, fmt::format("60 lines came in {} requests", misses));
  // Code that follows upon each other comes faster than line by line, which takes 30 cycles each.
  unsigned cycles = 0;
  for (uint32_t line = 300; line < 320; ++line) cycles += fetch(kCode | line, Cause::kNone);
  check(cycles < 20 * 25, fmt::format("20 lines took {} cycles", cycles));
  rest();
  // Beyond the segment, and where no code is.
  fetch(kCode | kAhead | kLines, Cause::kVacant);
  rest();
  fetch(kCode | kLines, Cause::kLimit);
  fetch(6U << 22 | kAhead, Cause::kVacant);
  check(top.busy_o == 0, "a line of nowhere is on its way");
  // Of four places for lines on their way one is left.
  for (uint32_t line = 0; line < 8; ++line) fetch(kCode | kAhead | (100 + kApart * line), Cause::kVacant);
  check(fetch(kCode | 200, Cause::kNone) < 100, "who waits has to wait for those who do not");
}

// A segment moves, and a line of code changes, while the old one is on its way into the look-aside buffer or
// the cache. Who asks after the invalidation gets the new one.
void test_stale(uint64_t seed, uint64_t /*cycles*/) {
  Quiet quiet(seed);
  auto& bench = quiet.bench;
  auto& top = bench.top();
  Field other(top.tgt_req_i, 0, kReqBits);
  store(other, Request{.size = 6, .addr = kOwnData});
  for (unsigned round = 0; round < 1000; ++round) {
    const auto marked = [&](unsigned version) {
      Line line;
      line.fill(static_cast<uint8_t>(2 * round + version));
      return line;
    };
    // A segment that may lie in either of two pages, or a line of code with either of two contents.
    const bool code = round % 2 == 1;
    const uint64_t base =
        code ? kOwnData + uint64_t{64} * kApart * round : kOwnData + (100 + 2 * round) * kGranule;
    for (unsigned version = 0; version < 2; ++version) {
      bench.cells.write(kGroup, base - kOwnBase + version * kGranule, marked(version));
    }
    if (!code) quiet.put_entry(3, base);
    top.dslb_invalidate_i = !code;
    bench.tick();
    top.dslb_invalidate_i = 0;
    // CPE 0 asks early, CPE 1 late.
    for (unsigned cpe = 0; cpe < 2; ++cpe) {
      Field field = bench.request(cpe);
      store(field, MemRequest{.segment = 3, .bytes = 64});
      bench.fetch_line(cpe).set(5U << 22 | (kApart * round));
    }
    (code ? top.fetch_valid_i : top.mem_valid_i) = 1;
    std::array<std::optional<Line>, 2> got;
    const auto step = [&] {
      top.tgt_rsp_ready_i = bench.random().chance(10);
      bench.settle();
      const bool others_taken = top.tgt_req_ready_o;
      const uint32_t taken = top.mem_ready_o;
      const uint32_t answered = top.rsp_valid_o;
      for (unsigned cpe = 0; cpe < 2; ++cpe) {
        if ((answered >> cpe) & 1) got[cpe] = bench.response().data;
      }
      bench.tick();
      top.mem_valid_i &= ~taken;
      top.fetch_valid_i &= ~answered;
      if (others_taken) top.tgt_req_valid_i = 0;
    };
    for (auto i = bench.random().below(100); i != 0; --i) {
      if (bench.random().chance(5)) top.tgt_req_valid_i = 1;
      step();
    }
    if (code) {
      bench.cells.write(kGroup, base - kOwnBase, marked(1));
    } else {
      quiet.put_entry(3, base + kGranule);
    }
    (code ? top.icache_invalidate_i : top.dslb_invalidate_i) = 1;
    step();
    top.icache_invalidate_i = 0;
    top.dslb_invalidate_i = 0;
    for (auto i = bench.random().below(2); i != 0; --i) step();
    (code ? top.fetch_valid_i : top.mem_valid_i) |= 2;
    for (unsigned i = 0; !got[0] || !got[1]; ++i) {
      check(i < 1000, "nobody answers");
      step();
    }
    check(*got[0] == marked(0) || *got[0] == marked(1), "neither the old nor the new");
    check(*got[1] == marked(1),
          code ? "old code after the invalidation" : "an old segment after the invalidation");
    for (unsigned i = 0; top.busy_o || top.hbm_busy_o; ++i) {
      check(i < 1000, "it never rests");
      step();
    }
  }
}

// CPEs that want all the time get the same share, and code gets its share of the way in.
void test_fair(uint64_t seed, uint64_t cycles) {
  Quiet quiet(seed);
  auto& bench = quiet.bench;
  auto& top = bench.top();
  std::array<uint64_t, kCpes> taken{};
  std::array<uint8_t, kCpes> tags{};
  for (unsigned cpe = 0; cpe < kCpes; ++cpe) {
    Field field = bench.request(cpe);
    store(field, MemRequest{.segment = 3, .offset = uint64_t{cpe} * 0x1'0000, .bytes = 64});
    bench.fetch_line(cpe).set(4U << 22 | cpe);
  }
  top.mem_valid_i = ~uint32_t{0};
  top.fetch_valid_i = 1;
  uint32_t fetched = 0;
  std::array<uint8_t, kCpes> free{};
  free.fill(0xff);
  for (uint64_t i = 0; i < cycles; ++i) {
    bench.settle();
    const uint32_t ready = top.mem_ready_o;
    const uint32_t answered = top.rsp_valid_o;
    const MemResponse response = bench.response();
    bench.tick();
    if (ready) {
      const auto cpe = static_cast<unsigned>(std::countr_zero(ready));
      ++taken[cpe];
      free[cpe] &= static_cast<uint8_t>(~(1U << tags[cpe]));
      top.mem_valid_i &= ~ready;
    }
    if (answered && response.kind == Kind::kFetch) {
      ++fetched;
      bench.fetch_line(0).set(4U << 22 | (fetched % 0x400));
    } else if (answered) {
      free[static_cast<unsigned>(std::countr_zero(answered))] |= static_cast<uint8_t>(1U << response.tag);
    }
    for (unsigned cpe = 0; cpe < kCpes; ++cpe) {
      if (((top.mem_valid_i >> cpe) & 1) || free[cpe] == 0) continue;
      tags[cpe] = static_cast<uint8_t>(std::countr_zero(free[cpe]));
      bench.request(cpe).set(589, 3, tags[cpe]);
      bench.request(cpe).set(525, 48, uint64_t{cpe} * 0x10'0000 + 64 * (taken[cpe] % 0x1000));
      top.mem_valid_i |= 1U << cpe;
    }
  }
  const auto [least, most] = std::ranges::minmax(taken);
  fmt::print("{} to {} requests of each CPE, {} lines of code in {} cycles\n", least, most, fetched, cycles);
  check(most - least <= 3 + most / 10, "CPEs do not get the same share");
  check(fetched > cycles / 2000, "code starves");
}

std::vector<verif::TestCase> tests() {
  return {{"random", test_random},
          {"multicast", test_multicast},
          {"ahead", test_ahead},
          {"fair", test_fair},
          {"stale", test_stale}};
}

}  // namespace
}  // namespace swai::cg

int main(int argc, char** argv) { return swai::verif::test_main(argc, argv, swai::cg::tests()); }
