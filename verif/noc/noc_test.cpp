// The ring under random traffic, and its figures.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "verif/lib/test_main.hpp"
#include "verif/noc/noc_bench.hpp"
#include "verif/noc/noc_figures.hpp"

namespace swai::verif {
namespace {

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
  for (unsigned groups = 1; groups <= 4; ++groups) random_traffic(groups, seed, cycles, false);
}

void test_fence(uint64_t seed, uint64_t cycles) {
  for (unsigned groups = 1; groups <= 4; ++groups) random_traffic(groups, seed, cycles, true);
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
                    {"hot-spot", test_hot_spot}});
}
