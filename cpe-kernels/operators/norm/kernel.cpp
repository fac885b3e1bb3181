// SPDX-License-Identifier: Apache-2.0
// Layer norm and RMS norm.
#include "cpe-kernels/operators/norm/plan.hpp"
#include "cpe-kernels/operators/norm/rows.hpp"
#include "cpe-kernels/operators/walker/walk.hpp"
#include "operator_table.hpp"

namespace swai::operators {

namespace {

void norm(const NormArgs& args, bool layer) {
  require(check(args));
  const Division division(args.rows, args.columns, row_room(args));
  // Gamma and beta are not for those who have nothing to do: memory would be busy with 32 copies of them.
  if (!division.any()) return;
  begin_work();
  Arena arena;
  const Norm normal(arena, args, layer, division);
  normal.load();
  for_rows(division, arena, args, normal);
}

}  // namespace

void operator_layer_norm(const NormArgs& args) { norm(args, true); }
void operator_rms_norm(const NormArgs& args) { norm(args, false); }

}  // namespace swai::operators
