// SPDX-License-Identifier: Apache-2.0
// Matrix products with int8 weights: the systolic unit by itself, and a whole group from global memory.
#include <algorithm>

#include "abi/kernel_arguments.hpp"
#include "swai/arena.hpp"
#include "swai/cpe.hpp"
#include "swai/exchange.hpp"

using namespace swai::cpe;

__kernel__ void tile_gemm(const TileGemmArgs* args) {
  const GlobalPtr<int32_t> y = args->y;
  const GlobalPtr<const int8_t> x = args->x;
  const GlobalPtr<const int8_t> w = args->w;
  const systolic::Size size = {args->column_tiles, args->k_tiles, args->block, args->rows};
  const uint32_t rounds = args->rounds;
  const uint32_t x_bytes = size.k_tiles * size.rows * 8;
  const uint32_t w_bytes = size.column_tiles * size.k_tiles * 64;
  const uint32_t y_bytes = size.column_tiles * size.rows * 32;
  Arena arena;
  int8_t* const xs = arena.take<int8_t>(x_bytes);
  int8_t* const ws = arena.take<int8_t>(w_bytes);
  int32_t* const ys = arena.take<int32_t>(y_bytes);
  if (x) dma::wait(dma::load(xs, x, x_bytes));
  if (w) dma::wait(dma::load(ws, w, w_bytes));

  systolic::activations(xs, 8 * size.rows, 8);
  systolic::weights(ws, 64, 8);
  systolic::column_strides(static_cast<int32_t>(64 * size.k_tiles), static_cast<int32_t>(32 * size.rows));
  systolic::output(ys, 32);
  systolic::size(size);
  // A round begins in the half that the last block of the one before did not use: that one is being drained.
  const uint32_t blocks = (size.column_tiles + size.block - 1) / size.block;
  systolic::Ticket last = {};
  for (uint32_t round = 0; round < rounds; ++round) last = systolic::run({.half = round * blocks & 1});
  systolic::wait(last);
  if (y) dma::wait(dma::store(y.plus_bytes(int64_t{number()} * y_bytes), ys, y_bytes));
}

namespace {

// A CPE makes blocks of 32 rows x 64 columns: as many sums as half of its accumulators holds. All CPEs of a
// row have the same rows of x, all of a column the same columns of w. What several need one of them loads;
// the others get it through the channel.
constexpr uint32_t kBlockRows = 32;
constexpr uint32_t kBlockColumns = 64;
constexpr uint32_t kDepth = 256;           // k of a step
constexpr uint32_t kXPitch = kDepth + 32;  // rows in local memory begin in different banks
constexpr uint32_t kWPitch = kBlockColumns;

// Where a step is: a block of the result, and a part of the depth.
struct Step {
  uint32_t row, column, k;
  uint32_t block;  // counted from 0
};

struct Problem {
  GlobalPtr<void> y;
  GlobalPtr<const int8_t> x;
  GlobalPtr<const int8_t> w;
  GlobalPtr<const float> factors;
  GlobalPtr<const float> biases;
  uint32_t rows, depth, columns;
  Number result;
  uint32_t element;  // bytes of a result

  uint32_t rows_of(const Step& step) const {
    return step.row < rows ? std::min(kBlockRows, rows - step.row) : 0;
  }
  uint32_t columns_of(const Step& step) const {
    return step.column < columns ? std::min(kBlockColumns, columns - step.column) : 0;
  }
  uint32_t depth_of(const Step& step) const { return std::min(kDepth, depth - step.k); }
  bool last(const Step& step) const { return step.k + kDepth >= depth; }
  // All CPEs go from step to step alike, also those whose block lies beyond the result. False: that was all.
  bool next(Step& step) const {
    step.k += kDepth;
    if (step.k < depth) return true;
    step.k = 0;
    ++step.block;
    const uint32_t grid_columns = columns_of_group * kBlockColumns;
    const uint32_t grid_rows = rows_of_group * kBlockRows;
    step.column += grid_columns;
    if (step.column - own_column * kBlockColumns < columns) return true;
    step.column = own_column * kBlockColumns;
    step.row += grid_rows;
    return step.row - own_row * kBlockRows < rows;
  }
  Step first() const { return {own_row * kBlockRows, own_column * kBlockColumns, 0, 0}; }

  uint32_t rows_of_group = swai::cpe::rows();
  uint32_t columns_of_group = swai::cpe::columns();
  uint32_t own_row = row_number();
  uint32_t own_column = column_number();
};

// The operands of a step.
struct Operands {
  std::byte* x;
  std::byte* w;
};
// The results of a block.
struct Block {
  std::byte* y;
  float* factors;
  float* biases;
  Step step;
  dma::Ticket stored;
};

class Gemm {
 public:
  explicit Gemm(const Problem& problem) : problem_(problem) {
    for (Operands& operands : operands_) {
      operands.x = arena_.take<std::byte>(kBlockRows * kXPitch);
      operands.w = arena_.take<std::byte>(kDepth * kWPitch);
    }
    y_pitch_ = kBlockColumns * problem.element + 32;
    for (Block& block : blocks_) {
      block.y = arena_.take<std::byte>(kBlockRows * y_pitch_);
      block.factors = arena_.take<float>(kBlockColumns * sizeof(float));
      block.biases = arena_.take<float>(kBlockColumns * sizeof(float));
    }
  }

  void run() {
    Step step = problem_.first();
    uint32_t turn = 0;
    fetch(step, operands_[0]);
    systolic::Ticket before = {};  // the run before, of step `done`
    Step done = {};
    for (bool more = true; more; turn ^= 1) {
      const Step now = step;
      const auto ticket = start(now, operands_[turn]);
      more = problem_.next(step);
      // The operands of the run before make place for those of the next one.
      systolic::wait(before);
      if (ran_) finish(done);
      if (more) fetch(step, operands_[turn ^ 1]);
      before = ticket;
      done = now;
      ran_ = true;
    }
    systolic::wait(before);
    finish(done);
    for (const Block& block : blocks_) dma::wait(block.stored);
    ran_ = false;
  }

 private:
  // Loads this CPE's part of what the step needs, and exchanges it with the others.
  void fetch(const Step& step, const Operands& operands) {
    const uint32_t rows = problem_.rows_of(step);
    const uint32_t columns = problem_.columns_of(step);
    const uint32_t depth = problem_.depth_of(step);
    const Part x = part_of(rows, problem_.columns_of_group, problem_.own_column);
    const Part w = part_of(columns != 0 ? depth : 0, problem_.rows_of_group, problem_.own_row);
    dma::Ticket last = {};
    if (x.count != 0) {
      last = dma::load(operands.x + x.first * kXPitch,
                       problem_.x + (int64_t{step.row + x.first} * problem_.depth + step.k), depth,
                       {static_cast<uint16_t>(x.count), kXPitch, static_cast<int32_t>(problem_.depth)});
    }
    if (w.count != 0) {
      last = dma::load(operands.w + w.first * kWPitch,
                       problem_.w + (int64_t{step.k + w.first} * problem_.columns + step.column), columns,
                       {static_cast<uint16_t>(w.count), kWPitch, static_cast<int32_t>(problem_.columns)});
    }
    if (step.k == 0 && columns != 0 && problem_.factors) {
      Block& block = blocks_[step.block & 1];
      const uint32_t bytes = columns * sizeof(float);
      last = dma::load(block.factors, problem_.factors + step.column, bytes);
      if (problem_.biases) last = dma::load(block.biases, problem_.biases + step.column, bytes);
    }
    dma::wait(last);
    Exchange<row> xs;
    Exchange<column> ws;
    xs.begin(operands.x, kXPitch, rows, problem_.columns_of_group);
    ws.begin(operands.w, kWPitch, columns != 0 ? depth : 0, problem_.rows_of_group);
    xs.wait();
    ws.wait();
  }

  systolic::Ticket start(const Step& step, const Operands& operands) {
    const uint32_t rows = problem_.rows_of(step);
    const uint32_t columns = problem_.columns_of(step);
    if (rows == 0 || columns == 0) return {};
    Block& block = blocks_[step.block & 1];
    if (problem_.last(step)) dma::wait(block.stored);
    block.step = step;
    systolic::activations(operands.x, 8, kXPitch);
    systolic::weights(operands.w, 8 * kWPitch, kWPitch);
    systolic::column_strides(8, static_cast<int32_t>(8 * problem_.element));
    systolic::output(block.y, static_cast<int32_t>(y_pitch_));
    systolic::factors(block.factors, block.biases);
    const uint32_t tiles = columns / 8;
    systolic::size({tiles, problem_.depth_of(step) / 8, tiles, rows});
    return systolic::run({.keep = step.k != 0,
                          .drain = problem_.last(step),
                          .half = step.block & 1,
                          .result = problem_.result,
                          .bias = static_cast<bool>(problem_.biases)});
  }

  // After its run: a block that is complete goes to memory.
  void finish(const Step& step) {
    const uint32_t rows = problem_.rows_of(step);
    const uint32_t columns = problem_.columns_of(step);
    if (!problem_.last(step) || rows == 0 || columns == 0) return;
    Block& block = blocks_[step.block & 1];
    const uint32_t row_bytes = problem_.columns * problem_.element;
    block.stored = dma::store(
        problem_.y.plus_bytes(int64_t{step.row} * row_bytes + int64_t{step.column} * problem_.element),
        block.y, columns * problem_.element,
        {static_cast<uint16_t>(rows), static_cast<uint16_t>(y_pitch_), static_cast<int32_t>(row_bytes)});
  }

  const Problem& problem_;
  Arena arena_;
  Operands operands_[2] = {};
  Block blocks_[2] = {};
  uint32_t y_pitch_;
  bool ran_ = false;
};

constexpr uint32_t bytes_of(Number number) {
  return number == Number::kInt8 ? 1 : number == Number::kFp16 ? 2 : 4;
}

}  // namespace

__kernel__ void gemm(const GemmArgs* args) {
  // Every CPE has its place in the grid.
  if (count() != rows() * columns()) __builtin_trap();
  const GlobalPtr<const float> factors = args->factors;
  const Number result = factors ? Number{args->result} : Number::kInt32;
  const Problem problem = {.y = args->y,
                           .x = args->x,
                           .w = args->w,
                           .factors = factors,
                           .biases = args->biases,
                           .rows = args->rows,
                           .depth = args->depth,
                           .columns = args->columns,
                           .result = result,
                           .element = bytes_of(result)};
  const uint32_t rounds = args->rounds;
  if (problem.rows == 0 || problem.depth == 0 || problem.columns == 0) return;
  Gemm gemm(problem);
  for (uint32_t round = 0; round < rounds; ++round) gemm.run();
}
