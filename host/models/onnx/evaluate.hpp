// SPDX-License-Identifier: Apache-2.0
// Evaluates nodes on the host: for constants and shapes, and as reference for the passes. Not fast.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "host/models/onnx/evaluation_limits.hpp"
#include "host/models/onnx/graph.hpp"

namespace swai::onnx {

// The results of a node; absent inputs are null. No value if the operator is unknown here, or if it exceeds
// the limits. Throws EvaluationError.
std::optional<std::vector<Tensor>> evaluate(const Node& node, std::span<const Tensor* const> inputs,
                                            const EvaluationLimits& limits = {});

// The outputs of a graph without subgraphs, for inputs in the graph's order. Throws EvaluationError.
std::vector<Tensor> evaluate(const Graph& graph, const std::vector<Tensor>& inputs);

}  // namespace swai::onnx
