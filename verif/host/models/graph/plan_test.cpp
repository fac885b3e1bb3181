// SPDX-License-Identifier: Apache-2.0
// The plan of the memory between nodes: no two values that are needed at once share a byte.
#include "host/models/graph/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "host/models/graph/signatures.hpp"
#include "verif/host/models/graph/text.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::graph {
namespace {

// A chain with branches: each node takes two of the values before it.
std::string random_graph(std::mt19937_64& random, size_t nodes) {
  static const std::array kOperators = {"add", "multiply", "concat"};
  std::string text = "graph g\ninput v0: f32[4, 8]\n";
  std::vector<size_t> rows = {4};
  for (size_t i = 1; i <= nodes; ++i) {
    const size_t a = random() % i;
    size_t b = random() % i;
    size_t what = random() % 3;
    if (what < 2) {
      // Of the same shape, or itself.
      while (rows[b] != rows[a]) b = b == 0 ? i - 1 : b - 1;
    } else if (rows[a] + rows[b] > 500) {
      what = 0;
      b = a;
    }
    rows.push_back(what == 2 ? rows[a] + rows[b] : rows[a]);
    text += fmt::format("v{} = {}(v{}, v{})\n", i, kOperators[what], a, b);
  }
  return text;
}

// When a node writes into memory, nobody may need what lies there any more, except itself, element by
// element.
void check_bytes(const Graph& graph, const Plan& plan) {
  std::map<ValueId, const Slot*> slots;
  for (const Slot& slot : plan.slots) {
    CHECK(slot.offset % 64 == 0);
    CHECK(slot.offset + slot.bytes <= plan.bytes);
    for (const ValueId id : slot.values) slots[id] = &slot;
  }
  const auto place = [&](ValueId id) {
    return slots.at(graph.values[id].storage == id ? id : graph.values[id].storage);
  };
  for (ValueId a = 0; a < graph.values.size(); ++a) {
    if (!graph.values[a].producer || !slots.contains(graph.values[a].storage)) continue;
    for (ValueId b = a + 1; b < graph.values.size(); ++b) {
      if (!graph.values[b].producer || !slots.contains(graph.values[b].storage)) continue;
      const Slot &one = *place(a), &other = *place(b);
      if (one.offset + one.bytes <= other.offset || other.offset + other.bytes <= one.offset) continue;
      const size_t begin = *graph.values[b].producer;
      const size_t end = std::max(*graph.values[a].producer, graph.values[a].last_use.value_or(0));
      CAPTURE(graph.values[a].name);
      CAPTURE(graph.values[b].name);
      const bool in_place =
          end == begin && &one == &other && find_signature(graph.nodes[begin].operation)->elementwise;
      CHECK((end < begin || in_place));
    }
  }
}

}  // namespace

TEST_CASE("random graphs") {
  std::mt19937_64 random(test_seed());
  for (int round = 0; round < 100; ++round) {
    const Graph graph = graph_of(random_graph(random, 5 + random() % 60));
    const Plan planned = plan(graph);
    check_bytes(graph, planned);
    CHECK(planned.bytes_at_once <= planned.bytes);
    CHECK(planned.bytes <= planned.bytes_alone);
  }
}

TEST_CASE("the examples take hardly more than they need at once") {
  for (const char* const name : {"encoder.graph", "decoder.graph", "speech.graph"}) {
    CAPTURE(name);
    const Graph graph = graph_of(example(name));
    const Plan planned = plan(graph);
    check_bytes(graph, planned);
    CHECK(planned.bytes * 10 <= planned.bytes_at_once * 11);
    CHECK(planned.bytes * 2 < planned.bytes_alone);
  }
}

TEST_CASE("a result takes the place of an operand that nobody reads afterwards") {
  const Graph graph = graph_of("graph g\ninput x: f32[4, 16]\na = softmax(x)\nb = gelu(a)\nc = softmax(b)\n");
  const Plan planned = plan(graph);
  REQUIRE(planned.slots.size() == 2);
  CHECK(planned.slots[0].values.size() == 2);
  CHECK(planned.bytes == 2 * 256);
}

TEST_CASE("larger than any memory") {
  CHECK_THROWS_AS(plan(graph_of("graph g\ninput x: f32[4000000000, 400000]\na = softmax(x)\n")), SizeError);
}

}  // namespace swai::graph
