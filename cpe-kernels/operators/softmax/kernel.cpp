// SPDX-License-Identifier: Apache-2.0
// Softmax and its logarithm.
#include "cpe-kernels/operators/softmax/long.hpp"
#include "cpe-kernels/operators/softmax/plan.hpp"
#include "cpe-kernels/operators/softmax/rows.hpp"
#include "cpe-kernels/operators/walker/walk.hpp"
#include "operator_table.hpp"

namespace swai::operators {

namespace {

void softmax(const SoftmaxArgs& args, bool logarithm) {
  require(check(args));
  if (args.columns > kMaxRow) return long_softmax(args, logarithm);
  Arena arena;
  const Softmax softmax(arena, args.scale, logarithm);
  // A type of this function's own: the compiler makes one piece of all that is used once.
  for_rows(arena, args, [&](const Tile& tile, vector::Operand x, vector::Operand work, vector::Operand to) {
    return softmax(tile, x, work, to);
  });
}

}  // namespace

void operator_softmax(const SoftmaxArgs& args) { softmax(args, false); }
void operator_log_softmax(const SoftmaxArgs& args) { softmax(args, true); }

}  // namespace swai::operators
