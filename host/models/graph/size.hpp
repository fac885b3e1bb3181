// SPDX-License-Identifier: Apache-2.0
// Sizes with symbols: what is known when the graph is written, and what only when it runs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace swai::graph {

// A size that nobody can compute with: too large, too many terms, a division by zero.
class SizeError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Range {
  int64_t least = 0;
  int64_t most = 0;
};

// A sum of products of symbols, in one normal form: two sizes that are equal for every value of their symbols
// are equal here, except that quotients are compared by how they are written.
class Size {
 public:
  // A symbol, or a quotient that no normal form has.
  struct Atom {
    std::string text;
    std::shared_ptr<const Size> numerator;
    int64_t divisor = 1;
    friend bool operator==(const Atom& a, const Atom& b) { return a.text == b.text; }
    friend auto operator<=>(const Atom& a, const Atom& b) { return a.text <=> b.text; }
  };
  using Product = std::vector<Atom>;  // in order; never empty
  // Nobody's graph has more; a hostile one would take all memory for (a + b + ...) * (a + b + ...) * ...
  static constexpr size_t kMaxTerms = 64;
  static constexpr size_t kMaxFactors = 8;

  Size(int64_t constant = 0) : known_(constant) {}
  static Size symbol(const std::string& name);

  friend Size operator+(const Size& a, const Size& b);
  friend Size operator-(const Size& a, const Size& b);
  friend Size operator*(const Size& a, const Size& b);
  // Rounded down.
  friend Size operator/(const Size& a, int64_t by);
  friend bool operator==(const Size& a, const Size& b) {
    return a.known_ == b.known_ && a.terms_ == b.terms_;
  }

  std::optional<int64_t> constant() const { return terms_.empty() ? std::optional(known_) : std::nullopt; }
  // The term without symbols.
  int64_t known_part() const { return known_; }
  // The others, each with its factor.
  const std::map<Product, int64_t>& terms() const { return terms_; }
  // Bounds, not always tight ones.
  Range range(const std::map<std::string, Range>& symbols) const;
  std::string text() const;

 private:
  void add(const Product& product, int64_t factor);

  int64_t known_ = 0;                 // apart, because most sizes have no symbols
  std::map<Product, int64_t> terms_;  // none is 0
};

}  // namespace swai::graph
