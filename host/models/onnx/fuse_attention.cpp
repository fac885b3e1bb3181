// SPDX-License-Identifier: Apache-2.0
// Attention and RotaryEmbedding (opset 23) from small operators.
#include <algorithm>
#include <cmath>

#include "host/models/onnx/fusions.hpp"

namespace swai::onnx {
namespace {

using Order = std::vector<int64_t>;

// A value without products and quotients by numbers; their factor goes into `scale`.
ValueId without_scale(const Matcher& matcher, ValueId value, double& scale) {
  constexpr int kMaxSteps = 4;
  for (int i = 0; i < kMaxSteps; ++i) {
    const Node* const node = matcher.producer(value);
    if (node == nullptr || !matcher.is_used_once(value)) return value;
    if (node->is("Mul")) {
      const auto parts =
          matcher.either(*node, [&](ValueId id) { return scalar_of(matcher.graph(), id).has_value(); });
      if (!parts || !has_shape(matcher.graph(), parts->second, matcher.graph().values[value].shape))
        return value;
      scale *= *scalar_of(matcher.graph(), parts->first);
      value = parts->second;
    } else if (node->is("Div") && matcher.scalar_or(node->input(1), 0) != 0 &&
               has_shape(matcher.graph(), node->input(0), matcher.graph().values[value].shape)) {
      scale /= *scalar_of(matcher.graph(), node->input(1));
      value = node->input(0);
    } else {
      return value;
    }
  }
  return value;
}

// What a value with four dimensions is a transposition of.
struct Transposed {
  ValueId value = kNone;
  Order order = {0, 1, 2, 3};
};

Transposed transposed(const Matcher& matcher, ValueId value) {
  Transposed result{value};
  constexpr int kMaxSteps = 3;
  for (int i = 0; i < kMaxSteps; ++i) {
    const Node* const node = matcher.producer(result.value, "Transpose");
    const Order order = node == nullptr ? Order() : node->numbers("perm");
    if (order.size() != 4 || !is_order(order)) break;
    for (int64_t& axis : result.order) axis = order[static_cast<size_t>(axis)];
    result.value = node->input(0);
  }
  return result;
}

struct Core {
  ValueId q = kNone, k_transposed = kNone, v = kNone, mask = kNone;
  double scale = 1;
};

// Softmax(q k^T * scale + mask) v, over four dimensions.
std::optional<Core> core_of(const Matcher& matcher, const Node& node) {
  const Graph& graph = matcher.graph();
  if (!node.is("MatMul")) return std::nullopt;
  const Node* const softmax = matcher.producer(node.input(0), "Softmax");
  if (softmax == nullptr || !matcher.is_used_once(node.input(0)) ||
      !matcher.is_last_axis(softmax->input(0), softmax->number("axis", -1)))
    return std::nullopt;
  Core core;
  core.v = node.input(1);
  ValueId scores = softmax->input(0);
  if (const Node* const sum = matcher.producer(scores, "Add");
      sum != nullptr && matcher.is_used_once(scores)) {
    const auto product_in = [&](ValueId id) {
      double scale = 1;
      return id != kNone && matcher.producer(without_scale(matcher, id, scale), "MatMul") != nullptr;
    };
    const auto parts = matcher.either(*sum, product_in);
    if (!parts || !has_shape(graph, parts->first, graph.values[scores].shape)) return std::nullopt;
    core.mask = parts->second;
    scores = parts->first;
  }
  scores = without_scale(matcher, scores, core.scale);
  const Node* const product = matcher.producer(scores, "MatMul");
  if (product == nullptr || !matcher.is_used_once(scores)) return std::nullopt;
  core.q = without_scale(matcher, product->input(0), core.scale);
  core.k_transposed = without_scale(matcher, product->input(1), core.scale);
  for (const ValueId id : {core.q, core.k_transposed, core.v})
    if (matcher.rank(id) != 4) return std::nullopt;
  // Nothing is repeated: one key and value head for each query head.
  for (const int64_t dimension : {0, 1})
    if (matcher.size(core.q, dimension) != matcher.size(core.k_transposed, dimension) ||
        matcher.size(core.q, dimension) != matcher.size(core.v, dimension))
      return std::nullopt;
  if (core.mask != kNone && (matcher.size(core.mask, -1) != matcher.size(core.k_transposed, -1) ||
                             graph.values[core.mask].element != graph.values[core.q].element))
    return std::nullopt;
  return core;
}

// (batch, sequence, heads * width) of (batch, sequence, heads, width), if that is a Reshape of it.
std::optional<ValueId> joined_heads(const Matcher& matcher, const Transposed& is, const Order& order) {
  const Node* const reshape = matcher.producer(is.value, "Reshape");
  if (reshape == nullptr || is.order != order || matcher.rank(reshape->input(0)) != 3) return std::nullopt;
  for (const int64_t dimension : {0, 1})
    if (matcher.size(reshape->input(0), dimension) != matcher.size(is.value, dimension)) return std::nullopt;
  return reshape->input(0);
}

const Order kHeadsFirst = {0, 2, 1, 3};
const Order kHeadsFirstTurned = {0, 2, 3, 1};

Node attention(const Core& core, ValueId q, ValueId k, ValueId v, ValueId output) {
  Node result{"", "", "Attention", {q, k, v}, {output}, {{"scale", static_cast<float>(core.scale)}}};
  if (core.mask != kNone) result.inputs.push_back(core.mask);
  return result;
}

// With the Reshape and Transpose of heads on all sides.
Match with_heads(Matcher& matcher, const Node& node) {
  const Node* const turn = matcher.producer(node.input(0), "Transpose");
  if (turn == nullptr || turn->numbers("perm") != kHeadsFirst || !matcher.is_used_once(node.input(0)) ||
      turn->input(0) == kNone || !matcher.is_used_once(turn->input(0)))
    return std::nullopt;
  const Node* const product = matcher.producer(turn->input(0));
  const auto core = product == nullptr ? std::nullopt : core_of(matcher, *product);
  if (!core) return std::nullopt;
  const auto q = joined_heads(matcher, transposed(matcher, core->q), kHeadsFirst);
  const auto k = joined_heads(matcher, transposed(matcher, core->k_transposed), kHeadsFirstTurned);
  const auto v = joined_heads(matcher, transposed(matcher, core->v), kHeadsFirst);
  const auto heads = matcher.size(core->q, 1);
  const ValueId output = node.outputs[0];
  if (!q || !k || !v || !heads || !heads->constant() || matcher.rank(output) != 3 ||
      matcher.size(output, 0) != matcher.size(*q, 0) || matcher.size(output, 1) != matcher.size(*q, 1))
    return std::nullopt;
  Node result = attention(*core, *q, *k, *v, output);
  result.attributes["q_num_heads"] = result.attributes["kv_num_heads"] = *heads->constant();
  return result;
}

// f of Cos(Concat(f, f)) or Sin(Concat(f, f)), with a dimension for the heads in between.
std::optional<ValueId> angles_of(const Matcher& matcher, ValueId value, const char* function) {
  if (const Node* const unsqueeze = matcher.producer(value, "Unsqueeze")) {
    if (integers_of(matcher.graph(), unsqueeze->input(1)) != Order{1}) return std::nullopt;
    value = unsqueeze->input(0);
  } else {
    return std::nullopt;
  }
  const Node* const wave = matcher.producer(value, function);
  const Node* const both = wave == nullptr ? nullptr : matcher.producer(wave->input(0), "Concat");
  if (both == nullptr || both->inputs.size() != 2 || both->input(0) != both->input(1) ||
      matcher.rank(both->input(0)) != 3 || !matcher.is_last_axis(both->outputs[0], both->number("axis", 0)))
    return std::nullopt;
  return both->input(0);
}

// Which half of x along the last axis a value is: 0 or 1.
std::optional<int> half_of(const Matcher& matcher, ValueId value, ValueId x) {
  const auto width = matcher.size(x, -1) ? matcher.size(x, -1)->constant() : std::nullopt;
  const Node* const node = matcher.producer(value);
  if (!width || *width % 2 != 0 || node == nullptr || node->input(0) != x) return std::nullopt;
  if (node->is("Split") && node->outputs.size() == 2 && matcher.is_last_axis(x, node->number("axis", 0))) {
    if (matcher.size(value, -1) != Size(*width / 2)) return std::nullopt;
    return value == node->outputs[0] ? 0 : 1;
  }
  const Graph& graph = matcher.graph();
  const auto starts = integers_of(graph, node->input(1)), ends = integers_of(graph, node->input(2));
  if (!node->is("Slice") || !starts || !ends || starts->size() != 1 || ends->size() != 1 ||
      !matcher.is_last_axis(x, integers_of(graph, node->input(3))) ||
      (node->input(4) != kNone && integers_of(graph, node->input(4)) != Order{1}))
    return std::nullopt;
  if ((*starts)[0] == 0 && (*ends)[0] == *width / 2) return 0;
  return (*starts)[0] == *width / 2 && (*ends)[0] >= *width ? std::optional(1) : std::nullopt;
}

// x of Concat(-second half of x, first half of x).
std::optional<ValueId> turned(const Matcher& matcher, ValueId value, ValueId x) {
  const Node* const halves = matcher.producer(value, "Concat");
  if (halves == nullptr || halves->inputs.size() != 2 ||
      !matcher.is_last_axis(value, halves->number("axis", 0)))
    return std::nullopt;
  const Node* const negative = matcher.producer(halves->input(0), "Neg");
  if (negative == nullptr || half_of(matcher, negative->input(0), x) != 1 ||
      half_of(matcher, halves->input(1), x) != 0)
    return std::nullopt;
  return x;
}

// x * cos(angles) or turned(x) * sin(angles): the value, and the angles.
std::optional<std::pair<ValueId, ValueId>> part_of(const Matcher& matcher, ValueId value,
                                                   const char* function) {
  const Node* const product = matcher.producer(value, "Mul");
  if (product == nullptr) return std::nullopt;
  const auto parts =
      matcher.either(*product, [&](ValueId id) { return angles_of(matcher, id, function).has_value(); });
  if (!parts) return std::nullopt;
  return std::pair(parts->second, *angles_of(matcher, parts->first, function));
}

}  // namespace

Match match_attention(Matcher& matcher, const Node& node) {
  if (node.is("Reshape")) return with_heads(matcher, node);
  const auto core = core_of(matcher, node);
  if (!core) return std::nullopt;
  // A MatMul whose heads are joined later is found from there, if all sides fit; otherwise in this form.
  const Transposed keys = transposed(matcher, core->k_transposed);
  ValueId k = kNone;
  if (const Node* const turn = matcher.producer(core->k_transposed, "Transpose");
      turn != nullptr && turn->numbers("perm") == Order{0, 1, 3, 2})
    k = turn->input(0);
  else if (keys.order == kHeadsFirstTurned)
    k = matcher.make({"", "", "Transpose", {keys.value}, {}, {{"perm", kHeadsFirst}}}, ".keys");
  if (k == kNone) return std::nullopt;
  return attention(*core, core->q, k, core->v, node.outputs[0]);
}

Match match_rotary(Matcher& matcher, const Node& node) {
  if (!node.is("Add")) return std::nullopt;
  for (const size_t first : {0, 1}) {
    const auto straight = part_of(matcher, node.input(first), "Cos"),
               across = part_of(matcher, node.input(1 - first), "Sin");
    if (!straight || !across || straight->second != across->second) continue;
    const ValueId x = straight->first, angles = straight->second;
    if (matcher.rank(x) != 4 || !turned(matcher, across->first, x) ||
        matcher.size(angles, 0) != matcher.size(x, 0) || matcher.size(angles, 1) != matcher.size(x, 2))
      continue;
    const ValueId cosines = matcher.make({"", "", "Cos", {angles}, {}}, ".cos");
    const ValueId sines = matcher.make({"", "", "Sin", {angles}, {}}, ".sin");
    return Node{"", "", "RotaryEmbedding", {x, cosines, sines}, {node.outputs[0]}};
  }
  return std::nullopt;
}

}  // namespace swai::onnx
