// SPDX-License-Identifier: Apache-2.0
// Linear layers with weights of four bits: to the bit, and near those in double precision.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "cpe-kernels/operators/linear_w4/plan.hpp"
#include "cpe-kernels/operators/linear_w4/reference.hpp"
#include "cpe-kernels/operators/linear_w4/requantise.hpp"
#include "verif/cpe-kernels/operators/golden/golden.hpp"
#include "verif/cpe-kernels/operators/layers.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::operators::test {
namespace {

// A layer of random shape with all that belongs to it.
struct W4Layer {
  Card card;
  LinearW4Args args{};
  Tensor x, w, x_scales, w_scales, biases, residual, to;
  std::vector<uint8_t> numbers, scales, zeros;  // [columns][depth], [columns][groups]
  std::vector<uint16_t> minima;
  uint32_t groups;

  W4Layer(verif::Random& random, Shape shape, uint32_t depth, bool largest = false, unsigned rows = 4,
          unsigned columns = 8)
      : card(random, rows, columns) {
    args.rows = shape.rows;
    args.depth = depth;
    args.columns = shape.columns;
    args.group = depth >= kScaleGroup && random.chance(50) ? kScaleGroup : depth;
    args.w_group = std::array<uint8_t, 3>{32, 64, 128}[random.below(3)];
    args.minima = random.chance(50);
    draw_weights(random, largest);
    const uint32_t scale_rows = (depth + args.group - 1) / args.group;
    x = card.tensor(shape.rows, depth, 1, some_gap(random));
    overlap_some(random, x, 1);
    if (largest) {
      for (uint32_t row = 0; row < x.rows; ++row) {
        for (uint32_t k = 0; k < depth; ++k) x.set<int8_t>(row, k, -128);
      }
    }
    x_scales = card.tensor(scale_rows, shape.rows, 4, some_gap(random));
    w_scales = card.tensor(1, shape.columns, 4);
    draw_scales(random, x_scales, 0.01f);
    draw_scales(random, w_scales, 0.001f);
    draw_ending(random, card, args, biases, residual, to);
    args.x = x.at();
    args.w = w.at();
    args.x_scales = x_scales.at();
    args.w_scales = w_scales.at();
    args.x_stride = x.stride;
    args.x_scales_stride = x_scales.stride;
  }

  std::vector<Tensor*> tensors() { return {&x, &w, &x_scales, &w_scales, &biases, &residual, &to}; }
  Result run(uint32_t mask) { return card.run(Operator::kLinearW4, args, mask, tensors()); }

  double worst = 0;  // error, of what is allowed

  void expect() {
    golden::linear_w4(args, memory_of(tensors()),
                      [&](uint32_t row, uint32_t column, Real y) { compare(row, column, y); });
  }

 private:
  void draw_weights(verif::Random& random, bool largest) {
    groups = (args.depth + args.w_group - 1) / args.w_group;
    const auto draw = [&](auto& all, size_t count, uint32_t least, uint32_t most) {
      all.resize(count);
      for (auto& one : all)
        one = static_cast<std::decay_t<decltype(one)>>(largest ? most : random.between(least, most));
    };
    const size_t all_groups = size_t{args.columns} * groups;
    draw(numbers, size_t{args.columns} * args.depth, 0, 15);
    draw(scales, all_groups, 1, 255);
    draw(zeros, all_groups, 0, largest ? 0 : 15);
    if (args.minima) {
      // From 2^-10 to 2^-1, of both signs.
      draw(minima, all_groups, 0x1400, 0x3800);
      for (uint16_t& minimum : minima)
        minimum = static_cast<uint16_t>(minimum | (random.chance(50) ? 0x8000 : 0));
    }
    const W4Layout layout = layout_of(args);
    std::vector<uint8_t> packed(layout.bytes());
    pack_linear_w4(layout, numbers, scales, zeros, minima, packed);
    w = card.tensor(1, static_cast<uint32_t>(packed.size()), 1);
    for (uint32_t i = 0; i < packed.size(); ++i) w.set(0, i, packed[i]);
  }

  int32_t whole(uint32_t column, uint32_t k) const {
    const size_t group = size_t{column} * groups + k / args.w_group;
    return (numbers[size_t{column} * args.depth + k] - zeros[group]) * scales[group];
  }
  Real minimum(uint32_t column, uint32_t k) const {
    return Real::of(fp32::of_fp16(minima[size_t{column} * groups + k / args.w_group]));
  }
  Real scale_of(uint32_t row, uint32_t k) const { return x_scales.get<float>(k / args.group, row); }

  void compare(uint32_t row, uint32_t column, Real y) {
    const double bias = args.biases ? biases.get<float>(0, column) : 0;
    double magnitude = std::abs(bias);
    std::vector<int8_t> xs;
    for (uint32_t k = 0; k < args.depth; ++k) {
      xs.push_back(x.get<int8_t>(row, k));
      magnitude += std::abs(xs.back() * weight(column, k) * scale_of(row, k).value());
    }
    const double exact = reference::linear_w4(
        xs, [&](uint32_t k) { return weight(column, k); },
        [&](uint32_t k) { return double{scale_of(row, k).value()}; }, bias, args.function);
    worst = std::max(worst, error_of_layer(y, exact, magnitude));
  }
  double weight(uint32_t column, uint32_t k) const {
    return double{w_scales.get<float>(0, column)} * whole(column, k) +
           (args.minima ? double{minimum(column, k).value()} : 0);
  }
};

std::string describe(const W4Layer& layer, uint32_t mask) {
  return fmt::format(
      "{} x {} by {}, groups of {}, of weights {}, minima {}, function {}, bias {}, residual {}, mask {:#x}",
      layer.args.rows, layer.args.depth, layer.args.columns, layer.args.group, layer.args.w_group,
      layer.args.minima, layer.args.function, bool(layer.args.biases), bool(layer.args.residual), mask);
}

void walk_and_compare(W4Layer& layer, uint32_t mask) {
  INFO(describe(layer, mask));
  const Result result = layer.run(mask);
  REQUIRE_MESSAGE(result.ok(), layer.card.describe(result));
  layer.expect();
  CHECK(layer.worst <= 1);
  for (const Tensor* tensor : layer.tensors()) REQUIRE(layer.card.difference(*tensor) == "");
}

}  // namespace

TEST_CASE("linear_w4: any shape, groups, minima, bias, function, residual, types, CPEs") {
  verif::Random random(test_seed());
  for (int round = 0; round < rounds(30); ++round) {
    const uint32_t depth = some_size(random, 700);
    const uint32_t rows = some_size(random, 150);
    const uint32_t columns = some_size(random, std::max(1'000'000 / depth / rows, 1u));
    W4Layer layer(random, {rows, columns}, depth);
    walk_and_compare(layer, some_mask(random, layer.card.all()));
  }
}

TEST_CASE("linear_w4: layers behind each other, with and without barriers between them") {
  verif::Random random(test_seed() + 3);
  for (int round = 0; round < rounds(12); ++round) {
    const auto rows = static_cast<uint32_t>(random.chance(50) ? 1 : random.between(2, 8));
    const uint32_t depth = random.chance(30) ? 1152 : some_size(random, 700);
    W4Layer layer(random, {rows, some_size(random, 1100)}, depth);
    if (random.chance(80)) layer.args.residual = {};
    const uint32_t mask = random.chance(70) ? layer.card.all() : some_mask(random, layer.card.all());
    INFO(describe(layer, mask));
    walk_siblings(random, layer, Operator::kLinearW4, mask);
  }
}

TEST_CASE("linear_w4: all CPEs share operands in groups of any size") {
  verif::Random random(test_seed() + 1);
  for (const auto& [rows, columns] : {Shape{4, 8}, {2, 2}, {1, 8}, {4, 1}, {3, 5}}) {
    W4Layer layer(random, {static_cast<uint32_t>(random.between(33, 200)), some_size(random, 300)},
                  static_cast<uint32_t>(random.between(1, 400)), false, rows, columns);
    walk_and_compare(layer, layer.card.all());
  }
}

TEST_CASE("linear_w4: the largest numbers do not overflow at any depth") {
  verif::Random random(test_seed() + 2);
  for (const uint32_t depth : {4096u, 4097u, 9000u}) {
    W4Layer layer(random, {static_cast<uint32_t>(random.between(1, 3)), 20}, depth, true);
    walk_and_compare(layer, layer.card.all());
  }
}

// What a weight of a layer is that was made for the card.
double weight_of(const W4& w, uint32_t depth, uint32_t group, uint32_t column, uint32_t k) {
  const size_t of_group = size_t{column} * ((depth + group - 1) / group) + k / group;
  const int whole = (w.numbers[size_t{column} * depth + k] - w.zeros[of_group]) * w.scales[of_group];
  const double minimum = w.minima.empty() ? 0 : Real::of(fp32::of_fp16(w.minima[of_group])).value();
  return whole * double{w.factors[column]} + minimum;
}

TEST_CASE("linear_w4: weights of Q4_1 keep their numbers; steps and minima are near") {
  verif::Random random(test_seed() + 3);
  constexpr uint32_t kDepth = 200, kColumns = 40, kGroup = 32, kGroups = 7;
  std::vector<uint8_t> numbers(kDepth * kColumns);
  std::vector<float> steps(kGroups * kColumns), minima(kGroups * kColumns);
  for (uint8_t& number : numbers) number = static_cast<uint8_t>(random.below(16));
  const auto up_to = [&](double most) {
    return static_cast<float>(most * static_cast<double>(random.below(1'000'001)) / 1e6);
  };
  for (float& step : steps) step = random.chance(10) ? 0 : up_to(0.02);
  // Most of them within 16 steps below 0, some far away.
  for (float& minimum : minima) minimum = random.chance(90) ? -up_to(0.15) : up_to(2) - 1;
  const W4 w = w4_of_steps(numbers, steps, minima, kDepth, kColumns, kGroup);
  CHECK(w.numbers == numbers);
  double squares = 0;
  for (uint32_t column = 0; column < kColumns; ++column) {
    for (uint32_t k = 0; k < kDepth; ++k) {
      const uint32_t group = column * kGroups + k / kGroup;
      const double exact = double{steps[group]} * numbers[column * kDepth + k] + minima[group];
      const double error = weight_of(w, kDepth, kGroup, column, k) - exact;
      // Half a part of the column's largest step for each number away from the mean (a whole one where a step
      // is less than one part), and half a unit of fp16 of the minimum's rest.
      const double rest = std::abs(Real::of(fp32::of_fp16(w.minima[group])).value());
      const double allowed = 15 * double{w.factors[column]} + rest / 2048 + 3e-8;
      REQUIRE(std::abs(error) <= allowed);
      squares += std::pow(error / (255 * double{w.factors[column]}), 2);
    }
  }
  // Of the column's largest step; rounding the minimum to whole steps alone would be 0.29.
  const double rms = std::sqrt(squares / (kDepth * kColumns));
  CHECK(rms < 0.01);
}

TEST_CASE("linear_w4: weights in floating point are rounded to the nearest number") {
  verif::Random random(test_seed() + 4);
  constexpr uint32_t kDepth = 150, kColumns = 30;
  for (const uint32_t group : {32u, 64u, 128u}) {
    std::vector<float> weights(kDepth * kColumns);
    for (float& weight : weights) weight = some_float(random);
    for (uint32_t k = 0; k < group; ++k) weights[k] = 0;
    const W4 w = w4_of(weights, kDepth, kColumns, group);
    CHECK(w.minima.empty());
    for (uint32_t column = 0; column < kColumns; ++column) {
      for (uint32_t begin = 0; begin < kDepth; begin += group) {
        const uint32_t end = std::min(begin + group, kDepth);
        double error = 0, low = 0, high = 0;
        for (uint32_t k = begin; k < end; ++k) {
          const double weight = weights[column * kDepth + k];
          low = std::min(low, weight);
          high = std::max(high, weight);
          error += std::pow(weight_of(w, kDepth, group, column, k) - weight, 2);
        }
        // Each by half a step at most, if the whole range is taken; the step's own rounding comes to that.
        const double step = (high - low) / 15;
        const double part = w.factors[column];
        CHECK(error <= (end - begin) * std::pow(step / 2 + 8 * part, 2));
      }
    }
  }
}

TEST_CASE("linear_w4: layers that make no sense are refused") {
  using node::Refusal;
  const auto check_with = [](auto change) {
    LinearW4Args args{};
    args.rows = 5;
    args.depth = args.group = 300;
    args.columns = 70;
    args.w_group = 32;
    args.to_stride = 280;
    args.x_stride = 300;
    args.x_scales_stride = 20;
    change(args);
    return check(args);
  };
  CHECK(check_with([](LinearW4Args&) {}) == Refusal::kNone);
  CHECK(check_with([](LinearW4Args& args) { args.group = 128; }) == Refusal::kNone);
  CHECK(check_with([](LinearW4Args& args) { args.group = 64; }) == Refusal::kShape);
  CHECK(check_with([](LinearW4Args& args) { args.group = 0; }) == Refusal::kShape);
  CHECK(check_with([](LinearW4Args& args) { args.group = args.depth = kMaxDepth + 1; }) == Refusal::kShape);
  for (const unsigned group : {64, 128}) {
    CHECK(check_with([&](LinearW4Args& args) { args.w_group = static_cast<uint8_t>(group); }) ==
          Refusal::kNone);
  }
  for (const unsigned group : {0, 16, 33, 255}) {
    CHECK(check_with([&](LinearW4Args& args) { args.w_group = static_cast<uint8_t>(group); }) ==
          Refusal::kShape);
  }
  CHECK(check_with([](LinearW4Args& args) { args.minima = 2; }) == Refusal::kParameter);
  CHECK(check_with([](LinearW4Args& args) { args.columns = 0; }) == Refusal::kShape);
  CHECK(check_with([](LinearW4Args& args) { args.to_type = Number::kInt32; }) == Refusal::kType);
  CHECK(check_with([](LinearW4Args& args) { args.x_stride = kMaxStride + 1; }) == Refusal::kStride);
  CHECK(check_with([](LinearW4Args& args) {
          args.group = 128;
          args.x_scales_stride = 19;
        }) == Refusal::kStride);
  CHECK(check_with([](LinearW4Args& args) { args.function = static_cast<uint16_t>(Operator::kAdd); }) ==
        Refusal::kParameter);
}

}  // namespace swai::operators::test
