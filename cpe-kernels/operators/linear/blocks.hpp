// Divides a product into blocks of results and these into steps of depth, and the blocks among CPEs. With all
// CPEs of the group and many rows those of a row share rows of x, those of a column share columns of w;
// otherwise each CPE has columns of its own. The depth of a result's steps never depends on that.
#pragma once

#include <algorithm>

#include "swai/control.hpp"
#include "swai/exchange.hpp"

namespace swai::operators {

// Where a step is: a block of the result, and a part of the depth.
struct Step {
  uint32_t row, column, k;
  uint32_t block;   // counted from 0
  uint32_t number;  // likewise
};

class Blocks {
 public:
  struct Size {
    uint32_t rows, depth, columns;
  };
  // `most`: of a block and a step. Blocks begin at multiples of `unit` columns. The first step of all may be
  // shorter, `first_depth`: nothing can be computed before its operands are there.
  Blocks(Size all, Size most, uint32_t unit, uint32_t first_depth)
      : all_(all), step_depth_(most.depth), first_depth_(first_depth) {
    if (all.rows > most.rows && cpe::all_cpes()) {
      sharing_ = true;
      rows_of_grid_ = cpe::rows();
      columns_of_grid_ = cpe::columns();
      end_ = all.columns;
    } else {
      // Columns of its own: as many as the others have, but for one unit.
      const uint32_t units = (all.columns + unit - 1) / unit;
      begin_ = cpe::rank() * units / cpe::count() * unit;
      end_ = std::min(all.columns, (cpe::rank() + 1) * units / cpe::count() * unit);
    }
    rows_ = even(all.rows, rows_of_grid_, most.rows, 1);
    columns_ = even(end_ - begin_, columns_of_grid_, most.columns, unit);
    if (sharing_) begin_ = cpe::column_number() * columns_;
    first_row_ = sharing_ ? cpe::row_number() * rows_ : 0;
  }

  const Size& all() const { return all_; }
  bool sharing() const { return sharing_; }
  // Of a block and a step, at most.
  uint32_t rows() const { return rows_; }
  uint32_t columns() const { return columns_; }
  uint32_t depth() const { return step_depth_; }

  uint32_t rows_of(const Step& step) const {
    return step.row < all_.rows ? std::min(rows_, all_.rows - step.row) : 0;
  }
  uint32_t columns_of(const Step& step) const {
    return step.column < end_ ? std::min(columns_, end_ - step.column) : 0;
  }
  uint32_t depth_of(const Step& step) const { return std::min(length_of(step), all_.depth - step.k); }
  bool empty(const Step& step) const { return step.row >= all_.rows || step.column >= end_; }
  bool last(const Step& step) const { return step.k + length_of(step) >= all_.depth; }

  // What this CPE loads of `count` rows of x, or parts of the columns' weights; the others that share them
  // load the rest.
  cpe::Part own_of_x(uint32_t count) const {
    return sharing_ ? cpe::part_of(count, columns_of_grid_, cpe::column_number()) : cpe::Part{0, count};
  }
  cpe::Part own_of_w(uint32_t count) const {
    return sharing_ ? cpe::part_of(count, rows_of_grid_, cpe::row_number()) : cpe::Part{0, count};
  }

  // False: this CPE has nothing to do, and the others do not need it.
  bool any() const { return sharing_ || begin_ < end_; }
  Step first() const { return {first_row_, begin_, 0, 0, 0}; }
  // CPEs that share go from step to step alike, also those whose block lies beyond the result. False: that
  // was all.
  bool next(Step& step) const {
    ++step.number;
    step.k += length_of(step);
    if (step.k < all_.depth) return true;
    step.k = 0;
    ++step.block;
    step.column += columns_of_grid_ * columns_;
    if (step.column - (sharing_ ? begin_ : 0) < end_) return true;
    step.column = begin_;
    step.row += rows_of_grid_ * rows_;
    return step.row - first_row_ < all_.rows;
  }

 private:
  // What each of `parts` takes at a time, at most `most`, so that all of them have about as much.
  static uint32_t even(uint32_t all, uint32_t parts, uint32_t most, uint32_t unit) {
    const uint32_t rounds = std::max((all + parts * most - 1) / (parts * most), uint32_t{1});
    const uint32_t each = (all + parts * rounds - 1) / (parts * rounds);
    return std::max((each + unit - 1) / unit * unit, unit);
  }
  uint32_t length_of(const Step& step) const {
    if (step.block != 0 || step.k >= step_depth_) return step_depth_;
    return step.k == 0 ? first_depth_ : step_depth_ - first_depth_;
  }

  Size all_;
  uint32_t step_depth_;
  uint32_t first_depth_;
  bool sharing_ = false;
  uint32_t rows_of_grid_ = 1;
  uint32_t columns_of_grid_ = 1;
  uint32_t first_row_ = 0;
  uint32_t begin_ = 0;  // of this CPE's columns
  uint32_t end_ = 0;
  uint32_t rows_ = 0;
  uint32_t columns_ = 0;
};

}  // namespace swai::operators
