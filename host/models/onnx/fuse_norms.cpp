// SPDX-License-Identifier: Apache-2.0
// LayerNormalization and RMSNormalization from small operators.
#include "host/models/onnx/fusions.hpp"

namespace swai::onnx {
namespace {

// The input of a mean over the last axis.
std::optional<ValueId> mean_of(const Matcher& matcher, ValueId value) {
  const Node* const mean = matcher.producer(value, "ReduceMean");
  if (mean == nullptr || mean->number("keepdims", 1) == 0 || mean->input(0) == kNone ||
      !matcher.is_last_axis(mean->input(0), integers_of(matcher.graph(), mean->input(1))))
    return std::nullopt;
  return mean->input(0);
}

// x of x - mean(x).
std::optional<ValueId> centred(const Matcher& matcher, ValueId value) {
  const Node* const difference = matcher.producer(value, "Sub");
  if (difference == nullptr || mean_of(matcher, difference->input(1)) != difference->input(0))
    return std::nullopt;
  return difference->input(0);
}

// The same value, or two of which both are x - mean(x).
bool is_same_value(const Matcher& matcher, ValueId a, ValueId b) {
  if (a == b) return true;
  const auto x = centred(matcher, a);
  return x && x == centred(matcher, b);
}

// n of n * n.
std::optional<ValueId> square_of(const Matcher& matcher, ValueId value) {
  if (const Node* const power = matcher.producer(value, "Pow"))
    return matcher.scalar_or(power->input(1), 0) == 2 ? std::optional(power->input(0)) : std::nullopt;
  const Node* const product = matcher.producer(value, "Mul");
  if (product == nullptr || !is_same_value(matcher, product->input(0), product->input(1)))
    return std::nullopt;
  return product->input(0);
}

struct Normal {
  ValueId x = kNone;
  bool is_centred = false;
  float epsilon = 0;
};

// n and epsilon of mean(n * n) + epsilon.
std::optional<Normal> variance(const Matcher& matcher, ValueId value) {
  const Node* const sum = matcher.producer(value, "Add");
  if (sum == nullptr) return std::nullopt;
  const auto parts =
      matcher.either(*sum, [&](ValueId id) { return scalar_of(matcher.graph(), id).has_value(); });
  if (!parts) return std::nullopt;
  const auto mean = mean_of(matcher, parts->second);
  const auto n = mean ? square_of(matcher, *mean) : std::nullopt;
  if (!n || *n == kNone) return std::nullopt;
  return Normal{*n, false, static_cast<float>(*scalar_of(matcher.graph(), parts->first))};
}

// Of the square root of that, or of one over it.
std::optional<Normal> root(const Matcher& matcher, ValueId value) {
  if (const Node* const sqrt = matcher.producer(value, "Sqrt")) return variance(matcher, sqrt->input(0));
  const Node* const power = matcher.producer(value, "Pow");
  if (power == nullptr || matcher.scalar_or(power->input(1), 0) != 0.5) return std::nullopt;
  return variance(matcher, power->input(0));
}

std::optional<Normal> inverse_root(const Matcher& matcher, ValueId value) {
  if (const Node* const reciprocal = matcher.producer(value, "Reciprocal"))
    return root(matcher, reciprocal->input(0));
  if (const Node* const quotient = matcher.producer(value, "Div"))
    return matcher.scalar_or(quotient->input(0), 0) == 1 ? root(matcher, quotient->input(1)) : std::nullopt;
  const Node* const power = matcher.producer(value, "Pow");
  if (power == nullptr || matcher.scalar_or(power->input(1), 0) != -0.5) return std::nullopt;
  return variance(matcher, power->input(0));
}

// n over the root of its mean square.
std::optional<Normal> normal(const Matcher& matcher, const Node& node) {
  std::optional<Normal> found;
  ValueId n = kNone;
  if (node.is("Div")) {
    found = root(matcher, node.input(1));
    n = node.input(0);
  } else if (node.is("Mul")) {
    const auto parts =
        matcher.either(node, [&](ValueId id) { return inverse_root(matcher, id).has_value(); });
    if (!parts) return std::nullopt;
    found = inverse_root(matcher, parts->first);
    n = parts->second;
  }
  if (!found || n == kNone || !is_same_value(matcher, found->x, n)) return std::nullopt;
  found->x = n;
  if (const auto x = centred(matcher, n)) {
    found->x = *x;
    found->is_centred = true;
  }
  return found;
}

std::optional<Normal> normal(const Matcher& matcher, ValueId value) {
  const Node* const node = matcher.producer(value);
  return node == nullptr ? std::nullopt : normal(matcher, *node);
}

bool is_row(const Matcher& matcher, ValueId value) { return matcher.rank(value) == 1; }

struct Scaled {
  Normal normal;
  ValueId scale = kNone, bias = kNone;
};

// A normal, multiplied by a row if there is one.
std::optional<Scaled> scaled(const Matcher& matcher, const Node& node) {
  if (node.is("Mul")) {
    const auto parts = matcher.either(node, [&](ValueId id) {
      return id != kNone && matcher.is_used_once(id) && normal(matcher, id).has_value();
    });
    if (parts && is_row(matcher, parts->second)) return Scaled{*normal(matcher, parts->first), parts->second};
  }
  const auto plain = normal(matcher, node);
  return plain ? std::optional(Scaled{*plain}) : std::nullopt;
}

Match finished(Matcher& matcher, const Node& node, Scaled is, const char* operation) {
  const Value& x = matcher.graph().values[is.normal.x];
  if (is.scale == kNone) {
    // The operator has to have a scale.
    const auto width = matcher.size(is.normal.x, -1);
    constexpr int64_t kMaxWidth = 1 << 20;
    if (!width || !width->constant() || !x.element || !is_float(*x.element) || *width->constant() > kMaxWidth)
      return std::nullopt;
    const std::vector<double> ones(static_cast<size_t>(*width->constant()), 1);
    is.scale = matcher.constant(".scale", reals(*x.element, {*width->constant()}, ones));
  }
  Node result{"", "", operation, {is.normal.x, is.scale}, {node.outputs[0]}};
  if (is.bias != kNone) result.inputs.push_back(is.bias);
  result.attributes = {{"axis", int64_t{-1}}, {"epsilon", is.normal.epsilon}};
  return result;
}

}  // namespace

Match match_layer_norm(Matcher& matcher, const Node& node) {
  if (node.is("Add")) {
    const auto parts = matcher.either(node, [&](ValueId id) { return is_row(matcher, id); });
    if (!parts) return std::nullopt;
    if (const Node* const norm = matcher.producer(parts->second, "LayerNormalization");
        norm != nullptr && norm->input(2) == kNone && norm->number("axis", -1) == -1 &&
        matcher.is_used_once(parts->second)) {
      Node result = *norm;
      result.inputs.resize(2);
      result.inputs.push_back(parts->first);
      result.outputs = node.outputs;
      return result;
    }
    const Node* const product = matcher.producer(parts->second, "Mul");
    if (product == nullptr || !matcher.is_used_once(parts->second)) return std::nullopt;
    auto is = scaled(matcher, *product);
    // A bias without a scale would be the normal's own product.
    if (!is || !is->normal.is_centred || is->scale == kNone) return std::nullopt;
    is->bias = parts->first;
    return finished(matcher, node, *is, "LayerNormalization");
  }
  const auto is = scaled(matcher, node);
  return is && is->normal.is_centred ? finished(matcher, node, *is, "LayerNormalization") : std::nullopt;
}

Match match_rms_norm(Matcher& matcher, const Node& node) {
  const auto is = scaled(matcher, node);
  if (!is || is->normal.is_centred) return std::nullopt;
  // Less its mean along an axis that may turn out to be the last one: then it is a LayerNormalization.
  if (const Node* const difference = matcher.producer(is->normal.x, "Sub");
      difference != nullptr && matcher.producer(difference->input(1), "ReduceMean") != nullptr)
    return std::nullopt;
  return finished(matcher, node, *is, "RMSNormalization");
}

}  // namespace swai::onnx
