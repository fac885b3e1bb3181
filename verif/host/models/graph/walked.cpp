// SPDX-License-Identifier: Apache-2.0
#include "verif/host/models/graph/walked.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>

#include "cpe-kernels/operators/linear_sparse/pack.hpp"
#include "cpe-kernels/operators/linear_w4/plan.hpp"
#include "host/models/graph/lower.hpp"
#include "sim/iss/cpe/fp32.hpp"
#include "verif/cpe-kernels/operators/golden/golden.hpp"
#include "verif/host/models/graph/touched.hpp"

namespace swai::graph {
namespace {

using operators::Number;

uint32_t element_bytes(Element element) {
  return element == Element::kI8 ? 1 : element == Element::kF16 ? 2 : 4;
}

Number number_of(Element element) {
  switch (element) {
    case Element::kI8:
      return Number::kInt8;
    case Element::kF16:
      return Number::kFp16;
    case Element::kI32:
      return Number::kInt32;
    default:
      return Number::kFp32;
  }
}

struct Shape {
  uint32_t rows;
  uint32_t columns;
};

Shape shape_of(const Type& type, const std::map<std::string, Range>& symbols) {
  return {static_cast<uint32_t>(type.rows().range(symbols).most),
          static_cast<uint32_t>(type.dimensions.back().range(symbols).most)};
}

}  // namespace

Walked::Walked(const Graph& graph, uint64_t seed) : graph_(graph), random_(seed), card_(random_, 2, 4) {
  const Graph card_graph = lowered(graph);
  const Plan planned = plan(card_graph);
  pattern_ = template_of(card_graph, planned);
  block_ = card_.tensor(1, static_cast<uint32_t>(std::max<int64_t>(planned.bytes, 1)), 1);
  std::vector<cpe::GlobalPtr<void>> bases = {block_.at()};
  for (ValueId id = 0; id < graph.values.size(); ++id) {
    const Value& value = graph.values[id];
    if (is_planned(value.kind)) continue;
    tensors_.emplace(id, place(value));
    bases.push_back(tensors_.at(id).at());
    if (value.type.packed) {
      pack(value, id);
    } else {
      fill(value, tensors_.at(id));
    }
  }
  list_ = list_of(pattern_, bases);
}

// Plain weights for double precision, packed ones for the card.
void Walked::pack(const Value& value, ValueId id) {
  const Shape shape = shape_of(value.type, {});
  const size_t count = size_t{shape.rows} * shape.columns;
  std::vector<uint8_t> packed(static_cast<size_t>(value.type.bytes().constant().value()));
  Matrix& matrix = packed_[id] = {shape.rows, shape.columns, {}};
  if (value.type.element == Element::kI8) {
    std::vector<int8_t> plain;
    for (size_t i = 0; i < count; ++i) plain.push_back(static_cast<int8_t>(random_.below(255) - 127));
    if (const auto tiles = static_cast<uint32_t>(value.type.packed->tiles); tiles != 0) {
      for (size_t i = 0; i < count; ++i) {
        if (i % 5 != 0) plain[i] = 0;
      }
      matrix.numbers.assign(plain.begin(), plain.end());
      packed = operators::pack_linear_sparse({shape.columns, shape.rows, tiles}, plain);
    } else {
      matrix.numbers.assign(plain.begin(), plain.end());
      operators::pack_linear(plain, shape.columns, shape.rows,
                             {reinterpret_cast<int8_t*>(packed.data()), packed.size()});
    }
  } else {
    const auto group = static_cast<uint32_t>(value.type.packed->group);
    const size_t groups = (shape.columns + group - 1) / group;
    const auto some = [&](size_t how_many, uint8_t from, uint8_t to) {
      std::vector<uint8_t> all(how_many);
      for (uint8_t& one : all) one = static_cast<uint8_t>(random_.between(from, to));
      return all;
    };
    const auto numbers = some(count, 0, 15), scales = some(shape.rows * groups, 1, 8),
               zeros = some(shape.rows * groups, 0, 15);
    for (size_t row = 0; row < shape.rows; ++row) {
      for (size_t column = 0; column < shape.columns; ++column) {
        const size_t of_group = row * groups + column / group;
        matrix.numbers.push_back((numbers[row * shape.columns + column] - zeros[of_group]) *
                                 scales[of_group]);
      }
    }
    operators::pack_linear_w4({shape.columns, shape.rows, group, false}, numbers, scales, zeros, {}, packed);
  }
  for (uint32_t i = 0; i < packed.size(); ++i) tensors_.at(id).set(0, i, packed[i]);
}

Walked::Tensor Walked::place(const Value& value) {
  if (value.type.packed)
    return card_.tensor(1, static_cast<uint32_t>(value.type.bytes().constant().value()), 1);
  const Shape shape = shape_of(value.type, graph_.symbols);
  return card_.tensor(shape.rows, shape.columns, element_bytes(value.type.element));
}

// Numbers that bytes with a power of two as scale can say exactly, if the largest of each 128 is 127: then
// quantising them is exact, too. Tokens are those of a small vocabulary, settings choose the likeliest one,
// texts have two chunks or more, no two rows of three the same position, below 99.
void Walked::fill(const Value& value, Tensor& tensor) {
  for (uint32_t row = 0; row < tensor.rows; ++row) {
    for (uint32_t column = 0; column < tensor.columns; ++column) {
      if (value.name == "greedy") {
        constexpr std::array<float, 12> kGreedy = {0, 1, 0, 0, 0, 0, 1.5F, 0.25F, 0.125F};  // SampleSettings
        tensor.set(row, column, std::bit_cast<uint32_t>(kGreedy.at(column)));
      } else if (value.name == "positions") {
        tensor.set(row, column, 33 * column + static_cast<uint32_t>(random_.below(33)));
      } else if (value.name == "chunks") {
        // Each row's are its own, the last one first.
        tensor.set(row, column, (row + 1) * tensor.columns - 1 - column);
      } else if (value.type.element == Element::kI32) {
        tensor.set(row, column, static_cast<uint32_t>(random_.below(20)));
      } else if (value.type.element == Element::kI8) {
        tensor.set(row, column, static_cast<int8_t>(random_.below(255) - 127));
      } else {
        const int number = column % 128 == 0 ? -127 : static_cast<int>(random_.below(253)) - 126;
        tensor.write(number_of(value.type.element), row, column,
                     std::bit_cast<uint32_t>(static_cast<float>(number) / 64));
      }
    }
  }
}

Matrix Walked::numbers(const Value& value, const Tensor& tensor,
                       const std::map<std::string, Range>& symbols) const {
  const Shape shape = shape_of(value.type, symbols);
  Matrix matrix = {shape.rows, shape.columns, {}};
  for (uint32_t row = 0; row < shape.rows; ++row) {
    for (uint32_t column = 0; column < shape.columns; ++column) {
      matrix.numbers.push_back(std::bit_cast<float>(tensor.read(number_of(value.type.element), row, column)));
    }
  }
  return matrix;
}

void Walked::run(const std::map<std::string, int64_t>& symbols) {
  std::map<std::string, Range> ranges;
  for (const auto& [name, value] : symbols) ranges[name] = {value, value};
  std::map<ValueId, Matrix> values = packed_;
  std::vector<Tensor*> all = {&block_};
  for (auto& [id, tensor] : tensors_) {
    all.push_back(&tensor);
    const Value& value = graph_.values[id];
    if (value.kind == ValueKind::kInput) fill(value, tensor);
    if (value.kind != ValueKind::kOutput && !value.type.packed)
      values.emplace(id, numbers(value, tensor, ranges));
  }
  const std::vector<uint64_t> parameters = parameters_of(pattern_, symbols);
  std::vector<node::Node> seen;
  for (const node::Node& node : list_) seen.push_back(operators::golden::patched(node, parameters));
  CHECK_FALSE(is_unordered(seen));
  const auto result = card_.walk(list_, card_.all(), all, parameters);
  INFO(card_.describe(result));
  REQUIRE(result.ok());
  evaluate(graph_, symbols, values);
  for (auto& [id, tensor] : tensors_) {
    const Value& value = graph_.values[id];
    CAPTURE(value.name);
    if (value.kind == ValueKind::kOutput || value.kind == ValueKind::kState) {
      compare(value, tensor, values.at(id));
    } else {
      CHECK(card_.difference(tensor) == "");
    }
  }
}

// What of it is there is as it should be, all else as it was.
void Walked::compare(const Value& value, Tensor& tensor, const Matrix& right) {
  Tensor now = tensor;
  card_.take(now);
  const Number number = number_of(value.type.element);
  // Half a unit in the last place, and what comes before it.
  const double epsilon = number == Number::kFp16 ? 1e-3 : number == Number::kFp32 ? 2e-4 : 0;
  for (uint32_t row = 0; row < right.rows; ++row) {
    for (uint32_t column = 0; column < right.columns; ++column) {
      const double expected = right.at(row, column);
      const uint32_t bits = now.read(number, row, column);
      CAPTURE(row);
      CAPTURE(column);
      const double found = std::bit_cast<float>(bits);
      CHECK((found == expected || std::abs(found - expected) <= epsilon * (1 + std::abs(expected))));
      tensor.write(number, row, column, bits);
    }
  }
  CHECK(card_.difference(tensor) == "");
}

}  // namespace swai::graph
