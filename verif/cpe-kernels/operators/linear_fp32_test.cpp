// SPDX-License-Identifier: Apache-2.0
// Linear layers in floating point: to the bit, and near those in double precision.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "cpe-kernels/operators/linear_fp32/plan.hpp"
#include "cpe-kernels/operators/linear_fp32/reference.hpp"
#include "verif/cpe-kernels/operators/golden/golden.hpp"
#include "verif/cpe-kernels/operators/layers.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::operators::test {
namespace {

// A layer of random shape with all that belongs to it.
struct Fp32Layer {
  Card card;
  LinearFp32Args args{};
  Tensor x, w, biases, residual, to;

  Fp32Layer(verif::Random& random, Shape shape, uint32_t depth, unsigned rows = 4, unsigned columns = 8)
      : card(random, rows, columns) {
    args.rows = shape.rows;
    args.depth = depth;
    args.columns = shape.columns;
    args.x_type = some_float_type(random);
    args.w_type = some_float_type(random);
    x = card.tensor(shape.rows, depth, bytes_of(args.x_type), some_gap(random));
    w = card.tensor(shape.columns, depth, bytes_of(args.w_type), some_gap(random));
    overlap_some(random, x, bytes_of(args.x_type));
    overlap_some(random, w, bytes_of(args.w_type));
    fill(random, x, args.x_type);
    fill(random, w, args.w_type);
    draw_ending(random, card, args, biases, residual, to);
    args.x = x.at();
    args.w = w.at();
    args.x_stride = x.stride;
    args.w_stride = w.stride;
  }

  std::vector<Tensor*> tensors() { return {&x, &w, &biases, &residual, &to}; }
  Result run(uint32_t mask) { return card.run(Operator::kLinearFp32, args, mask, tensors()); }

  double worst = 0;  // error, of what is allowed

  void expect() {
    golden::linear_fp32(args, memory_of(tensors()),
                        [&](uint32_t row, uint32_t column, Real y) { compare(row, column, y); });
  }

 private:
  void compare(uint32_t row, uint32_t column, Real y) {
    std::vector<double> xs, ws;
    const double bias = args.biases ? biases.get<float>(0, column) : 0;
    double magnitude = std::abs(bias);
    for (uint32_t k = 0; k < args.depth; ++k) {
      xs.push_back(Real::of(x.read(args.x_type, row, k)).value());
      ws.push_back(Real::of(w.read(args.w_type, column, k)).value());
      magnitude += std::abs(xs.back() * ws.back());
    }
    const double exact = reference::linear_fp32(xs, ws, bias, args.function);
    worst = std::max(worst, error_of_layer(y, exact, magnitude));
  }
};

std::string describe(const Fp32Layer& layer, uint32_t mask) {
  return fmt::format("{} x {} by {}, x {}, w {}, function {}, bias {}, residual {}, mask {:#x}",
                     layer.args.rows, layer.args.depth, layer.args.columns,
                     static_cast<int>(layer.args.x_type), static_cast<int>(layer.args.w_type),
                     layer.args.function, bool(layer.args.biases), bool(layer.args.residual), mask);
}

void walk_and_compare(Fp32Layer& layer, uint32_t mask) {
  INFO(describe(layer, mask));
  const Result result = layer.run(mask);
  REQUIRE_MESSAGE(result.ok(), layer.card.describe(result));
  layer.expect();
  CHECK(layer.worst <= 1);
  for (const Tensor* tensor : layer.tensors()) REQUIRE(layer.card.difference(*tensor) == "");
}

}  // namespace

TEST_CASE("linear_fp32: any shape, bias, function, residual, types, CPEs") {
  verif::Random random(test_seed());
  for (int round = 0; round < rounds(30); ++round) {
    const uint32_t depth = some_size(random, 900);
    const uint32_t rows = some_size(random, 150);
    const uint32_t columns = some_size(random, std::max(600'000 / depth / rows, 1u));
    Fp32Layer layer(random, {rows, columns}, depth);
    walk_and_compare(layer, some_mask(random, layer.card.all()));
  }
}

TEST_CASE("linear_fp32: all CPEs share operands in groups of any size") {
  verif::Random random(test_seed() + 1);
  for (const auto& [rows, columns] : {Shape{4, 8}, {2, 2}, {1, 8}, {4, 1}, {3, 5}}) {
    Fp32Layer layer(random, {static_cast<uint32_t>(random.between(33, 200)), some_size(random, 150)},
                    static_cast<uint32_t>(random.between(1, 300)), rows, columns);
    walk_and_compare(layer, layer.card.all());
  }
}

TEST_CASE("linear_fp32: a row's result does not depend on the rows beside it") {
  // Prefill and decode agree to the bit.
  verif::Random random(test_seed() + 2);
  Fp32Layer layer(random, {70, 40}, 300);
  layer.args.function = 0;
  walk_and_compare(layer, layer.card.all());
  const Tensor all = layer.to;
  layer.args.rows = 1;
  layer.card.take(layer.to);
  const Result result = layer.run(layer.card.all());
  REQUIRE(result.ok());
  CHECK(layer.card.difference(all) == "");
}

TEST_CASE("linear_fp32: layers that make no sense are refused") {
  using node::Refusal;
  const auto check_with = [](auto change) {
    LinearFp32Args args{};
    args.rows = 5;
    args.depth = 300;
    args.columns = 70;
    args.to_stride = 280;
    args.x_stride = args.w_stride = 1200;
    change(args);
    return check(args);
  };
  CHECK(check_with([](LinearFp32Args&) {}) == Refusal::kNone);
  CHECK(check_with([](LinearFp32Args& args) { args.x_stride = 7; }) == Refusal::kNone);
  CHECK(check_with([](LinearFp32Args& args) { args.x_stride = kMaxStride + 1; }) == Refusal::kStride);
  CHECK(check_with([](LinearFp32Args& args) { args.w_stride = kMaxStride + 1; }) == Refusal::kStride);
  CHECK(check_with([](LinearFp32Args& args) { args.to_stride = 279; }) == Refusal::kStride);
  CHECK(check_with([](LinearFp32Args& args) { args.depth = 0; }) == Refusal::kShape);
  CHECK(check_with([](LinearFp32Args& args) { args.rows = 0; }) == Refusal::kShape);
  CHECK(check_with([](LinearFp32Args& args) { args.depth = kMaxSize; }) == Refusal::kNone);
  CHECK(check_with([](LinearFp32Args& args) { args.depth = kMaxSize + 1; }) == Refusal::kShape);
  CHECK(check_with([](LinearFp32Args& args) {
          args.rows = 1;
          args.columns = kMaxSize;
          args.depth = 1024;
        }) == Refusal::kShape);
  CHECK(check_with([](LinearFp32Args& args) { args.x_type = Number::kInt8; }) == Refusal::kType);
  CHECK(check_with([](LinearFp32Args& args) { args.w_type = Number::kInt32; }) == Refusal::kType);
  CHECK(check_with([](LinearFp32Args& args) { args.to_type = Number::kInt32; }) == Refusal::kType);
  CHECK(check_with([](LinearFp32Args& args) { args.function = 3; }) == Refusal::kParameter);
}

}  // namespace swai::operators::test
