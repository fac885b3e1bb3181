// SPDX-License-Identifier: Apache-2.0
// Random graphs with the patterns that passes look for, and inputs for them.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "host/models/onnx/evaluate.hpp"
#include "verif/host/models/onnx/builder.hpp"

namespace swai::onnx {

class RandomGraph {
 public:
  // Every node can be evaluated, and every value is finite and not large.
  RandomGraph(std::mt19937_64& random, size_t nodes);

  const Graph& graph() const { return build_.graph; }
  const std::vector<Tensor>& inputs() const { return inputs_; }

 private:
  using Shape = std::vector<int64_t>;

  uint64_t below(uint64_t limit) { return random_() % limit; }
  double real(double low, double high) { return std::uniform_real_distribution(low, high)(random_); }
  std::vector<double> reals_in(size_t count, double low, double high);
  const Tensor& tensor(ValueId id) const { return *values_.at(id); }
  const Shape& shape(ValueId id) const { return tensor(id).shape; }
  int64_t last(ValueId id) const { return shape(id).back(); }

  void add_input(Shape shape, std::vector<int64_t> declared);
  ValueId constant(Tensor tensor);
  ValueId bytes(Shape shape);
  ValueId weight(Shape shape, double low = -1, double high = 1);
  ValueId scalar(double value);
  ValueId list(std::vector<int64_t> values);
  ValueId one(const std::string& operation, std::vector<ValueId> inputs,
              std::map<std::string, Attribute> attributes = {});
  std::vector<ValueId> several(const std::string& operation, std::vector<ValueId> inputs, size_t outputs,
                               std::map<std::string, Attribute> attributes = {});
  ValueId either_order(const std::string& operation, ValueId a, ValueId b);
  // A value of floats of this rank, or of any but 0.
  ValueId any(size_t rank = 0);

  void step();
  void element_step();
  void move_step();
  void repeat();
  void layer_norm();
  void rms_norm();
  void gelu();
  void silu();
  void slices();
  void attention();
  void rotary();
  void integer_product();
  void dequantized_product();
  void convolution();

  std::mt19937_64& random_;
  Builder build_;
  std::vector<Tensor> inputs_;
  std::vector<std::optional<Tensor>> values_;  // what each is for these inputs
  std::vector<ValueId> floats_;
};

}  // namespace swai::onnx
