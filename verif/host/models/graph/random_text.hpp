// SPDX-License-Identifier: Apache-2.0
// Random graphs of what the card has.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace swai::graph {

// Symbols: n from 1 to 9, past from 0 to 6. Matrices have n rows, or some more or fewer, and one of two
// widths.
class RandomText {
 public:
  explicit RandomText(std::mt19937_64& random) : random_(random) {}
  std::string text(size_t nodes);

 private:
  struct Value {
    std::string name;
    std::string rows;
    char width;
  };

  const Value& any() { return values_[random_() % values_.size()]; }
  // Another one of the same shape, or itself.
  std::string alike(const Value& value);
  std::string of_n(char width) { return alike({"", "n", width}); }
  void add(const std::string& name);
  std::string product(const Value& x, const std::string& name, char width);
  // Results that no other node takes: of the same inputs always, so that nothing depends on rounding.
  std::string tail();

  std::mt19937_64& random_;
  std::string text_;
  std::vector<Value> values_;
  std::vector<std::string> states_;  // that have not been extended yet, by width
};

}  // namespace swai::graph
