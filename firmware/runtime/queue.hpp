// A queue of commands as the card knows it, and what the parts that work on queues share.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "abi/command.hpp"
#include "abi/protocol.hpp"
#include "firmware/runtime/clients.hpp"
#include "firmware/runtime/completion.hpp"
#include "firmware/runtime/events.hpp"
#include "firmware/runtime/graphs.hpp"
#include "firmware/runtime/groups.hpp"
#include "firmware/runtime/module_load.hpp"
#include "firmware/runtime/modules.hpp"
#include "firmware/runtime/page_list.hpp"
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

// A command that was begun and is not complete. Its size is a power of two, so that finding one takes no
// multiplication.
struct alignas(16) Flight {
  command::Type type = command::Type::kNone;
  bool quiet = false;
  // Of fills and copies on the card the launch for this piece; a host call; a copy behind a launch, which has
  // given its channel back. Of a launch: it is by word.
  bool over = false;
  uint8_t place = 0;   // group, or channel; of copies on the card by way of the link a bit for each channel
  uint32_t begin = 0;  // sequence numbers of its slots
  uint32_t end = 0;
  // Of a graph's command: where it lies there, and its name. Of a copy behind a launch: the engine's error.
  uint16_t slot = 0;
  uint16_t node = 0;

  // A graph's command has no slots of its own.
  bool in_graph() const { return begin == end + 1; }
};

// What is left of a fill or copy on the card. Its addresses are pointers for the cores, physical for others.
struct Rows {
  uint64_t bytes = 0;
  uint32_t count = 0;
  Engine engine = Engine::kCores;
  uint64_t to = 0;
  uint64_t from = 0;
  uint64_t to_pitch = 0;
  uint64_t from_pitch = 0;
  uint32_t value = 0;
  uint64_t done = 0;  // bytes of the row

  static constexpr uint64_t kPiece = uint64_t{1} << 30;
  uint64_t piece() const { return std::min(bytes - done, kPiece); }
  void step(uint64_t some) {
    done += some;
    if (done != bytes) return;
    done = 0;
    to += to_pitch;
    from += from_pitch;
    --count;
  }
};

// The queue's last launch: one with the same words is as good and needs no second look, unless modules came
// or went.
struct Again {
  uint32_t header = 0;                   // without sequence
  uint8_t slots = protocol::kSlots + 1;  // so many fit nowhere: there was none, or the queue has failed
  std::array<uint64_t, 2> words = {};
  uint64_t modules = 0;  // Modules::changes() then
  uint8_t group = 0;     // as the command has it
  bool by_word = false;
  Launch launch = {};
};

// Its size is a power of two, so that finding one takes no multiplication.
struct alignas(512) Queue {
  static constexpr unsigned kDepth = 16;
  uint8_t number = 0;
  bool open = false;
  bool failed = false;
  uint8_t context = 0;
  uint32_t next = protocol::kSlots;  // sequence of the slot that is looked at next
  uint64_t slots = 0;                // where they lie
  uint32_t begun = 0;                // flights; both count modulo 2^32
  uint32_t ended = 0;
  std::array<Flight, kDepth> ring = {};
  Again again = {};
  Rows rows = {};
  uint32_t event = 0;  // what an event wait waits for
  uint64_t count = 0;
  Counts* counts = nullptr;  // its client's
  GraphRun graph = {};

  [[gnu::cold, gnu::noinline]] void clear(unsigned its_number, uint64_t its_slots) {
    *this = {};
    number = static_cast<uint8_t>(its_number);
    slots = its_slots;
  }
  uint32_t flights() const { return begun - ended; }
  bool are_quiet() const {
    for (uint32_t i = ended; i != begun; ++i) {
      if (!ring[i % kDepth].quiet) return false;
    }
    return true;
  }
  // Places in the ring: of the flight that began first, and of the next one.
  unsigned first() const { return ended % kDepth; }
  unsigned free() const { return begun % kDepth; }
  Flight& front() { return ring[first()]; }
  const Flight& front() const { return ring[first()]; }
  Flight& back() { return ring[(begun - 1) % kDepth]; }
  Flight& push() { return ring[begun++ % kDepth]; }
  void pop() { ++ended; }
};
static_assert(sizeof(Queue) == 512);

// What a launch comes back with when it has ended: the queue, and the place of the flight in its ring.
constexpr uint16_t owner_of(unsigned number, unsigned place) {
  return static_cast<uint16_t>(number * Queue::kDepth + place);
}

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

// What the parts that work on queues have in common. They are layers, each on top of the one before: built-in
// kernels (built_in.hpp), the end of commands (finish.hpp), their beginning (begin.hpp), Queues.
template <Machine M>
class QueueState {
 protected:
  explicit QueueState(const Parts<M>& parts) : parts_(parts) {}

  static constexpr uint32_t bit(unsigned number) { return uint32_t{1} << number; }

  static uint64_t slot_address(const Queue& queue, uint32_t sequence) {
    return queue.slots + sequence % protocol::kSlots * uint64_t{protocol::kSlotBytes};
  }
  // The segment of the queue's slots, and where CPEs find there the arguments of a launch that begins in this
  // one.
  uint16_t argument_segment(const Queue& queue) const {
    return static_cast<uint16_t>(place_.first_segment + queue.number);
  }
  static constexpr uint32_t argument_at(uint32_t sequence) {
    return launch::kArgumentWindow + sequence % protocol::kSlots * protocol::kSlotBytes +
           static_cast<uint32_t>(sizeof(command::Launch));
  }
  // The first of them, of a launch by word.
  [[gnu::cold, gnu::noinline]] uint32_t word_of(const Queue& queue, uint32_t sequence) {
    uint64_t word = 0;
    parts_.machine.fetch(slot_address(queue, sequence) + sizeof(command::Launch), &word, sizeof word);
    return static_cast<uint32_t>(word);
  }
  // Whether the client has as many launches in the group as it may, if not for all the room that there is.
  [[gnu::noinline]] bool has_enough(const Queue& queue, unsigned group) const {
    const auto is_its = [&](uint16_t owner) {
      return queues_[owner / Queue::kDepth].context == queue.context;
    };
    return parts_.groups.count_of(group, is_its) >= parts_.clients.launches_each();
  }
  // Hands a launch with these arguments, in this place of the queue's ring, to the group. False: later.
  [[gnu::always_inline]] bool hand_over(const Queue& queue, unsigned group, const Launch& launch,
                                        uint32_t argument, unsigned place) {
    if (parts_.clients.crowded() && has_enough(queue, group)) [[unlikely]]
      return false;
    return parts_.groups.start(group, launch, argument, owner_of(queue.number, place));
  }
  // The command whose header that is: no word of a slot is read twice, so nothing changes behind a check.
  template <typename T>
  [[gnu::always_inline]] T read(const Queue& queue, const command::Header& header) {
    T command;
    command.header = header;
    if (queue.graph.at != 0) {
      load_words(parts_.machine, queue.graph.at + sizeof header,
                 reinterpret_cast<uint8_t*>(&command) + sizeof header, sizeof command - sizeof header);
      return command;
    }
    parts_.machine.fetch(slot_address(queue, queue.next) + sizeof header,
                         reinterpret_cast<uint8_t*>(&command) + sizeof header,
                         sizeof command - sizeof header);
    return command;
  }

  Parts<M> parts_;
  QueuePlace place_ = {};
  // Sets of queues, a bit for each.
  uint32_t over_ = 0;          // something may be over
  uint32_t look_ = 0;          // something may begin
  uint32_t flying_ = 0;        // something other than launches is under way
  uint32_t beside_ = 0;        // copies are behind launches
  uint32_t waiting_ = 0;       // the next command needs room somewhere, or what other queues do
  uint32_t lacks_memory_ = 0;  // a module that is loaded waits for it
  uint32_t stalled_ = 0;       // the next piece of a fill or copy needs room in its group
  PageList<M> page_list_{parts_.machine};
  Statistics statistics_ = {};
  std::array<Queue, protocol::kQueues> queues_ = {};
};

}  // namespace swai::runtime
