// Softmax and its logarithm, relative to the row's largest score.
#include "cpe-kernels/operators/common/constants.hpp"
#include "cpe-kernels/operators/common/rows.hpp"
#include "cpe-kernels/operators/softmax/long.hpp"
#include "cpe-kernels/operators/softmax/plan.hpp"
#include "cpe-kernels/operators/walker/walk.hpp"
#include "operator_table.hpp"

namespace swai::operators {

namespace {

void softmax(const SoftmaxArgs& args, bool logarithm) {
  require(check(args));
  if (args.columns > kMaxRow) return long_softmax(args, logarithm);
  Arena arena;
  auto* const largest = arena.take<float>(kMaxTileRows * sizeof(float));
  auto* const sums = arena.take<float>(kMaxTileRows * sizeof(float));
  for_rows(arena, args, [&](const Tile& tile, vector::Operand x, vector::Operand work, vector::Operand to) {
    vector::a(x);
    vector::b(value(args.scale));
    into(work);
    vector::reductions(largest);
    vector::size(tile.columns, tile.rows);
    vector::run(Op::kMul, {.reduce = Reduce::kMax});
    // In powers of two.
    vector::a(vector::rows(largest));
    vector::b(value(kLog2E));
    vector::result(largest);
    vector::size(tile.rows);
    vector::run(Op::kMul);

    vector::a(work);
    vector::c(vector::each_row(largest).negated());
    if (logarithm) {
      vector::no_result();
    } else {
      into(work);
    }
    vector::reductions(sums);
    vector::size(tile.columns, tile.rows);
    vector::run(Op::kFma, {.special = Special::kExp2, .reduce = Reduce::kSum});

    vector::a(vector::rows(sums));
    vector::b(value(1));
    vector::result(sums);
    vector::size(tile.rows);
    vector::run(Op::kMul, {.special = logarithm ? Special::kLog2 : Special::kReciprocal});
    if (logarithm) {
      // log2 of the sum of exponentials, then the natural one.
      vector::c(vector::rows(largest));
      vector::run(Op::kAdd);
      vector::b(value(kLn2));
      vector::run(Op::kMul);
      vector::a(work);
      vector::c(vector::each_row(sums).negated());
    } else {
      vector::a(work);
      vector::b(vector::each_row(sums));
    }
    into(to);
    vector::size(tile.columns, tile.rows);
    return vector::run(logarithm ? Op::kAdd : Op::kMul);
  });
}

}  // namespace

void operator_softmax(const SoftmaxArgs& args) { softmax(args, false); }
void operator_log_softmax(const SoftmaxArgs& args) { softmax(args, true); }

}  // namespace swai::operators
