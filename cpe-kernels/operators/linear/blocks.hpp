// SPDX-License-Identifier: Apache-2.0
// Divides a product into blocks of results and these into steps of depth, and the blocks among CPEs. With all
// CPEs of the group and many rows those of a row share rows of x, those of a column share columns of w;
// otherwise each CPE has columns of its own. The depth of a result's steps never depends on that.
#pragma once

#include <algorithm>

#include "swai/control.hpp"
#include "swai/exchange.hpp"

namespace swai::operators {

// So many activations at most stay in local memory, all of their depth.
inline constexpr uint32_t kFewRows = 8;

// Where a step is: a block of the result, which may be empty, and a part of the depth.
struct Step {
  uint32_t row, column, k;
  uint32_t rows, columns, depth;
  uint32_t block;   // counted from 0
  uint32_t number;  // likewise
};

// How some CPEs go through rows, or columns, side by side: in each round all of them take equally many. What
// is left for the last round is shared as evenly.
class Rounds {
 public:
  struct Range {
    uint32_t begin, end;
  };
  // `most`: of one CPE in a round. Shares begin at multiples of `unit`.
  Rounds(Range all, uint32_t parts, uint32_t part, uint32_t most, uint32_t unit);

  // Where this CPE's share of the first round begins; of the next one, false if there is none.
  uint32_t first() const { return first_; }
  bool is_last(uint32_t at) const { return at >= last_; }
  bool next(uint32_t& at) const {
    if (is_last(at)) return false;
    at += parts_ * each_;
    if (at >= last_) at = last_ + part_ * last_each_;
    return true;
  }
  // Of the share that begins there: none where the round has too few for all.
  uint32_t count(uint32_t at) const {
    return at < end_ ? std::min(at < last_ ? each_ : last_each_, end_ - at) : 0;
  }
  uint32_t most() const { return each_; }
  bool any() const { return first_ < end_; }

 private:
  uint32_t end_;
  uint32_t parts_;
  uint32_t part_;
  uint32_t each_;
  uint32_t last_;  // where the last round begins
  uint32_t last_each_;
  uint32_t first_;
};

class Blocks {
 public:
  struct Size {
    uint32_t rows, depth, columns;
  };
  // `most`: of a block and a step. Blocks begin at multiples of `unit` columns. The first step of all may be
  // shorter, `first_depth`, half of `most` or a quarter: nothing can be computed before its operands are
  // there. The next ones double what there is, as memory is faster than the units. Where one step would do
  // for all there is no other: CPEs exchange operands once.
  Blocks(Size all, Size most, uint32_t unit, uint32_t first_depth);

  // Steps of few rows may be longer than `most` said: a step costs a core the same whatever its depth is.
  // Each takes a multiple of that, but for the last one, which is short: nothing is left to do beside it.
  void deepen(uint32_t pieces) {
    piece_ = step_depth_;
    step_depth_ *= pieces;
    last_depth_ = std::min(piece_ + piece_ / 2, step_depth_);
    first_depth_ = step_depth_;
  }

  const Size& all() const { return all_; }
  bool sharing() const { return sharing_; }
  // Of a block and a step, at most.
  uint32_t rows() const { return rows_.most(); }
  uint32_t columns() const { return columns_.most(); }
  uint32_t depth() const { return step_depth_; }

  static bool empty(const Step& step) { return step.rows == 0 || step.columns == 0; }
  bool in_last_block(const Step& step) const {
    return rows_.is_last(step.row) && columns_.is_last(step.column);
  }
  // Of its block.
  bool last(const Step& step) const { return step.k + step.depth == all_.depth; }

  // What this CPE loads of `count` rows of x, or parts of the columns' weights; the others that share them
  // load the rest.
  cpe::Part own_of_x(uint32_t count) const {
    return sharing_ ? cpe::part_of(count, cpe::columns(), cpe::column_number()) : cpe::Part{0, count};
  }
  cpe::Part own_of_w(uint32_t count) const {
    return sharing_ ? cpe::part_of(count, cpe::rows(), cpe::row_number()) : cpe::Part{0, count};
  }

  // No CPE has nothing to do.
  bool everyone() const { return everyone_; }
  // False: this CPE has nothing to do, and the others do not need it.
  bool any() const { return sharing_ || columns_.any(); }
  Step first() const {
    Step step = {rows_.first(), columns_.first(), 0, 0, 0, depth_of(all_.depth, first_depth_), 0, 0};
    enter(step);
    return step;
  }
  // CPEs that share go from step to step alike, also those whose block lies beyond the result. False: that
  // was all.
  bool next(Step& step) const {
    ++step.number;
    step.k += step.depth;
    if (step.k < all_.depth) {
      step.depth =
          depth_of(all_.depth - step.k, step.block == 0 && step.k < step_depth_ ? step.k : step_depth_);
      return true;
    }
    step.k = 0;
    step.depth = depth_of(all_.depth, step_depth_);
    ++step.block;
    if (!columns_.next(step.column)) {
      if (!rows_.next(step.row)) return false;
      step.column = columns_.first();
    }
    enter(step);
    return true;
  }

 private:
  void enter(Step& step) const {
    step.columns = columns_.count(step.column);
    step.rows = rows_.count(step.row);
  }
  // Of a step, where so much is left of its block.
  uint32_t depth_of(uint32_t left, uint32_t most) const {
    if (left <= last_depth_) return left;
    return std::min(most, (left - last_depth_ + piece_ - 1) & -piece_);
  }

  Size all_;
  uint32_t step_depth_;
  uint32_t first_depth_;
  uint32_t piece_ = 1;  // a power of two: each step of a block but the last is so deep, or a multiple
  uint32_t last_depth_ = 0;
  bool sharing_;
  bool everyone_;
  Rounds rows_;
  Rounds columns_;
};

}  // namespace swai::operators
