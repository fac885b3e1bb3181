// SPDX-License-Identifier: Apache-2.0
// Evaluates nodes on the host: for constants and shapes, and as reference for the passes. Not fast.
#pragma once

#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "host/models/onnx/graph.hpp"

namespace swai::onnx {

// The inputs do not fit the operator; what() is the cause.
class EvaluationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct EvaluationLimits {
  int64_t max_elements = int64_t{1} << 28;  // of one result
  int64_t max_work = int64_t{1} << 36;      // multiplications of one node
};

// The results of a node; absent inputs are null. No value if the operator is unknown here, or if it exceeds
// the limits. Throws EvaluationError.
std::optional<std::vector<Tensor>> evaluate(const Node& node, std::span<const Tensor* const> inputs,
                                            const EvaluationLimits& limits = {});

// The outputs of a graph without subgraphs, for inputs in the graph's order. Throws EvaluationError.
std::vector<Tensor> evaluate(const Graph& graph, const std::vector<Tensor>& inputs);

}  // namespace swai::onnx
