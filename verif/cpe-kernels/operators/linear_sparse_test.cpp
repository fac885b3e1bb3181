// SPDX-License-Identifier: Apache-2.0
// Linear layers with sparse weights: to the bit, and near those in double precision.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "cpe-kernels/operators/linear/reference.hpp"
#include "cpe-kernels/operators/linear_sparse/pack.hpp"
#include "verif/cpe-kernels/operators/golden/ending.hpp"
#include "verif/cpe-kernels/operators/layers.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::operators::test {
namespace {

// Blocks of 1 x 4 that are not 0, of 100: all alike, or each four columns as they like, with some depth that
// is all zeros or has none.
std::vector<int8_t> some_weights(verif::Random& random, uint32_t depth, uint32_t columns) {
  std::vector<int8_t> weights(size_t{columns} * depth);
  const auto alike = static_cast<unsigned>(std::array{0, 5, 20, 20, 50, 100}[random.below(6)]);
  const bool uneven = random.chance(30);
  for (uint32_t column = 0; column < columns; column += 4) {
    unsigned density = alike;
    uint32_t until = 0;
    for (uint32_t k = 0; k < depth; ++k) {
      if (uneven && k == until) {
        density = static_cast<unsigned>(std::array{0, 1, 20, 100}[random.below(4)]);
        until = k + static_cast<uint32_t>(random.between(1, 400));
      }
      if (!random.chance(density)) continue;
      for (uint32_t i = column; i < std::min(column + 4, columns); ++i)
        weights[size_t{i} * depth + k] = static_cast<int8_t>(random.next());
    }
  }
  return weights;
}

// A layer with all that belongs to it.
struct SparseLayer {
  Card card;
  LinearSparseArgs args{};
  Tensor x, w, x_scales, w_scales, biases, residual, to;
  std::vector<int8_t> weights;  // [columns][depth]

  SparseLayer(verif::Random& random, Shape shape, uint32_t depth, unsigned rows = 4, unsigned columns = 8)
      : card(random, rows, columns), weights(some_weights(random, depth, shape.columns)) {
    args.rows = shape.rows;
    args.depth = depth;
    args.columns = shape.columns;
    x = card.tensor(shape.rows, depth, 1, some_gap(random));
    overlap_some(random, x, 1);
    x_scales = card.tensor(1, shape.rows, 4);
    w_scales = card.tensor(1, shape.columns, 4);
    draw_scales(random, x_scales, 0.01f);
    draw_scales(random, w_scales, 0.01f);
    draw_ending(random, card, args, biases, residual, to);
    args.tiles = static_cast<uint8_t>(sparse_tiles(weights, depth, shape.columns));
    if (random.chance(20)) args.tiles = static_cast<uint8_t>(random.between(args.tiles, kSparseMostTiles));
    const std::vector<uint8_t> packed = pack_linear_sparse(layout_of(args), weights);
    w = card.tensor(1, static_cast<uint32_t>(packed.size()), 1);
    for (uint32_t i = 0; i < packed.size(); ++i) w.set(0, i, packed[i]);
    args.x = x.at();
    args.w = w.at();
    args.x_scales = x_scales.at();
    args.w_scales = w_scales.at();
    args.x_stride = x.stride;
  }

  // What the packed weights' table has at a place, or a tile's first index, becomes another number.
  void set_table(uint32_t entry, uint32_t number) { w.set(0, entry, number); }
  void set_first_index(uint16_t index) {
    w.set(0, static_cast<uint32_t>(layout_of(args).tile_at(0) / sizeof index), index);
  }

  std::vector<Tensor*> tensors() { return {&x, &w, &x_scales, &w_scales, &biases, &residual, &to}; }
  Result run(uint32_t mask) { return card.run(Operator::kLinearSparse, args, mask, tensors()); }

  double worst = 0;  // error, of what is allowed

  void expect() {
    const golden::Ending ending(args, memory_of(tensors()));
    for (uint32_t row = 0; row < args.rows; ++row) {
      std::vector<int8_t> xs;
      for (uint32_t k = 0; k < args.depth; ++k) xs.push_back(x.get<int8_t>(row, k));
      for (uint32_t column = 0; column < args.columns; ++column) expect_one(row, column, xs, ending);
    }
  }

 private:
  void expect_one(uint32_t row, uint32_t column, std::span<const int8_t> xs, const golden::Ending& ending) {
    const std::span<const int8_t> ws = std::span(weights).subspan(size_t{column} * args.depth, args.depth);
    int32_t sum = 0;
    for (uint32_t k = 0; k < args.depth; ++k) sum += xs[k] * ws[k];
    const Real factor = Real(w_scales.get<float>(0, column)) * Real(x_scales.get<float>(0, row));
    const Real bias = ending.bias(column);
    const double magnitude = std::abs(bias.value()) + std::abs(sum * static_cast<double>(factor.value()));
    const double exact = reference::linear(
        xs, ws,
        [&](uint32_t) { return double{w_scales.get<float>(0, column)} * x_scales.get<float>(0, row); },
        bias.value(), args.function);
    ending.put(
        row, column, fma(Real::of(fp32::of_int32(sum)), factor, bias),
        [&](uint32_t, uint32_t, Real y) { worst = std::max(worst, error_of_layer(y, exact, magnitude)); });
  }
};

std::string describe(const SparseLayer& layer, uint32_t mask) {
  return fmt::format("{} x {} by {}, {} tiles, function {}, bias {}, residual {}, mask {:#x}",
                     layer.args.rows, layer.args.depth, layer.args.columns, layer.args.tiles,
                     layer.args.function, bool(layer.args.biases), bool(layer.args.residual), mask);
}

void walk_and_compare(SparseLayer& layer, uint32_t mask) {
  INFO(describe(layer, mask));
  const Result result = layer.run(mask);
  REQUIRE_MESSAGE(result.ok(), layer.card.describe(result));
  layer.expect();
  CHECK(layer.worst <= 1);
  for (const Tensor* tensor : layer.tensors()) REQUIRE(layer.card.difference(*tensor) == "");
}

}  // namespace

TEST_CASE("linear_sparse: any shape, pattern, bias, function, residual, types, CPEs") {
  verif::Random random(test_seed());
  for (int round = 0; round < rounds(30); ++round) {
    const uint32_t depth = some_size(random, 1100);
    const uint32_t rows = some_size(random, 150);
    const uint32_t columns = some_size(random, std::max(1'000'000 / depth / rows, 1u));
    SparseLayer layer(random, {rows, columns}, depth);
    walk_and_compare(layer, some_mask(random, layer.card.all()));
  }
}

TEST_CASE("linear_sparse: all CPEs share operands in groups of any size") {
  verif::Random random(test_seed() + 1);
  for (const auto& [rows, columns] : {Shape{4, 8}, {2, 2}, {1, 8}, {4, 1}, {3, 5}}) {
    const uint32_t height = 32 * rows * static_cast<uint32_t>(random.between(1, 2));
    const uint32_t all = random.chance(30) ? height + 1 : static_cast<uint32_t>(random.between(33, 200));
    SparseLayer layer(random, {all, some_size(random, 300)}, static_cast<uint32_t>(random.between(1, 1100)),
                      rows, columns);
    walk_and_compare(layer, layer.card.all());
  }
}

TEST_CASE("linear_sparse: the largest tiles fit into local memory beside any ending") {
  verif::Random random(test_seed() + 4);
  constexpr int kAll = 16;
  for (int round = 0; round < rounds(3 * kAll); ++round) {
    // All of them, or as many others with each seed.
    const auto number = (round + static_cast<int>(test_seed())) % kAll;
    SparseLayer layer(random, {number & 1 ? 1u : 33u, 1030}, number & 2 ? 600 : 1025);
    layer.args.tiles = layout_of(layer.args).piece == kSparseWhole ? kSparseWholeTiles : kSparseMostTiles;
    layer.args.function = number & 4 ? static_cast<uint16_t>(Operator::kGeluErf) : uint16_t{0};
    layer.args.residual = number & 8 ? GlobalPtr<const void>(layer.residual.at()) : GlobalPtr<const void>();
    walk_and_compare(layer, layer.card.all());
  }
}

TEST_CASE("linear_sparse: its bits are those of linear on the same weights with their zeros") {
  verif::Random random(test_seed() + 2);
  for (int round = 0; round < rounds(6); ++round) {
    SparseLayer layer(random, {some_size(random, 100), some_size(random, 100)}, some_size(random, 1100));
    LinearArgs args{};
    std::vector<int8_t> packed(packed_linear_bytes(layer.args.depth, layer.args.columns));
    pack_linear(layer.weights, layer.args.depth, layer.args.columns, packed);
    Tensor w = layer.card.tensor(1, static_cast<uint32_t>(packed.size()), 1);
    for (uint32_t i = 0; i < packed.size(); ++i) w.set(0, i, packed[i]);
    Tensor to = layer.card.tensor(layer.args.rows, layer.args.columns, bytes_of(layer.args.to_type));
    args.to = to.at();
    args.x = layer.args.x;
    args.w = w.at();
    args.x_scales = layer.args.x_scales;
    args.w_scales = layer.args.w_scales;
    args.biases = layer.args.biases;
    args.residual = layer.args.residual;
    args.rows = layer.args.rows;
    args.depth = args.group = layer.args.depth;
    args.columns = layer.args.columns;
    args.to_stride = to.stride;
    args.x_stride = layer.args.x_stride;
    args.residual_stride = layer.args.residual_stride;
    args.function = layer.args.function;
    args.to_type = layer.args.to_type;
    args.residual_type = layer.args.residual_type;
    std::vector<Tensor*> tensors = layer.tensors();
    tensors.insert(tensors.end(), {&w, &to});
    std::vector<Node> both = one(Operator::kLinear, args);
    both.push_back(one(Operator::kLinearSparse, layer.args)[0]);
    INFO(describe(layer, layer.card.all()));
    const Result result = layer.card.walk(both, layer.card.all(), tensors);
    REQUIRE_MESSAGE(result.ok(), layer.card.describe(result));
    layer.card.take(to);
    for (uint32_t row = 0; row < args.rows; ++row) {
      for (uint32_t column = 0; column < args.columns; ++column)
        layer.to.write(args.to_type, row, column, to.read(args.to_type, row, column));
    }
    REQUIRE(layer.card.difference(layer.to) == "");
  }
}

TEST_CASE("linear_sparse: tables that make no sense are refused, indices outside of local memory fault") {
  verif::Random random(test_seed() + 3);
  const auto walk_with = [&](uint32_t depth, const auto& change) {
    SparseLayer layer(random, {1, 128}, depth);
    change(layer);
    const Result result = layer.card.walk(one(Operator::kLinearSparse, layer.args), 1, layer.tensors());
    CHECK(!result.ok());
    return std::pair(layer.card.state(0).refusal, result.faults[0].cause);
  };
  const std::pair refused(node::Refusal::kParameter, iss::cpe::Cause::kBreakpoint);
  // No tiles, fewer than none, more than the node says.
  CHECK(walk_with(300, [](SparseLayer& layer) { layer.set_table(1, 0); }) == refused);
  CHECK(walk_with(300, [](SparseLayer& layer) { layer.set_table(0, 1000); }) == refused);
  CHECK(walk_with(300, [](SparseLayer& layer) { layer.set_table(1, layer.args.tiles + 1); }) == refused);
  // Of several pieces a group's columns have equally many.
  CHECK(walk_with(1100, [](SparseLayer& layer) {
          layer.args.tiles = 64;
          for (uint32_t i = 1; i <= 16; ++i) layer.set_table(i, i == 1 ? 1 : 2 * i);
        }) == refused);
  CHECK(walk_with(300, [](SparseLayer& layer) { layer.set_first_index(0xffff); }) ==
        std::pair(node::Refusal::kNone, iss::cpe::Cause::kCommand));
}

TEST_CASE("linear_sparse: weights are packed in as few tiles as their blocks need") {
  constexpr uint32_t kDepth = 600, kColumns = 13;
  std::vector<int8_t> weights(kDepth * kColumns);
  const auto tiles = [&] { return sparse_tiles(weights, kDepth, kColumns); };
  CHECK(tiles() == 1);  // of none
  for (uint32_t k = 0; k < 8; ++k) weights[3 * kDepth + 70 * k] = 1;
  CHECK(tiles() == 1);
  weights[12 * kDepth + 599] = -1;  // other columns
  weights[2 * kDepth + 70] = 5;     // a block that is there
  CHECK(tiles() == 1);
  weights[599] = 1;
  CHECK(tiles() == 2);
  const SparseLayout layout = {kDepth, kColumns, 2};
  CHECK(layout.piece == kSparseWhole);
  CHECK(pack_linear_sparse(layout, weights).size() == layout.table_bytes() + 3 * kSparseTileBytes);
  CHECK(layout.bytes() == layout.table_bytes() + 4 * kSparseTileBytes);
  // Too many for all of that depth.
  std::fill_n(weights.begin(), 200, int8_t{1});
  std::fill_n(weights.begin() + kSparsePiece, 80, int8_t{1});
  CHECK(tiles() == kSparseWholeTiles + 1);
  std::ranges::fill(weights, int8_t{1});
  CHECK(tiles() == kSparseMostTiles);
  CHECK(SparseLayout{kDepth, kColumns, kSparseMostTiles}.piece == kSparsePiece);
}

TEST_CASE("linear_sparse: layers that make no sense are refused") {
  using node::Refusal;
  const auto check_with = [](auto change) {
    LinearSparseArgs args{};
    args.rows = 5;
    args.depth = 300;
    args.columns = 70;
    args.tiles = 20;
    args.to_stride = 280;
    args.x_stride = 300;
    change(args);
    return check(args);
  };
  CHECK(check_with([](LinearSparseArgs&) {}) == Refusal::kNone);
  CHECK(check_with([](LinearSparseArgs& args) { args.tiles = 64; }) == Refusal::kNone);
  CHECK(check_with([](LinearSparseArgs& args) { args.tiles = 65; }) == Refusal::kShape);
  CHECK(check_with([](LinearSparseArgs& args) { args.tiles = 0; }) == Refusal::kShape);
  CHECK(check_with([](LinearSparseArgs& args) { args.depth = kMaxDepth; }) == Refusal::kNone);
  CHECK(check_with([](LinearSparseArgs& args) { args.depth = kMaxDepth + 1; }) == Refusal::kShape);
  CHECK(check_with([](LinearSparseArgs& args) { args.columns = 0; }) == Refusal::kShape);
  CHECK(check_with([](LinearSparseArgs& args) {
          args.rows = 1;
          args.depth = kMaxDepth;
          args.columns = (1u << 15) + 1;
        }) == Refusal::kShape);
  CHECK(check_with([](LinearSparseArgs& args) { args.to_type = Number::kInt32; }) == Refusal::kType);
  CHECK(check_with([](LinearSparseArgs& args) { args.x_stride = kMaxStride + 1; }) == Refusal::kStride);
  CHECK(check_with([](LinearSparseArgs& args) { args.to_stride = 279; }) == Refusal::kStride);
  CHECK(check_with([](LinearSparseArgs& args) { args.function = static_cast<uint16_t>(Operator::kAdd); }) ==
        Refusal::kParameter);
}

}  // namespace swai::operators::test
