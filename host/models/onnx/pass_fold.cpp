// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/models/onnx/evaluate.hpp"
#include "host/models/onnx/passes.hpp"
#include "host/models/onnx/rewrite.hpp"

namespace swai::onnx {
namespace {

// Constants may not grow from a few numbers to megabytes, nor weights from few bits to many.
constexpr int64_t kMaxGrownBytes = 1 << 16;
constexpr int64_t kMaxWork = 1 << 22;
constexpr int64_t kMaxTotalBytes = int64_t{1} << 34;

class Folding {
 public:
  explicit Folding(Graph& graph) : graph_(graph) {}

  size_t run() {
    std::vector<Node> kept;
    for (Node& node : graph_.nodes) {
      for (Subgraph& inner : node.subgraphs) hand_constants_on(inner);
      if (folds(node))
        ++changes_;
      else
        kept.push_back(std::move(node));
    }
    graph_.nodes = std::move(kept);
    return changes_;
  }

 private:
  bool folds(const Node& node) { return is_known(node) || evaluates(node); }

  // Shape inference has found out what the results are.
  bool is_known(const Node& node) {
    std::vector<std::pair<ValueId, std::vector<int64_t>>> found;
    for (const ValueId id : node.outputs) {
      if (id == kNone) continue;
      const Value& value = graph_.values[id];
      if (!value.contents || !value.element || !value.shape) return false;
      std::vector<int64_t> numbers;
      for (const Size& size : *value.contents) {
        if (!size.constant()) return false;
        numbers.push_back(*size.constant());
      }
      found.emplace_back(id, std::move(numbers));
    }
    for (const auto& [id, numbers] : found) {
      const Value& value = graph_.values[id];
      const bool is_scalar = value.shape->empty();
      graph_.set_constant(
          id, wholes(*value.element,
                     is_scalar ? std::vector<int64_t>{} : std::vector{static_cast<int64_t>(numbers.size())},
                     numbers));
    }
    return true;
  }

  bool evaluates(const Node& node) {
    if (node.is("DequantizeLinear")) return false;
    std::vector<const Tensor*> inputs;
    int64_t bytes = 0;
    for (const ValueId id : node.inputs) {
      inputs.push_back(graph_.constant(id));
      if (id != kNone && inputs.back() == nullptr) return false;
      if (inputs.back() != nullptr) bytes += std::ssize(inputs.back()->bytes);
    }
    try {
      const int64_t max_bytes = std::max(kMaxGrownBytes, node.is("Constant") ? kMaxTotalBytes : bytes);
      const auto results = evaluate(node, inputs, {max_bytes, kMaxWork});
      if (!results) return false;
      bytes = 0;
      for (const Tensor& tensor : *results) bytes += std::ssize(tensor.bytes);
      bytes_ += bytes;
      if (bytes > max_bytes || bytes_ > kMaxTotalBytes) return false;
      for (size_t i = 0; i < node.outputs.size(); ++i)
        if (node.outputs[i] != kNone) graph_.set_constant(node.outputs[i], (*results)[i]);
      return true;
    } catch (const EvaluationError& error) {
      refuse(graph_, node, error.what());
    }
  }

  void hand_constants_on(Subgraph& inner) {
    for (size_t i = inner.captured.size(); i-- > 0;) {
      const Tensor* const constant = graph_.constant(inner.captured[i]);
      if (constant == nullptr) continue;
      inner.graph->set_constant(inner.graph->captured[i], *constant);
      inner.captured.erase(inner.captured.begin() + static_cast<ptrdiff_t>(i));
      inner.graph->captured.erase(inner.graph->captured.begin() + static_cast<ptrdiff_t>(i));
      ++changes_;
    }
    changes_ += Folding(*inner.graph).run();
  }

  Graph& graph_;
  size_t changes_ = 0;
  int64_t bytes_ = 0;
};

}  // namespace

size_t fold_constants(Graph& graph) { return Folding(graph).run(); }

}  // namespace swai::onnx
