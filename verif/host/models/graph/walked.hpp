// SPDX-License-Identifier: Apache-2.0
// A graph on the functional model of a core group: one list for all runs, parameters for each, and every
// result compared with double precision.
#pragma once

#include "host/models/graph/list.hpp"
#include "verif/cpe-kernels/operators/card.hpp"
#include "verif/host/models/graph/evaluate.hpp"

namespace swai::graph {

class Walked {
 public:
  Walked(const Graph& graph, uint64_t seed);

  const Template& pattern() const { return pattern_; }
  // Inputs are new each time, weights stay, states go on.
  void run(const std::map<std::string, int64_t>& symbols);

 private:
  using Tensor = operators::test::Tensor;

  Tensor place(const Value& value);
  void fill(const Value& value, Tensor& tensor);
  void pack(const Value& value, ValueId id);
  Matrix numbers(const Value& value, const Tensor& tensor, const std::map<std::string, Range>& symbols) const;
  void compare(const Value& value, Tensor& tensor, const Matrix& right);

  const Graph& graph_;  // as it was written
  verif::Random random_;
  operators::test::Card card_;
  Template pattern_;
  std::map<ValueId, Tensor> tensors_;  // as large as they may get
  std::map<ValueId, Matrix> packed_;   // what is in packed weights
  Tensor block_;
  std::vector<node::Node> list_;
};

}  // namespace swai::graph
