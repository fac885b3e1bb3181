// SPDX-License-Identifier: Apache-2.0
// Products with weights: quantised matrices, and convolutions with their bias.
#include <algorithm>

#include "host/models/onnx/fusions.hpp"

namespace swai::onnx {
namespace {

bool is_eight_bits(const Graph& graph, ValueId value) {
  if (value == kNone) return false;
  const auto element = graph.values[value].element;
  return element == Element::kI8 || element == Element::kU8;
}

// One element, whatever its value.
bool is_single(const Matcher& matcher, ValueId value) {
  if (value == kNone || !matcher.rank(value)) return false;
  return std::ranges::all_of(*matcher.graph().values[value].shape,
                             [](const Size& size) { return size == Size(1); });
}

// A constant with one element, or with one for each column of b and no other dimension.
bool is_for_columns(const Matcher& matcher, ValueId value, ValueId b) {
  const Tensor* const tensor = matcher.graph().constant(value);
  if (tensor == nullptr || b == kNone || !is_float(tensor->element)) return false;
  if (tensor->count() == 1 && tensor->shape.size() <= 1) return true;
  return tensor->shape.size() == 1 && matcher.size(b, -1) == Size(tensor->shape[0]);
}

// MatMulInteger as floating point, times a scale of the first input, times one of the second.
Match integer_product(Matcher& matcher, const Node& node) {
  // The factors of nested products: the Cast, and scales.
  std::vector<ValueId> scales = {node.input(0), node.input(1)};
  const Node* product = nullptr;
  for (size_t i = 0; i < scales.size() && scales.size() <= 4; ++i) {
    if (scales[i] == kNone) return std::nullopt;
    const Node* const inner = matcher.producer(scales[i]);
    if (inner == nullptr) continue;
    if (inner->is("Mul")) {
      scales.insert(scales.end(), inner->inputs.begin(), inner->inputs.end());
      scales.erase(scales.begin() + static_cast<ptrdiff_t>(i--));
    } else if (inner->is("Cast") && matcher.producer(inner->input(0), "MatMulInteger") != nullptr) {
      if (product != nullptr || !matcher.is_used_once(scales[i]) || !matcher.is_used_once(inner->input(0)))
        return std::nullopt;
      product = matcher.producer(inner->input(0), "MatMulInteger");
      scales.erase(scales.begin() + static_cast<ptrdiff_t>(i--));
    }
  }
  if (product == nullptr || scales.size() != 2) return std::nullopt;
  const ValueId b = product->input(1), b_zero = product->input(3);
  if (!is_for_columns(matcher, scales[1], b)) std::swap(scales[0], scales[1]);
  const Graph& graph = matcher.graph();
  // Zero points for each row of the first input have no place in the fused operator.
  const bool has_one_zero = product->input(2) == kNone || is_single(matcher, product->input(2));
  if (!is_for_columns(matcher, scales[1], b) || !is_single(matcher, scales[0]) ||
      matcher.rank(scales[0]).value_or(2) > 1 || !has_one_zero ||
      graph.values[scales[0]].element != Element::kF32 || graph.values[scales[1]].element != Element::kF32)
    return std::nullopt;
  Node result{"",
              kContribDomain,
              "MatMulIntegerToFloat",
              {product->input(0), b, scales[0], scales[1]},
              {node.outputs[0]}};
  if (product->input(2) != kNone || b_zero != kNone)
    result.inputs.insert(result.inputs.end(), {product->input(2), b_zero});
  return result;
}

// MatMul of two dequantised matrices.
Match dequantized_product(Matcher& matcher, const Node& node) {
  const Graph& graph = matcher.graph();
  const Node* const a = matcher.producer(node.input(0), "DequantizeLinear");
  const Node* const b = matcher.producer(node.input(1), "DequantizeLinear");
  if (a == nullptr || b == nullptr || !is_eight_bits(graph, a->input(0)) ||
      !is_eight_bits(graph, b->input(0)) || a->number("block_size", 0) != 0 ||
      b->number("block_size", 0) != 0)
    return std::nullopt;
  const bool is_by_column =
      is_single(matcher, b->input(1)) || matcher.is_last_axis(b->input(0), b->number("axis", 1));
  if (!is_single(matcher, a->input(1)) || matcher.rank(b->input(0)) != 2 || !is_by_column ||
      !is_for_columns(matcher, b->input(1), b->input(0)) ||
      graph.values[a->input(1)].element != Element::kF32 ||
      graph.values[b->input(1)].element != Element::kF32)
    return std::nullopt;
  Node result{"",
              kContribDomain,
              "MatMulIntegerToFloat",
              {a->input(0), b->input(0), a->input(1), b->input(1)},
              {node.outputs[0]}};
  if (a->input(2) != kNone || b->input(2) != kNone)
    result.inputs.insert(result.inputs.end(), {a->input(2), b->input(2)});
  return result;
}

// A bias for each column joins the product.
Match biased_product(Matcher& matcher, const Node& node) {
  const auto parts = matcher.either(node, [&](ValueId id) {
    const Node* const product = matcher.producer(id);
    return product != nullptr && product->domain == kContribDomain &&
           product->operation == "MatMulIntegerToFloat" && product->input(6) == kNone &&
           matcher.is_used_once(id);
  });
  if (!parts) return std::nullopt;
  const Node& product = *matcher.producer(parts->first);
  const Tensor* const bias = matcher.graph().constant(parts->second);
  if (bias == nullptr || bias->shape.size() != 1 ||
      matcher.size(product.input(1), -1) != Size(bias->shape[0]) ||
      matcher.rank(product.input(1)).value_or(1) < 2)
    return std::nullopt;
  Node result = product;
  result.outputs = {node.outputs[0]};
  result.inputs.resize(6, kNone);
  result.inputs.push_back(parts->second);
  return result;
}

// Weights of eight bits that are cast and scaled, as DequantizeLinear says it.
Match scaled_weights(Matcher& matcher, const Node& node) {
  const Graph& graph = matcher.graph();
  const auto parts = matcher.either(node, [&](ValueId id) {
    const Node* const cast = matcher.producer(id, "Cast");
    return cast != nullptr && is_eight_bits(graph, cast->input(0)) &&
           graph.constant(cast->input(0)) != nullptr;
  });
  const Tensor* const scale = parts ? graph.constant(parts->second) : nullptr;
  if (scale == nullptr || scale->element != Element::kF32) return std::nullopt;
  const ValueId weights = matcher.producer(parts->first, "Cast")->input(0);
  if (graph.values[parts->first].element != Element::kF32) return std::nullopt;
  const std::vector<int64_t>& shape = graph.constant(weights)->shape;
  Node result{"", "", "DequantizeLinear", {weights, kNone}, {node.outputs[0]}};
  if (scale->count() == 1 && scale->shape.size() <= shape.size()) {
    result.inputs[1] = matcher.constant(".scale", reals(Element::kF32, {}, doubles(*scale)));
    return result;
  }
  // One for each slice of one dimension.
  const size_t missing = shape.size() - std::min(shape.size(), scale->shape.size());
  for (size_t i = 0; i < scale->shape.size() && scale->shape.size() <= shape.size(); ++i) {
    if (scale->shape[i] != scale->count() || shape[missing + i] != scale->count()) continue;
    result.inputs[1] = matcher.constant(".scale", reals(Element::kF32, {scale->count()}, doubles(*scale)));
    result.attributes["axis"] = static_cast<int64_t>(missing + i);
    return result;
  }
  return std::nullopt;
}

// Quantised again with the same scale and zero point.
bool is_round_trip(const Matcher& matcher, const Node& node) {
  const Node* const inner = matcher.producer(node.input(0), "DequantizeLinear");
  const Graph& graph = matcher.graph();
  return inner != nullptr && inner->input(1) == node.input(1) && inner->input(2) == node.input(2) &&
         inner->input(2) != kNone && is_eight_bits(graph, inner->input(0)) &&
         is_single(matcher, node.input(1)) &&
         graph.values[inner->input(2)].element == graph.values[inner->input(0)].element;
}

}  // namespace

Match match_quantized(Matcher& matcher, const Node& node) {
  if (node.is("Mul")) {
    if (auto result = integer_product(matcher, node)) return result;
    return scaled_weights(matcher, node);
  }
  if (node.is("MatMul")) return dequantized_product(matcher, node);
  if (node.is("Add")) return biased_product(matcher, node);
  if (node.is("QuantizeLinear") && is_round_trip(matcher, node))
    return Node{"", "", "Identity", {matcher.producer(node.input(0))->input(0)}, {node.outputs[0]}};
  return std::nullopt;
}

Match match_conv_bias(Matcher& matcher, const Node& node) {
  if (!node.is("Add")) return std::nullopt;
  const auto parts = matcher.either(node, [&](ValueId id) {
    const Node* const conv = matcher.producer(id, "Conv");
    return conv != nullptr && conv->input(2) == kNone && matcher.is_used_once(id);
  });
  if (!parts) return std::nullopt;
  const Node& conv = *matcher.producer(parts->first);
  const Tensor* const bias = matcher.graph().constant(parts->second);
  const auto rank = matcher.rank(parts->first);
  const auto channels = matcher.size(conv.input(1), 0);
  if (bias == nullptr || !rank || !channels || bias->shape.size() > *rank || bias->shape.size() + 1 < *rank ||
      Size(bias->count()) != *channels || matcher.graph().values[conv.input(1)].element != bias->element)
    return std::nullopt;
  // All of its elements are along the channels.
  if (bias->shape[bias->shape.size() + 1 - *rank] != bias->count()) return std::nullopt;
  Tensor row = *bias;
  row.shape = {bias->count()};
  Node result = conv;
  result.outputs = {node.outputs[0]};
  result.inputs.resize(2, kNone);
  result.inputs.push_back(matcher.constant(".bias", std::move(row)));
  return result;
}

}  // namespace swai::onnx
