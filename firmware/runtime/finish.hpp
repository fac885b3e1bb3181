// The end of commands: of a queue they become complete in their order, and the first that fails stops it.
#pragma once

#include "abi/loaded_module.hpp"
#include "abi/segment.hpp"
#include "firmware/runtime/built_in.hpp"
#include "firmware/runtime/queue.hpp"

namespace swai::runtime {

template <Machine M>
class Finish : protected BuiltIns<M> {
 protected:
  using BuiltIns<M>::BuiltIns;

  // Takes what is over, and no launch, from the front of the queue.
  void retire(Queue& queue) {
    unsigned count = 0;
    uint32_t end = 0;
    bool quiet = true;
    while (queue.flights() != 0) {
      Flight& flight = queue.front();
      if (!is_over(queue, flight)) break;
      if (flight.in_graph()) {
        queue.pop();
        continue;
      }
      end = flight.end;
      quiet = quiet && flight.quiet;
      queue.pop();
      ++count;
    }
    if (queue.flights() == 0 || (queue.front().type == command::Type::kLaunch && !copies_fly(queue)))
      this->flying_ &= ~this->bit(queue.number);
    if (count != 0) complete(queue, end, quiet, count);
  }

  // So many commands, up to this sequence number.
  [[gnu::always_inline]] void complete(const Queue& queue, uint32_t sequence, bool quiet,
                                       unsigned count = 1) {
    protocol::QueueStatus& line = this->parts_.completions.line(queue.number);
    line.completed = sequence;
    line.cycle = this->parts_.machine.time();
    queue.counts->commands += count;
    this->parts_.completions.completed(queue.number, quiet);
  }

  // The first failure counts.
  [[gnu::cold, gnu::noinline]] void fail(Queue& queue, uint32_t sequence, Status status,
                                         uint16_t detail = 0) {
    ++this->statistics_.failed;
    if (queue.failed) return;
    queue.failed = true;
    queue.again = {};
    const unsigned number = queue.number;
    protocol::QueueStatus& line = this->parts_.completions.line(number);
    line.failed = sequence;
    line.status = status;
    line.detail = detail;
    line.node = queue.graph.is_of(sequence) ? queue.graph.node : 0;
    this->parts_.completions.changed(number);
  }

  // A launch has ended well. Before a launch of a queue there are only launches, which end in their order: so
  // it is complete. Copies behind it may be, too.
  [[gnu::always_inline]] void note_end(uint16_t owner, uint32_t cycles) {
    const unsigned number = owner / Queue::kDepth;
    Queue& queue = this->queues_[number];
    Counts& counts = *queue.counts;
    counts.busy += cycles;
    Flight& flight = queue.ring[owner % Queue::kDepth];
    if (flight.type != command::Type::kLaunch) [[unlikely]]
      return note_built_in(queue, flight);
    ++counts.launches;
    queue.pop();
    if ((this->beside_ & this->bit(number)) != 0) [[unlikely]]
      return end_with_copies(queue, flight);
    complete(queue, flight.end, flight.quiet);
    this->look_ |= this->bit(number);
  }
  // A launch that may have failed: `end` tells.
  [[gnu::noinline]] void note_end(uint16_t owner, const LaunchEnd& end) {
    Queue& queue = this->queues_[owner / Queue::kDepth];
    if (has_ended(queue, queue.ring[owner % Queue::kDepth], end)) note_end(owner, end.cycles);
  }

 private:
  // Of copies behind launches that are under way. Those that are over give their channels back, and fail when
  // it is their turn; where the first of these has failed, `queue.rows` keeps: nothing else has rows then.
  [[gnu::cold, gnu::noinline]] bool copies_fly(Queue& queue) {
    bool any = false, failed = false;
    for (uint32_t i = queue.ended; i != queue.begun; ++i) {
      Flight& flight = queue.ring[i % Queue::kDepth];
      if (flight.type != command::Type::kCopy) continue;
      if (!flight.over && this->parts_.transfers.over(flight.place)) {
        flight.over = true;
        flight.slot = static_cast<uint16_t>(release(queue, flight, flight.place));
        if (flight.slot != 0 && !failed) queue.rows.to = named_error(queue, flight.place);
      }
      any |= !flight.over;
      failed |= flight.over && flight.slot != 0;
    }
    return any;
  }
  // A launch, and copies behind it that are over and good.
  [[gnu::cold, gnu::noinline]] void end_with_copies(Queue& queue, const Flight& launch) {
    const auto is_copy = [&] { return queue.flights() != 0 && queue.front().type == command::Type::kCopy; };
    uint32_t end = launch.end;
    bool quiet = launch.quiet;
    unsigned count = 1;
    for (; is_copy() && queue.front().over && queue.front().slot == 0; ++count) {
      end = queue.front().end;
      quiet = quiet && queue.front().quiet;
      queue.pop();
    }
    complete(queue, end, quiet, count);
    this->look_ |= this->bit(queue.number);
    if (is_copy()) this->over_ |= this->bit(queue.number);
    if (is_copy() || queue.flights() == 0) this->beside_ &= ~this->bit(queue.number);
  }

  static constexpr unsigned kRefill = launch::kQueue / 2;  // of a graph's launches
  [[gnu::noinline]] void note_built_in(Queue& queue, Flight& flight) {
    if (flight.type == command::Type::kGraph) {  // the first of those under way, as any launch that ends
      ++queue.counts->launches;
      queue.pop();
      // Several are begun at once: to look at the graph takes longer than to begin one.
      if (queue.flights() <= kRefill) {
        this->look_ |= this->bit(queue.number);
      } else {
        this->waiting_ &= ~this->bit(queue.number);
      }
      return;
    }
    flight.over = true;
    queue.rows.step(queue.rows.piece());
    this->over_ |= this->bit(queue.number);
  }
  // A launch that may have failed. False: it is started again, as it was dropped for the sake of another one.
  [[gnu::noinline]] bool has_ended(Queue& queue, const Flight& flight, const LaunchEnd& end) {
    queue.graph.node = flight.node;
    if (end.lost) {
      fail(queue, flight.begin, Status::kGroupLost);
      return true;
    }
    if (end.dropped) {
      if (queue.failed || this->parts_.clients.of(queue.context).attached != Attached::kYes) return true;
      const uint32_t argument = flight.in_graph() ? queue.graph.argument_at(flight.slot)
                                : flight.over     ? this->word_of(queue, flight.begin)
                                                  : this->argument_at(flight.begin);
      this->parts_.groups.start_again(flight.place, end, argument);
      return false;
    }
    if (end.failed) {
      fail_launch(queue, flight, end);
      this->parts_.groups.go_on(flight.place,
                                [&](uint16_t other) { return other / Queue::kDepth == queue.number; });
    }
    return true;
  }

  bool is_over(Queue& queue, Flight& flight) {
    queue.graph.node = flight.node;
    switch (flight.type) {
      case command::Type::kLaunch:  // leaves when its end is noted
      case command::Type::kGraph:   // a launch of one
        return false;
      case command::Type::kFill:
      case command::Type::kCopyDevice:
        if (queue.rows.engine != Engine::kCores) return card_copy_is_over(queue, flight);
        if (!flight.over) return false;
        if (!queue.failed && queue.rows.count != 0 && this->parts_.groups.lost(flight.place))
          fail(queue, flight.begin, Status::kGroupLost);
        return !this->next_piece(queue, flight);
      case command::Type::kCopy:
        if (!flight.over) return copy_is_over(queue, flight);
        if (flight.slot != 0) fail_transfer(queue, flight, flight.slot, queue.rows.to);
        return true;
      case command::Type::kPageList:
        return copy_is_over(queue, flight);
      case command::Type::kModuleLoad:
        return module_is_over(queue, flight);
      case command::Type::kEventWait:
        return this->parts_.events.reached(queue.context, queue.event, queue.count) || !queue.open;
      default:  // kHostCall
        return flight.over || !queue.open;
    }
  }

  // The next step of a module that is loaded. Who waits for memory keeps no step for itself.
  [[gnu::cold, gnu::noinline]] bool module_is_over(Queue& queue, const Flight& flight) {
    using Load = ModuleLoad<M>;
    Load& load = this->parts_.module_load;
    const uint32_t bit = this->bit(queue.number);
    this->lacks_memory_ &= ~bit;
    if (!queue.open) {
      load.drop();
    } else {
      const typename Load::State state = load.step();
      if (state == Load::State::kRuns) this->over_ |= bit;
      if (state == Load::State::kLacksMemory) this->lacks_memory_ |= bit;
      if (state != Load::State::kOver) return false;
    }
    this->look_ |= this->waiting_;  // the next module may come
    const auto& result = load.result();
    if (result.status == Status::kOk) {
      this->parts_.groups.forget();
      protocol::QueueStatus& line = this->parts_.completions.line(queue.number);
      line.value = protocol::LoadedModule{result.handle, result.segment}.encode();
      line.value_sequence = flight.begin;
      this->parts_.completions.changed(queue.number);
    } else if (queue.open) {
      fail(queue, flight.begin, result.status, result.detail);
    }
    return true;
  }

  // By the processor, or over the link.
  [[gnu::noinline]] bool card_copy_is_over(Queue& queue, const Flight& flight) {
    if (queue.rows.engine == Engine::kProcessor) {
      if (!this->move_some(queue)) return true;
      this->over_ |= this->bit(queue.number);
      return false;
    }
    for (uint32_t left = flight.place; left != 0; left &= left - 1) {
      if (!this->parts_.transfers.over(static_cast<unsigned>(std::countr_zero(left)))) return false;
    }
    bool good = true;
    for (uint32_t left = flight.place; left != 0; left &= left - 1)
      good = take_channel(queue, flight, static_cast<unsigned>(std::countr_zero(left))) && good;
    // Next time it goes another way.
    if (!good && queue.open) this->parts_.costs.forget(set_of(queue.rows.engine));
    return true;
  }
  bool copy_is_over(Queue& queue, const Flight& flight) {
    if (!this->parts_.transfers.over(flight.place)) return false;
    take_channel(queue, flight, flight.place);
    return true;
  }
  // Whether the channel, which is over, has done its part of the command.
  bool take_channel(Queue& queue, const Flight& flight, unsigned channel) {
    const unsigned error = release(queue, flight, channel);
    if (error != 0) fail_transfer(queue, flight, error, named_error(queue, channel));
    return error == 0;
  }
  // The engine's error.
  unsigned release(Queue& queue, const Flight& flight, unsigned channel) {
    Transfers<M>& transfers = this->parts_.transfers;
    const unsigned error = transfers.finish(channel);
    this->look_ |= this->waiting_;  // it is free
    if (error != 0 && error != Transfers<M>::kAborted) {
      this->parts_.machine.note(journal::Fault::kTransfer, {error, channel, transfers.error_address(channel),
                                                            0, command_of(queue, flight)});
    }
    return error;
  }
  // As the client names it, where the channel failed.
  uint64_t named_error(const Queue& queue, unsigned channel) const {
    return this->parts_.clients.of(queue.context).named(this->parts_.transfers.error_address(channel));
  }
  [[gnu::cold, gnu::noinline]] void fail_transfer(Queue& queue, const Flight& flight, unsigned error,
                                                  uint64_t address) {
    if (!queue.failed) this->parts_.completions.line(queue.number).detail_address = address;
    fail(queue, flight.begin, Status::kTransfer, static_cast<uint16_t>(error));
  }

  static uint64_t command_of(const Queue& queue, const Flight& flight) {
    return journal::command(queue.number, flight.begin);
  }

  [[gnu::cold, gnu::noinline]] void fail_launch(Queue& queue, const Flight& flight, const LaunchEnd& end) {
    ++this->statistics_.launches_failed;
    protocol::QueueStatus& line = this->parts_.completions.line(queue.number);
    const launch::Fault& fault = end.fault;
    const uint64_t address =
        fault.segment == segment::kNone ? fault.offset : segment::pointer(fault.segment, fault.offset);
    if (!queue.failed) {
      line.detail_cpe = end.cpe;
      line.detail_address = address;
      line.detail_pc = fault.pc;
    }
    const auto kind = end.watchdog                           ? journal::Fault::kKernelTimeout
                      : fault.cause == launch::Cause::kStuck ? journal::Fault::kKernelStuck
                                                             : journal::Fault::kKernel;
    this->parts_.machine.note(kind, {static_cast<uint64_t>(fault.cause), end.cpe, fault.pc, address,
                                     command_of(queue, flight), static_cast<uint64_t>(fault.access)});
    fail(queue, flight.begin, end.watchdog ? Status::kKernelTimeout : Status::kKernelFault,
         static_cast<uint16_t>(end.fault.cause));
  }
};

}  // namespace swai::runtime
