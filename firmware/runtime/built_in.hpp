// Fills and copies on the card: by kernels of the runtime's own, one launch for each row or piece of one,
// under the client's rights. Their arguments are put into the command's slot, where only the client can see
// them; what it changes there it could have asked for. Copies by the processor are done here, too.
#pragma once

#include "abi/kernel_arguments.hpp"
#include "firmware/runtime/queue.hpp"

namespace swai::runtime {

template <Machine M>
class BuiltIns : protected QueueState<M> {
 protected:
  using QueueState<M>::QueueState;

  // The launch for what comes next of the queue's rows.
  Launch next_launch(const Queue& queue, command::Type type, unsigned group, uint32_t sequence) {
    const Rows& rows = queue.rows;
    const BuiltIn& built_in = this->place_.built_in;
    const uint64_t at = this->slot_address(queue, sequence) + sizeof(command::Launch);
    static_assert(sizeof(command::Launch) + sizeof(cpe::CopyArgs) <= protocol::kSlotBytes &&
                  sizeof(cpe::MemsetArgs) <= sizeof(cpe::CopyArgs));
    const auto bytes = static_cast<uint32_t>(rows.piece());
    if (type == command::Type::kFill) {
      const cpe::MemsetArgs arguments = {cpe::GlobalPtr<void>(rows.to + rows.done), bytes, rows.value};
      this->parts_.machine.put(at, &arguments, sizeof arguments);
    } else {
      const cpe::CopyArgs arguments = {cpe::GlobalPtr<void>(rows.to + rows.done),
                                       cpe::GlobalPtr<const void>(rows.from + rows.done), bytes, 0};
      this->parts_.machine.put(at, &arguments, sizeof arguments);
    }
    this->parts_.machine.order();
    const Code& code = type == command::Type::kFill ? built_in.fill : built_in.copy;
    return {0,
            code.pc,
            this->parts_.groups.all(group),
            this->place_.watchdog,
            code.segment,
            this->argument_segment(queue),
            queue.context};
  }

  // After the launch of a piece: whether there is another one, which runs, or waits for room in the group.
  bool next_piece(Queue& queue, Flight& flight) {
    if (queue.rows.count == 0 || queue.failed || !queue.open) return false;
    const Launch launch = next_launch(queue, flight.type, flight.place, flight.begin);
    if (this->hand_over(queue, flight.place, launch, this->argument_at(flight.begin), queue.first())) {
      flight.over = false;
    } else {
      this->stalled_ |= this->bit(queue.number);
    }
    return true;
  }

  // So much by the processor that others can wait for it: whether there is more.
  [[gnu::noinline]] bool move_some(Queue& queue) {
    constexpr uint64_t kSome = 1 << 10;
    Rows& rows = queue.rows;
    if (!queue.open) return false;
    const uint64_t to = rows.to + rows.done;
    const uint64_t from = rows.from + rows.done;
    const auto left_of = [](uint64_t address) { return memory::kBlockBytes - address % memory::kBlockBytes; };
    const uint64_t some = std::min({kSome, rows.bytes - rows.done, left_of(to), left_of(from)});
    this->parts_.machine.move(to, from, some);
    rows.step(some);
    return rows.count != 0;
  }
};

}  // namespace swai::runtime
