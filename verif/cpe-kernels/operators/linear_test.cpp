// SPDX-License-Identifier: Apache-2.0
// Linear layers: to the bit, and near those in double precision.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "cpe-kernels/operators/linear/plan.hpp"
#include "cpe-kernels/operators/linear/reference.hpp"
#include "verif/cpe-kernels/operators/golden/golden.hpp"
#include "verif/cpe-kernels/operators/layers.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::operators::test {
namespace {

// A layer of random shape with all that belongs to it.
struct Layer {
  Card card;
  LinearArgs args{};
  Tensor x, w, x_scales, w_scales, biases, residual, to;
  std::vector<int8_t> weights;  // [columns][depth]

  Layer(verif::Random& random, Shape shape, uint32_t depth, unsigned rows = 4, unsigned columns = 8)
      : card(random, rows, columns) {
    args.rows = shape.rows;
    args.depth = depth;
    args.columns = shape.columns;
    args.group = depth >= kScaleGroup && random.chance(50) ? kScaleGroup : depth;
    const uint32_t groups = (depth + args.group - 1) / args.group;
    x = card.tensor(shape.rows, depth, 1, some_gap(random));
    overlap_some(random, x, 1);
    x_scales = card.tensor(groups, shape.rows, 4, some_gap(random));
    w_scales = card.tensor(1, shape.columns, 4);
    draw_ending(random, card, args, biases, residual, to);
    w = some_weights(random);
    draw_scales(random, x_scales, 0.01f);
    draw_scales(random, w_scales, 0.01f);
    args.x = x.at();
    args.w = w.at();
    args.x_scales = x_scales.at();
    args.w_scales = w_scales.at();
    args.x_stride = x.stride;
    args.x_scales_stride = x_scales.stride;
  }

  // Packed; `weights` are those that were drawn last.
  Tensor some_weights(verif::Random& random) {
    weights.resize(size_t{args.columns} * args.depth);
    for (int8_t& weight : weights) weight = static_cast<int8_t>(random.next());
    std::vector<int8_t> packed(packed_linear_bytes(args.depth, args.columns));
    pack_linear(weights, args.depth, args.columns, packed);
    Tensor tensor = card.tensor(1, static_cast<uint32_t>(packed.size()), 1);
    for (uint32_t i = 0; i < packed.size(); ++i) tensor.set(0, i, packed[i]);
    return tensor;
  }

  std::vector<Tensor*> tensors() { return {&x, &w, &x_scales, &w_scales, &biases, &residual, &to}; }
  Result run(uint32_t mask) { return card.run(Operator::kLinear, args, mask, tensors()); }

  double worst = 0;  // error, of what is allowed

  void expect() {
    golden::linear(args, memory_of(tensors()),
                   [&](uint32_t row, uint32_t column, Real y) { compare(row, column, y); });
  }

 private:
  void compare(uint32_t row, uint32_t column, Real y) {
    const auto* const numbers = reinterpret_cast<const int8_t*>(&x.image[x.offset]);
    const std::span<const int8_t> xs(numbers + size_t{row} * x.stride, args.depth);
    const std::span<const int8_t> ws = std::span(weights).subspan(size_t{column} * args.depth, args.depth);
    const double bias = args.biases ? biases.get<float>(0, column) : 0;
    const auto scale = [&](uint32_t k) {
      return double{w_scales.get<float>(0, column)} * x_scales.get<float>(k / args.group, row);
    };
    double magnitude = std::abs(bias);
    for (uint32_t k = 0; k < args.depth; k += args.group) {
      const uint32_t end = std::min(k + args.group, args.depth);
      magnitude += std::abs(std::inner_product(&xs[k], &xs[end - 1] + 1, &ws[k], 0) * scale(k));
    }
    const double exact = reference::linear(xs, ws, scale, bias, args.function);
    worst = std::max(worst, error_of_layer(y, exact, magnitude));
  }
};

std::string describe(const Layer& layer, uint32_t mask) {
  return fmt::format("{} x {} by {}, groups of {}, function {}, bias {}, residual {}, mask {:#x}",
                     layer.args.rows, layer.args.depth, layer.args.columns, layer.args.group,
                     layer.args.function, bool(layer.args.biases), bool(layer.args.residual), mask);
}

}  // namespace

TEST_CASE("linear: any shape, scale groups, bias, function, residual, types, CPEs") {
  verif::Random random(test_seed());
  for (int round = 0; round < rounds(30); ++round) {
    const uint32_t depth = some_size(random, 700);
    const uint32_t rows = some_size(random, 150);
    const uint32_t columns = some_size(random, std::max(1'000'000 / depth / rows, 1u));
    Layer layer(random, {rows, columns}, depth);
    const uint32_t mask = some_mask(random, layer.card.all());
    INFO(describe(layer, mask));
    const Result result = layer.run(mask);
    REQUIRE_MESSAGE(result.ok(), layer.card.describe(result));
    layer.expect();
    CHECK(layer.worst <= 1);
    for (const Tensor* tensor : layer.tensors()) REQUIRE(layer.card.difference(*tensor) == "");
  }
}

TEST_CASE("linear: few rows and columns, whose first step is one piece of depth, or hardly more") {
  verif::Random random(test_seed() + 4);
  for (const uint32_t depth : {128, 129, 160, 192, 193}) {
    for (const uint32_t rows : {1, 8}) {
      for (const uint32_t columns : {40, 128}) {
        Layer layer(random, {rows, columns}, depth);
        layer.args.group = depth;
        INFO(describe(layer, layer.card.all()));
        const Result result = layer.run(layer.card.all());
        REQUIRE_MESSAGE(result.ok(), layer.card.describe(result));
        layer.expect();
        for (const Tensor* tensor : layer.tensors()) REQUIRE(layer.card.difference(*tensor) == "");
      }
    }
  }
}

TEST_CASE("linear: layers behind each other, with and without barriers between them") {
  verif::Random random(test_seed() + 3);
  for (int round = 0; round < rounds(12); ++round) {
    const auto rows = static_cast<uint32_t>(random.chance(50) ? 1 : random.between(2, 8));
    const uint32_t depth = random.chance(30) ? 1152 : some_size(random, 700);
    Layer layer(random, {rows, some_size(random, 1100)}, depth);
    if (random.chance(80)) layer.args.residual = {};
    const uint32_t mask = random.chance(70) ? layer.card.all() : some_mask(random, layer.card.all());
    INFO(describe(layer, mask));
    walk_siblings(random, layer, Operator::kLinear, mask);
  }
}

TEST_CASE("linear: narrow layers of the same rows behind each other, which are joined unless they differ") {
  verif::Random random(test_seed() + 5);
  for (int round = 0; round < rounds(12); ++round) {
    const auto rows = static_cast<uint32_t>(random.between(random.chance(20) ? 20 : 33, 150));
    const uint32_t columns = random.chance(80) ? 64 * static_cast<uint32_t>(random.between(1, 2)) : 72;
    Layer layer(random, {rows, columns}, random.chance(50) ? 128 : some_size(random, 300));
    if (random.chance(80)) layer.args.residual = {};
    struct Sibling {
      LinearArgs args;
      Tensor w, w_scales, biases, to;
    };
    std::vector<Sibling> siblings;
    // Anywhere among the nodes that a CPE fetches at a time.
    std::vector<Node> nodes(random.below(8), Node{.operation = static_cast<uint16_t>(Operator::kNothing)});
    std::vector<Tensor*> tensors = {&layer.x, &layer.x_scales, &layer.residual};
    const uint64_t count = random.between(2, 11);
    siblings.reserve(count);
    for (unsigned i = 0; i < count; ++i) {
      Sibling& one = siblings.emplace_back(Sibling{layer.args,
                                                   layer.some_weights(random),
                                                   layer.card.tensor(1, columns, 4),
                                                   layer.card.tensor(1, columns, 4),
                                                   {}});
      draw_scales(random, one.w_scales, 0.01f);
      fill(random, one.biases, Number::kFp32);
      if (random.chance(5)) one.args.function = static_cast<uint16_t>(Operator::kRelu);
      if (random.chance(5)) one.args.to_type = Number::kFp16;
      one.args.biases = random.chance(50) ? one.biases.at() : GlobalPtr<const void>();
      one.to = layer.card.tensor(rows, columns, bytes_of(one.args.to_type), random.chance(90) ? 0 : 8);
      one.args.to = one.to.at();
      one.args.to_stride = one.to.stride;
      one.args.w = one.w.at();
      one.args.w_scales = one.w_scales.at();
      nodes.push_back(node::make(static_cast<uint16_t>(Operator::kLinear),
                                 random.chance(10) ? Barrier::kAll : Barrier::kNone, one.args));
    }
    for (Sibling& one : siblings)
      for (Tensor* const tensor : {&one.w, &one.w_scales, &one.biases, &one.to}) tensors.push_back(tensor);
    const uint32_t mask = random.chance(80) ? layer.card.all() : some_mask(random, layer.card.all());
    INFO(count << " layers: " << describe(layer, mask));
    const Result result = layer.card.walk(nodes, mask, tensors);
    REQUIRE_MESSAGE(result.ok(), layer.card.describe(result));
    for (const Sibling& one : siblings)
      golden::linear(one.args, memory_of(tensors), [](uint32_t, uint32_t, Real) {});
    for (const Tensor* tensor : tensors) REQUIRE(layer.card.difference(*tensor) == "");
  }
}

TEST_CASE("linear: all CPEs share operands in groups of any size") {
  verif::Random random(test_seed() + 1);
  for (const auto& [rows, columns] : {Shape{4, 8}, {2, 2}, {1, 8}, {4, 1}, {3, 5}}) {
    // More than one block; now and then the last one has a single row.
    const uint32_t height = 32 * rows * static_cast<uint32_t>(random.between(1, 2));
    const uint32_t all = random.chance(30) ? height + 1 : static_cast<uint32_t>(random.between(33, 200));
    Layer layer(random, {all, some_size(random, 300)}, static_cast<uint32_t>(random.between(1, 400)), rows,
                columns);
    INFO(describe(layer, layer.card.all()));
    const Result result = layer.run(layer.card.all());
    REQUIRE_MESSAGE(result.ok(), layer.card.describe(result));
    layer.expect();
    CHECK(layer.worst <= 1);
    for (const Tensor* tensor : layer.tensors()) REQUIRE(layer.card.difference(*tensor) == "");
  }
}

TEST_CASE("linear layers that make no sense are refused") {
  using node::Refusal;
  const auto check_with = [](auto change) {
    LinearArgs args{};
    args.rows = 5;
    args.depth = args.group = 300;
    args.columns = 70;
    args.to_stride = 280;
    args.x_stride = 300;
    args.x_scales_stride = 20;
    change(args);
    return check(args);
  };
  CHECK(check_with([](LinearArgs&) {}) == Refusal::kNone);
  CHECK(check_with([](LinearArgs& args) { args.group = 128; }) == Refusal::kNone);
  CHECK(check_with([](LinearArgs& args) { args.group = 64; }) == Refusal::kShape);
  CHECK(check_with([](LinearArgs& args) { args.group = 0; }) == Refusal::kShape);
  CHECK(check_with([](LinearArgs& args) { args.group = args.depth = kMaxDepth + 1; }) == Refusal::kShape);
  CHECK(check_with([](LinearArgs& args) { args.columns = 0; }) == Refusal::kShape);
  CHECK(check_with([](LinearArgs& args) { args.to_type = Number::kInt32; }) == Refusal::kType);
  CHECK(check_with([](LinearArgs& args) { args.residual_type = Number::kInt8; }) == Refusal::kType);
  CHECK(check_with([](LinearArgs& args) { args.x_stride = 299; }) == Refusal::kNone);
  CHECK(check_with([](LinearArgs& args) { args.x_stride = kMaxStride + 1; }) == Refusal::kStride);
  CHECK(check_with([](LinearArgs& args) {
          args.group = 128;
          args.x_scales_stride = 19;
        }) == Refusal::kStride);
  CHECK(check_with([](LinearArgs& args) {
          args.residual = GlobalPtr<const void>(5, 0);
          args.residual_stride = 279;
        }) == Refusal::kStride);
  CHECK(check_with([](LinearArgs& args) { args.function = static_cast<uint16_t>(Operator::kAdd); }) ==
        Refusal::kParameter);
}

}  // namespace swai::operators::test
