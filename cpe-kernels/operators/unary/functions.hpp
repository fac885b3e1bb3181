// Functions of elements as runs of the vector unit, for all operators that have one at their end.
#pragma once

#include "cpe-kernels/operators/common/stream.hpp"

namespace swai::operators {

// A tile's operand and result, and places for what comes between; all but the first two are fp32 and as wide.
struct Place {
  vector::Operand x;
  vector::Operand t;
  vector::Operand u;
  vector::Operand v;
};

// relu, silu, gelu_erf or gelu_tanh of what `place.x` is; the size has been set. Issues the runs and returns
// the last one. `to` may be the place of x.
vector::Ticket apply(Operator function, const vector::Operand& to, const Place& place);

}  // namespace swai::operators
