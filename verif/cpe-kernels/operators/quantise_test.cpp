// SPDX-License-Identifier: Apache-2.0
// Quantise, and back.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "cpe-kernels/operators/quantise/plan.hpp"
#include "verif/cpe-kernels/operators/golden/golden.hpp"
#include "verif/cpe-kernels/operators/shapes.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::operators::test {
namespace {

uint32_t some_group(verif::Random& random, uint32_t columns) {
  if (random.chance(40) || columns < 8) return columns;
  const uint32_t group = random.chance(50) ? 128 : 8 * static_cast<uint32_t>(random.between(1, 40));
  return std::min(group, columns);
}

Shape rows_of_any_length(verif::Random& random, uint32_t most) {
  // Few long rows, whose groups CPEs share, come by themselves too rarely.
  if (random.chance(20))
    return {static_cast<uint32_t>(random.between(1, 8)),
            static_cast<uint32_t>(random.between(most / 4, most))};
  const uint32_t columns = random.chance(10) ? most : some_size(random, most);
  return {some_size(random, std::max(12'000 / columns, 1u)), columns};
}

}  // namespace

TEST_CASE("quantise: a scale for each row or group, rows of zeros, any shape") {
  verif::Random random(test_seed());
  for (int round = 0; round < rounds(60); ++round) {
    Card card(random);
    const Shape shape = rows_of_any_length(random, kMaxQuantisedRow);
    QuantiseArgs args{
        .rows = shape.rows, .columns = shape.columns, .group = some_group(random, shape.columns)};
    const uint32_t groups = groups_of(shape.columns, args.group);
    args.from_type = random.chance(70) ? Number::kFp32 : Number::kFp16;
    Tensor from = card.tensor(shape.rows, shape.columns, bytes_of(args.from_type), some_gap(random));
    Tensor to = card.tensor(shape.rows, shape.columns, 1, some_gap(random));
    Tensor scales = card.tensor(groups, shape.rows, 4, some_gap(random));
    overlap_some(random, from, bytes_of(args.from_type));
    fill(random, from, args.from_type);
    if (random.chance(20)) {
      for (uint32_t i = 0; i < shape.columns; ++i) from.write(args.from_type, 0, i, 0);
    }
    args.to = to.at();
    args.from = from.at();
    args.scales = scales.at();
    args.to_stride = to.stride;
    args.from_stride = from.stride;
    args.scales_stride = scales.stride;
    const uint32_t mask = some_mask(random, card.all());
    INFO(fmt::format("{} x {}, groups of {}, mask {:#x}", shape.rows, shape.columns, args.group, mask));
    const std::vector<Tensor*> tensors = {&from, &to, &scales};
    REQUIRE(card.run(Operator::kQuantise, args, mask, tensors).ok());
    golden::quantise(args, memory_of(tensors));
    for (uint32_t row = 0; row < shape.rows; ++row) {
      for (uint32_t i = 0; i < shape.columns; ++i) {
        // Half a step, and what rounding of the inverse adds.
        const double scale = scales.get<float>(i / args.group, row);
        const double x = Real::of(from.read(args.from_type, row, i)).value();
        CHECK(std::abs(to.get<int8_t>(row, i) * scale - x) <= 0.50005 * scale);
      }
    }
    REQUIRE(card.difference(to) == "");
    REQUIRE(card.difference(scales) == "");
  }
}

TEST_CASE("dequantise: int8 and int32, a scale for each row or group") {
  verif::Random random(test_seed() + 1);
  for (int round = 0; round < rounds(40); ++round) {
    Card card(random);
    const Shape shape = rows_of_any_length(random, kMaxRow);
    DequantiseArgs args{
        .rows = shape.rows, .columns = shape.columns, .group = some_group(random, shape.columns)};
    const uint32_t groups = groups_of(shape.columns, args.group);
    args.from_type = random.chance(70) ? Number::kInt8 : Number::kInt32;
    args.to_type = random.chance(70) ? Number::kFp32 : Number::kFp16;
    Tensor from = card.tensor(shape.rows, shape.columns, bytes_of(args.from_type), some_gap(random));
    Tensor to = card.tensor(shape.rows, shape.columns, bytes_of(args.to_type), some_gap(random));
    Tensor scales = card.tensor(groups, shape.rows, 4, some_gap(random));
    fill(random, scales, Number::kFp32);
    args.to = to.at();
    args.from = from.at();
    args.scales = scales.at();
    args.to_stride = to.stride;
    args.from_stride = from.stride;
    args.scales_stride = scales.stride;
    const uint32_t mask = some_mask(random, card.all());
    INFO(fmt::format("{} x {}, groups of {}, mask {:#x}", shape.rows, shape.columns, args.group, mask));
    REQUIRE(card.run(Operator::kDequantise, args, mask, {&from, &to, &scales}).ok());
    for (uint32_t row = 0; row < shape.rows; ++row) {
      for (uint32_t i = 0; i < shape.columns; ++i) {
        const Real scale = Real(scales.get<float>(i / args.group, row));
        to.write(args.to_type, row, i, (Real::of(from.read(args.from_type, row, i)) * scale).bits);
      }
    }
    REQUIRE(card.difference(to) == "");
  }
}

TEST_CASE("groups that do not fit, and types that are not quantised, are refused") {
  const auto check_with = [](auto change) {
    QuantiseArgs args{.rows = 2,
                      .columns = 100,
                      .group = 32,
                      .to_stride = 100,
                      .from_stride = 400,
                      .scales_stride = 8,
                      .from_type = Number::kFp32};
    change(args);
    return check(args);
  };
  using node::Refusal;
  CHECK(check_with([](QuantiseArgs&) {}) == Refusal::kNone);
  CHECK(check_with([](QuantiseArgs& args) { args.group = 0; }) == Refusal::kShape);
  CHECK(check_with([](QuantiseArgs& args) { args.group = 12; }) == Refusal::kShape);
  CHECK(check_with([](QuantiseArgs& args) { args.group = 104; }) == Refusal::kShape);
  CHECK(check_with([](QuantiseArgs& args) { args.columns = kMaxQuantisedRow + 1; }) == Refusal::kShape);
  CHECK(check_with([](QuantiseArgs& args) { args.from_type = Number::kInt32; }) == Refusal::kType);
  CHECK(check_with([](QuantiseArgs& args) { args.from_stride = 4; }) == Refusal::kNone);
  CHECK(check_with([](QuantiseArgs& args) { args.from_stride = 0; }) == Refusal::kStride);
  CHECK(check_with([](QuantiseArgs& args) { args.from_stride = kMaxStride + 1; }) == Refusal::kStride);
  CHECK(check_with([](QuantiseArgs& args) { args.scales_stride = 7; }) == Refusal::kStride);
}

}  // namespace swai::operators::test
