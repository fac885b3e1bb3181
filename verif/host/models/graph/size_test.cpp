// SPDX-License-Identifier: Apache-2.0
// Sizes with symbols against plain arithmetic on random values of the symbols.
#include <functional>
#include <limits>
#include <random>

#include "verif/host/models/graph/text.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::graph {
namespace {

const std::array kNames = {"a", "b", "c"};
using Values = std::array<int64_t, kNames.size()>;

struct Pair {
  Size size;
  std::function<int64_t(const Values&)> value;
};

int64_t floor_div(int64_t a, int64_t by) { return a / by - (a % by < 0 ? 1 : 0); }

Pair random_size(std::mt19937_64& random, int depth) {
  const auto below = [&](uint64_t count) { return random() % count; };
  if (depth == 0 || below(4) == 0) {
    if (below(2) == 0) {
      const auto number = static_cast<int64_t>(below(9)) - 2;
      return {number, [=](const Values&) { return number; }};
    }
    const size_t index = below(kNames.size());
    return {Size::symbol(kNames[index]), [=](const Values& values) { return values[index]; }};
  }
  Pair a = random_size(random, depth - 1), b = random_size(random, depth - 1);
  const auto by = static_cast<int64_t>(below(5)) + 1;
  switch (below(4)) {
    case 0:
      return {a.size + b.size, [=](const Values& v) { return a.value(v) + b.value(v); }};
    case 1:
      return {a.size - b.size, [=](const Values& v) { return a.value(v) - b.value(v); }};
    case 2:
      return {a.size * b.size, [=](const Values& v) { return a.value(v) * b.value(v); }};
    default:
      return {a.size / by, [=](const Values& v) { return floor_div(a.value(v), by); }};
  }
}

// With bounds that leave one value.
int64_t value_of(const Size& size, const Values& values) {
  std::map<std::string, Range> symbols;
  for (size_t i = 0; i < kNames.size(); ++i) symbols[kNames[i]] = {values[i], values[i]};
  const Range range = size.range(symbols);
  CHECK(range.least == range.most);
  return range.least;
}

}  // namespace

TEST_CASE("random sizes against plain arithmetic; bounds hold") {
  std::mt19937_64 random(test_seed());
  int computed = 0;
  for (int round = 0; round < 2000; ++round) {
    Pair pair;
    try {
      pair = random_size(random, 4);
    } catch (const SizeError&) {  // too many terms
      continue;
    }
    const Range bounds = pair.size.range({{"a", {0, 9}}, {"b", {1, 7}}, {"c", {2, 3}}});
    for (int i = 0; i < 5; ++i) {
      const Values values = {static_cast<int64_t>(random() % 10), static_cast<int64_t>(1 + random() % 7),
                             static_cast<int64_t>(2 + random() % 2)};
      INFO(pair.size.text());
      const int64_t expected = pair.value(values);
      CHECK(value_of(pair.size, values) == expected);
      CHECK(bounds.least <= expected);
      CHECK(expected <= bounds.most);
      ++computed;
    }
    CHECK((pair.size - pair.size).constant() == 0);
  }
  CHECK(computed > 5000);
}

TEST_CASE("equal for all values of the symbols, however written") {
  const Size a = Size::symbol("a"), b = Size::symbol("b");
  CHECK((a + b) * (a - b) == a * a - b * b);
  CHECK(a * 4 / 2 == a + a);
  CHECK((a * 4 + b) / 4 == a + b / 4);
  CHECK_FALSE(a / 2 * 2 == a);
  CHECK_FALSE(a == b);
  CHECK((a * 3 - b + Size(-1)).text() == "-1 + 3 * a - b");
  CHECK(Size(0).text() == "0");
  CHECK((a - a).constant() == 0);
}

TEST_CASE("what nobody can compute with is refused") {
  const Size large = std::numeric_limits<int64_t>::max(), a = Size::symbol("a");
  CHECK_THROWS_AS(large + 1, SizeError);
  CHECK_THROWS_AS(large * 2, SizeError);
  CHECK_THROWS_AS(a / 0, SizeError);
  CHECK_THROWS_AS(a / -1, SizeError);
  CHECK_THROWS_AS((a * large * 2), SizeError);
  CHECK_THROWS_AS((a * a * large).range({{"a", {0, 100}}}), SizeError);
  Size power = a + 1;
  CHECK_THROWS_AS(
      [&] {
        for (int i = 0; i < 10; ++i) power = power * power;
      }(),
      SizeError);
}

}  // namespace swai::graph
