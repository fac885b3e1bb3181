// SPDX-License-Identifier: Apache-2.0
// Products of matrices, several in one node: to the bit, and near those in double precision.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "cpe-kernels/operators/matmul/plan.hpp"
#include "cpe-kernels/operators/matmul/reference.hpp"
#include "verif/cpe-kernels/operators/golden/golden.hpp"
#include "verif/cpe-kernels/operators/layers.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::operators::test {
namespace {

// Matrices of several products in one tensor: one below the other, side by side, or one for all.
class Stack {
 public:
  Stack() = default;
  Stack(verif::Random& random, Card& card, uint32_t products, Shape shape, Number type, bool is_read)
      : type_(type), rows_(shape.rows), columns_(shape.columns) {
    by_columns_ = random.chance(50);
    same_ = is_read && random.chance(20);
    const uint32_t across = by_columns_ && !same_ ? products : 1, down = by_columns_ || same_ ? 1 : products;
    tensor = card.tensor(down * shape.rows, across * shape.columns, bytes_of(type), some_gap(random));
  }

  Tensor tensor;
  uint32_t step() const {
    if (same_) return 0;
    return by_columns_ ? columns_ * bytes_of(type_) : rows_ * tensor.stride;
  }
  double read(uint32_t product, uint32_t row, uint32_t column) const {
    if (!same_) (by_columns_ ? column : row) += product * (by_columns_ ? columns_ : rows_);
    return Real::of(tensor.read(type_, row, column)).value();
  }

 private:
  Number type_ = Number::kFp32;
  uint32_t rows_ = 0, columns_ = 0;
  bool by_columns_ = false;
  bool same_ = false;
};

struct Products {
  Card card;
  MatmulArgs args{};
  Stack a, b, to;

  Products(verif::Random& random, uint32_t products, Shape shape, uint32_t depth) : card(random) {
    args.products = products;
    args.rows = shape.rows;
    args.depth = depth;
    args.columns = shape.columns;
    args.a_type = some_float_type(random);
    args.b_type = some_float_type(random);
    args.to_type = some_float_type(random);
    args.transposed = random.chance(50) ? 1 : 0;
    a = Stack(random, card, products, {shape.rows, depth}, args.a_type, true);
    const Shape of_b = args.transposed != 0 ? Shape{shape.columns, depth} : Shape{depth, shape.columns};
    b = Stack(random, card, products, of_b, args.b_type, true);
    to = Stack(random, card, products, shape, args.to_type, false);
    fill(random, a.tensor, args.a_type);
    fill(random, b.tensor, args.b_type);
    args.to = to.tensor.at();
    args.a = a.tensor.at();
    args.b = b.tensor.at();
    args.to_stride = to.tensor.stride;
    args.a_stride = a.tensor.stride;
    args.b_stride = b.tensor.stride;
    args.to_step = to.step();
    args.a_step = a.step();
    args.b_step = b.step();
  }

  std::vector<Tensor*> tensors() { return {&a.tensor, &b.tensor, &to.tensor}; }

  // Error, of what is allowed.
  double expect() {
    double worst = 0;
    golden::matmul(args, memory_of(tensors()), [&](uint32_t product, uint32_t row, uint32_t column, Real y) {
      std::vector<double> as, bs;
      double magnitude = 0;
      for (uint32_t k = 0; k < args.depth; ++k) {
        as.push_back(a.read(product, row, k));
        bs.push_back(args.transposed != 0 ? b.read(product, column, k) : b.read(product, k, column));
        magnitude += std::abs(as.back() * bs.back());
      }
      worst = std::max(worst, error_of_layer(y, reference::matmul(as, bs), magnitude));
    });
    return worst;
  }
};

void walk_and_compare(Products& products, uint32_t mask) {
  const MatmulArgs& args = products.args;
  INFO(fmt::format("{} of {} x {} by {}, a {}, b {}, to {}, transposed {}, steps {} {} {}, mask {:#x}",
                   args.products, args.rows, args.depth, args.columns, static_cast<int>(args.a_type),
                   static_cast<int>(args.b_type), static_cast<int>(args.to_type), args.transposed,
                   args.a_step, args.b_step, args.to_step, mask));
  const Result result = products.card.run(Operator::kMatmul, args, mask, products.tensors());
  REQUIRE_MESSAGE(result.ok(), products.card.describe(result));
  CHECK(products.expect() <= 1);
  for (const Tensor* tensor : products.tensors()) REQUIRE(products.card.difference(*tensor) == "");
}

}  // namespace

TEST_CASE("matmul: any number of products, shape, places, types, CPEs") {
  verif::Random random(test_seed());
  for (int round = 0; round < rounds(40); ++round) {
    const uint32_t depth = some_size(random, 700);
    const uint32_t rows = some_size(random, 120);
    const uint32_t columns = some_size(random, std::max(200'000 / depth / rows, 1u));
    const auto most = std::min(std::max(400'000 / depth / rows / columns, 1u), 20u);
    Products products(random, some_size(random, most), {rows, columns}, depth);
    walk_and_compare(products, some_mask(random, products.card.all()));
  }
}

TEST_CASE("matmul: heads of one row, which CPEs share") {
  verif::Random random(test_seed() + 1);
  for (int round = 0; round < rounds(10); ++round) {
    Products products(random, static_cast<uint32_t>(random.between(1, 12)),
                      {1, static_cast<uint32_t>(random.between(1, 100))}, some_size(random, 300));
    walk_and_compare(products, products.card.all());
  }
}

TEST_CASE("matmul: products that make no sense are refused") {
  using node::Refusal;
  // Four of 5 x 300 by 70, whose results are one below the other.
  const auto check_with = [](auto change) {
    MatmulArgs args{};
    args.products = 4;
    args.rows = 5;
    args.depth = 300;
    args.columns = 70;
    args.to_stride = 280;
    args.to_step = 5 * 280;
    args.a_stride = 1200;
    args.b_stride = 280;
    change(args);
    return check(args);
  };
  CHECK(check_with([](MatmulArgs&) {}) == Refusal::kNone);
  CHECK(check_with([](MatmulArgs& args) { args.products = 0; }) == Refusal::kShape);
  CHECK(check_with([](MatmulArgs& args) { args.products = kMaxSize + 1; }) == Refusal::kShape);
  CHECK(check_with([](MatmulArgs& args) { args.rows = 0; }) == Refusal::kShape);
  CHECK(check_with([](MatmulArgs& args) { args.depth = kMaxSize + 1; }) == Refusal::kShape);
  // Each product has a shape, all results together have none.
  CHECK(check_with([](MatmulArgs& args) {
          args.products = 1 << 23;
          args.to_step = 1 << 20;
        }) == Refusal::kShape);
  CHECK(check_with([](MatmulArgs& args) { args.to_stride = 279; }) == Refusal::kStride);
  CHECK(check_with([](MatmulArgs& args) { args.a_stride = kMaxStride + 1; }) == Refusal::kStride);
  CHECK(check_with([](MatmulArgs& args) { args.b_stride = kMaxStride + 1; }) == Refusal::kStride);
  CHECK(check_with([](MatmulArgs& args) { args.to_step = 5 * 280 - 1; }) == Refusal::kStride);
  CHECK(check_with([](MatmulArgs& args) {
          args.to_step = 280;
          args.to_stride = 4 * 280;
        }) == Refusal::kNone);
  CHECK(check_with([](MatmulArgs& args) {
          args.to_step = 280;
          args.to_stride = 4 * 280 - 1;
        }) == Refusal::kStride);
  CHECK(check_with([](MatmulArgs& args) {
          args.products = 1;
          args.to_step = 0;
        }) == Refusal::kNone);
  CHECK(check_with([](MatmulArgs& args) { args.a_step = args.b_step = 0; }) == Refusal::kNone);
  CHECK(check_with([](MatmulArgs& args) { args.to_type = Number::kInt8; }) == Refusal::kType);
  CHECK(check_with([](MatmulArgs& args) { args.a_type = Number::kInt8; }) == Refusal::kType);
  CHECK(check_with([](MatmulArgs& args) { args.b_type = Number::kInt32; }) == Refusal::kType);
  CHECK(check_with([](MatmulArgs& args) { args.transposed = 2; }) == Refusal::kParameter);
}

}  // namespace swai::operators::test
