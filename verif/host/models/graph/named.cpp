// SPDX-License-Identifier: Apache-2.0
#include "verif/host/models/graph/named.hpp"

#include <doctest/doctest.h>

#include <cstring>

namespace swai::graph {

void Named::put(const std::string& name, std::span<const uint8_t> fp32) {
  std::vector<float> numbers(fp32.size() / sizeof(float));
  std::memcpy(numbers.data(), fp32.data(), fp32.size());
  CHECK(kept.emplace(name, std::vector<double>(numbers.begin(), numbers.end())).second);
}

std::map<std::string, std::vector<double>> Named::run(const Graph& graph,
                                                      const std::map<std::string, int64_t>& sizes) {
  std::map<std::string, Range> ranges;
  for (const auto& [name, size] : sizes) ranges[name] = {size, size};
  std::map<ValueId, Matrix> values;
  for (ValueId id = 0; id < graph.values.size(); ++id) {
    const Value& value = graph.values[id];
    if (value.kind == ValueKind::kOutput || is_planned(value.kind)) continue;
    const auto size = [&](const Size& one) { return static_cast<size_t>(one.range(ranges).most); };
    Matrix& matrix = values[id] = {1, size(value.type.dimensions.back()), {}};
    if (value.type.dimensions.size() > 1) matrix.rows = size(value.type.rows());
    std::vector<double>& numbers = kept[value.name];
    if (value.kind == ValueKind::kState) numbers.resize(matrix.rows * matrix.columns);
    REQUIRE_MESSAGE(numbers.size() == matrix.rows * matrix.columns, value.name);
    matrix.numbers = numbers;
  }
  evaluate(graph, sizes, values);
  std::map<std::string, std::vector<double>> outputs;
  for (ValueId id = 0; id < graph.values.size(); ++id) {
    const Value& value = graph.values[id];
    if (value.kind == ValueKind::kState) kept[value.name] = values.at(id).numbers;
    if (value.kind == ValueKind::kOutput) outputs[value.name] = values.at(id).numbers;
  }
  return outputs;
}

}  // namespace swai::graph
