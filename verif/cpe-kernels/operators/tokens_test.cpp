// SPDX-License-Identifier: Apache-2.0
// Embedding, rotary embedding, transpose, argmax.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "cpe-kernels/operators/argmax/plan.hpp"
#include "cpe-kernels/operators/common/places.hpp"
#include "verif/cpe-kernels/operators/golden/golden.hpp"
#include "verif/cpe-kernels/operators/shapes.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::operators::test {
namespace {

Number some_float_number(verif::Random& random) { return random.chance(70) ? Number::kFp32 : Number::kFp16; }

}  // namespace

TEST_CASE("embedding: tables of all types, with and without positions; a token beyond the table is refused") {
  verif::Random random(test_seed());
  for (int round = 0; round < rounds(40); ++round) {
    Card card(random);
    const uint32_t columns = some_size(random, kMaxRow);
    const uint32_t rows = some_size(random, std::max(8'000 / columns, 1u));
    EmbeddingArgs args{
        .rows = rows, .columns = columns, .vocabulary = static_cast<uint32_t>(random.between(1, 20))};
    args.table_type = std::array{Number::kFp32, Number::kFp16, Number::kInt8}[random.below(3)];
    args.to_type = some_float_number(random);
    const bool scaled = args.table_type == Number::kInt8;
    args.factor = scaled || random.chance(50) ? 1.0F : 25.3F;
    const bool placed = random.chance(50);
    Tensor table = card.tensor(args.vocabulary, columns, bytes_of(args.table_type), some_gap(random));
    Tensor scales = card.tensor(1, args.vocabulary, 4);
    Tensor tokens = card.tensor(1, rows, 4);
    Tensor positions = card.tensor(rows, columns, 4, some_gap(random));
    Tensor to = card.tensor(rows, columns, bytes_of(args.to_type), some_gap(random));
    fill(random, table, args.table_type);
    fill(random, scales, Number::kFp32);
    fill(random, positions, Number::kFp32);
    for (uint32_t i = 0; i < rows; ++i)
      tokens.set(0, i, static_cast<uint32_t>(random.below(args.vocabulary)));
    args.to = to.at();
    args.table = table.at();
    args.tokens = tokens.at();
    if (scaled) args.scales = scales.at();
    if (placed) args.positions = positions.at();
    args.to_stride = to.stride;
    args.table_stride = table.stride;
    args.positions_stride = positions.stride;
    const uint32_t mask = some_mask(random, card.all());
    INFO(fmt::format("{} x {} of {}, mask {:#x}", rows, columns, args.vocabulary, mask));
    const std::vector<Tensor*> tensors = {&table, &scales, &tokens, &positions, &to};
    REQUIRE(card.run(Operator::kEmbedding, args, mask, tensors).ok());
    golden::embedding(args, memory_of(tensors));
    REQUIRE(card.difference(to) == "");

    const auto bad = static_cast<uint32_t>(random.below(rows));
    tokens.set(0, bad, args.vocabulary + static_cast<uint32_t>(random.below(3)) * 1'000'000'000u);
    const Result result = card.walk(one(Operator::kEmbedding, args), card.all(), tensors);
    CHECK(std::popcount(result.failed) == 1);
    CHECK(card.state(static_cast<unsigned>(std::countr_zero(result.failed))).refusal ==
          node::Refusal::kParameter);
  }
}

TEST_CASE("rotary: heads of any width, one position or many, of several texts, in place") {
  verif::Random random(test_seed() + 1);
  for (int round = 0; round < rounds(40); ++round) {
    Card card(random);
    RotaryArgs args{};
    args.width = 16 * some_size(random, 16);
    args.heads = some_size(random, kMaxRow / args.width);
    const uint32_t columns = args.heads * args.width;
    args.rows = some_size(random, std::max(8'000 / columns, 1u));
    args.from_type = some_float_number(random);
    args.to_type = some_float_number(random);
    const bool one_position = random.chance(30);
    const bool of_texts = args.rows <= kMaxPlacedRows && random.chance(40);
    Tensor from = card.tensor(args.rows, columns, bytes_of(args.from_type), some_gap(random));
    Tensor table = card.tensor(one_position ? 1 : args.rows, args.width, 4, some_gap(random));
    Tensor positions = card.tensor(1, args.rows, 4);
    for (uint32_t row = 0; row < args.rows; ++row)
      positions.set(0, row, random.chance(10) ? kNoText : static_cast<uint32_t>(random.below(args.rows)));
    if (of_texts) args.positions = positions.at();
    Tensor other = card.tensor(args.rows, columns, bytes_of(args.to_type), some_gap(random));
    const bool in_place = args.to_type == args.from_type && random.chance(50);
    Tensor& to = in_place ? from : other;
    fill(random, from, args.from_type);
    fill(random, table, Number::kFp32);
    args.to = to.at();
    args.from = from.at();
    args.table = table.at();
    args.to_stride = to.stride;
    args.from_stride = from.stride;
    args.table_stride = one_position ? 0 : table.stride;
    const uint32_t mask = some_mask(random, card.all());
    INFO(fmt::format("{} x {} x {}, mask {:#x}", args.rows, args.heads, args.width, mask));
    REQUIRE(card.run(Operator::kRotary, args, mask, {&from, &table, &other, &positions}).ok());
    const uint32_t half = args.width / 2;
    for (uint32_t row = 0; row < args.rows; ++row) {
      const uint32_t position = of_texts ? positions.get<uint32_t>(0, row) : row;
      if (position == kNoText) continue;
      for (uint32_t head = 0; head < args.heads; ++head) {
        for (uint32_t i = 0; i < half; ++i) {
          const uint32_t low = head * args.width + i;
          const Real x = Real::of(from.read(args.from_type, row, low));
          const Real y = Real::of(from.read(args.from_type, row, low + half));
          const Real cosine = Real(table.get<float>(one_position ? 0 : position, i));
          const Real sine = Real(table.get<float>(one_position ? 0 : position, half + i));
          to.write(args.to_type, row, low, fma(x, cosine, -(y * sine)).bits);
          to.write(args.to_type, row, low + half, fma(y, cosine, x * sine).bits);
        }
      }
    }
    REQUIRE(card.difference(to) == "");
  }
}

TEST_CASE("transpose: elements of 1, 2, 4 bytes") {
  verif::Random random(test_seed() + 2);
  for (int round = 0; round < rounds(40); ++round) {
    Card card(random);
    const Shape shape = some_shape(random, 20'000);
    TransposeArgs args{.rows = shape.rows, .columns = shape.columns, .element_bytes = 1u << random.below(3)};
    Tensor from = card.tensor(shape.rows, shape.columns, args.element_bytes, some_gap(random));
    Tensor to = card.tensor(shape.columns, shape.rows, args.element_bytes, some_gap(random));
    args.to = to.at();
    args.from = from.at();
    args.to_stride = to.stride;
    args.from_stride = from.stride;
    const uint32_t mask = some_mask(random, card.all());
    INFO(fmt::format("{} x {} of {} bytes, mask {:#x}", shape.rows, shape.columns, args.element_bytes, mask));
    REQUIRE(card.run(Operator::kTranspose, args, mask, {&from, &to}).ok());
    for (uint32_t row = 0; row < shape.rows; ++row) {
      for (uint32_t column = 0; column < shape.columns; ++column) {
        if (args.element_bytes == 1) to.set(column, row, from.get<uint8_t>(row, column));
        if (args.element_bytes == 2) to.set(column, row, from.get<uint16_t>(row, column));
        if (args.element_bytes == 4) to.set(column, row, from.get<uint32_t>(row, column));
      }
    }
    REQUIRE(card.difference(to) == "");
  }
}

TEST_CASE("argmax: the first of the largest, zeros of both signs, NaN, vocabularies") {
  verif::Random random(test_seed() + 3);
  for (int round = 0; round < rounds(60); ++round) {
    Card card(random);
    const uint32_t columns = random.chance(15) ? 51'864 : some_size(random, 10'000);
    const uint32_t rows = some_size(random, std::max(12'000 / columns, 1u));
    const uint32_t pieces = argmax_pieces(columns);
    Tensor from = card.tensor(rows, columns, 4, some_gap(random));
    Tensor workspace = card.tensor(1, rows * pieces, 4);
    Tensor to = card.tensor(1, rows, 4);
    // Few different numbers, so that the largest comes often.
    const float choices[] = {-0.0f, 0.0f, -1.5f, -3.0f, 2.5f, 7.0f, NAN, INFINITY, -INFINITY};
    const uint64_t kinds = random.between(1, std::size(choices));
    const uint64_t start = random.below(std::size(choices));
    for (uint32_t row = 0; row < rows; ++row) {
      for (uint32_t i = 0; i < columns; ++i) {
        from.set(row, i,
                 random.chance(50) ? choices[(start + random.below(kinds)) % std::size(choices)]
                                   : -std::abs(some_float(random)) - 4);
      }
    }
    const ArgmaxArgs args = {to.at(), from.at(), workspace.at(), rows, columns, from.stride};
    const uint32_t mask = some_mask(random, card.all());
    INFO(fmt::format("{} x {}, mask {:#x}", rows, columns, mask));
    const Result result = card.run(Operator::kArgmax, args, mask, {&from, &workspace, &to});
    REQUIRE_MESSAGE(result.ok(), card.describe(result));
    golden::argmax(args, memory_of({&from, &workspace, &to}));
    for (uint32_t row = 0; row < rows; ++row) {
      for (uint32_t piece = 0; piece < pieces; ++piece) {
        Real most = Real::of(fp32::kNan);
        for (uint32_t i = piece * kArgmaxPiece; i < std::min((piece + 1) * kArgmaxPiece, columns); ++i)
          most = max(most, Real(from.get<float>(row, i)));
        workspace.write(Number::kFp32, 0, row * pieces + piece, most.bits);
      }
    }
    REQUIRE(card.difference(to) == "");
    REQUIRE(card.difference(workspace) == "");
  }
}

}  // namespace swai::operators::test
