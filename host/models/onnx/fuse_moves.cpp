// SPDX-License-Identifier: Apache-2.0
// Patterns of Reshape, Transpose and Slice.
#include <algorithm>
#include <numeric>

#include "host/models/onnx/fusions.hpp"

namespace swai::onnx {
namespace {

// The shape of a result as Reshape's second input: -1 for one size that is not constant, 0 for those that are
// copied.
std::optional<std::vector<int64_t>> target_of(const Shape& from, const Shape& to) {
  std::vector<int64_t> target;
  std::vector<size_t> open;
  for (size_t i = 0; i < to.size(); ++i) {
    const auto number = to[i].constant();
    if (number.value_or(-1) == 0) return std::nullopt;  // would mean a copy
    if (!number) open.push_back(i);
    target.push_back(number.value_or(-1));
  }
  if (open.size() <= 1) return target;
  for (const size_t i : open)
    if (i < from.size() && from[i] == to[i]) target[i] = 0;
  return std::ranges::count(target, -1) <= 1 ? std::optional(target) : std::nullopt;
}

Match constant_shape(Matcher& matcher, const Node& node) {
  const Graph& graph = matcher.graph();
  const ValueId input = node.input(0), shape = node.input(1);
  if (input == kNone || shape == kNone || graph.constant(shape) != nullptr) return std::nullopt;
  const auto &from = graph.values[input].shape, &to = graph.values[node.outputs[0]].shape;
  if (!from || !to) return std::nullopt;
  const auto target = target_of(*from, *to);
  if (!target) return std::nullopt;
  Node result = node;
  result.attributes.erase("allowzero");
  result.inputs[1] = matcher.constant(".shape", integers(*target));
  return result;
}

Match reshape_of_reshape(Matcher& matcher, const Node& node) {
  const Node* const inner = matcher.producer(node.input(0), "Reshape");
  const auto target = integers_of(matcher.graph(), node.input(1));
  // A size that is copied belongs to the shape between.
  if (inner == nullptr || !target || std::ranges::count(*target, 0) > 0) return std::nullopt;
  Node result = node;
  result.inputs[0] = inner->input(0);
  return result;
}

Match transpose_of_transpose(Matcher& matcher, const Node& node) {
  const Node* const inner = matcher.producer(node.input(0), "Transpose");
  if (inner == nullptr) return std::nullopt;
  const auto first = inner->numbers("perm"), second = node.numbers("perm");
  if (first.empty() || first.size() != second.size() || !is_order(first) || !is_order(second))
    return std::nullopt;
  std::vector<int64_t> both;
  for (const int64_t axis : second) both.push_back(first[static_cast<size_t>(axis)]);
  Node result = node;
  result.inputs[0] = inner->input(0);
  result.attributes["perm"] = both;
  return result;
}

// Reshape to matrices, Transpose of these, and Reshape back: a Transpose of the last two dimensions.
Match transpose_of_matrices(Matcher& matcher, const Node& node) {
  const Node* const turn = matcher.producer(node.input(0), "Transpose");
  if (turn == nullptr || turn->numbers("perm") != std::vector<int64_t>{0, 2, 1}) return std::nullopt;
  const Node* const matrices = matcher.producer(turn->input(0), "Reshape");
  if (matrices == nullptr) return std::nullopt;
  const ValueId from = matrices->input(0), to = node.outputs[0];
  const auto rank = matcher.rank(from);
  if (!rank || *rank < 2 || matcher.rank(to) != rank || matcher.rank(turn->input(0)) != 3)
    return std::nullopt;
  std::vector<int64_t> order(*rank);
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[*rank - 1], order[*rank - 2]);
  for (size_t i = 0; i < *rank; ++i)
    if (matcher.size(to, static_cast<int64_t>(i)) != matcher.size(from, order[i])) return std::nullopt;
  for (const int64_t dimension : {-1, -2})
    if (matcher.size(from, dimension) != matcher.size(turn->input(0), dimension)) return std::nullopt;
  return Node{"", "", "Transpose", {from}, {to}, {{"perm", order}}};
}

struct Slices {
  std::vector<int64_t> starts, ends, axes, steps;

  void add(const Slices& other, size_t index) {
    starts.push_back(other.starts[index]);
    ends.push_back(other.ends[index]);
    axes.push_back(other.axes[index]);
    steps.push_back(other.steps[index]);
  }
};

std::optional<Slices> slices_of(const Matcher& matcher, const Node& node) {
  const Graph& graph = matcher.graph();
  const auto starts = integers_of(graph, node.input(1)), ends = integers_of(graph, node.input(2));
  const auto rank = matcher.rank(node.input(0));
  if (!starts || !ends || !rank || ends->size() != starts->size()) return std::nullopt;
  Slices slices{*starts, *ends, std::vector<int64_t>(starts->size()),
                std::vector<int64_t>(starts->size(), 1)};
  std::iota(slices.axes.begin(), slices.axes.end(), 0);
  const auto read = [&](size_t index, std::vector<int64_t>& to) {
    if (node.input(index) == kNone) return true;
    const auto values = integers_of(graph, node.input(index));
    if (!values || values->size() != starts->size()) return false;
    to = *values;
    return true;
  };
  if (!read(3, slices.axes) || !read(4, slices.steps)) return std::nullopt;
  for (int64_t& axis : slices.axes)
    if (axis < 0) axis += static_cast<int64_t>(*rank);
  return slices;
}

// Less the axes of which all is taken.
Slices without_whole(const Matcher& matcher, ValueId input, const Slices& slices) {
  Slices result;
  for (size_t i = 0; i < slices.axes.size(); ++i) {
    const auto size = matcher.size(input, slices.axes[i]);
    const int64_t whole = size && size->constant() ? *size->constant() : kMaxSize;
    if (slices.starts[i] != 0 || slices.steps[i] != 1 || slices.ends[i] < whole) result.add(slices, i);
  }
  return result;
}

Node sliced(Matcher& matcher, const Node& node, ValueId input, const Slices& slices) {
  Node result = node;
  result.inputs = {input, matcher.constant(".starts", integers(slices.starts)),
                   matcher.constant(".ends", integers(slices.ends)),
                   matcher.constant(".axes", integers(slices.axes)),
                   matcher.constant(".steps", integers(slices.steps))};
  return result;
}

}  // namespace

Match match_reshape(Matcher& matcher, const Node& node) {
  if (node.is("Transpose")) return transpose_of_transpose(matcher, node);
  if (!node.is("Reshape")) return std::nullopt;
  if (auto result = constant_shape(matcher, node)) return result;
  if (auto result = transpose_of_matrices(matcher, node)) return result;
  return reshape_of_reshape(matcher, node);
}

Match match_slices(Matcher& matcher, const Node& node) {
  if (!node.is("Slice")) return std::nullopt;
  const auto second = slices_of(matcher, node);
  if (!second) return std::nullopt;
  const Slices part = without_whole(matcher, node.input(0), *second);
  if (!part.axes.empty() && part.axes.size() < second->axes.size())
    return sliced(matcher, node, node.input(0), part);
  const Node* const inner = matcher.producer(node.input(0), "Slice");
  if (inner == nullptr || !matcher.is_used_once(node.input(0))) return std::nullopt;
  auto both = slices_of(matcher, *inner);
  if (!both) return std::nullopt;
  for (const int64_t axis : second->axes)
    if (std::ranges::count(both->axes, axis) > 0) return std::nullopt;
  for (size_t i = 0; i < second->axes.size(); ++i) both->add(*second, i);
  return sliced(matcher, node, inner->input(0), *both);
}

}  // namespace swai::onnx
