// SPDX-License-Identifier: Apache-2.0
// Apart from the steps: what runs for each step should fit into a core's cache of code, in one piece.
#include "cpe-kernels/operators/linear/blocks.hpp"

namespace swai::operators {

namespace {

// What each of `parts` takes at a time, at most `most`, so that all of them have about as much.
uint32_t even(uint32_t all, uint32_t parts, uint32_t most, uint32_t unit) {
  const uint32_t rounds = std::max((all + parts * most - 1) / (parts * most), uint32_t{1});
  const uint32_t each = (all + parts * rounds - 1) / (parts * rounds);
  return std::max((each + unit - 1) / unit * unit, unit);
}

// Columns of its own: as many as the others have, but for one unit.
Rounds::Range own_of(uint32_t columns, uint32_t unit) {
  const uint32_t units = (columns + unit - 1) / unit;
  return {cpe::rank() * units / cpe::count() * unit,
          std::min(columns, (cpe::rank() + 1) * units / cpe::count() * unit)};
}

}  // namespace

Rounds::Rounds(Range all, uint32_t parts, uint32_t part, uint32_t most, uint32_t unit)
    : end_(all.end),
      parts_(parts),
      part_(part),
      each_(even(all.end - all.begin, parts, most, unit)),
      last_(all.begin),
      last_each_(each_),
      first_(all.begin + part * each_) {
  const uint32_t round = parts * each_;
  if (all.end - all.begin <= round) return;
  last_ += (all.end - all.begin - 1) / round * round;
  last_each_ = even(all.end - last_, parts, most, unit);
}

Blocks::Blocks(Size all, Size most, uint32_t unit, uint32_t first_depth)
    : all_(all),
      step_depth_(most.depth),
      first_depth_(first_depth),
      sharing_(all.rows > most.rows && cpe::all_cpes()),
      everyone_(sharing_ || all.columns > (cpe::count() - 1) * unit),
      rows_(sharing_ ? Rounds({0, all.rows}, cpe::rows(), cpe::row_number(), most.rows, 1)
                     : Rounds({0, all.rows}, 1, 0, most.rows, 1)),
      columns_(sharing_ ? Rounds({0, all.columns}, cpe::columns(), cpe::column_number(), most.columns, unit)
                        : Rounds(own_of(all.columns, unit), 1, 0, most.columns, unit)) {
  const bool one_block = rows_.is_last(rows_.first()) && columns_.is_last(columns_.first());
  if (one_block && all.depth <= most.depth) first_depth_ = most.depth;
}

}  // namespace swai::operators
