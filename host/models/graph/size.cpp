// SPDX-License-Identifier: Apache-2.0
#include "host/models/graph/size.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace swai::graph {
namespace {

constexpr size_t kMaxText =
    4096;  // of a quotient: one of quotients of quotients would double from each to the next

[[noreturn]] void too_large() { throw SizeError("the size does not fit into 63 bits"); }

int64_t sum(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) too_large();
  return result;
}

int64_t product(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) too_large();
  return result;
}

int64_t quotient(int64_t a, int64_t by) { return a / by - (a % by < 0 ? 1 : 0); }

Range product(Range a, Range b) {
  const auto [least, most] = std::minmax({product(a.least, b.least), product(a.least, b.most),
                                          product(a.most, b.least), product(a.most, b.most)});
  return {least, most};
}

}  // namespace

Size Size::symbol(const std::string& name) {
  Size size;
  size.add({Atom{name, nullptr, 1}}, 1);
  return size;
}

void Size::add(const Product& product, int64_t factor) {
  const auto [term, is_new] = terms_.try_emplace(product, 0);
  term->second = sum(term->second, factor);
  if (term->second == 0) terms_.erase(term);
  if (terms_.size() > kMaxTerms || product.size() > kMaxFactors)
    throw SizeError("the size has too many terms");
}

Size operator+(const Size& a, const Size& b) {
  Size result = a;
  result.known_ = sum(a.known_, b.known_);
  for (const auto& [product, factor] : b.terms_) result.add(product, factor);
  return result;
}

Size operator-(const Size& a, const Size& b) { return a + b * -1; }

Size operator*(const Size& a, const Size& b) {
  Size result = product(a.known_, b.known_);
  if (b.known_ != 0)
    for (const auto& [atoms, factor] : a.terms_) result.add(atoms, product(factor, b.known_));
  if (a.known_ != 0)
    for (const auto& [atoms, factor] : b.terms_) result.add(atoms, product(a.known_, factor));
  for (const auto& [left, left_factor] : a.terms_) {
    for (const auto& [right, right_factor] : b.terms_) {
      Size::Product joined;
      std::ranges::merge(left, right, std::back_inserter(joined));
      result.add(joined, product(left_factor, right_factor));
    }
  }
  return result;
}

Size operator/(const Size& a, int64_t by) {
  if (by <= 0) throw SizeError("the divisor has to be 1 or more");
  // What divides without a rest leaves the quotient: (4 * frames + 2) / 4 is frames + 2 / 4.
  const bool divides = a.known_ % by == 0;
  Size whole = divides ? a.known_ / by : 0;
  Size rest = divides ? 0 : a.known_;
  for (const auto& [product, factor] : a.terms_) {
    (factor % by == 0 ? whole : rest).add(product, factor % by == 0 ? factor / by : factor);
  }
  if (const std::optional<int64_t> number = rest.constant()) return whole + quotient(*number, by);
  const std::string text = fmt::format("({}) / {}", rest.text(), by);
  if (text.size() > kMaxText) throw SizeError("the size is a quotient of too many others");
  whole.add({Size::Atom{text, std::make_shared<const Size>(rest), by}}, 1);
  return whole;
}

Range Size::range(const std::map<std::string, Range>& symbols) const {
  Range total = {known_, known_};
  for (const auto& [atoms, factor] : terms_) {
    Range term = {factor, factor};
    for (const Atom& atom : atoms) {
      Range one;
      if (atom.numerator) {
        one = atom.numerator->range(symbols);
        one = {quotient(one.least, atom.divisor), quotient(one.most, atom.divisor)};
      } else {
        one = symbols.at(atom.text);
      }
      term = product(term, one);
    }
    total = {sum(total.least, term.least), sum(total.most, term.most)};
  }
  return total;
}

std::string Size::text() const {
  std::string text = known_ == 0 ? "" : fmt::format("{}", known_);
  for (const auto& [atoms, factor] : terms_) {
    const bool minus = factor < 0;
    text += text.empty() ? (minus ? "-" : "") : (minus ? " - " : " + ");
    const uint64_t count = minus ? -static_cast<uint64_t>(factor) : static_cast<uint64_t>(factor);
    std::string term = count == 1 ? "" : fmt::format("{}", count);
    // A quotient that is multiplied stands in parentheses: 2 * (n / 3) is not 2 * n / 3.
    const bool alone = count == 1 && atoms.size() == 1;
    for (const Atom& atom : atoms)
      term += (term.empty() ? "" : " * ") + (atom.numerator && !alone ? "(" + atom.text + ")" : atom.text);
    text += term;
  }
  return text.empty() ? "0" : text;
}

}  // namespace swai::graph
