// SPDX-License-Identifier: Apache-2.0
// Functions of elements: to the bit, and near those in double precision.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "cpe-kernels/operators/common/limits.hpp"
#include "cpe-kernels/operators/unary/reference.hpp"
#include "verif/cpe-kernels/operators/functions.hpp"
#include "verif/cpe-kernels/operators/shapes.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::operators::test {
namespace {

// Of the result: a part of it, and a number. What docs/reference/operators.md says.
double bound(Operator operation, double exact) {
  switch (operation) {
    case Operator::kRelu:
    case Operator::kCast:
      return 0;
    case Operator::kGeluErf:
      return 5e-7 + 3e-7 * std::abs(exact);
    default:
      return 2e-7 + 2e-6 * std::abs(exact);
  }
}

// One launch of CPEs that `mask_of` chooses among all.
template <typename F>
void check_function(verif::Random& random, Operator operation, const Shape& shape, F mask_of) {
  Card card(random);
  const auto number = [&] { return random.chance(70) ? Number::kFp32 : Number::kFp16; };
  UnaryArgs args{.rows = shape.rows, .columns = shape.columns};
  args.from_type = number();
  args.to_type = number();
  Tensor from = card.tensor(shape.rows, shape.columns, bytes_of(args.from_type), some_gap(random));
  Tensor to = card.tensor(shape.rows, shape.columns, bytes_of(args.to_type), some_gap(random));
  fill(random, from, args.from_type);
  args.to = to.at();
  args.from = from.at();
  args.to_stride = to.stride;
  args.from_stride = from.stride;
  const uint32_t mask = mask_of(card.all());
  const Result result = card.run(operation, args, mask, {&from, &to});
  INFO(fmt::format("{}: {} x {}, mask {:#x}", name(static_cast<uint16_t>(operation)), shape.rows,
                   shape.columns, mask));
  REQUIRE(result.ok());
  for (uint32_t row = 0; row < shape.rows; ++row) {
    for (uint32_t column = 0; column < shape.columns; ++column) {
      const Real x = Real::of(from.read(args.from_type, row, column));
      const Real y = model_function(operation, x);
      to.write(args.to_type, row, column, y.bits);
      const double exact = reference::unary(operation, x.value());
      CHECK(std::abs(y.value() - exact) <= bound(operation, exact));
    }
  }
  REQUIRE(card.difference(to) == "");
}

Operator some_function(verif::Random& random) {
  static constexpr std::array kFunctions = {Operator::kRelu, Operator::kSilu, Operator::kGeluErf,
                                            Operator::kGeluTanh, Operator::kCast};
  return kFunctions[random.below(kFunctions.size())];
}

}  // namespace

TEST_CASE("relu, silu, gelu, cast: any shapes, strides, CPEs, fp32 and fp16") {
  verif::Random random(test_seed());
  for (int round = 0; round < rounds(80); ++round) {
    const Operator function = some_function(random);
    check_function(random, function, some_shape(random, 12'000),
                   [&](uint32_t all) { return some_mask(random, all); });
  }
}

// Where CPEs have several tiles each, they load and store all together.
TEST_CASE("relu, silu, gelu, cast of large matrices") {
  verif::Random random(test_seed() + 1);
  for (int round = 0; round < rounds(4); ++round) {
    const Operator function = some_function(random);
    const auto rows = static_cast<uint32_t>(random.between(1, 4));
    const auto columns = static_cast<uint32_t>(random.between(480'000, 560'000)) / rows;
    check_function(random, function, {rows, columns}, [&](uint32_t all) {
      return random.chance(50) ? all : all & ~(0xffu << random.below(24));
    });
  }
}

}  // namespace swai::operators::test
