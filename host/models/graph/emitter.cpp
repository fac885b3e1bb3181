// SPDX-License-Identifier: Apache-2.0
#include "host/models/graph/emitter.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace swai::graph {
namespace {

// As the card's operators call it; none for what only products take.
std::optional<operators::Number> number_of(Element element) {
  using operators::Number;
  switch (element) {
    case Element::kF32:
      return Number::kFp32;
    case Element::kF16:
      return Number::kFp16;
    case Element::kI32:
      return Number::kInt32;
    case Element::kI8:
      return Number::kInt8;
    case Element::kI4:
      break;
  }
  return std::nullopt;
}

}  // namespace

Size Emitter::stride(ValueId id) const {
  const Value& value = graph_.values[id];
  const Size bytes = value.type.row_bytes();
  return is_planned(graph_.values[value.storage].kind) ? bytes.range(graph_.symbols).most : bytes;
}

operators::Number Emitter::number(ValueId id) const {
  const auto number = number_of(type(id).element);
  if (!number) use_.fail(fmt::format("{} is i4, which it does not take", graph_.values[id].name));
  return *number;
}

size_t count_patches(const CardNode& node) {
  return node.open.size() + static_cast<size_t>(std::ranges::count_if(
                                node.pointers, [](const auto& one) { return !one.byte.constant(); }));
}

}  // namespace swai::graph
