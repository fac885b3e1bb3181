// SPDX-License-Identifier: Apache-2.0
// Measures the HBM controller alone: how much of its 64 bytes per cycle it moves, how long a read of an idle
// memory takes, and how fast it simulates. Prints a flat JSON object.

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "Vtb_hbm.h"
#include "sim/board/hbm/hbm_cells.hpp"
#include "sim/common/random.hpp"
#include "sim/common/verilated_main.hpp"
#include "sim/group/noc_port.hpp"
#include "verif/rtl/group/hbm_timing.hpp"

namespace swai::cg {
namespace {

struct Access {
  bool write = false;
  uint64_t line = 0;
};

class Meter {
 public:
  Meter() : run_(1), cells_(2) {
    cells_.make_current();
    run_.top().rst_ni = 0;
    run_.tick();
    run_.top().rst_ni = 1;
    run_.top().rsp_ready_i = 1;
    Field whole(run_.top().req_i, 0, kReqBits);
    store(whole, Request{.size = 6, .strb = ~uint64_t{0}});
  }

  // A request whenever the controller takes one, as long as fewer than `limit` are not answered. Lines per
  // cycle.
  double efficiency(const std::function<Access()>& next, unsigned limit, uint64_t cycles) {
    drain();
    step_all(next, limit, cycles / 10);
    const uint64_t before = responses_;
    step_all(next, limit, cycles);
    return static_cast<double>(responses_ - before) / static_cast<double>(cycles);
  }

  // Cycles from the cycle in which a read is taken to that of its response.
  uint64_t latency(uint64_t line) {
    offer({false, line});
    while (!run_.top().req_ready_o) run_.tick();
    const uint64_t start = run_.cycle();
    run_.tick();
    run_.top().req_valid_i = 0;
    run_.settle();
    while (!run_.top().rsp_valid_o) {
      run_.tick();
    }
    const uint64_t cycles = run_.cycle() - start;
    run_.tick();
    return cycles;
  }

  void idle(uint64_t cycles) {
    run_.top().req_valid_i = 0;
    for (uint64_t i = 0; i < cycles; ++i) run_.tick();
  }

  void drain() {
    run_.top().req_valid_i = 0;
    do run_.tick();
    while (run_.top().busy_o);
    outstanding_ = 0;
  }

 private:
  // The words of req_t in which a request of these differs from another.
  void offer(const Access& access) {
    auto& top = run_.top();
    const uint64_t addr = 64 * access.line;
    const auto op = static_cast<uint32_t>(access.write ? MbusOp::kWrite : MbusOp::kRead);
    top.req_i[18] = 6 | static_cast<uint32_t>(addr << 3);
    top.req_i[19] = static_cast<uint32_t>(addr >> 29) | (op << 22);
    top.req_valid_i = 1;
    run_.settle();
  }

  void step_all(const std::function<Access()>& next, unsigned limit, uint64_t cycles) {
    auto& top = run_.top();
    std::optional<Access> pending;
    for (uint64_t i = 0; i < cycles; ++i) {
      if (!pending && outstanding_ < limit) pending = next();
      if (pending) {
        offer(*pending);
      } else {
        top.req_valid_i = 0;
        run_.settle();
      }
      if (pending && top.req_ready_o) {
        ++outstanding_;
        pending.reset();
      }
      if (top.rsp_valid_o) {
        --outstanding_;
        ++responses_;
      }
      run_.tick();
    }
  }

  VerilatedRun<Vtb_hbm> run_;
  HbmCells cells_;
  uint64_t responses_ = 0;
  int64_t outstanding_ = 0;
};

// The median of many, as the phase of the channel and refreshes add a few cycles at random.
uint64_t median_latency(Meter& meter, verif::Random& random, const std::function<uint64_t()>& next) {
  std::vector<uint64_t> all;
  for (unsigned i = 0; i < 201; ++i) {
    meter.idle(60 + random.below(16));
    all.push_back(meter.latency(next()));
  }
  std::ranges::nth_element(all, all.begin() + 100);
  return all[100];
}

int measure(const std::string& what) {
  constexpr uint64_t kCycles = 200'000;
  constexpr uint64_t kLines = HbmCells::kGroupBytes / 64;
  constexpr unsigned kTags = 256;  // of one initiator
  constexpr unsigned kAll = 1536;
  Meter meter;
  verif::Random random(1);
  uint64_t line = 0x1234'5000 / 64;
  uint64_t other = 0x3'0000'0000 / 64;
  bool turn = false;
  const auto read_stream = [&] { return Access{false, line++}; };
  if (what == "idle") {
    meter.idle(3'000'000);
    return 0;
  }
  if (what == "speed") {
    const auto khz = [&](uint64_t cycles, const auto& body) {
      const std::clock_t start = std::clock();
      body(cycles);
      return static_cast<double>(cycles) / (static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC) /
             1000;
    };
    const double stream =
        khz(1'100'000, [&](uint64_t n) { meter.efficiency(read_stream, kTags, n / 11 * 10); });
    const double random_reads = khz(550'000, [&](uint64_t n) {
      meter.efficiency([&] { return Access{false, random.below(kLines)}; }, kAll, n / 11 * 10);
    });
    meter.drain();
    const double idle = khz(4'000'000, [&](uint64_t n) { meter.idle(n); });
    fmt::print(
        "{{\"sim.hbm_stream_khz\": {:.0f}, \"sim.hbm_random_khz\": {:.0f}, \"sim.hbm_idle_khz\": {:.0f}}}\n",
        stream, random_reads, idle);
    return 0;
  }
  fmt::print("{{\"hbm.stream_eff\": {:.4f}", meter.efficiency(read_stream, kTags, kCycles));
  fmt::print(", \"hbm.stream_write_eff\": {:.4f}", meter.efficiency(
                                                       [&] {
                                                         return Access{true, line++};
                                                       },
                                                       kTags, kCycles));
  fmt::print(", \"hbm.stream_mixed_eff\": {:.4f}",
             meter.efficiency(
                 [&] {
                   turn = !turn;
                   return turn ? Access{false, line++} : Access{true, other++};
                 },
                 kTags, kCycles));
  fmt::print(", \"hbm.random_eff\": {:.4f}", meter.efficiency(
                                                 [&] {
                                                   return Access{false, random.below(kLines)};
                                                 },
                                                 kAll, kCycles));
  fmt::print(", \"hbm.random_mixed_eff\": {:.4f}",
             meter.efficiency(
                 [&] {
                   return Access{random.chance(50), random.below(kLines)};
                 },
                 kAll, kCycles));
  meter.drain();
  HbmPlace place{2, 5, 100, 0};
  fmt::print(", \"hbm.read_hit_cycles\": {}", median_latency(meter, random, [&] {
               place.col = (place.col + 1) % 16;
               return line_of(place);
             }));
  fmt::print(", \"hbm.read_conflict_cycles\": {}", median_latency(meter, random, [&] {
               ++place.row;
               return line_of(place);
             }));
  // A bank is closed after its refresh: almost a tREFI between reads of one bank.
  fmt::print(", \"hbm.read_closed_cycles\": {}", median_latency(meter, random, [&] {
               meter.idle(3'900);
               return line_of(place);
             }));
  fmt::print(", \"hbm.read_asleep_cycles\": {}", median_latency(meter, random, [&] {
               meter.idle(5'000);
               return line_of(place);
             }));
  fmt::print("}}\n");
  return 0;
}

}  // namespace
}  // namespace swai::cg

int main(int argc, char** argv) { return swai::cg::measure(argc > 1 ? argv[1] : "timing"); }
