// SPDX-License-Identifier: Apache-2.0
// The largest of each row: to the bit, and what is refused.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cpe-kernels/operators/top_k/plan.hpp"
#include "verif/cpe-kernels/operators/golden/golden.hpp"
#include "verif/cpe-kernels/operators/shapes.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::operators::test {

using node::Refusal;

TEST_CASE("top_k: ties, zeros of both signs, NaN, infinities, vocabularies") {
  verif::Random random(test_seed());
  for (int round = 0; round < rounds(60); ++round) {
    Card card(random);
    const uint32_t columns = random.chance(10) ? 51'864 : some_size(random, 20'000);
    const uint32_t rows = some_size(random, std::max(20'000 / columns, 1u));
    const uint32_t count = some_size(random, std::min(columns, kTopKCount));
    Tensor from = card.tensor(rows, columns, 4, some_gap(random));
    Tensor values = card.tensor(rows, count, 4);
    Tensor numbers = card.tensor(rows, count, 4);
    Tensor workspace = card.tensor(rows, top_k_parts(columns), 4);
    const float choices[] = {-0.0f, 0.0f, -1.5f, -3.0f, 2.5f, 7.0f, NAN, INFINITY, -INFINITY};
    const uint64_t kinds = random.between(1, std::size(choices));
    const uint64_t start = random.below(std::size(choices));
    const uint64_t chosen = std::array{0, 1, 50, 100}[random.below(4)];
    for (uint32_t row = 0; row < rows; ++row) {
      for (uint32_t i = 0; i < columns; ++i) {
        const float one = choices[(start + random.below(kinds)) % std::size(choices)];
        from.set(row, i, random.chance(chosen) ? one : some_float(random));
      }
    }
    const TopKArgs args = {values.at(), numbers.at(), from.at(), workspace.at(),
                           rows,        columns,      count,     from.stride};
    const uint32_t mask = some_mask(random, card.all());
    INFO(fmt::format("{} of {} x {}, mask {:#x}", count, rows, columns, mask));
    const std::vector<Tensor*> tensors = {&from, &values, &numbers, &workspace};
    const Result result = card.run(Operator::kTopK, args, mask, tensors);
    REQUIRE_MESSAGE(result.ok(), card.describe(result));
    golden::top_k(args, memory_of(tensors));
    REQUIRE(card.difference(numbers) == "");
    REQUIRE(card.difference(values) == "");
    REQUIRE(card.difference(workspace) == "");
  }
}

TEST_CASE("top_k: sizes and strides that are refused") {
  verif::Random random(test_seed() + 1);
  const auto refused = [&](auto change, Refusal reason) {
    Card card(random);
    Tensor from = card.tensor(3, 700, 4);
    Tensor to = card.tensor(3, 700, 4);
    TopKArgs args = {to.at(), to.at(), from.at(), to.at(), 3, 700, 5, from.stride};
    change(args);
    const Result result = card.walk(one(Operator::kTopK, args), card.all(), {&from, &to});
    CHECK(result.failed == card.all());
    CHECK(card.state(0).refusal == reason);
    CHECK(card.difference(to) == "");
  };
  refused([](TopKArgs& args) { args.rows = 0; }, Refusal::kShape);
  refused([](TopKArgs& args) { args.columns = kTopKColumns + 1; }, Refusal::kShape);
  refused([](TopKArgs& args) { args.count = 0; }, Refusal::kShape);
  refused([](TopKArgs& args) { args.count = kTopKCount + 1; }, Refusal::kShape);
  refused([](TopKArgs& args) { args.columns = 4; }, Refusal::kShape);
  refused([](TopKArgs& args) { args.from_stride = 0; }, Refusal::kStride);
}

}  // namespace swai::operators::test
