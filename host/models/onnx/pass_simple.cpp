// SPDX-License-Identifier: Apache-2.0
// Passes that look at one node at a time: merging, nodes that do nothing, dead nodes.
#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>

#include "host/models/onnx/passes.hpp"
#include "host/models/onnx/rewrite.hpp"

namespace swai::onnx {
namespace {

// Everything that tells a node from others with the same result.
std::string key_of(const Node& node) {
  std::string key;
  const auto add = [&](const void* data, size_t bytes) {
    key.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
    key.append(static_cast<const char*>(data), bytes);
  };
  const auto add_text = [&](const std::string& text) { add(text.data(), text.size()); };
  add_text(node.domain);
  add_text(node.operation);
  add(node.inputs.data(), node.inputs.size() * sizeof(ValueId));
  // Split divides by the number of its outputs; others may leave some out.
  if (node.is("Split")) key += std::to_string(node.outputs.size());
  for (const auto& [name, attribute] : node.attributes) {
    add_text(name);
    key += static_cast<char>('0' + attribute.index());
    std::visit(
        [&]<typename T>(const T& value) {
          if constexpr (std::is_same_v<T, Tensor>) {
            key += to_text(value.element);
            add(value.shape.data(), value.shape.size() * sizeof(int64_t));
            add(value.bytes.data(), value.bytes.size());
          } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
            for (const std::string& text : value) add_text(text);
          } else if constexpr (requires { value.data(); }) {
            add(value.data(), value.size() * sizeof(value[0]));
          } else {
            add(&value, sizeof value);
          }
        },
        attribute);
  }
  return key;
}

// Draws random numbers, or may do so.
bool is_random(const Node& node) {
  static const std::set<std::string, std::less<>> kRandom = {
      "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike",
      "Multinomial",  "Bernoulli",        "Dropout"};
  return !node.domain.empty() || kRandom.contains(node.operation);
}

// Constants with the same contents become the first of them.
void merge_constants(Graph& graph, Renaming& renaming) {
  std::unordered_multimap<size_t, ValueId> known;
  const auto uses = uses_of(graph);
  for (ValueId id = 0; id < graph.values.size(); ++id) {
    const Tensor* const tensor = graph.constant(id);
    if (tensor == nullptr || uses[id] == 0) continue;
    // A sample of a large one: equal ones are compared in any case.
    constexpr size_t kSample = 4096;
    const auto sample = tensor->bytes.subspan(0, std::min(tensor->bytes.size(), kSample));
    const size_t hash =
        std::hash<std::string_view>{}({reinterpret_cast<const char*>(sample.data()), sample.size()}) +
        tensor->bytes.size();
    const auto [first, last] = known.equal_range(hash);
    const auto same = std::find_if(
        first, last, [&](const auto& one) { return is_same(*graph.constant(one.second), *tensor); });
    if (same == last)
      known.emplace(hash, id);
    else
      renaming.replace(id, same->second);
  }
}

bool is_zero_or_one(const Graph& graph, ValueId value, double number) {
  return scalar_of(graph, value) == number;
}

// The input that the node hands on, or none.
std::optional<ValueId> handed_on(const Graph& graph, const Node& node) {
  if (!node.domain.empty() || node.input(0) == kNone || node.outputs.size() != 1) return std::nullopt;
  const auto like_output = [&](ValueId id) {
    const Value& output = graph.values[node.outputs[0]];
    return id != kNone && output.element && graph.values[id].element == output.element &&
           has_shape(graph, id, output.shape);
  };
  const ValueId first = node.inputs[0], second = node.input(1);
  const std::string& is = node.operation;
  if (is == "Identity" || is == "Dropout") return first;
  if (is == "Concat" && node.inputs.size() == 1) return first;
  if (is == "Add" || is == "Mul") {
    const double neutral = is == "Add" ? 0 : 1;
    if (is_zero_or_one(graph, second, neutral) && like_output(first)) return first;
    if (is_zero_or_one(graph, first, neutral) && like_output(second)) return second;
    return std::nullopt;
  }
  if (!like_output(first)) return std::nullopt;
  if (is == "Sub") return is_zero_or_one(graph, second, 0) ? std::optional(first) : std::nullopt;
  if (is == "Div" || is == "Pow")
    return is_zero_or_one(graph, second, 1) ? std::optional(first) : std::nullopt;
  if (is == "Reshape" || is == "Expand" || is == "Flatten" || is == "Squeeze" || is == "Cast" || is == "Tile")
    return first;
  if (is == "Transpose") {
    const auto order = node.numbers("perm");
    return !order.empty() && std::ranges::is_sorted(order) ? std::optional(first) : std::nullopt;
  }
  if (is == "Slice") {
    const auto steps = integers_of(graph, node.input(4));
    const bool is_forward =
        node.input(4) == kNone || (steps && std::ranges::all_of(*steps, [](int64_t s) { return s == 1; }));
    return is_forward ? std::optional(first) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

size_t merge_common(Graph& graph) {
  Renaming renaming(graph);
  merge_constants(graph, renaming);
  size_t changes = renaming.count();
  std::unordered_map<std::string, size_t> known;
  std::vector<Node> kept;
  for (Node& node : graph.nodes) {
    renaming.apply(node);
    if (is_random(node) || !node.subgraphs.empty()) {
      kept.push_back(std::move(node));
      continue;
    }
    const auto [found, is_new] = known.emplace(key_of(node), kept.size());
    if (is_new) {
      kept.push_back(std::move(node));
      continue;
    }
    Node& first = kept[found->second];
    first.outputs.resize(std::max(first.outputs.size(), node.outputs.size()), kNone);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] == kNone) continue;
      if (first.outputs[i] == kNone)
        first.outputs[i] = node.outputs[i];
      else
        renaming.replace(node.outputs[i], first.outputs[i]);
    }
    ++changes;
  }
  graph.nodes = std::move(kept);
  renaming.apply_to_graph();
  return changes + for_subgraphs(graph, merge_common);
}

size_t remove_noops(Graph& graph) {
  Renaming renaming(graph);
  std::vector<Node> kept;
  for (Node& node : graph.nodes) {
    renaming.apply(node);
    if (const auto input = handed_on(graph, node))
      renaming.replace(node.outputs[0], *input);
    else
      kept.push_back(std::move(node));
  }
  graph.nodes = std::move(kept);
  renaming.apply_to_graph();
  return renaming.count() + for_subgraphs(graph, remove_noops);
}

size_t remove_dead(Graph& graph) {
  size_t changes = for_subgraphs(graph, remove_dead);
  for (Node& node : graph.nodes) {
    for (Subgraph& inner : node.subgraphs) {
      const auto uses = uses_of(*inner.graph);
      for (size_t i = inner.captured.size(); i-- > 0;) {
        if (uses[inner.graph->captured[i]] > 0) continue;
        inner.captured.erase(inner.captured.begin() + static_cast<ptrdiff_t>(i));
        inner.graph->captured.erase(inner.graph->captured.begin() + static_cast<ptrdiff_t>(i));
        ++changes;
      }
    }
  }
  auto uses = uses_of(graph);
  std::vector<Node> kept;
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    Node& node = graph.nodes[i];
    const auto is_used = [&](ValueId id) { return id != kNone && uses[id] > 0; };
    if (std::ranges::any_of(node.outputs, is_used)) {
      while (!node.is("Split") && !is_used(node.outputs.back())) {
        node.outputs.pop_back();
        ++changes;
      }
      kept.push_back(std::move(node));
      continue;
    }
    ++changes;
    for (const ValueId id : node.inputs)
      if (id != kNone) --uses[id];
    for (const Subgraph& inner : node.subgraphs)
      for (const ValueId id : inner.captured) --uses[id];
  }
  std::ranges::reverse(kept);
  graph.nodes = std::move(kept);
  for (ValueId id = 0; id < graph.values.size(); ++id)
    if (uses[id] == 0) graph.values[id].constant.reset();
  return changes;
}

}  // namespace swai::onnx
