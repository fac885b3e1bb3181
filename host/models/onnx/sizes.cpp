// SPDX-License-Identifier: Apache-2.0
#include "host/models/onnx/sizes.hpp"

#include <algorithm>

namespace swai::onnx {
namespace {

using graph::Size;

Size product_of(const Size::Product& atoms, int64_t factor) {
  Size result = factor;
  for (const Size::Atom& atom : atoms) {
    Size one = atom.numerator ? *atom.numerator / atom.divisor : Size::symbol(atom.text);
    result = result * one;
  }
  return result;
}

// One term by another.
std::optional<Size> term_over(const Size::Product& above, int64_t factor, const Size::Product& below,
                              int64_t divisor) {
  if (divisor == 0 || (divisor == -1 ? false : factor % divisor != 0)) return std::nullopt;
  if (!std::ranges::includes(above, below)) return std::nullopt;
  Size::Product rest;
  std::ranges::set_difference(above, below, std::back_inserter(rest));
  return product_of(rest, divisor == -1 ? (Size(0) - Size(factor)).known_part() : factor / divisor);
}

}  // namespace

std::optional<Size> divided(const Size& a, const Size& b) {
  if (a == b) return Size(1);
  if (b == Size(0)) return std::nullopt;
  return calculated([&]() -> std::optional<Size> {
    if (b.terms().empty() || (b.terms().size() == 1 && b.known_part() == 0)) {
      const Size::Product below = b.terms().empty() ? Size::Product() : b.terms().begin()->first;
      const int64_t divisor = b.terms().empty() ? b.known_part() : b.terms().begin()->second;
      Size result = 0;
      if (a.known_part() != 0) {
        const auto term = term_over({}, a.known_part(), below, divisor);
        if (!term) return std::nullopt;
        result = *term;
      }
      for (const auto& [atoms, factor] : a.terms()) {
        const auto term = term_over(atoms, factor, below, divisor);
        if (!term) return std::nullopt;
        result = result + *term;
      }
      return result;
    }
    // A sum: only a multiple of it divides.
    if (a.terms().size() != b.terms().size() || !b.terms().contains(a.terms().begin()->first))
      return std::nullopt;
    const int64_t factor = a.terms().begin()->second, divisor = b.terms().at(a.terms().begin()->first);
    if (divisor == -1 || factor % divisor != 0) return std::nullopt;
    return b * Size(factor / divisor) == a ? std::optional(Size(factor / divisor)) : std::nullopt;
  });
}

}  // namespace swai::onnx
