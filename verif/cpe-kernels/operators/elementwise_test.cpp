// SPDX-License-Identifier: Apache-2.0
// Copy, and operators on pairs of elements: every byte of memory, and the error against double precision.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "cpe-kernels/operators/common/places.hpp"
#include "cpe-kernels/operators/elementwise/reference.hpp"
#include "verif/cpe-kernels/operators/golden/golden.hpp"
#include "verif/cpe-kernels/operators/shapes.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::operators::test {
TEST_CASE("copy: any rows, strides, places, CPEs; a row for all") {
  verif::Random random(test_seed());
  for (int round = 0; round < rounds(60); ++round) {
    Card card(random);
    const Shape shape = some_shape(random, 60'000);
    const bool repeat = random.chance(15);
    Tensor from = card.tensor(repeat ? 1 : shape.rows, shape.columns, 1, some_gap(random));
    Tensor to = card.tensor(shape.rows, shape.columns, 1, some_gap(random));
    const CopyArgs args = {.to = to.at(),
                           .from = from.at(),
                           .rows = shape.rows,
                           .row_bytes = shape.columns,
                           .to_stride = to.stride,
                           .from_stride = repeat ? 0 : from.stride};
    const uint32_t mask = some_mask(random, card.all());
    const std::vector<Tensor*> tensors = {&from, &to};
    const Result result = card.run(Operator::kCopy, args, mask, tensors);
    INFO(fmt::format("{} x {}, mask {:#x}", shape.rows, shape.columns, mask));
    REQUIRE(result.ok());
    golden::copy(args, memory_of(tensors));
    REQUIRE(card.difference(to) == "");
    REQUIRE(card.difference(from) == "");
  }
}

TEST_CASE("copy: each row to its place, in order or in chunks; rows of no text go nowhere") {
  verif::Random random(test_seed() + 4);
  for (int round = 0; round < rounds(60); ++round) {
    Card card(random);
    const auto rows = static_cast<uint32_t>(random.between(1, kMaxPlacedRows));
    const uint32_t bytes = some_size(random, 40'000 / rows);
    const bool repeat = random.chance(15);
    const bool in_chunks = random.chance(70);
    const bool one_list = random.chance(30);
    // Of which a list names some, in any order.
    const auto chunks = static_cast<uint32_t>(random.between(2, 5));
    const uint32_t named = static_cast<uint32_t>(random.between(1, chunks));
    Tensor from = card.tensor(repeat ? 1 : rows, bytes, 1, some_gap(random));
    Tensor to = card.tensor(chunks * kChunkRows, bytes, 1, some_gap(random));
    Tensor positions = card.tensor(1, rows, 4);
    Tensor lists = card.tensor(one_list ? 1 : rows, named + static_cast<uint32_t>(random.below(3)), 4);
    for (uint32_t list = 0; list < lists.rows; ++list) {
      for (uint32_t i = 0; i < named; ++i) lists.set(list, i, static_cast<uint32_t>(random.below(chunks)));
    }
    std::vector<uint32_t> places(to.rows, kNoText);  // no two rows go to the same one
    for (uint32_t row = 0; row < rows; ++row) {
      const auto position = static_cast<uint32_t>(random.below(in_chunks ? named * kChunkRows : to.rows));
      const uint32_t place =
          in_chunks ? lists.get<uint32_t>(one_list ? 0 : row, position / kChunkRows) * kChunkRows +
                          position % kChunkRows
                    : position;
      const bool goes = places[place] == kNoText && random.chance(90);
      if (goes) places[place] = row;
      positions.set(0, row, goes ? position : kNoText);
    }
    CopyArgs args = {.to = to.at(),
                     .from = from.at(),
                     .positions = positions.at(),
                     .rows = rows,
                     .row_bytes = bytes,
                     .to_stride = to.stride,
                     .from_stride = repeat ? 0 : from.stride};
    if (in_chunks) args.chunks = lists.at();
    if (in_chunks && !one_list) args.chunks_stride = lists.stride;
    const uint32_t mask = some_mask(random, card.all());
    INFO(fmt::format("{} x {}, {} chunks, lists {}, mask {:#x}", rows, bytes, chunks, args.chunks_stride,
                     mask));
    const std::vector<Tensor*> tensors = {&from, &to, &positions, &lists};
    REQUIRE(card.run(Operator::kCopy, args, mask, tensors).ok());
    golden::copy(args, memory_of(tensors));
    REQUIRE(card.difference(to) == "");
    REQUIRE(card.difference(from) == "");
  }
}

TEST_CASE("copy: a chunk that is nowhere is refused") {
  verif::Random random(test_seed() + 5);
  Card card(random);
  Tensor from = card.tensor(1, 8, 1), to = card.tensor(1, 8, 1);
  Tensor positions = card.tensor(1, 1, 4), list = card.tensor(1, 1, 4);
  positions.set(0, 0, 0u);
  list.set(0, 0, kMaxChunk);
  const CopyArgs args = {.to = to.at(),
                         .from = from.at(),
                         .positions = positions.at(),
                         .chunks = list.at(),
                         .rows = 1,
                         .row_bytes = 8,
                         .to_stride = 8};
  const Result result = card.walk(one(Operator::kCopy, args), 1, {&from, &to, &positions, &list});
  CHECK(!result.ok());
  CHECK(card.state(0).refusal == node::Refusal::kParameter);
  CHECK(card.difference(to) == "");
}

TEST_CASE("add, mul: any shapes, numbers, strides, CPEs; in place; a row for all") {
  verif::Random random(test_seed() + 1);
  for (int round = 0; round < rounds(80); ++round) {
    const auto operation = random.chance(50) ? Operator::kAdd : Operator::kMul;
    Card card(random);
    const Shape shape = some_shape(random, 12'000);
    const bool a_repeats = random.chance(15);
    const bool b_repeats = random.chance(25);
    const bool plain = random.chance(40);
    const auto number = [&] { return plain ? Number::kFp32 : some_number(random); };
    BinaryArgs args{.rows = shape.rows, .columns = shape.columns};
    args.a_type = number();
    args.b_type = number();
    const bool in_place = !a_repeats && random.chance(20);
    args.to_type = in_place ? args.a_type : number();
    Tensor a =
        card.tensor(a_repeats ? 1 : shape.rows, shape.columns, bytes_of(args.a_type), some_gap(random));
    Tensor b =
        card.tensor(b_repeats ? 1 : shape.rows, shape.columns, bytes_of(args.b_type), some_gap(random));
    Tensor other = card.tensor(shape.rows, shape.columns, bytes_of(args.to_type), some_gap(random));
    Tensor& to = in_place ? a : other;
    fill(random, a, args.a_type);
    fill(random, b, args.b_type);
    args.to = to.at();
    args.a = a.at();
    args.b = b.at();
    args.to_stride = to.stride;
    args.a_stride = a_repeats ? 0 : a.stride;
    args.b_stride = b_repeats ? 0 : b.stride;
    const uint32_t mask = some_mask(random, card.all());
    const std::vector<Tensor*> tensors = {&a, &b, &other};
    const Result result = card.run(operation, args, mask, tensors);
    INFO(fmt::format("{} x {}, mask {:#x}", shape.rows, shape.columns, mask));
    REQUIRE(result.ok());
    const auto compare = [&](uint32_t row, uint32_t column, Real result) {
      const float x = a.get<float>(a_repeats ? 0 : row, column),
                  y = b.get<float>(b_repeats ? 0 : row, column);
      const double exact = reference::binary(operation, x, y);
      // Half a unit in the last place, or of the smallest number there is.
      CHECK(std::abs(result.value() - exact) <= std::max(std::abs(exact) * 6e-8, 1e-45));
    };
    (operation == Operator::kAdd ? golden::add : golden::mul)(args, memory_of(tensors),
                                                              plain ? compare : golden::Seen());
    REQUIRE(card.difference(to) == "");
    REQUIRE(card.difference(b) == "");
  }
}

TEST_CASE("bad types and strides of pairs are refused") {
  verif::Random random(test_seed() + 2);
  Card card(random);
  Tensor a = card.tensor(5, 9, 4), b = card.tensor(5, 9, 4), to = card.tensor(5, 9, 4);
  const BinaryArgs good = {.to = to.at(),
                           .a = a.at(),
                           .b = b.at(),
                           .rows = 5,
                           .columns = 9,
                           .to_stride = 36,
                           .a_stride = 36,
                           .b_stride = 36,
                           .to_type = Number::kFp32,
                           .a_type = Number::kFp32,
                           .b_type = Number::kFp32};
  const auto refused = [&](auto change, node::Refusal reason) {
    BinaryArgs args = good;
    change(args);
    const Result result = card.walk(one(Operator::kAdd, args), card.all(), {&a, &b, &to});
    CHECK(result.failed == card.all());
    CHECK(card.state(0).refusal == reason);
    CHECK(card.difference(to) == "");
  };
  refused([](BinaryArgs& args) { args.rows = 0; }, node::Refusal::kShape);
  refused([](BinaryArgs& args) { args.columns = 0; }, node::Refusal::kShape);
  refused([](BinaryArgs& args) { args.to_type = Number{4}; }, node::Refusal::kType);
  refused([](BinaryArgs& args) { args.a_type = Number{255}; }, node::Refusal::kType);
  refused([](BinaryArgs& args) { args.b_type = Number{9}; }, node::Refusal::kType);
  refused([](BinaryArgs& args) { args.to_stride = 35; }, node::Refusal::kStride);
  refused([](BinaryArgs& args) { args.a_stride = 35; }, node::Refusal::kStride);
  refused([](BinaryArgs& args) { args.b_stride = 1u << 31; }, node::Refusal::kStride);
}

}  // namespace swai::operators::test
