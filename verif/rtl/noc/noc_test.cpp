// SPDX-License-Identifier: Apache-2.0
// The ring under random traffic, and its figures.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "verif/rtl/lib/test_main.hpp"
#include "verif/rtl/noc/noc_bench.hpp"
#include "verif/rtl/noc/noc_figures.hpp"

namespace swai::verif {
namespace {

// Counts the pulses of the nodes' events beside what they should count.
class Events : public Agent {
 public:
  explicit Events(NocBench& bench) : bench_(bench) {}

  void drive() override {}
  void sample() override {
    const auto& top = bench_.top();
    check(top.event_injected_o == (top.ini_req_valid_i & top.ini_req_ready_o), "a request in is not counted");
    check(top.event_ejected_o == (top.tgt_req_valid_o & top.tgt_req_ready_i), "a request out is not counted");
    check(top.event_stalled_o == (top.ini_req_valid_i & ~top.ini_req_ready_o),
          "a stalled cycle is not counted");
    check(top.busy_o || !(top.tgt_req_valid_o | top.ini_rsp_valid_o),
          "not busy, with something at an output");
  }

 private:
  NocBench& bench_;
};

// All operations from everywhere to everywhere, with or without fences.
void random_traffic(unsigned groups, uint64_t seed, uint64_t cycles, bool fences) {
  NocBench bench(groups, seed);
  RingModel model(groups);
  bool draining = false;
  std::vector<std::unique_ptr<NodeAgents>> nodes;
  std::vector<std::unique_ptr<Fence>> fence;
  for (unsigned node = 0; node < bench.nodes(); ++node) {
    nodes.push_back(std::make_unique<NodeAgents>(bench, model, node, [&]() -> std::optional<NocRequest> {
      if (draining) return std::nullopt;
      return random_noc_request(bench.random(), groups);
    }));
    // Behind the agents: what it checks has then seen everything of this cycle.
    fence.push_back(std::make_unique<Fence>(bench, model, node));
    fence.back()->enabled = fences;
  }
  for (auto& f : fence) bench.add(*f);
  Events events(bench);
  bench.add(events);
  bench.reset();
  bench.steps(cycles);
  draining = true;
  for (auto& f : fence) f->enabled = false;
  for (auto& node : nodes) node->never_stall();
  bench.until(
      [&] {
        return model.quiet() && std::ranges::none_of(nodes, [](auto& n) { return n->requests().pending(); });
      },
      5000, "draining");
  bench.steps(20);
  check(!bench.top().busy_o, "busy with nothing under way");
  check(model.answered() > cycles / 10, "hardly any request was answered");
  uint64_t raised = 0;
  for (auto& f : fence) raised += f->count();
  check(!fences || (raised > 0 && model.denied() > 0), "no fence denied anything");
  fmt::print("{} nodes: {} requests answered, {} denied by {} fences\n", bench.nodes(), model.answered(),
             model.denied(), raised);
}

void test_random(uint64_t seed, uint64_t cycles) {
  for (const unsigned groups : kRings) random_traffic(groups, seed, cycles, false);
}

void test_fence(uint64_t seed, uint64_t cycles) {
  for (const unsigned groups : kRings) random_traffic(groups, seed, cycles, true);
}

// The same request twice.
void illegal_tag(uint64_t seed, uint64_t) {
  NocBench bench(1, seed);
  bench.reset();
  auto pins = bench.request_in(0);
  NocRequest request;
  request.tag = 5;
  request.addr = 0x80'0000'0000;
  store(pins.data, request);
  pins.valid.set(1);
  bench.steps(3);
}

// An answer that nobody asked for.
void illegal_answer(uint64_t seed, uint64_t) {
  NocBench bench(1, seed);
  bench.reset();
  auto pins = bench.response_in(1);
  store(pins.data, NocResponse{});
  pins.valid.set(1);
  bench.steps(3);
}

}  // namespace
}  // namespace swai::verif

int main(int argc, char** argv) {
  using namespace swai::verif;
  return test_main(argc, argv,
                   {{"random", test_random},
                    {"fence", test_fence},
                    {"latency", test_latency},
                    {"rate", test_rate},
                    {"saturation", test_saturation},
                    {"hot-spot", test_hot_spot},
                    {"speed", show_speed},
                    {"illegal-tag", illegal_tag},
                    {"illegal-answer", illegal_answer}});
}
