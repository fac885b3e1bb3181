// Layer norm and RMS norm. Layer norm takes its mean away before it squares: large means cost no digits.
#include "cpe-kernels/operators/common/rows.hpp"
#include "cpe-kernels/operators/norm/plan.hpp"
#include "cpe-kernels/operators/walker/walk.hpp"
#include "operator_table.hpp"

namespace swai::operators {

namespace {

// 1 / n, for the cores cannot divide. Both in local memory.
void reciprocal_of(uint32_t n, int32_t* number, float* to) {
  *number = static_cast<int32_t>(n);
  vector::a(vector::rows(number));
  vector::b(value(1));
  vector::result(to);
  vector::size(1);
  vector::run(Op::kMul, {.special = Special::kReciprocal});
}

void norm(const NormArgs& args, bool layer) {
  require(check(args));
  Arena arena;
  const uint32_t row_bytes = args.columns * uint32_t{sizeof(float)};
  auto* const gamma = arena.take<float>(row_bytes);
  auto* const beta = layer ? arena.take<float>(row_bytes) : nullptr;
  auto* const numbers = arena.take<float>(kMaxTileRows * sizeof(float));
  auto* const part = arena.take<float>(sizeof(float));
  dma::Ticket loaded = dma::load(gamma, args.gamma, row_bytes);
  if (layer) loaded = dma::load(beta, args.beta, row_bytes);
  reciprocal_of(args.columns, arena.take<int32_t>(sizeof(int32_t)), part);
  dma::wait(loaded);
  const auto part_of_row = vector::each_row(part, 0);
  for_rows(arena, args, [&](const Tile& tile, vector::Operand x, vector::Operand work, vector::Operand to) {
    vector::reductions(numbers);
    vector::size(tile.columns, tile.rows);
    if (layer) {
      vector::a(x);
      vector::b(part_of_row);
      vector::no_result();
      vector::run(Op::kMul, {.reduce = Reduce::kSum});
      vector::c(vector::each_row(numbers).negated());
      into(work);
      vector::run(Op::kAdd);
      x = work;
    }
    vector::a(x);
    vector::b(x);
    vector::no_result();
    vector::run(Op::kMul, {.reduce = Reduce::kSum});
    vector::a(vector::rows(numbers));
    vector::b(part_of_row);
    vector::c(value(args.epsilon));
    vector::result(numbers);
    vector::size(tile.rows);
    vector::run(Op::kFma, {.special = Special::kRoot});
    vector::a(x);
    vector::b(vector::each_row(numbers));
    into(work);
    vector::size(tile.columns, tile.rows);
    vector::run(Op::kMul);
    vector::a(work);
    vector::b(vector::rows(gamma));
    if (layer) vector::c(vector::rows(beta));
    into(to);
    return vector::run(layer ? Op::kFma : Op::kMul);
  });
}

}  // namespace

void operator_layer_norm(const NormArgs& args) { norm(args, true); }
void operator_rms_norm(const NormArgs& args) { norm(args, false); }

}  // namespace swai::operators
