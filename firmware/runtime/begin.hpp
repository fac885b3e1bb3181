// The beginning of commands: what lies in a queue's slots is checked and started. Nothing here waits: what
// cannot begin now is looked at again later.
#pragma once

#include <algorithm>
#include <cstdint>

#include "firmware/runtime/nodes.hpp"
#include "firmware/runtime/queue.hpp"

namespace swai::runtime {

template <Machine M>
class Begin : protected Nodes<M> {
 protected:
  using Nodes<M>::Nodes;
  using QueueState<M>::parts_;
  using QueueState<M>::page_list_;
  using QueueState<M>::statistics_;
  using CardCopies<M>::take_copy_device;
  using CardCopies<M>::take_fill;
  using Copies<M>::take_copy;
  using Launches<M>::is_again;
  using Launches<M>::is_launch;
  using Launches<M>::start_again;
  using Launches<M>::take_launch;
  using Nodes<M>::take_graph;
  using UnderWay<M>::begin;
  using UnderWay<M>::finish_now;
  using UnderWay<M>::refuse_garbage;

  // The queue's next command, if it is there. Whether something was taken, or thrown away.
  [[gnu::always_inline]] bool take(Queue& queue) {
    if (queue.flights() == Queue::kDepth) return false;
    command::Header header;
    const uint64_t slot = this->slot_address(queue, queue.next);
    parts_.machine.fetch(slot, &header, sizeof header);
    if (header.sequence != queue.next) return false;
    const bool taken = is_again(queue, header, slot) ? start_again(queue, header) : take_other(queue, header);
    if (!taken) this->waiting_ |= this->bit(queue.number);
    return taken;
  }

 private:
  static bool is_sound(const Queue& queue, const command::Header& header) {
    const unsigned slot = queue.next % protocol::kSlots;
    return header.slots != 0 && header.slots <= command::kMaxSlots && slot + header.slots <= protocol::kSlots;
  }

  [[gnu::noinline]] bool take_other(Queue& queue, const command::Header& header) {
    if (!is_sound(queue, header)) return refuse_garbage(queue, header, 1);
    // What comes behind a failure waits for what was begun before, so that the order stays.
    if (queue.failed) return queue.flights() == 0 && refuse(queue, header);
    switch (header.type) {
      case command::Type::kLaunch:
        return take_launch(queue, header);
      case command::Type::kCopy:
        return take_copy(queue, header);
      case command::Type::kGraph:
        return take_graph(queue, header);
      case command::Type::kPad:
        return take_pad(queue, header);
      case command::Type::kMarker:
        return queue.flights() == 0 && finish_now(queue, header.slots);
      default:
        return queue.flights() == 0 && take_alone(queue, header);
    }
  }

  // Behind a failure nothing is done, but who waits for an event in another queue does not wait for ever.
  bool refuse(Queue& queue, const command::Header& header) {
    if (header.type == command::Type::kEventRecord) {
      const auto command = this->template read<command::Event>(queue, header);
      if (Events<M>::exists(command.event) && !record_event(queue, command.event)) return false;
    }
    return finish_now(queue, header.slots, Status::kRefused);
  }
  // False: later.
  bool record_event(const Queue& queue, uint32_t event) {
    if (!parts_.completions.event_room()) return false;
    const uint64_t count = parts_.events.record(queue.context, event);
    parts_.completions.event(queue.context, parts_.clients.of(queue.context).page, event,
                             {count, parts_.machine.time()});
    this->over_ |= this->flying_;
    return true;
  }
  // Nobody waits for a pad: it goes with what is before it.
  bool take_pad(Queue& queue, const command::Header& header) {
    if (queue.flights() == 0) return finish_now(queue, header.slots);
    queue.next += header.slots;
    queue.back().end = queue.next - 1;
    return true;
  }
  // Commands that nothing of the queue runs beside.
  bool take_alone(Queue& queue, const command::Header& header) {
    const auto finish = [&](Status status = Status::kOk) { return finish_now(queue, header.slots, status); };
    switch (header.type) {
      case command::Type::kFill:
        return take_fill(queue, header);
      case command::Type::kCopyDevice:
        return take_copy_device(queue, header);
      case command::Type::kEventRecord: {
        const auto command = this->template read<command::Event>(queue, header);
        if (!Events<M>::exists(command.event)) return finish(Status::kBadHandle);
        return record_event(queue, command.event) && finish();
      }
      case command::Type::kEventWait: {
        const auto command = this->template read<command::Event>(queue, header);
        if (!Events<M>::exists(command.event)) return finish(Status::kBadHandle);
        if (parts_.events.reached(queue.context, command.event, command.count)) return finish();
        queue.event = command.event;
        queue.count = command.count;
        begin(queue, header);
        return true;
      }
      case command::Type::kModuleLoad:
        return load_module(queue, header);
      case command::Type::kModuleUnload: {
        const auto command = this->template read<command::ModuleUnload>(queue, header);
        if (launches(queue.context)) return false;
        const Status status = parts_.modules.unload(command.module, queue.context);
        if (status == Status::kOk) parts_.groups.forget();
        return finish(status);
      }
      case command::Type::kPageList: {
        const auto command = this->template read<command::PageList>(queue, header);
        // Pages are what they are called on the bus.
        if (!parts_.clients.of(queue.context).alone()) return finish(Status::kBadOperation);
        Transfer transfer;
        transfer.context = queue.context;
        if (const Status status = page_list_.take(command, queue.context, transfer); status != Status::kOk)
          return finish(status);
        const unsigned channel = parts_.transfers.start(transfer);
        if (channel == Transfers<M>::kNone) return false;
        begin(queue, header, channel);
        return true;
      }
      case command::Type::kHostCall: {
        protocol::QueueStatus& line = parts_.completions.line(queue.number);
        line.waiting = queue.next;
        ++line.waits;
        parts_.completions.changed(queue.number);
        begin(queue, header);
        return true;
      }
      default:
        return refuse_garbage(queue, header, header.slots);
    }
  }

  // A launch of the client is under way. Before launches of a queue there are only launches.
  bool launches(uint8_t context) const {
    return std::ranges::any_of(this->queues_, [&](const Queue& queue) {
      return queue.context == context && queue.flights() != 0 && is_launch(queue.front());
    });
  }

  // One at a time, in steps (module_is_over()).
  [[gnu::cold, gnu::noinline]] bool load_module(Queue& queue, const command::Header& header) {
    if (parts_.module_load.active()) return false;
    const auto command = this->template read<command::ModuleLoad>(queue, header);
    const Status status = parts_.module_load.begin({command.file, command.bytes, queue.context});
    if (status != Status::kOk) return finish_now(queue, header.slots, status);
    begin(queue, header);
    this->over_ |= this->bit(queue.number);
    return true;
  }
};

}  // namespace swai::runtime
