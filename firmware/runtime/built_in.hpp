// SPDX-License-Identifier: Apache-2.0
// Fills and copies on the card: by kernels of the runtime's own, one launch for each row or piece of one,
// under the client's rights. Their arguments are put into the command's slot, where only the client can see
// them; what it changes there it could have asked for. Copies by the processor are done here, too.
#pragma once

#include "abi/kernel_arguments.hpp"
#include "firmware/runtime/queue.hpp"
#include "firmware/runtime/queue_state.hpp"

namespace swai::runtime::built_ins {

// The launch for what comes next of the queue's rows.
template <Machine M>
inline Launch next_launch(QueueState<M>& state, const Queue& queue, command::Type type, unsigned group,
                          uint32_t sequence) {
  const Rows& rows = queue.rows;
  const BuiltIn& built_in = state.plan.built_in;
  const uint64_t at = state.slot_address(queue, sequence) + sizeof(command::Launch);
  static_assert(sizeof(command::Launch) + sizeof(cpe::CopyArgs) <= protocol::kSlotBytes &&
                sizeof(cpe::MemsetArgs) <= sizeof(cpe::CopyArgs));
  const auto bytes = static_cast<uint32_t>(rows.piece());
  if (type == command::Type::kFill) {
    const cpe::MemsetArgs arguments = {cpe::GlobalPtr<void>(rows.to + rows.done), bytes, rows.value};
    state.parts.machine.put(at, &arguments, sizeof arguments);
  } else {
    const cpe::CopyArgs arguments = {cpe::GlobalPtr<void>(rows.to + rows.done),
                                     cpe::GlobalPtr<const void>(rows.from + rows.done), bytes, 0};
    state.parts.machine.put(at, &arguments, sizeof arguments);
  }
  state.parts.machine.order();
  const Code& code = type == command::Type::kFill ? built_in.fill : built_in.copy;
  return {0,
          code.pc,
          state.parts.groups.all(group),
          state.plan.watchdog,
          code.segment,
          state.argument_segment(queue),
          queue.context};
}

// After the launch of a piece: whether there is another one, which runs, or waits for room in the group.
template <Machine M>
inline bool next_piece(QueueState<M>& state, Queue& queue, Flight& flight) {
  if (queue.rows.count == 0 || queue.failed || !queue.open) return false;
  const Launch launch = next_launch(state, queue, flight.type, flight.place, flight.begin);
  if (state.hand_over(queue, flight.place, launch, state.argument_at(flight.begin), queue.first())) {
    flight.over = false;
  } else {
    state.stalled |= state.bit(queue.number);
  }
  return true;
}

// So much by the processor that others can wait for it: whether there is more.
template <Machine M>
[[gnu::noinline]] inline bool move_some(QueueState<M>& state, Queue& queue) {
  constexpr uint64_t kSome = 1 << 10;
  Rows& rows = queue.rows;
  if (!queue.open) return false;
  const uint64_t to = rows.to + rows.done;
  const uint64_t from = rows.from + rows.done;
  const auto left_of = [](uint64_t address) { return memory::kBlockBytes - address % memory::kBlockBytes; };
  const uint64_t some = std::min({kSome, rows.bytes - rows.done, left_of(to), left_of(from)});
  state.parts.machine.move(to, from, some);
  rows.step(some);
  return rows.count != 0;
}

}  // namespace swai::runtime::built_ins
