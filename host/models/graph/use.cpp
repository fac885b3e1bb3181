// SPDX-License-Identifier: Apache-2.0
#include "host/models/graph/use.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace swai::graph {

std::optional<ValueId> Use::operand(const std::string& name) const {
  const auto found = std::ranges::find(signature_.parameters, name, &Parameter::name);
  // A rule may serve operators that do not all take it.
  if (found == signature_.parameters.end()) return std::nullopt;
  return node_.operands[static_cast<size_t>(found - signature_.parameters.begin())];
}

const Type& Use::typed(const std::string& name, size_t dimensions, std::span<const Element> elements) const {
  const std::optional<ValueId> value = operand(name);
  if (!value) fail(fmt::format("{} is missing", name));
  const Type& type = graph_.values[*value].type;
  if (type.dimensions.size() != dimensions) {
    fail(fmt::format("{} is {}; it should have {} dimension{}", name, type.text(), dimensions,
                     dimensions == 1 ? "" : "s"));
  }
  if (std::ranges::find(elements, type.element) == elements.end()) {
    std::vector<std::string> names;
    for (const Element element : elements) names.emplace_back(to_text(element));
    fail(fmt::format("{} is {}; its elements should be {}", name, type.text(), fmt::join(names, " or ")));
  }
  return type;
}

const Type& Use::tensor(const std::string& name, size_t dimensions, std::span<const Element> elements) const {
  const Type& type = typed(name, dimensions, elements);
  if (type.packed) fail(fmt::format("{} is {}; only weights of products are packed", name, type.text()));
  return type;
}

const Type& Use::packed_weight(const std::string& name, std::span<const Element> elements) const {
  const Type& type = typed(name, 2, elements);
  if (type.element == Element::kI8 && !type.packed)
    fail(fmt::format("{0} is {1}; such weights lie packed: declare {1} packed", name, type.text()));
  if (type.element == Element::kI4 && !type.packed)
    fail(fmt::format("{0} is {1}; such weights lie packed: declare {1} packed 32", name, type.text()));
  return type;
}

Size Use::size(const std::string& name) const { return std::get<Size>(node_.settings.at(name)); }
double Use::real(const std::string& name) const { return std::get<double>(node_.settings.at(name)); }
std::string Use::word(const std::string& name) const {
  return std::get<std::string>(node_.settings.at(name));
}

int64_t Use::count(const std::string& name) const {
  const std::optional<int64_t> known = size(name).constant();
  if (!known || *known < 1) {
    fail(fmt::format("{} is {}; it has to be a number, 1 or more", name, size(name).text()));
  }
  return *known;
}

void Use::same(const Size& a, const Size& b, const std::string& what) const {
  if (!(a == b)) fail(fmt::format("{} differ: {} and {}", what, a.text(), b.text()));
}

void Use::at_most(const Size& a, const Size& b, const std::string& what) const {
  if ((b - a).range(graph_.symbols).least < 0) {
    fail(fmt::format("{} must stay within bounds: {} may be more than {}", what, a.text(), b.text()));
  }
}

void Use::fail(const std::string& message) const {
  throw GraphError(node_.place, fmt::format("{}{}: {}", signature_.name, node_.context, message));
}

}  // namespace swai::graph
