// SPDX-License-Identifier: Apache-2.0
// Linear layers of one row: to the bit what a norm, quantise and linear leave one after the other.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "cpe-kernels/operators/linear_row/plan.hpp"
#include "verif/cpe-kernels/operators/golden/golden.hpp"
#include "verif/cpe-kernels/operators/layers.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::operators::test {
namespace {

struct RowLayer {
  Card card;
  LinearRowArgs args{};
  Tensor x, w, w_scales, biases, residual, gamma, beta, to;

  RowLayer(verif::Random& random, uint32_t depth, uint32_t columns) : card(random) {
    struct : LinearRowArgs {
      uint32_t rows, to_stride, residual_stride;
    } ending{};
    ending.rows = 1;
    ending.columns = columns;
    draw_ending(random, card, ending, biases, residual, to);
    args = ending;
    args.depth = depth;
    args.group = depth >= kScaleGroup && random.chance(50) ? kScaleGroup : depth;
    args.epsilon = 1e-5f;
    for (Tensor* const row : {&x, &gamma, &beta}) {
      *row = card.tensor(1, depth, 4);
      fill(random, *row, Number::kFp32);
    }
    w = some_weights(random);
    w_scales = card.tensor(1, columns, 4);
    draw_scales(random, w_scales, 0.01f);
    args.x = x.at();
    args.w = w.at();
    args.w_scales = w_scales.at();
    if (random.chance(60)) args.gamma = gamma.at();
    if (args.gamma && random.chance(70)) args.beta = beta.at();
  }

  // Packed.
  Tensor some_weights(verif::Random& random) {
    Tensor tensor = card.tensor(1, static_cast<uint32_t>(packed_linear_bytes(args.depth, args.columns)), 1);
    std::vector<int8_t> weights(size_t{args.columns} * args.depth), packed(tensor.columns);
    for (int8_t& weight : weights) weight = static_cast<int8_t>(random.next());
    pack_linear(weights, args.depth, args.columns, packed);
    for (uint32_t i = 0; i < packed.size(); ++i) tensor.set(0, i, packed[i]);
    return tensor;
  }

  std::vector<Tensor*> tensors() { return {&x, &w, &w_scales, &biases, &residual, &gamma, &beta, &to}; }

  void expect_the_golden(uint32_t mask) {
    const Result result = card.run(Operator::kLinearRow, args, mask, tensors());
    REQUIRE_MESSAGE(result.ok(), card.describe(result));
    golden::linear_row(args, memory_of(tensors()));
    for (const Tensor* tensor : tensors()) REQUIRE(card.difference(*tensor) == "");
  }
};

std::string describe(const RowLayer& layer, uint32_t mask) {
  return fmt::format("{} by {}, groups of {}, norm {}, function {}, bias {}, residual {}, mask {:#x}",
                     layer.args.depth, layer.args.columns, layer.args.group,
                     int(bool(layer.args.gamma)) + int(bool(layer.args.beta)), layer.args.function,
                     bool(layer.args.biases), bool(layer.args.residual), mask);
}

}  // namespace

TEST_CASE("linear_row: the bits of a norm, quantise and linear, of any size, on any CPEs") {
  verif::Random random(test_seed());
  for (int round = 0; round < rounds(40); ++round) {
    const uint32_t depth = random.chance(10) ? kMaxRow : some_size(random, 1500);
    RowLayer layer(random, depth, some_size(random, std::max(300'000 / depth, 1u)));
    const uint32_t mask = some_mask(random, layer.card.all());
    INFO(describe(layer, mask));
    layer.expect_the_golden(mask);
  }
}

TEST_CASE("linear_row: the longest row with a norm leaves room for the weights of one CPE") {
  verif::Random random(test_seed() + 2);
  RowLayer layer(random, kMaxRow, 17);
  layer.args.gamma = layer.gamma.at();
  layer.args.beta = layer.beta.at();
  layer.args.group = kScaleGroup;
  for (const uint32_t mask : {1u, 0x1'0001u}) layer.expect_the_golden(mask);
}

TEST_CASE("linear_row: layers behind each other begin with other CPEs, and with as few as there are") {
  verif::Random random(test_seed() + 1);
  for (const uint32_t depth : {8, 128, 136, 512}) {
    for (const uint32_t columns : {8, 72, 128, 512, 520}) {
      RowLayer layer(random, depth, columns);
      INFO(describe(layer, layer.card.all()));
      layer.expect_the_golden(layer.card.all());
    }
  }
}

TEST_CASE("linear_row: a row whose norm one other CPE loads for the first one, as there are two of them") {
  verif::Random random(test_seed() + 5);
  for (const uint32_t group : {384u, kScaleGroup}) {
    RowLayer layer(random, 384, 80);
    layer.args.gamma = layer.gamma.at();
    layer.args.beta = layer.beta.at();
    layer.args.group = group;
    INFO(describe(layer, layer.card.all()));
    layer.expect_the_golden(layer.card.all());
  }
}

TEST_CASE(
    "linear_row: of more blocks than CPEs each has whole ones, and loads the next while it multiplies one") {
  verif::Random random(test_seed() + 4);
  // All blocks are whole, or the last one is not; the last CPE has one, some, or one more than the others.
  for (int round = 0; round < rounds(60); ++round) {
    const uint32_t columns = std::array{192u, 200u, 384u, 520u, 1030u}[random.below(5)];
    const uint32_t depth = std::array{40u, 128u, 200u, 776u}[random.below(4)];
    const uint32_t mask = std::array{1u, 3u, 0x1'0300u}[random.below(3)];
    RowLayer layer(random, depth, columns);
    INFO(describe(layer, mask));
    layer.expect_the_golden(mask);
  }
  // Where they make the row for each other, too.
  for (const uint32_t depth : {128, 264, 384}) {
    RowLayer layer(random, depth, depth == 128 ? 64 * 70 + 9 : 64 * 40 + 9);
    INFO(describe(layer, layer.card.all()));
    layer.expect_the_golden(layer.card.all());
  }
}

TEST_CASE("linear_row: layers of the same row behind each other have it once, each with its own columns") {
  verif::Random random(test_seed() + 3);
  for (int round = 0; round < rounds(12); ++round) {
    const uint32_t depth = some_size(random, 1100);
    // Mostly all CPEs have columns.
    const uint32_t columns = random.chance(70) ? random.between(249, 600) : some_size(random, 600);
    RowLayer layer(random, depth, columns);
    struct Sibling {
      LinearRowArgs args;
      Tensor w, w_scales, to;
    };
    std::vector<Sibling> siblings;
    // Anywhere among the nodes that a CPE fetches at a time.
    std::vector<Node> nodes(random.below(8), Node{.operation = static_cast<uint16_t>(Operator::kNothing)});
    std::vector<Tensor*> tensors = {&layer.x, &layer.biases, &layer.residual, &layer.gamma, &layer.beta};
    const uint64_t count = random.chance(50) ? 4 : random.between(2, 12);
    siblings.reserve(count);
    for (unsigned i = 0; i < count; ++i) {
      Sibling& one = siblings.emplace_back(
          Sibling{layer.args, layer.some_weights(random), layer.card.tensor(1, columns, 4), {}});
      draw_scales(random, one.w_scales, 0.01f);
      // Another row, sometimes, or another norm of it.
      if (random.chance(15)) one.args.x = layer.gamma.at();
      if (random.chance(15)) one.args.epsilon = 0.5f;
      if (random.chance(30)) one.args.biases = {};
      if (random.chance(30)) one.args.residual = {};
      one.args.to_type = std::array{Number::kFp32, Number::kFp16, Number::kInt8}[random.below(3)];
      one.to = layer.card.tensor(1, columns, bytes_of(one.args.to_type));
      one.args.to = one.to.at();
      one.args.w = one.w.at();
      one.args.w_scales = one.w_scales.at();
      nodes.push_back(node::make(static_cast<uint16_t>(Operator::kLinearRow),
                                 random.chance(20) ? Barrier::kAll : Barrier::kNone, one.args));
    }
    for (Sibling& one : siblings)
      for (Tensor* const tensor : {&one.w, &one.w_scales, &one.to}) tensors.push_back(tensor);
    const uint32_t mask = random.chance(60) ? layer.card.all() : some_mask(random, layer.card.all());
    INFO(describe(layer, mask));
    const Result result = layer.card.walk(nodes, mask, tensors);
    REQUIRE_MESSAGE(result.ok(), layer.card.describe(result));
    for (const Sibling& one : siblings) golden::linear_row(one.args, memory_of(tensors));
    for (const Tensor* tensor : tensors) REQUIRE(layer.card.difference(*tensor) == "");
  }
}

TEST_CASE(
    "lists of two layers of the same row: weights of the second move in the background, if it is prepared") {
  verif::Random random(test_seed() + 6);
  constexpr uint32_t kDepth = 256, kColumns = 512;
  const auto moved_with = [&](Barrier barrier) {
    RowLayer layer(random, kDepth, kColumns);
    layer.args.group = kDepth;
    layer.args.gamma = layer.args.beta = {};
    layer.args.biases = layer.args.residual = {};
    const auto node_with = [&](Barrier before) {
      return node::make(static_cast<uint16_t>(Operator::kLinearRow), before, layer.args);
    };
    CHECK(layer.card.walk({node_with(Barrier::kNone), node_with(barrier)}, layer.card.all(), layer.tensors())
              .ok());
    return layer.card.moved();
  };
  const Card::Moved apart = moved_with(Barrier::kAll), prepared = moved_with(Barrier::kNone);
  CHECK(prepared.background - apart.background ==
        packed_linear_bytes(kDepth, kColumns) + kColumns * sizeof(float));
}

TEST_CASE("linear_row: what makes no sense is refused") {
  using node::Refusal;
  const auto check_with = [](auto change) {
    LinearRowArgs args{};
    args.depth = args.group = 300;
    args.columns = 70;
    change(args);
    return check(args);
  };
  const GlobalPtr<const void> there(5, 0);
  CHECK(check_with([](LinearRowArgs&) {}) == Refusal::kNone);
  CHECK(check_with([](LinearRowArgs& args) { args.group = 128; }) == Refusal::kNone);
  CHECK(check_with([](LinearRowArgs& args) { args.group = 64; }) == Refusal::kShape);
  CHECK(check_with([](LinearRowArgs& args) { args.group = 0; }) == Refusal::kShape);
  CHECK(check_with([](LinearRowArgs& args) { args.depth = args.group = kMaxRow + 1; }) == Refusal::kShape);
  CHECK(check_with([](LinearRowArgs& args) { args.depth = args.group = 0; }) == Refusal::kShape);
  CHECK(check_with([](LinearRowArgs& args) { args.columns = 0; }) == Refusal::kShape);
  CHECK(check_with([](LinearRowArgs& args) { args.columns = kMaxSize + 1; }) == Refusal::kShape);
  CHECK(check_with([](LinearRowArgs& args) { args.to_type = Number::kInt32; }) == Refusal::kType);
  CHECK(check_with([](LinearRowArgs& args) { args.residual_type = Number::kInt8; }) == Refusal::kType);
  CHECK(check_with([](LinearRowArgs& args) { args.function = static_cast<uint16_t>(Operator::kAdd); }) ==
        Refusal::kParameter);
  CHECK(check_with([&](LinearRowArgs& args) { args.beta = there; }) == Refusal::kParameter);
  CHECK(check_with([&](LinearRowArgs& args) { args.gamma = args.beta = there; }) == Refusal::kNone);
}

}  // namespace swai::operators::test
