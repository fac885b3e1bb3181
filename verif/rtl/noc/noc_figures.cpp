// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/noc/noc_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "verif/rtl/noc/noc_bench.hpp"

namespace swai::verif {
namespace {

// An address that leads to a node.
uint64_t address_of(unsigned node, uint64_t offset) {
  if (node == 0) return offset;
  if (node == 1) return 0x10'0000'0000 + offset;
  return 0x80'0000'0000 + (node - 2) * 0x4'0000'0000 + offset;
}

// A ring on which nothing stalls: each node sends to whatever `choose` says, in every cycle in which it says
// something.
class QuickRing {
 public:
  using Choose = std::function<std::optional<unsigned>(unsigned node)>;

  QuickRing(unsigned groups, uint64_t seed, Choose choose)
      : bench(groups, seed), model(groups), delivered(bench.nodes()), choose_(std::move(choose)) {
    for (unsigned node = 0; node < bench.nodes(); ++node) {
      nodes_.push_back(std::make_unique<NodeAgents>(bench, model, node, [this, node] { return next(node); }));
      nodes_.back()->never_stall();
      nodes_.back()->fixed_tags = true;
      nodes_.back()->on_arrival = [this](const NocRequest& request) { ++delivered[request.source]; };
    }
    bench.reset();
  }

  NocBench bench;
  RingModel model;
  std::vector<uint64_t> delivered;  // by source

  uint64_t sum() const {
    uint64_t all = 0;
    for (const auto count : delivered) all += count;
    return all;
  }
  // Least over most of what sources other than `except` got delivered.
  double fairness(unsigned except = kMaxNodes) const {
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;
    for (unsigned node = 0; node < delivered.size(); ++node) {
      if (node == except) continue;
      least = std::min(least, delivered[node]);
      most = std::max(most, delivered[node]);
    }
    return static_cast<double>(least) / static_cast<double>(most);
  }
  void start_counting() { std::ranges::fill(delivered, 0); }

 private:
  std::optional<NocRequest> next(unsigned node) {
    const auto target = choose_(node);
    if (!target) return std::nullopt;
    // One tag after the other; answers come nearly in order, so that the next one is hardly ever still in
    // use.
    NocRequest request;
    uint8_t& tag = tags_[node];
    for (unsigned tries = 0; tries < 256 && !model.tag_is_free(node, tag); ++tries) ++tag;
    if (!model.tag_is_free(node, tag)) return std::nullopt;
    request.tag = tag++;
    request.addr = address_of(*target, bench.random().below(1024) * 64);
    request.size = 6;
    return request;
  }

  Choose choose_;
  std::array<uint8_t, kMaxNodes> tags_{};
  std::vector<std::unique_ptr<NodeAgents>> nodes_;
};

}  // namespace

// One request at a time: 2 * hops + 3 cycles to an answer that is given in the cycle after the request was
// taken.
void test_latency(uint64_t seed, uint64_t) {
  for (const unsigned groups : kRings) {
    std::optional<unsigned> target;
    unsigned source = 0;
    QuickRing ring(groups, seed, [&](unsigned node) {
      return node == source ? std::exchange(target, std::nullopt) : std::nullopt;
    });
    for (source = 0; source < ring.bench.nodes(); ++source) {
      for (unsigned to = 0; to < ring.bench.nodes(); ++to) {
        target = to;
        ring.bench.step();  // in which the request is taken
        check(ring.model.waiting(source) == 1, "a quiet ring does not take a request");
        uint64_t latency = 0;
        for (; ring.model.waiting(source) != 0; ++latency) ring.bench.step();
        const unsigned expected = 2 * ring_hops(source, to, ring.bench.nodes()) + 3;
        check(latency == expected,
              fmt::format("{} cycles from {} to {} and back instead of {}", latency, source, to, expected));
        ring.bench.steps(20);
      }
    }
  }
}

// One node sends to one target as fast as it can: one request per cycle, however far.
void test_rate(uint64_t seed, uint64_t) {
  for (const unsigned groups : kRings) {
    for (unsigned to = 1; to < groups + 2; ++to) {
      QuickRing ring(groups, seed,
                     [&](unsigned node) { return node == 0 ? std::optional<unsigned>(to) : std::nullopt; });
      ring.bench.steps(100);
      ring.start_counting();
      ring.bench.steps(500);
      check(ring.sum() == 500,
            fmt::format("{} requests in 500 cycles over {} hops", ring.sum(), ring_hops(0, to, groups + 2)));
    }
  }
}

// All nodes send to all others at random. The bound for six nodes: in the mean 1.8 hops on 12 links are 6.67
// requests per cycle; one request in and one out per node and cycle are 6, which is less.
void test_saturation(uint64_t seed, uint64_t cycles) {
  for (const unsigned groups : kRings) {
    const unsigned nodes = groups + 2;
    double hops = 0;
    for (unsigned to = 1; to < nodes; ++to) hops += ring_hops(0, to, nodes);
    hops /= nodes - 1;
    const double bound = std::min<double>(nodes, 2 * nodes / hops);
    Random choice(seed);
    QuickRing ring(groups, seed, [&](unsigned node) -> std::optional<unsigned> {
      return static_cast<unsigned>((node + 1 + choice.below(nodes - 1)) % nodes);
    });
    ring.bench.steps(1000);
    ring.start_counting();
    ring.bench.steps(cycles);
    const double rate = static_cast<double>(ring.sum()) / static_cast<double>(cycles);
    fmt::print("{} nodes: {:.3f} requests per cycle of {:.2f}, shares {:.3f}\n", nodes, rate, bound,
               ring.fairness());
    check(rate > 0.9 * bound && ring.fairness() > 0.9,
          "the ring carries too little, or not the same for all");
    if (groups == 4) {
      fmt::print("{{\"ring.saturation_eff\": {:.4f}, \"ring.saturation_fairness\": {:.4f}}}\n", rate / bound,
                 ring.fairness());
    }
  }
}

// All nodes send to one, which takes a request in every cycle: all of them get the same share.
void test_hot_spot(uint64_t seed, uint64_t cycles) {
  for (const unsigned groups : kRings) {
    for (unsigned target = 0; target < groups + 2; ++target) {
      QuickRing ring(groups, seed, [&](unsigned node) -> std::optional<unsigned> {
        return node == target ? std::nullopt : std::optional<unsigned>(target);
      });
      ring.bench.steps(500);
      ring.start_counting();
      ring.bench.steps(cycles / 10);
      check(ring.sum() == cycles / 10, "the target was not busy in every cycle");
      check(ring.fairness(target) > 0.9,
            fmt::format("{} nodes to node {}: the least share is {:.3f} of the largest", groups + 1, target,
                        ring.fairness(target)));
    }
  }
}

// How fast the model runs, all rings of this testbench together: nothing to do, and reads from every
// node to its neighbour in every cycle.
void show_speed(uint64_t seed, uint64_t cycles) {
  using Clock = std::chrono::steady_clock;
  const auto khz = [cycles](Clock::time_point start) {
    return static_cast<double>(cycles) /
           std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  };
  for (const unsigned groups : kRings) {
    NocBench bench(groups, seed);
    bench.reset();
    auto start = Clock::now();
    for (uint64_t i = 0; i < cycles; ++i) bench.tick();
    const double idle = khz(start);
    auto& top = bench.top();
    const unsigned nodes = bench.nodes();
    const unsigned all = (1U << nodes) - 1;
    for (unsigned node = 0; node < nodes; ++node) {
      NocRequest request;
      request.addr = address_of((node + 1) % nodes, 0);
      auto data = bench.request_in(node).data;
      store(data, request);
    }
    top.tgt_req_ready_i = static_cast<CData>(all);
    top.ini_req_valid_i = static_cast<CData>(all);
    start = Clock::now();
    for (uint64_t i = 0; i < cycles; ++i) {
      // What was taken at the last edge is answered now; neighbours never wait for a slot.
      const auto taken = top.tgt_req_valid_o;
      std::array<uint64_t, kMaxNodes> tags{};
      for (unsigned node = 0; node < nodes; ++node) {
        Field(top.ini_req_i, kNocReqBits * node + 619, 8).set(i & 0x7f);
        tags[node] = Field(top.tgt_req_o, kNocReqBits * node + 619, 8).get();
      }
      bench.tick();
      top.tgt_rsp_valid_i = taken;
      for (unsigned node = 0; node < nodes; ++node) {
        Field(top.tgt_rsp_i, kNocRspBits * node + 514, 8).set(tags[node]);
        Field(top.tgt_rsp_i, kNocRspBits * node + 522, 3).set((node + nodes - 1) % nodes);
      }
    }
    fmt::print("{} nodes: {:.0f} kHz idle, {:.0f} kHz busy\n", nodes, idle, khz(start));
  }
}

}  // namespace swai::verif
