// SPDX-License-Identifier: Apache-2.0
// Where a row's largest number is. All CPEs find the largest of each piece of each row; then one CPE a row
// takes the first best piece apart.
#include <algorithm>

#include "cpe-kernels/operators/argmax/plan.hpp"
#include "cpe-kernels/operators/common/order.hpp"
#include "cpe-kernels/operators/common/stream.hpp"
#include "cpe-kernels/operators/walker/walk.hpp"
#include "operator_table.hpp"

namespace swai::operators {

namespace {

using vector::Op, vector::Reduce;

constexpr uint32_t kPiece = kArgmaxPiece;
constexpr uint32_t kPart = 64;

// The first of the largest.
uint32_t first_best(const uint32_t* numbers, uint32_t count) {
  uint32_t best = 0;
  int32_t most = order(numbers[0]);
  for (uint32_t i = 1; i < count; ++i) {
    const int32_t here = order(numbers[i]);
    if (here > most) {
      most = here;
      best = i;
    }
  }
  return best;
}

void largest_of_rows(const float* from, uint32_t columns, uint32_t rows, float* to) {
  vector::a(vector::rows(from, rows == 1 ? 0 : static_cast<int32_t>(columns * 4)));
  vector::b(vector::value(1));
  vector::no_result();
  vector::reductions(to);
  vector::size(columns, rows);
  vector::wait(vector::run(Op::kMul, {.reduce = Reduce::kMax}));
}

}  // namespace

void operator_argmax(const ArgmaxArgs& args) {
  require(check(args));
  Arena arena;
  const uint32_t across = argmax_pieces(args.columns);
  auto* const piece = arena.take<float>(kPiece * 4);
  auto* const answer = arena.take<float>(4);
  auto* const parts = arena.take<float>((kPiece / kPart + 1) * 4);
  auto* const largest = arena.take<uint32_t>(across * 4);
  const auto load = [&](uint32_t row, uint32_t column) {
    const Tile tile = {row, 1, column, std::min(kPiece, args.columns - column)};
    dma::wait(operators::load(piece, {args.from, args.from_stride, 4}, tile));
    return tile.columns;
  };
  // Pieces are the same for any number of CPEs.
  for (uint32_t number = cpe::rank(); number < args.rows * across; number += cpe::count()) {
    largest_of_rows(piece, load(number / across, number % across * kPiece), 1, answer);
    dma::wait(dma::store(args.workspace.plus_bytes(int64_t{number} * 4), answer, 4));
  }
  cpe::sync<cpe::Scope::kAll>();
  for (uint32_t row = cpe::rank(); row < args.rows; row += cpe::count()) {
    dma::wait(dma::load(largest, args.workspace.plus_bytes(int64_t{row} * across * 4), across * 4));
    const uint32_t column = first_best(largest, across) * kPiece;
    const uint32_t columns = load(row, column);
    const uint32_t whole = columns / kPart;
    const uint32_t rest = columns % kPart;
    if (whole != 0) largest_of_rows(piece, kPart, whole, parts);
    if (rest != 0) largest_of_rows(piece + whole * kPart, rest, 1, parts + whole);
    const auto* const bits = reinterpret_cast<const uint32_t*>(piece);
    const uint32_t part = first_best(reinterpret_cast<const uint32_t*>(parts), whole + (rest != 0)) * kPart;
    *reinterpret_cast<uint32_t*>(answer) =
        column + part + first_best(bits + part, std::min(kPart, columns - part));
    dma::wait(dma::store(args.to.plus_bytes(int64_t{row} * 4), answer, 4));
  }
}

}  // namespace swai::operators
