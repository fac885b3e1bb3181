// SPDX-License-Identifier: Apache-2.0
// Apart from the steps, as blocks.cpp.
#include "cpe-kernels/operators/linear/joined.hpp"

#include <bit>

#include "cpe-kernels/operators/walker/walk.hpp"
#include "swai/exchange.hpp"

namespace swai::operators {

namespace {

// Of more columns all CPEs have some.
constexpr uint32_t kNarrow = 2 * kBlockColumns;

// Blocks of 64 columns belong to one node each, and all have the same ending. What is right with the first
// one is with the other.
bool joins(const LinearArgs& args, const LinearArgs& next) {
  return next.x == args.x && next.x_scales == args.x_scales && next.x_stride == args.x_stride &&
         next.x_scales_stride == args.x_scales_stride && next.group == args.group && next.rows == args.rows &&
         next.depth == args.depth && next.columns == args.columns && next.to_stride == args.to_stride &&
         next.to_type == args.to_type && next.residual_type == args.residual_type &&
         next.function == args.function && !next.residual;
}

}  // namespace

Joined<LinearArgs> join(const LinearArgs& args) {
  Joined<LinearArgs> all = {{&args}, 1};
  if (args.rows <= kBlockRows || !cpe::all_cpes() || args.columns > kNarrow ||
      args.columns % kBlockColumns != 0 || args.residual)
    return all;
  while (all.count != all.kMost) {
    const node::Node* const node = node_behind(all.count - 1);
    if (node == nullptr || node->operation != static_cast<uint16_t>(Operator::kLinear) ||
        std::bit_cast<uint32_t>(node->patches) != 0)
      break;
    const auto& next = *reinterpret_cast<const LinearArgs*>(node->arguments.data());
    if (!joins(args, next)) break;
    all.nodes[all.count++] = &next;
  }
  return all;
}

}  // namespace swai::operators
