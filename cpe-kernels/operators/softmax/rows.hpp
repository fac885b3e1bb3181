// SPDX-License-Identifier: Apache-2.0
// Softmax and its logarithm of rows in local memory, relative to each row's largest score.
#pragma once

#include "cpe-kernels/operators/common/constants.hpp"
#include "cpe-kernels/operators/common/rows.hpp"

namespace swai::operators {

class Softmax {
 public:
  Softmax(Arena& arena, float scale, bool logarithm)
      : largest_(arena.take<float>(kMaxTileRows * sizeof(float))),
        sums_(arena.take<float>(kMaxTileRows * sizeof(float))),
        scale_(scale),
        logarithm_(logarithm) {}

  vector::Ticket operator()(const Tile& tile, vector::Operand x, vector::Operand work,
                            vector::Operand to) const {
    vector::a(x);
    vector::b(value(scale_));
    into(work);
    vector::reductions(largest_);
    vector::size(tile.columns, tile.rows);
    vector::run(Op::kMul, {.reduce = Reduce::kMax});
    // In powers of two.
    vector::a(vector::rows(largest_));
    vector::b(value(kLog2E));
    vector::result(largest_);
    vector::size(tile.rows);
    vector::run(Op::kMul);

    vector::a(work);
    vector::c(vector::each_row(largest_).negated());
    if (logarithm_) {
      vector::no_result();
    } else {
      into(work);
    }
    vector::reductions(sums_);
    vector::size(tile.columns, tile.rows);
    vector::run(Op::kFma, {.special = Special::kExp2, .reduce = Reduce::kSum});

    vector::a(vector::rows(sums_));
    vector::b(value(1));
    vector::result(sums_);
    vector::size(tile.rows);
    vector::run(Op::kMul, {.special = logarithm_ ? Special::kLog2 : Special::kReciprocal});
    if (logarithm_) {
      // log2 of the sum of exponentials, then the natural one.
      vector::c(vector::rows(largest_));
      vector::run(Op::kAdd);
      vector::b(value(kLn2));
      vector::run(Op::kMul);
      vector::a(work);
      vector::c(vector::each_row(sums_).negated());
    } else {
      vector::a(work);
      vector::b(vector::each_row(sums_));
    }
    into(to);
    vector::size(tile.columns, tile.rows);
    return vector::run(logarithm_ ? Op::kAdd : Op::kMul);
  }

 private:
  float* largest_;
  float* sums_;
  float scale_;
  bool logarithm_;
};

}  // namespace swai::operators
