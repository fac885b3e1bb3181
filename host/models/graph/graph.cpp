// SPDX-License-Identifier: Apache-2.0
#include "host/models/graph/graph.hpp"

#include <fmt/format.h>

#include <array>

#include "cpe-kernels/operators/linear_sparse/plan.hpp"
#include "cpe-kernels/operators/linear_w4/plan.hpp"

namespace swai::graph {
namespace {

struct ElementRow {
  Element element;
  const char* name;
  int bits;
};
constexpr std::array kElements = {ElementRow{Element::kI4, "i4", 4}, ElementRow{Element::kI8, "i8", 8},
                                  ElementRow{Element::kI32, "i32", 32}, ElementRow{Element::kF16, "f16", 16},
                                  ElementRow{Element::kF32, "f32", 32}};

constexpr int64_t kMaxPacked = operators::kMaxSize;

const ElementRow& row_of(Element element) { return kElements[static_cast<size_t>(element)]; }

}  // namespace

const char* to_text(Element element) { return row_of(element).name; }

const char* to_text(ValueKind kind) {
  static constexpr std::array kNames = {"input", "weight", "state", "output", "buffer", "temporary"};
  return kNames[static_cast<size_t>(kind)];
}

std::optional<Element> element_of(const std::string& name) {
  for (const ElementRow& row : kElements) {
    if (name == row.name) return row.element;
  }
  return std::nullopt;
}

std::string Type::text() const {
  std::string text = to_text(element);
  for (size_t i = 0; i < dimensions.size(); ++i) text += (i == 0 ? "[" : ", ") + dimensions[i].text();
  text += "]";
  if (packed) text += " packed";
  if (packed && packed->group != 0) text += fmt::format(" {}", packed->group);
  if (packed && packed->minima) text += " minima";
  if (packed && packed->tiles != 0) text += fmt::format(" sparse {}", packed->tiles);
  if (split) text += fmt::format(" split {}", *split);
  return text;
}

Size Type::rows() const {
  Size rows = 1;
  for (size_t i = 0; i + 1 < dimensions.size(); ++i) rows = rows * dimensions[i];
  return rows;
}

Size Type::row_bytes() const { return (dimensions.back() * row_of(element).bits + 7) / 8; }

Size Type::bytes() const {
  if (!packed) return rows() * row_bytes();
  const auto known = [&](size_t dimension) {
    const std::optional<int64_t> size = dimensions.at(dimension).constant();
    if (!size || *size > kMaxPacked) throw SizeError("the sizes of packed weights are known, and below 2^24");
    return static_cast<uint32_t>(*size);
  };
  const uint32_t depth = known(1), columns = known(0);
  const auto group = static_cast<uint32_t>(packed->group);
  uint64_t bytes = 0;
  if (element == Element::kI4) {
    bytes = operators::W4Layout{depth, columns, group, packed->minima}.bytes();
  } else if (packed->tiles != 0) {
    bytes = operators::SparseLayout{depth, columns, static_cast<uint32_t>(packed->tiles)}.bytes();
  } else {
    bytes = operators::packed_linear_bytes(depth, columns);
  }
  return static_cast<int64_t>(bytes);
}

}  // namespace swai::graph
