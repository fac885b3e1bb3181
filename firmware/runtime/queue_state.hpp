// SPDX-License-Identifier: Apache-2.0
// The state of all queues, and what the parts that work on queues have in common.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "abi/command.hpp"
#include "abi/journal.hpp"
#include "abi/protocol.hpp"
#include "firmware/memory/memory.hpp"
#include "firmware/runtime/clients.hpp"
#include "firmware/runtime/completion.hpp"
#include "firmware/runtime/costs.hpp"
#include "firmware/runtime/events.hpp"
#include "firmware/runtime/groups.hpp"
#include "firmware/runtime/module_load.hpp"
#include "firmware/runtime/modules.hpp"
#include "firmware/runtime/page_list.hpp"
#include "firmware/runtime/queue.hpp"
#include "firmware/runtime/routes.hpp"
#include "firmware/runtime/transfers.hpp"

namespace swai::runtime {

// Beside what is counted for each client.
struct Statistics {
  uint64_t failed = 0;
  uint64_t refused = 0;
  uint64_t launches_failed = 0;
  uint64_t bad_slots = 0;
};

// Code that the runtime itself launches, for fills and copies on the card.
struct BuiltIn {
  Code copy = {};
  Code fill = {};
};

// Where the queues lie. Segments of their pages, one after the other, from `first_segment`.
struct QueuePlace {
  uint64_t sram;
  uint64_t segment_table;
  uint16_t first_segment;
  BuiltIn built_in;
  uint32_t watchdog;   // of launches that name none
  uint64_t page_list;  // PageList<M>::kBytes of memory
};

template <Machine M>
struct Parts {
  M& machine;
  Clients& clients;
  memory::Memory<M>& memory;
  Modules<M>& modules;
  ModuleLoad<M>& module_load;
  Groups<M>& groups;
  Transfers<M>& transfers;
  Completions<M>& completions;
  Events<M>& events;
  Costs& costs;
  Routes<M>& routes;
};

// Functions over it are apart, by what they do: the end of commands
// (finish.hpp), their beginning (begin.hpp) with that of launches, copies, copies on the card and a graph's
// commands (launches.hpp, copies.hpp, card_copies.hpp, nodes.hpp), and built-in kernels (built_in.hpp).
// Queues has it. (Parts that hold references to it and to each other cost each launch 16 cycles.)
template <Machine M>
struct QueueState {
  explicit QueueState(const Parts<M>& its_parts) : parts(its_parts) {}

  static constexpr uint32_t bit(unsigned number) { return uint32_t{1} << number; }

  static uint64_t slot_address(const Queue& queue, uint32_t sequence) {
    return queue.slots + sequence % protocol::kSlots * uint64_t{protocol::kSlotBytes};
  }
  // The segment of the queue's slots, and where CPEs find there the arguments of a launch that begins in this
  // one.
  uint16_t argument_segment(const Queue& queue) const {
    return static_cast<uint16_t>(plan.first_segment + queue.number);
  }
  static constexpr uint32_t argument_at(uint32_t sequence) {
    return launch::kArgumentWindow + sequence % protocol::kSlots * protocol::kSlotBytes +
           static_cast<uint32_t>(sizeof(command::Launch));
  }
  // The first of them, of a launch by word.
  [[gnu::cold, gnu::noinline]] uint32_t word_of(const Queue& queue, uint32_t sequence) {
    uint64_t word = 0;
    parts.machine.fetch(slot_address(queue, sequence) + sizeof(command::Launch), &word, sizeof word);
    return static_cast<uint32_t>(word);
  }
  // Whether the client has as many launches in the group as it may, if not for all the room that there is.
  [[gnu::noinline]] bool has_enough(const Queue& queue, unsigned group) const {
    const auto is_its = [&](uint16_t owner) {
      return queues[owner / Queue::kDepth].context == queue.context;
    };
    return parts.groups.count_of(group, is_its) >= parts.clients.launches_each();
  }
  // Hands a launch with these arguments, in this place of the queue's ring, to the group. False: later.
  [[gnu::always_inline]] bool hand_over(const Queue& queue, unsigned group, const Launch& launch,
                                        uint32_t argument, unsigned place) {
    if (parts.clients.crowded() && has_enough(queue, group)) [[unlikely]]
      return false;
    return parts.groups.start(group, launch, argument, owner_of(queue.number, place));
  }
  // The command whose header that is: no word of a slot is read twice, so nothing changes behind a check.
  template <typename T>
  [[gnu::always_inline]] T read(const Queue& queue, const command::Header& header) {
    T command;
    command.header = header;
    if (queue.graph.at != 0) {
      load_words(parts.machine, queue.graph.at + sizeof header,
                 reinterpret_cast<uint8_t*>(&command) + sizeof header, sizeof command - sizeof header);
      return command;
    }
    parts.machine.fetch(slot_address(queue, queue.next) + sizeof header,
                        reinterpret_cast<uint8_t*>(&command) + sizeof header, sizeof command - sizeof header);
    return command;
  }

  // --- The beginning and the end of a command

  // No command.
  bool refuse_garbage(Queue& queue, const command::Header& header, unsigned slots) {
    if (queue.flights() != 0) return false;
    ++statistics.bad_slots;
    uint64_t word;
    std::memcpy(&word, &header, sizeof word);
    parts.machine.note(journal::Fault::kBadCommand,
                       {word, 0, 0, 0, journal::command(queue.number, queue.next)});
    return finish_now(queue, slots, Status::kBadCommand);
  }

  // Complete at once. Nothing else of the queue is under way, or it is a failure.
  [[gnu::noinline]] bool finish_now(Queue& queue, unsigned slots, Status status = Status::kOk,
                                    uint16_t detail = 0) {
    if (queue.flights() != 0) return false;
    if (status != Status::kOk) fail(queue, queue.next, status, detail);
    if (status == Status::kRefused) ++statistics.refused;
    queue.next += slots;
    complete(queue, queue.next - 1, false);
    return true;
  }
  // What was begun and will be complete later; `place`: the group or channel that has it.
  void begin(Queue& queue, const command::Header& header, unsigned place = 0) {
    flying |= bit(queue.number);
    put_flight(queue, header, header.type, place);
  }
  [[gnu::always_inline]] static void put_flight(Queue& queue, const command::Header& header,
                                                command::Type type, unsigned place, bool over = false) {
    const uint32_t begin = queue.next;
    const uint32_t next = begin + header.slots;
    queue.next = next;
    Flight& flight = queue.push();
    flight.type = type;
    flight.quiet = (header.flags & command::kQuiet) != 0;
    flight.over = over;
    flight.place = static_cast<uint8_t>(place);
    flight.begin = begin;
    flight.end = next - 1;
  }
  // So many commands, up to this sequence number.
  [[gnu::always_inline]] void complete(const Queue& queue, uint32_t sequence, bool quiet,
                                       unsigned count = 1) {
    protocol::QueueStatus& line = parts.completions.line(queue.number);
    line.completed = sequence;
    line.cycle = parts.machine.time();
    queue.counts->commands += count;
    parts.completions.completed(queue.number, quiet);
  }

  // The first failure counts.
  [[gnu::cold, gnu::noinline]] void fail(Queue& queue, uint32_t sequence, Status status,
                                         uint16_t detail = 0) {
    ++statistics.failed;
    if (queue.failed) return;
    queue.failed = true;
    queue.again = {};
    const unsigned number = queue.number;
    protocol::QueueStatus& line = parts.completions.line(number);
    line.failed = sequence;
    line.status = status;
    line.detail = detail;
    line.node = queue.graph.is_of(sequence) ? queue.graph.node : 0;
    parts.completions.changed(number);
  }

  Parts<M> parts;
  QueuePlace plan = {};
  // Sets of queues, a bit for each.
  uint32_t over = 0;          // something may be over
  uint32_t look = 0;          // something may begin
  uint32_t flying = 0;        // something other than launches is under way
  uint32_t beside = 0;        // copies are behind launches
  uint32_t waiting = 0;       // the next command needs room somewhere, or what other queues do
  uint32_t lacks_memory = 0;  // a module that is loaded waits for it
  uint32_t stalled = 0;       // the next piece of a fill or copy needs room in its group
  uint32_t settings = 0;      // number of those that a launch was given last
  PageList<M> page_list{parts.machine};
  Statistics statistics = {};
  std::array<Queue, protocol::kQueues> queues = {};
};

}  // namespace swai::runtime
