// SPDX-License-Identifier: Apache-2.0
// Random graphs: whatever passes run in whatever order, the results stay, and a second run changes nothing.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/models/onnx/passes.hpp"
#include "verif/host/models/onnx/random_graph.hpp"
#include "verif/kit/doctest_main.hpp"

using namespace swai;
using namespace swai::onnx;

namespace {

constexpr int kGraphs = 1000;

// The largest difference, relative to the largest value but 1 at least.
double difference(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  if (a.size() != b.size()) return INFINITY;
  double most = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].shape != b[i].shape || a[i].element != b[i].element) return INFINITY;
    const auto left = doubles(a[i]), right = doubles(b[i]);
    double scale = 1, largest = 0;
    for (size_t k = 0; k < left.size(); ++k) {
      scale = std::max(scale, std::abs(left[k]));
      const double one = std::abs(left[k] - right[k]);
      largest = std::isnan(one) ? INFINITY : std::max(largest, one);
    }
    most = std::max(most, largest / scale);
  }
  return most;
}

}  // namespace

TEST_CASE("passes in any order keep the results of random graphs, and change nothing the second time") {
  std::mt19937_64 random(test_seed());
  std::map<std::string, size_t> changes;
  for (int i = 0; i < kGraphs; ++i) {
    const RandomGraph original(random, 5 + random() % 30);
    const auto expected = evaluate(original.graph(), original.inputs());
    Graph graph = original.graph();
    for (int step = 0; step < 12; ++step) {
      // Shapes are what most other passes need.
      const auto all = all_passes();
      const Pass& pass = step % 3 == 0 ? all[0] : all[random() % all.size()];
      const std::string before = to_text(graph);
      const size_t changed = pass.run(graph);
      changes[pass.name] += changed;
      if (changed == 0) continue;
      const std::string once = to_text(graph);
      REQUIRE_MESSAGE(difference(expected, evaluate(graph, original.inputs())) < 1e-5, std::string(pass.name)
                                                                                           << " in\n"
                                                                                           << before << "\n"
                                                                                           << once);
      REQUIRE_MESSAGE(pass.run(graph) == 0, std::string(pass.name) << " again in\n"
                                                                   << once << "\n"
                                                                   << to_text(graph));
      REQUIRE(to_text(graph) == once);
    }
  }
  // A pass that never found anything was not tested.
  for (const Pass& pass : all_passes())
    CHECK_MESSAGE(changes[pass.name] >= 20, std::string(pass.name) << " " << changes[pass.name]);
}

TEST_CASE("cleaning up to the end keeps results, and reaches the same size in any order without fusions") {
  std::mt19937_64 random(test_seed() + 1);
  // Patterns that share nodes compete: which of them is fused depends on the order.
  constexpr std::string_view kCleaning[] = {"shape", "fold", "noop", "same", "reshape", "dead"};
  for (int i = 0; i < kGraphs; ++i) {
    const RandomGraph original(random, 5 + random() % 30);
    const auto expected = evaluate(original.graph(), original.inputs());
    for (const bool fuses : {true, false}) {
      std::vector<const Pass*> passes = default_passes();
      if (!fuses)
        std::erase_if(passes,
                      [&](const Pass* pass) { return std::ranges::count(kCleaning, pass->name) == 0; });
      Graph graph = original.graph(), other = original.graph();
      clean_up(graph, passes);
      std::ranges::shuffle(passes, random);
      clean_up(other, passes);
      REQUIRE(difference(expected, evaluate(graph, original.inputs())) < 1e-5);
      REQUIRE(difference(expected, evaluate(other, original.inputs())) < 1e-5);
      if (!fuses)
        REQUIRE_MESSAGE(count_nodes(graph) == count_nodes(other), to_text(original.graph())
                                                                      << "\n"
                                                                      << to_text(graph) << "\n"
                                                                      << to_text(other));
    }
  }
}
