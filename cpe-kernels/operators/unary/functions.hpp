// SPDX-License-Identifier: Apache-2.0
// Functions of elements as runs of the vector unit, for all operators that have one at their end.
#pragma once

#include "cpe-kernels/operators/common/stream.hpp"

namespace swai::operators {

// A tile's operand, and places for what comes between, of which a function needs the first ones: fp32 and as
// wide.
struct Place {
  vector::Operand x;
  vector::Operand t;
  vector::Operand u;
  vector::Operand v;
};

constexpr uint32_t places_between(uint32_t function) {
  switch (static_cast<Operator>(function)) {
    case Operator::kGeluErf:
      return 3;
    case Operator::kSilu:
    case Operator::kGeluTanh:
      return 1;
    default:
      return 0;
  }
}

// relu, silu, gelu_erf, gelu_tanh or nothing (cast) of what `place.x` is; the size has been set. Issues the
// runs and returns the last one. `to` may be the place of x.
vector::Ticket apply(Operator function, const vector::Operand& to, const Place& place);

}  // namespace swai::operators
