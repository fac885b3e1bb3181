// SPDX-License-Identifier: Apache-2.0
// What follows the products of a linear layer: bias, function, residual, conversion.
#pragma once

#include <optional>

#include "verif/cpe-kernels/operators/functions.hpp"
#include "verif/cpe-kernels/operators/golden/golden.hpp"

namespace swai::operators::golden {

class Ending {
 public:
  template <typename Args>
  Ending(const Args& args, const Memory& memory)
      : function_(args.function), to_(memory, args.to, args.to_stride, args.to_type) {
    if (args.biases) biases_.emplace(one_row(memory, args.biases));
    if (args.residual) residual_.emplace(memory, args.residual, args.residual_stride, args.residual_type);
  }

  // Nothing changes when -0 is added.
  Real bias(uint32_t column) const { return biases_ ? biases_->read(0, column) : Real(-0.0f); }
  // `y` has its bias.
  void put(uint32_t row, uint32_t column, Real y, const Seen& seen) const {
    if (function_ != 0) y = test::model_function(static_cast<Operator>(function_), y);
    if (seen) seen(row, column, y);
    to_.write(row, column, residual_ ? y + residual_->read(row, column) : y);
  }

 private:
  uint16_t function_;
  Rows to_;
  std::optional<Rows> biases_, residual_;
};

}  // namespace swai::operators::golden
