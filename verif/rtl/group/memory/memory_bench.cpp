// SPDX-License-Identifier: Apache-2.0
// Measures the memory port of a core group with its HBM: how much 32 CPEs move that stream with all their
// tags, and how long single accesses take. Prints a flat JSON object; `memory_bench detail` more of it.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "Vtb_cg_memory.h"
#include "card_regs.hpp"
#include "sim/board/hbm/hbm_cells.hpp"
#include "sim/common/random.hpp"
#include "sim/common/verilated_main.hpp"
#include "verif/rtl/group/memory/memory_pins.hpp"

namespace swai::cg {
namespace {

constexpr unsigned kGroup = 1;  // in tb_cg_memory.sv
constexpr uint64_t kBase = regs::kHbmRegion.base + kGroup * HbmCells::kGroupBytes;
constexpr uint64_t kTable = 0x10'0000;
constexpr unsigned kSegments = 40;
constexpr uint64_t kAll = HbmCells::kGroupBytes / kGranule - 1;  // size of every segment

// Where the pieces of a CPE lie: all CPEs take turns in one buffer, or each has one of its own.
enum class Layout { kShared, kOwn };
enum class Kind2 { kRead, kWrite, kCopy };

struct Pattern {
  Kind2 kind = Kind2::kRead;
  uint64_t piece = 4096;
  Layout layout = Layout::kShared;
  unsigned cpes = kCpes;
  unsigned shift = 0;  // bytes by which local and global alignment differ
};

class Meter {
 public:
  Meter() : run_(1), cells_(2) {
    cells_.make_current();
    auto& top = run_.top();
    for (unsigned i = 0; i < kSegments; ++i) {
      const Segment entry{.valid = true,
                          .execute = true,
                          .write = true,
                          .read = true,
                          .size = static_cast<uint32_t>(kAll),
                          .base = static_cast<uint32_t>(kBase / kGranule)};
      const uint64_t word = entry.packed();
      cells_.write(kGroup, kTable + uint64_t{8} * i, {reinterpret_cast<const uint8_t*>(&word), 8});
    }
    top.dslb_invalidate_i = 0;
    top.icache_invalidate_i = 0;
    top.mem_valid_i = 0;
    top.fetch_valid_i = 0;
    top.tgt_req_valid_i = 0;
    top.ring_rsp_valid_i = 0;
    top.rst_ni = 0;
    run_.tick();
    top.rst_ni = 1;
    top.tgt_rsp_ready_i = 1;
    top.ring_req_ready_i = 1;
    Field space(top.space_i, 0, kSpaceBits);
    store(space, Space{kBase + kTable, kSegments, 1, 2, 1});
  }

  uint64_t cycle() const { return run_.cycle(); }
  void idle(uint64_t cycles) {
    for (uint64_t i = 0; i < cycles; ++i) run_.tick();
  }
  void wait_until_idle() {
    do run_.tick();
    while (run_.top().busy_o || run_.top().hbm_busy_o);
  }
  void invalidate(bool segments, bool code) {
    run_.top().dslb_invalidate_i = segments;
    run_.top().icache_invalidate_i = code;
    run_.tick();
    run_.top().dslb_invalidate_i = 0;
    run_.top().icache_invalidate_i = 0;
  }

  // Lines per cycle.
  double efficiency(const Pattern& pattern, uint64_t cycles) {
    wait_until_idle();
    streams_.assign(kCpes, {});
    stream(pattern, cycles / 10);
    const uint64_t before = responses_;
    stream(pattern, cycles);
    const uint64_t moved = responses_ - before;
    drain();
    return static_cast<double>(moved) / static_cast<double>(cycles);
  }

  // Cycles from the one in which a request is offered to that of its response.
  uint64_t latency(const MemRequest& request) {
    auto& top = run_.top();
    Field field(top.mem_i, 5 * kMemReqBits, kMemReqBits);
    store(field, request);
    top.mem_valid_i = 1U << 5;
    run_.settle();
    const uint64_t start = cycle();
    while (!top.mem_ready_o) run_.tick();
    run_.tick();
    top.mem_valid_i = 0;
    run_.settle();
    while (!top.rsp_valid_o) run_.tick();
    const uint64_t cycles = cycle() - start;
    run_.tick();
    return cycles;
  }

  uint64_t fetch_latency(uint32_t line, uint32_t cpes) {
    auto& top = run_.top();
    for (unsigned cpe = 0; cpe < kCpes; ++cpe) Field(top.fetch_line_i, cpe * 26, 26).set(line);
    top.fetch_valid_i = cpes;
    run_.settle();
    const uint64_t start = cycle();
    while (!top.rsp_valid_o) run_.tick();
    const uint64_t cycles = cycle() - start;
    run_.tick();
    top.fetch_valid_i = 0;
    run_.tick();
    return cycles;
  }

 private:
  struct Stream {
    uint64_t piece = 0;  // the number of the one that is moved
    uint64_t line = 0;   // in it
    bool write = false;
    uint8_t free = 0xff;  // tags
  };

  void next(const Pattern& pattern, unsigned cpe, Stream& stream) {
    const uint64_t number = stream.piece * kCpes + cpe;
    uint64_t at = pattern.layout == Layout::kShared ? number * pattern.piece
                                                    : cpe * 0x100'0000 + stream.piece * pattern.piece;
    at += 64 * stream.line;
    const bool write = pattern.kind == Kind2::kWrite || (pattern.kind == Kind2::kCopy && stream.write);
    const auto tag = static_cast<uint8_t>(std::countr_zero(stream.free));
    stream.free &= static_cast<uint8_t>(stream.free - 1);
    MemRequest request{.write = write, .tag = tag, .segment = 3, .offset = 0x1000'0000 + at};
    if (write) request.offset += 0x1'0000'0000;
    request.bytes = 64;
    request.lane = static_cast<uint8_t>(pattern.shift);
    // Only the bits that differ from request to request.
    Field field(run_.top().mem_i, cpe * kMemReqBits, kMemReqBits);
    field.set(512, 7, request.bytes);
    field.set(519, 6, request.lane);
    field.set(525, 48, request.offset);
    field.set(573, 16, request.segment);
    field.set(589, 3, request.tag);
    field.set(592, 1, 0);
    field.set(593, 1, request.write);
    run_.top().mem_valid_i |= 1U << cpe;
    if (++stream.line == pattern.piece / 64) {
      stream.line = 0;
      stream.write = !stream.write;
      if (pattern.kind != Kind2::kCopy || !stream.write) ++stream.piece;
    }
  }

  void stream(const Pattern& pattern, uint64_t cycles) {
    auto& top = run_.top();
    for (uint64_t i = 0; i < cycles; ++i) {
      for (unsigned cpe = 0; cpe < pattern.cpes; ++cpe) {
        if (!((top.mem_valid_i >> cpe) & 1) && streams_[cpe].free) next(pattern, cpe, streams_[cpe]);
      }
      step();
    }
  }

  void step() {
    auto& top = run_.top();
    run_.settle();
    const uint32_t taken = top.mem_ready_o;
    if (top.rsp_valid_o) {
      ++responses_;
      const auto cpe = static_cast<unsigned>(std::countr_zero(top.rsp_valid_o));
      streams_[cpe].free |= static_cast<uint8_t>(1U << Field(top.rsp_o, 517, 3).get());
    }
    run_.tick();
    top.mem_valid_i &= ~taken;
  }

  void drain() {
    while (run_.top().mem_valid_i || run_.top().busy_o) step();
  }

  VerilatedRun<Vtb_cg_memory> run_;
  HbmCells cells_;
  std::vector<Stream> streams_;
  uint64_t responses_ = 0;
};

// The median, as the phase of the memory's channels and refreshes add a few cycles.
template <typename Next>
uint64_t median(Meter& meter, verif::Random& random, Next next) {
  std::vector<uint64_t> all;
  for (unsigned i = 0; i < 101; ++i) {
    meter.idle(60 + random.below(16));
    all.push_back(next());
  }
  std::ranges::nth_element(all, all.begin() + 50);
  return all[50];
}

int measure(std::string_view what) {
  constexpr uint64_t kCycles = 50'000;
  Meter meter;
  verif::Random random(1);
  if (what == "idle") {
    meter.idle(5'000'000);
    return 0;
  }
  if (what == "stream") {
    meter.efficiency({}, 1'000'000);
    return 0;
  }
  if (what == "speed") {
    const auto khz = [](uint64_t cycles, const auto& body) {
      const std::clock_t start = std::clock();
      body(cycles);
      return static_cast<double>(cycles) / (static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC) /
             1000;
    };
    const double stream = khz(220'000, [&](uint64_t n) { meter.efficiency({}, n / 11 * 10); });
    const double turned = khz(220'000, [&](uint64_t n) { meter.efficiency({.shift = 5}, n / 11 * 10); });
    const double idle = khz(2'000'000, [&](uint64_t n) { meter.idle(n); });
    fmt::print("stream {:.0f} kHz, turned {:.0f} kHz, idle {:.0f} kHz\n", stream, turned, idle);
    return 0;
  }
  if (what == "detail") {
    for (const auto kind : {Kind2::kRead, Kind2::kWrite, Kind2::kCopy}) {
      for (const auto layout : {Layout::kShared, Layout::kOwn}) {
        for (const uint64_t piece : {1024, 2048, 4096, 8192, 32768}) {
          for (const unsigned cpes : {8U, 16U, 32U}) {
            fmt::print("{} {} pieces of {} by {} CPEs: {:.4f}\n",
                       kind == Kind2::kRead    ? "read"
                       : kind == Kind2::kWrite ? "write"
                                               : "copy",
                       layout == Layout::kShared ? "shared" : "own", piece, cpes,
                       meter.efficiency({kind, piece, layout, cpes}, kCycles / 2));
          }
        }
      }
    }
    return 0;
  }
  fmt::print("{{\"memory.read_eff\": {:.4f}", meter.efficiency({}, kCycles));
  fmt::print(", \"memory.write_eff\": {:.4f}", meter.efficiency({.kind = Kind2::kWrite}, kCycles));
  fmt::print(", \"memory.copy_eff\": {:.4f}", meter.efficiency({.kind = Kind2::kCopy}, kCycles));
  meter.wait_until_idle();
  uint64_t line = 0;
  const auto dma = [&] {
    return MemRequest{.segment = 3, .offset = 0x2000'0000 + 64 * (line++ % 64), .bytes = 64};
  };
  const auto one_word = [&] {
    return MemRequest{.scalar = true, .segment = 3, .offset = 0x2000'0000 + 64 * (line++ % 64), .bytes = 4};
  };
  fmt::print(", \"memory.dma_read_cycles\": {}", median(meter, random, [&] { return meter.latency(dma()); }));
  fmt::print(", \"memory.dma_write_cycles\": {}", median(meter, random, [&] {
               auto request = dma();
               request.write = true;
               return meter.latency(request);
             }));
  fmt::print(", \"memory.scalar_read_cycles\": {}",
             median(meter, random, [&] { return meter.latency(one_word()); }));
  fmt::print(", \"memory.segment_miss_cycles\": {}", median(meter, random, [&] {
               meter.invalidate(true, false);
               return meter.latency(dma());
             }));
  constexpr uint32_t kCode = 5U << 22;
  meter.fetch_latency(kCode, 1);
  fmt::print(", \"memory.code_hit_cycles\": {}",
             median(meter, random, [&] { return meter.fetch_latency(kCode, 0xffff'ffff); }));
  fmt::print(", \"memory.code_miss_cycles\": {}", median(meter, random, [&] {
               return meter.fetch_latency(kCode + static_cast<uint32_t>(line++), 0xffff'ffff);
             }));
  fmt::print("}}\n");
  return 0;
}

}  // namespace
}  // namespace swai::cg

int main(int argc, char** argv) { return swai::cg::measure(argc > 1 ? argv[1] : "timing"); }
