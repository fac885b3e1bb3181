// Linear layers. A CPE makes blocks of 32 x 64 results, in steps of 256 k (128 where each 128 have a scale).
// While the systolic unit works on a step, the block before goes through the vector unit, and the operands of
// the next step come in. With all CPEs and many rows those of a row share x, those of a column share weights;
// otherwise each CPE has columns of its own.
#include <algorithm>

#include "cpe-kernels/operators/common/stream.hpp"
#include "cpe-kernels/operators/linear/exchange.hpp"
#include "cpe-kernels/operators/linear/plan.hpp"
#include "cpe-kernels/operators/unary/functions.hpp"
#include "cpe-kernels/operators/walker/walk.hpp"
#include "operator_table.hpp"
#include "swai/systolic.hpp"

namespace swai::operators {

namespace {

namespace systolic = cpe::systolic;
using vector::Op;

constexpr uint32_t kDepth = 256;  // of a step
constexpr uint32_t kFirstDepth = 64;
constexpr uint32_t kResultPitch = kBlockColumns * 4 + 32;  // rows in local memory begin in different banks

// Where a step is: a block of the result, and a part of the depth.
struct Step {
  uint32_t row, column, k;
  uint32_t block;   // counted from 0
  uint32_t number;  // likewise
};

class Problem {
 public:
  explicit Problem(const LinearArgs& arguments)
      : args(arguments), grouped(args.group != args.depth), step_depth(grouped ? kScaleGroup : kDepth) {
    if (args.rows > kBlockRows && cpe::count() == cpe::rows() * cpe::columns()) {
      rows_of_grid_ = cpe::rows();
      columns_of_grid_ = cpe::columns();
      own_row_ = cpe::row_number();
      own_column_ = cpe::column_number();
      sharing = true;
    }
  }

  uint32_t rows_of(const Step& step) const {
    return step.row < args.rows ? std::min(kBlockRows, args.rows - step.row) : 0;
  }
  uint32_t columns_of(const Step& step) const {
    return step.column < args.columns ? std::min(kBlockColumns, args.columns - step.column) : 0;
  }
  bool empty(const Step& step) const { return step.row >= args.rows || step.column >= args.columns; }
  // The first steps are short: there is nothing to compute before the first one's operands are there.
  uint32_t length_of(const Step& step) const {
    if (grouped || step.block != 0 || step.k >= kDepth) return step_depth;
    return step.k == 0 ? kFirstDepth : kDepth - kFirstDepth;
  }
  uint32_t depth_of(const Step& step) const { return std::min(length_of(step), args.depth - step.k); }
  bool last(const Step& step) const { return step.k + length_of(step) >= args.depth; }

  Step first() const { return {own_row_ * kBlockRows, own_column_ * kBlockColumns, 0, 0, 0}; }
  // All CPEs go from step to step alike, also those whose block lies beyond the result. False: that was all.
  bool next(Step& step) const {
    ++step.number;
    step.k += length_of(step);
    if (step.k < args.depth) return true;
    step.k = 0;
    ++step.block;
    step.column += columns_of_grid_ * kBlockColumns;
    if (step.column - own_column_ * kBlockColumns < args.columns) return true;
    step.column = own_column_ * kBlockColumns;
    step.row += rows_of_grid_ * kBlockRows;
    return step.row - own_row_ * kBlockRows < args.rows;
  }

  const LinearArgs& args;
  bool grouped;
  uint32_t step_depth;
  bool sharing = false;

 private:
  uint32_t rows_of_grid_ = 1;
  uint32_t columns_of_grid_ = cpe::count();
  uint32_t own_row_ = 0;
  uint32_t own_column_ = cpe::rank();
};

class Linear {
 public:
  explicit Linear(const Problem& problem)
      : problem_(problem), args_(problem.args), x_pitch_(problem.step_depth + 32) {
    plain_ = !problem.grouped && args_.function == 0 && !args_.residual;
    for (Operands& operands : operands_) {
      operands.x = arena_.take<std::byte>(kBlockRows * x_pitch_);
      operands.w = arena_.take<std::byte>(problem.step_depth * kBlockColumns);
      operands.row_factors = arena_.take<float>(kBlockRows * 4);
      if (problem.grouped) operands.part = arena_.take<std::byte>(kBlockRows * kResultPitch);
    }
    for (Block& block : blocks_) {
      block.y = arena_.take<std::byte>(kBlockRows * kResultPitch);
      block.factors = arena_.take<float>(kBlockColumns * 4);
      block.biases = arena_.take<float>(kBlockColumns * 4);
      if (args_.residual) block.residual = arena_.take<std::byte>(kBlockRows * kResultPitch);
    }
    if (args_.function != 0) {
      for (std::byte*& at : between_) at = arena_.take<std::byte>(kBlockRows * kBlockColumns * 4);
    }
  }

  void run() {
    Step step = problem_.first();
    uint32_t turn = 0;
    fetch(step, operands_[0]);
    systolic::Ticket before = {};  // the run before, of step `done`
    Step done = {};
    bool ran = false;
    for (bool more = true; more; turn ^= 1) {
      const Step now = step;
      const auto ticket = start(now, operands_[turn]);
      more = problem_.next(step);
      // The operands of the run before make place for those of the next one.
      systolic::wait(before);
      if (ran) finish(done, operands_[turn ^ 1]);
      if (more) fetch(step, operands_[turn ^ 1]);
      before = ticket;
      done = now;
      ran = true;
    }
    systolic::wait(before);
    finish(done, operands_[turn ^ 1]);
    for (const Block& block : blocks_) dma::wait(block.stored);
  }

 private:
  // Of a step.
  struct Operands {
    std::byte* x;
    std::byte* w;
    float* row_factors;
    std::byte* part = nullptr;  // of the results, where each group has its scale
  };
  // The results of a block.
  struct Block {
    std::byte* y;
    float* factors;
    float* biases;
    std::byte* residual = nullptr;
    dma::Ticket stored;
  };

  // Loads what the step needs, or this CPE's part of it, and exchanges it with the others.
  void fetch(const Step& step, const Operands& operands) {
    const uint32_t rows = problem_.rows_of(step);
    const uint32_t columns = problem_.columns_of(step);
    const uint32_t depth = problem_.depth_of(step);
    const uint32_t w_depth = columns == 0 ? 0 : padded_depth(depth);
    const uint32_t sharers_of_x = problem_.sharing ? cpe::columns() : 1;
    const uint32_t sharers_of_w = problem_.sharing ? cpe::rows() : 1;
    const Part x = part_of(rows, sharers_of_x, problem_.sharing ? cpe::column_number() : 0);
    const Part w = part_of(w_depth, sharers_of_w, problem_.sharing ? cpe::row_number() : 0);
    dma::Ticket last = {};
    if (x.count != 0 && (columns != 0 || problem_.sharing)) {
      last = dma::load(
          operands.x + x.first * x_pitch_,
          args_.x.plus_bytes(static_cast<int64_t>(uint64_t{step.row + x.first} * args_.x_stride + step.k)),
          depth,
          {static_cast<uint16_t>(x.count), static_cast<uint16_t>(x_pitch_),
           static_cast<int32_t>(x.count == 1 ? 0 : args_.x_stride)});
    }
    if (w.count != 0 && (rows != 0 || problem_.sharing)) {
      last = dma::load(operands.w + w.first * kBlockColumns,
                       args_.w.plus_bytes(static_cast<int64_t>(
                           packed_linear_index(args_.depth, step.k + w.first, step.column))),
                       w.count * kBlockColumns);
    }
    if (!problem_.empty(step)) {
      if (problem_.grouped || problem_.last(step)) {
        const uint64_t group = problem_.grouped ? step.k / kScaleGroup : 0;
        last = dma::load(operands.row_factors,
                         args_.x_scales.plus_bytes(
                             static_cast<int64_t>(group * args_.x_scales_stride + uint64_t{step.row} * 4)),
                         rows * 4);
      }
      if (step.k == 0) last = fetch_of_block(step, rows, columns);
    }
    dma::wait(last);
    Exchange<cpe::row> xs;
    Exchange<cpe::column> ws;
    xs.begin(operands.x, x_pitch_, rows, sharers_of_x);
    ws.begin(operands.w, kBlockColumns, w_depth, sharers_of_w);
    xs.wait();
    ws.wait();
  }

  dma::Ticket fetch_of_block(const Step& step, uint32_t rows, uint32_t columns) {
    Block& block = blocks_[step.block & 1];
    const int64_t at = int64_t{step.column} * 4;
    if (args_.biases) dma::load(block.biases, args_.biases.plus_bytes(at), columns * 4);
    if (args_.residual) {
      const uint32_t bytes = bytes_of(args_.residual_type);
      const Tile tile = {step.row, rows, step.column, columns};
      dma::load(block.residual, args_.residual.plus_bytes(offset_of(tile, args_.residual_stride, bytes)),
                columns * bytes,
                {static_cast<uint16_t>(rows), static_cast<uint16_t>(kResultPitch),
                 static_cast<int32_t>(rows == 1 ? 0 : args_.residual_stride)});
    }
    return dma::load(block.factors, args_.w_scales.plus_bytes(at), columns * 4);
  }

  systolic::Ticket start(const Step& step, const Operands& operands) {
    if (problem_.empty(step)) return {};
    Block& block = blocks_[step.block & 1];
    // A block's place is free when the one before it is in memory.
    if (problem_.grouped ? step.k == 0 : problem_.last(step)) dma::wait(block.stored);
    const uint32_t tiles = (problem_.columns_of(step) + 7) / 8;
    const Number number = plain_ ? args_.to_type : Number::kFp32;
    systolic::activations(operands.x, 8, x_pitch_);
    systolic::weights(operands.w, 8 * kBlockColumns, kBlockColumns);
    systolic::column_strides(8, static_cast<int32_t>(8 * bytes_of(number)));
    systolic::output(problem_.grouped ? operands.part : block.y, kResultPitch);
    systolic::factors(block.factors, block.biases);
    systolic::row_factors(operands.row_factors);
    systolic::size({tiles, padded_depth(problem_.depth_of(step)) / 8, tiles, problem_.rows_of(step)});
    const bool begins = step.k == 0;
    return systolic::run({.keep = !problem_.grouped && !begins,
                          .drain = problem_.grouped || problem_.last(step),
                          .half = (problem_.grouped ? step.number : step.block) & 1,
                          .result = static_cast<cpe::Number>(number),
                          .row_factors = true,
                          .bias = args_.biases && (!problem_.grouped || begins)});
  }

  // After its run: adds a group's part, and a block that is complete goes to memory.
  void finish(const Step& step, const Operands& operands) {
    if (problem_.empty(step)) return;
    Block& block = blocks_[step.block & 1];
    const uint32_t rows = problem_.rows_of(step);
    const uint32_t columns = problem_.columns_of(step);
    const auto y = operand(block.y, Number::kFp32, kResultPitch);
    vector::size(columns, rows);
    vector::Ticket last = {};
    if (problem_.grouped) {
      vector::a(operand(operands.part, Number::kFp32, kResultPitch));
      vector::b(vector::value(1));
      vector::c(y);
      into(y);
      last = vector::run(step.k == 0 ? Op::kMul : Op::kAdd);
    }
    if (!problem_.last(step)) return vector::wait(last);
    if (!plain_) last = end(block, y, operand(block.y, args_.to_type, kResultPitch));
    vector::wait(last);
    block.stored = operators::store({args_.to, args_.to_stride, bytes_of(args_.to_type)}, block.y,
                                    {step.row, rows, step.column, columns}, kResultPitch);
  }

  // Function, residual, conversion.
  vector::Ticket end(const Block& block, const vector::Operand& y, const vector::Operand& to) {
    vector::Ticket last = {};
    if (args_.function != 0) {
      const auto between = [&](uint32_t i) { return operand(between_[i], Number::kFp32, kBlockColumns * 4); };
      last = apply(static_cast<Operator>(args_.function), args_.residual ? y : to,
                   {y, between(0), between(1), between(2)});
    }
    if (args_.residual) {
      vector::a(y);
      vector::c(operand(block.residual, args_.residual_type, kResultPitch));
      into(to);
      last = vector::run(Op::kAdd);
    }
    if (args_.function == 0 && !args_.residual && args_.to_type != Number::kFp32) {
      vector::a(y);
      vector::b(vector::value(1));
      into(to);
      last = vector::run(Op::kMul);
    }
    return last;
  }

  const Problem& problem_;
  const LinearArgs& args_;
  uint32_t x_pitch_;
  bool plain_;  // results are complete when they are drained
  Arena arena_;
  Operands operands_[2] = {};
  Block blocks_[2] = {};
  std::byte* between_[3] = {};
};

}  // namespace

void operator_linear(const LinearArgs& args) {
  require(check(args));
  const Problem problem(args);
  Linear(problem).run();
}

}  // namespace swai::operators
