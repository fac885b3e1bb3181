// SPDX-License-Identifier: Apache-2.0
// Masks of scores: infinity for the first few keys of a block, which a row sees, a hidden score for the
// others. The smaller of mask and score is the score, or hidden.
#pragma once

#include <bit>

#include "cpe-kernels/operators/attention_int8/plan.hpp"
#include "cpe-kernels/operators/common/stream.hpp"

namespace swai::operators {

class Masks {
 public:
  explicit Masks(Arena& arena) : rows_(arena.take<float>(kRow * vector::kLanes * sizeof(float))) {
    vector::b(vector::value(1));
    vector::size(kKeyBlock, vector::kLanes);
    vector::a(vector::value(__builtin_inff()));
    vector::result(rows_, kRow * sizeof(float));
    vector::run(vector::Op::kMul);
    vector::a(vector::value(kHiddenScore));
    vector::result(rows_ + kKeyBlock, kRow * sizeof(float));
    vector::wait(vector::run(vector::Op::kMul));
    for (uint32_t row = 1; row < vector::kLanes; ++row) {
      for (uint32_t i = 0; i < row; ++i) rows_[row * kRow + kKeyBlock + i] = __builtin_inff();
    }
  }

  // For a block of which `seen` keys are seen.
  vector::Operand operator()(uint32_t seen) const {
    return vector::rows(rows_ + seen % vector::kLanes * kRow + kKeyBlock -
                        seen / vector::kLanes * vector::kLanes);
  }

 private:
  // Operands begin at multiples of 8 elements: row i shows i keys more than kKeyBlock, and is read from where
  // as many of them are left as wanted.
  static constexpr uint32_t kRow = 2 * kKeyBlock;

  float* rows_;
};

}  // namespace swai::operators
