// The queues of commands: takes what the host has put there, starts it, and sees to it that commands of a
// queue become complete in their order. Queues do not wait for each other, and nothing here waits at all:
// advance() does what can be done now.
//
// A queue whose command failed refuses what follows until the host resets it. Whatever lies in the slots,
// nothing happens that a well-formed command of that client could not do.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "firmware/abi/command.hpp"
#include "firmware/abi/protocol.hpp"
#include "firmware/runtime/completion.hpp"
#include "firmware/runtime/events.hpp"
#include "firmware/runtime/groups.hpp"
#include "firmware/runtime/modules.hpp"
#include "firmware/runtime/transfers.hpp"

namespace swai::runtime {

struct Statistics {
  uint64_t commands = 0;
  uint64_t failed = 0;
  uint64_t refused = 0;
  uint64_t launches = 0;
  uint64_t launches_failed = 0;
  uint64_t bytes_to_card = 0;
  uint64_t bytes_to_host = 0;
  uint64_t bad_slots = 0;
};

// Code that the runtime itself launches, for fills and copies on the card.
struct BuiltIn {
  struct Code {
    uint16_t segment = 0;
    uint32_t pc = 0;
  };
  Code copy = {};
  Code fill = {};
  // A page that CPEs may read, for their arguments: a line for each queue.
  uint16_t argument_segment = 0;
  uint64_t arguments = 0;
};

template <Machine M>
class Queues {
 public:
  struct Parts {
    M& machine;
    memory::Memory<M>& memory;
    Modules<M>& modules;
    Groups<M>& groups;
    Transfers<M>& transfers;
    Completions<M>& completions;
    Events& events;
  };
  // Segments of the queues' pages, one after the other from `first_segment`.
  struct Place {
    uint64_t sram;
    uint64_t segment_table;
    uint16_t first_segment;
    BuiltIn built_in;
    uint32_t watchdog;  // of launches that name none
  };

  explicit Queues(const Parts& parts) : parts_(parts) {}

  void init(const Place& place) {
    place_ = place;
    for (Queue& queue : queues_) queue = {};
    statistics_ = {};
  }

  // --- Requests of the host

  // kNoQueue: all are open.
  static constexpr unsigned kNoQueue = ~0u;
  unsigned open(uint8_t context) {
    for (unsigned i = 0; i < queues_.size(); ++i) {
      Queue& queue = queues_[i];
      if (queue.open || !quiet(i)) continue;
      queue.open = true;
      queue.context = context;
      forget_slots(i);
      parts_.machine.set_entry(place_.segment_table + (place_.first_segment + i) * sizeof(uint64_t),
                               segment::encode({place_.sram + i * protocol::kQueueBytes,
                                                protocol::kQueueBytes, segment::kRead, context}));
      parts_.groups.forget();
      reset(i);
      return i;
    }
    return kNoQueue;
  }
  bool owns(unsigned queue, uint8_t context) const {
    return queue < queues_.size() && queues_[queue].open && queues_[queue].context == context;
  }
  // What is under way ends by itself; what has not been begun never is.
  void close(unsigned queue) { queues_[queue].open = false; }
  void close_all(uint8_t context) {
    for (Queue& queue : queues_) {
      if (queue.context == context) queue.open = false;
    }
  }
  // Nothing of it is under way.
  bool quiet(unsigned queue) const { return queues_[queue].flights == 0; }
  bool quiet_all(uint8_t context) const {
    return std::ranges::none_of(
        queues_, [&](const Queue& queue) { return queue.context == context && queue.flights != 0; });
  }
  // Lets a queue go on after a failure. Slots that were written before are not looked at any more.
  void reset(unsigned number) {
    Queue& queue = queues_[number];
    protocol::QueueStatus& line = parts_.completions.line(number);
    // Behind everything that may still lie in the slots.
    queue.next += 2 * protocol::kSlots;
    queue.failed = false;
    line = {};
    line.completed = queue.next - 1;
    parts_.completions.changed(number);
  }
  uint32_t next_sequence(unsigned queue) const { return queues_[queue].next; }
  bool resume(unsigned number, uint32_t sequence) {
    Queue& queue = queues_[number];
    if (queue.flights == 0 || queue.front().type != command::Type::kHostCall ||
        queue.front().begin != sequence)
      return false;
    queue.front().over = true;
    return true;
  }

  // --- Work

  // Does what can be done in all queues, a few commands in each. To be called when a doorbell rang, and
  // whenever something may have ended. True: there may be more to do, perhaps because of what was done.
  bool advance_all() {
    bool any = false;
    parts_.groups.collect([this](uint16_t owner, const LaunchEnd& end) { note_end(owner, end); });
    for (unsigned i = 0; i < queues_.size(); ++i) {
      if (queues_[i].open || queues_[i].flights != 0) any = advance(i) || any;
    }
    return any;
  }
  // Launches are under way: their ends are to be looked for.
  bool busy() const {
    return std::ranges::any_of(queues_, [](const Queue& queue) { return queue.flights != 0; });
  }
  const Statistics& statistics() const { return statistics_; }

 private:
  // A command that was begun and is not complete.
  struct Flight {
    command::Type type = command::Type::kNone;
    bool quiet = false;
    bool over = false;   // launches, of fills and copies the one for this row; host calls
    uint8_t place = 0;   // group, or channel
    uint32_t begin = 0;  // sequence numbers of its slots
    uint32_t end = 0;
    uint32_t event = 0;
    uint64_t count = 0;
  };
  // What is left of a fill or copy on the card.
  struct Rows {
    uint64_t bytes = 0;
    uint32_t count = 0;
    uint64_t to = 0;
    uint64_t from = 0;
    uint64_t to_pitch = 0;
    uint64_t from_pitch = 0;
    uint32_t value = 0;
    uint64_t done = 0;  // bytes of the row

    static constexpr uint64_t kPiece = uint64_t{1} << 30;
    uint64_t piece() const { return std::min(bytes - done, kPiece); }
    void step() {
      done += piece();
      if (done != bytes) return;
      done = 0;
      to += to_pitch;
      from += from_pitch;
      --count;
    }
  };
  struct Queue {
    static constexpr unsigned kDepth = 16;
    bool open = false;
    bool failed = false;
    uint8_t context = 0;
    uint32_t next = protocol::kSlots;  // sequence of the slot that is looked at next
    unsigned first = 0;
    unsigned flights = 0;
    std::array<Flight, kDepth> ring = {};
    Rows rows = {};

    Flight& front() { return ring[first]; }
    Flight& back() { return ring[(first + flights - 1) % kDepth]; }
    // Where the next one will lie.
    unsigned free() const { return (first + flights) % kDepth; }
    void pop() {
      first = (first + 1) % kDepth;
      --flights;
    }
  };

  uint64_t slot_address(unsigned number, uint32_t sequence) const {
    return place_.sram + number * uint64_t{protocol::kQueueBytes} +
           sequence % protocol::kSlots * protocol::kSlotBytes;
  }
  template <typename T>
  T read(unsigned number, uint32_t sequence) {
    T command = {};
    parts_.machine.fetch(slot_address(number, sequence), &command, sizeof command);
    return command;
  }

  static constexpr unsigned kSteps = 8;
  static constexpr uint64_t kMostModuleBytes = 4 << 20;
  bool advance(unsigned number) {
    Queue& queue = queues_[number];
    bool any = false;
    for (unsigned i = 0; i < kSteps; ++i) {
      const bool retired = retire(number, queue);
      const bool taken = queue.open && take(number, queue);
      if (!retired && !taken) return any;
      any = true;
    }
    return any;
  }

  // What a former owner of the queue has left in the slots must never be taken.
  void forget_slots(unsigned number) {
    constexpr command::Header kNothing = {};
    for (unsigned slot = 0; slot < protocol::kSlots; ++slot)
      parts_.machine.put(slot_address(number, slot), &kNothing, sizeof kNothing);
  }

  // --- The end of commands

  bool retire(unsigned number, Queue& queue) {
    bool any = false;
    while (queue.flights != 0 && is_over(number, queue, queue.front())) {
      const Flight flight = queue.front();
      queue.pop();
      complete(number, flight.end, flight.quiet);
      any = true;
    }
    return any;
  }

  void complete(unsigned number, uint32_t sequence, bool quiet) {
    protocol::QueueStatus& line = parts_.completions.line(number);
    line.completed = sequence;
    line.cycle = parts_.machine.read(regs::timer::mtime::kAddr);
    ++statistics_.commands;
    parts_.completions.changed(number, quiet);
  }

  bool is_over(unsigned number, Queue& queue, Flight& flight) {
    switch (flight.type) {
      case command::Type::kLaunch:
        return flight.over;
      case command::Type::kFill:
      case command::Type::kCopyDevice:
        return flight.over && !next_piece(number, queue, flight);
      case command::Type::kCopy:
        if (!parts_.transfers.over(flight.place)) return false;
        if (const unsigned error = parts_.transfers.finish(flight.place); error != 0) {
          protocol::QueueStatus& line = parts_.completions.line(number);
          line.detail_address = parts_.transfers.error_address();
          fail(number, queue, flight.begin, Status::kTransfer, static_cast<uint16_t>(error));
        }
        return true;
      case command::Type::kEventWait:
        return parts_.events.reached(flight.event, flight.count) || !queue.open;
      case command::Type::kHostCall:
        return flight.over || !queue.open;
      default:
        return true;
    }
  }

  static constexpr uint16_t owner_of(unsigned number, unsigned place) {
    return static_cast<uint16_t>(number * Queue::kDepth + place);
  }
  void note_end(uint16_t owner, const LaunchEnd& end) {
    const unsigned number = owner / Queue::kDepth;
    Queue& queue = queues_[number];
    Flight& flight = queue.ring[owner % Queue::kDepth];
    flight.over = true;
    if (flight.type != command::Type::kLaunch) queue.rows.step();
    if (end.failed) fail_launch(number, queue, flight, end);
  }
  void fail_launch(unsigned number, Queue& queue, const Flight& flight, const LaunchEnd& end) {
    ++statistics_.launches_failed;
    protocol::QueueStatus& line = parts_.completions.line(number);
    if (!queue.failed) {
      line.detail_cpe = end.cpe;
      line.detail_address = end.fault.segment == segment::kNone
                                ? end.fault.offset
                                : segment::pointer(end.fault.segment, end.fault.offset);
      line.detail_pc = end.fault.pc;
    }
    fail(number, queue, flight.begin, end.watchdog ? Status::kKernelTimeout : Status::kKernelFault,
         static_cast<uint16_t>(end.fault.cause));
  }

  // The first failure counts.
  void fail(unsigned number, Queue& queue, uint32_t sequence, Status status, uint16_t detail = 0) {
    ++statistics_.failed;
    if (queue.failed) return;
    queue.failed = true;
    protocol::QueueStatus& line = parts_.completions.line(number);
    line.failed = sequence;
    line.status = status;
    line.detail = detail;
    parts_.completions.changed(number);
  }

  // --- The beginning of commands

  // Whether something was taken, or thrown away.
  bool take(unsigned number, Queue& queue) {
    if (queue.flights == Queue::kDepth) return false;
    const auto header = read<command::Header>(number, queue.next);
    if (header.sequence != queue.next) return false;
    const unsigned slot = queue.next % protocol::kSlots;
    if (header.slots == 0 || header.slots > command::kMaxSlots || slot + header.slots > protocol::kSlots) {
      ++statistics_.bad_slots;
      return finish_now(number, queue, 1, Status::kBadCommand);
    }
    // What comes behind a failure waits for what was begun before, so that the order stays.
    if (queue.failed) return queue.flights == 0 && refuse(number, queue, header);
    switch (header.type) {
      case command::Type::kLaunch:
        return take_launch(number, queue, header);
      case command::Type::kCopy:
        return take_copy(number, queue, header);
      case command::Type::kPad:
        return take_pad(number, queue, header);
      case command::Type::kMarker:
        return queue.flights == 0 && finish_now(number, queue, header.slots);
      default:
        return queue.flights == 0 && take_alone(number, queue, header);
    }
  }

  // Complete at once. Nothing else of the queue is under way, or it is a failure.
  bool finish_now(unsigned number, Queue& queue, unsigned slots, Status status = Status::kOk,
                  uint16_t detail = 0) {
    if (queue.flights != 0) return false;
    if (status != Status::kOk) fail(number, queue, queue.next, status, detail);
    if (status == Status::kRefused) ++statistics_.refused;
    queue.next += slots;
    complete(number, queue.next - 1, false);
    return true;
  }
  // Behind a failure nothing is done, but who waits for an event in another queue does not wait for ever.
  bool refuse(unsigned number, Queue& queue, const command::Header& header) {
    if (header.type == command::Type::kEventRecord) {
      const auto command = read<command::Event>(number, queue.next);
      if (Events::exists(command.event) && !record_event(command.event)) return false;
    }
    return finish_now(number, queue, header.slots, Status::kRefused);
  }
  // False: later.
  bool record_event(uint32_t event) {
    if (!parts_.completions.event_room()) return false;
    parts_.completions.event(event,
                             parts_.events.record(event, parts_.machine.read(regs::timer::mtime::kAddr)));
    return true;
  }
  // Nobody waits for a pad: it goes with what is before it.
  bool take_pad(unsigned number, Queue& queue, const command::Header& header) {
    if (queue.flights == 0) return finish_now(number, queue, header.slots);
    queue.next += header.slots;
    queue.back().end = queue.next - 1;
    return true;
  }
  bool begin(Queue& queue, const command::Header& header, Flight flight) {
    flight.type = header.type;
    flight.quiet = (header.flags & command::kQuiet) != 0;
    flight.begin = queue.next;
    queue.next += header.slots;
    flight.end = queue.next - 1;
    ++queue.flights;
    queue.back() = flight;
    return true;
  }

  bool take_launch(unsigned number, Queue& queue, const command::Header& header) {
    // Only behind launches on the same group: that keeps them in order.
    if (queue.flights != 0 && queue.back().type != command::Type::kLaunch) return false;
    const auto command = read<command::Launch>(number, queue.next);
    const auto refuse = [&](Status status) { return finish_now(number, queue, header.slots, status); };
    const Module* module = parts_.modules.find(command.module, queue.context);
    if (module == nullptr || command.kernel >= module->kernels) return refuse(Status::kBadHandle);
    const Kernel kernel = parts_.modules.kernel(command.module, command.kernel);
    if (command.argument_bytes != kernel.argument_bytes ||
        sizeof(command) + command.argument_bytes > header.slots * size_t{protocol::kSlotBytes}) {
      return refuse(Status::kBadArguments);
    }
    const unsigned group = choose_group(queue, command.group);
    if (group == protocol::kAnyGroup) return refuse(Status::kBadOperation);
    const uint32_t all = parts_.groups.driver(group).all();
    const uint32_t mask = command.mask == ~uint32_t{0} ? all : command.mask;
    if (mask == 0 || (mask & ~all) != 0) return refuse(Status::kBadMask);
    if (queue.flights != 0 && queue.back().place != group) return false;
    const uint32_t offset = queue.next % protocol::kSlots * protocol::kSlotBytes + sizeof(command::Launch);
    const Launch launch = {kernel.pc,
                           launch::kArgumentWindow + offset,
                           mask,
                           command.watchdog == 0 ? place_.watchdog : command.watchdog,
                           module->segment,
                           static_cast<uint16_t>(place_.first_segment + number),
                           queue.context};
    return start(number, queue, header, group, launch);
  }
  bool start(unsigned number, Queue& queue, const command::Header& header, unsigned group,
             const Launch& launch) {
    if (!parts_.groups.takes(group, launch)) return false;
    Flight flight;
    flight.place = static_cast<uint8_t>(group);
    parts_.groups.start(group, launch, owner_of(number, queue.free()));
    ++statistics_.launches;
    return begin(queue, header, flight);
  }
  // kAnyGroup: there is no such group.
  unsigned choose_group(Queue& queue, unsigned wanted) {
    if (wanted < parts_.groups.count()) return wanted;
    if (wanted != protocol::kAnyGroup) return protocol::kAnyGroup;
    if (queue.flights != 0) return queue.back().place;
    unsigned best = 0;
    for (unsigned group = 1; group < parts_.groups.count(); ++group) {
      if (parts_.groups.waiting(group) < parts_.groups.waiting(best)) best = group;
    }
    return best;
  }

  // Rows of memory that a client may use. Status kOk and where they lie, or what is wrong.
  struct Area {
    Status status = Status::kOk;
    uint64_t physical = 0;
    unsigned group = 0;
    memory::Usage usage = memory::Usage::kCpe;
  };
  Area area(uint64_t pointer, uint64_t bytes, uint32_t rows, uint64_t pitch, uint8_t context) const {
    constexpr uint64_t kMost = uint64_t{1} << 40;
    const memory::Range range = parts_.memory.find(pointer, context);
    if (range.bytes == 0) return {Status::kBadPointer};
    if (bytes == 0 || rows == 0 || bytes > kMost || pitch > kMost) return {Status::kBadOperation};
    const uint64_t offset = segment::offset(pointer) - segment::offset(range.pointer);
    const uint64_t left = range.bytes - offset;
    if (bytes > left || (rows > 1 && pitch != 0 && (left - bytes) / pitch < rows - 1))
      return {Status::kBadRange};
    return {Status::kOk, range.physical + offset, range.group, range.usage};
  }

  bool take_copy(unsigned number, Queue& queue, const command::Header& header) {
    const bool beside = (header.flags & command::kConcurrent) != 0 && queue.flights != 0 &&
                        queue.back().type == command::Type::kCopy;
    if (queue.flights != 0 && !beside) return false;
    const auto command = read<command::Copy>(number, queue.next);
    const Area card = area(command.device, command.bytes, command.rows, command.device_pitch, queue.context);
    if (card.status != Status::kOk) return finish_now(number, queue, header.slots, card.status);
    if (command.host + command.bytes < command.host)
      return finish_now(number, queue, header.slots, Status::kBadRange);
    Flight flight;
    const unsigned channel = parts_.transfers.start({.to_host = command.to_host != 0,
                                                     .host = command.host,
                                                     .card = card.physical,
                                                     .bytes = command.bytes,
                                                     .rows = command.rows,
                                                     .host_pitch = command.host_pitch,
                                                     .card_pitch = command.device_pitch});
    if (channel == Transfers<M>::kNone) return false;
    (command.to_host != 0 ? statistics_.bytes_to_host : statistics_.bytes_to_card) +=
        command.bytes * command.rows;
    flight.place = static_cast<uint8_t>(channel);
    return begin(queue, header, flight);
  }

  // Commands that nothing of the queue runs beside.
  bool take_alone(unsigned number, Queue& queue, const command::Header& header) {
    const auto finish = [&](Status status = Status::kOk, uint16_t detail = 0) {
      return finish_now(number, queue, header.slots, status, detail);
    };
    switch (header.type) {
      case command::Type::kFill:
      case command::Type::kCopyDevice:
        return take_built_in(number, queue, header);
      case command::Type::kEventRecord: {
        const auto command = read<command::Event>(number, queue.next);
        if (!Events::exists(command.event)) return finish(Status::kBadHandle);
        return record_event(command.event) && finish();
      }
      case command::Type::kEventWait: {
        const auto command = read<command::Event>(number, queue.next);
        if (!Events::exists(command.event)) return finish(Status::kBadHandle);
        Flight flight;
        flight.event = command.event;
        flight.count = command.count;
        return begin(queue, header, flight);
      }
      case command::Type::kModuleLoad: {
        const auto command = read<command::ModuleLoad>(number, queue.next);
        const Area file = area(command.file, command.bytes, 1, 0, queue.context);
        if (file.status != Status::kOk) return finish(file.status);
        if (file.usage == memory::Usage::kCpe)
          return finish(Status::kBadPointer);  // the processor has no pages for it
        if (command.bytes > kMostModuleBytes) return finish(Status::kBadRange);
        memory::Range range;
        range.physical = file.physical;
        range.bytes = command.bytes;
        range.group = file.group;
        const auto loaded = parts_.modules.load(range, queue.context);
        if (loaded.status == Status::kOk) {
          parts_.groups.forget();
          give_value(number, queue, loaded.handle);
        }
        return finish(loaded.status, loaded.detail);
      }
      case command::Type::kModuleUnload: {
        const auto command = read<command::ModuleUnload>(number, queue.next);
        if (parts_.groups.any_busy()) return false;
        const Status status = parts_.modules.unload(command.module, queue.context);
        if (status == Status::kOk) parts_.groups.forget();
        return finish(status);
      }
      case command::Type::kHostCall: {
        protocol::QueueStatus& line = parts_.completions.line(number);
        line.waiting = queue.next;
        ++line.waits;
        parts_.completions.changed(number);
        return begin(queue, header, {});
      }
      default:
        ++statistics_.bad_slots;
        return finish(Status::kBadCommand);
    }
  }
  void give_value(unsigned number, const Queue& queue, uint64_t value) {
    protocol::QueueStatus& line = parts_.completions.line(number);
    line.value = value;
    line.value_sequence = queue.next;
  }

  // --- Fills and copies on the card: kernels of the runtime's own, one launch for each row, under the
  // client's rights

  // As the kernels take them (cpe-kernels/include/swai/arguments.hpp).
  struct FillArguments {
    uint64_t to;
    uint32_t bytes;
    uint32_t value;
  };
  struct CopyArguments {
    uint64_t to;
    uint64_t from;
    uint32_t bytes;
    uint32_t reserved;
  };

  // A pointer that a kernel can use, and as many bytes behind it.
  Status check_built_in(uint64_t pointer, const Rows& rows, uint64_t pitch, uint8_t context) const {
    const Area found = area(pointer, rows.bytes, rows.count, pitch, context);
    if (found.status == Status::kOk && found.usage == memory::Usage::kMpe) return Status::kBadPointer;
    return found.status;
  }

  bool take_built_in(unsigned number, Queue& queue, const command::Header& header) {
    Rows rows;
    Status status = Status::kOk;
    if (header.type == command::Type::kFill) {
      const auto command = read<command::Fill>(number, queue.next);
      rows = {command.bytes, command.rows, command.to, 0, command.pitch, 0, command.value, 0};
      status = check_built_in(rows.to, rows, rows.to_pitch, queue.context);
    } else {
      const auto command = read<command::CopyDevice>(number, queue.next);
      rows = {command.bytes,    command.rows,       command.to, command.from,
              command.to_pitch, command.from_pitch, 0,          0};
      status = check_built_in(rows.to, rows, rows.to_pitch, queue.context);
      if (status == Status::kOk) status = check_built_in(rows.from, rows, rows.from_pitch, queue.context);
    }
    if (status != Status::kOk) return finish_now(number, queue, header.slots, status);
    queue.rows = rows;
    const unsigned group = choose_group(queue, protocol::kAnyGroup);
    return start(number, queue, header, group, row_launch(number, queue, header.type, group));
  }
  // The launch for what comes next of the queue's rows.
  Launch row_launch(unsigned number, Queue& queue, command::Type type, unsigned group) {
    const Rows& rows = queue.rows;
    const uint64_t at = place_.built_in.arguments + number * uint64_t{protocol::kSlotBytes};
    const auto bytes = static_cast<uint32_t>(rows.piece());
    if (type == command::Type::kFill) {
      const FillArguments arguments = {rows.to + rows.done, bytes, rows.value};
      parts_.machine.put(at, &arguments, sizeof arguments);
    } else {
      const CopyArguments arguments = {rows.to + rows.done, rows.from + rows.done, bytes, 0};
      parts_.machine.put(at, &arguments, sizeof arguments);
    }
    const BuiltIn::Code& code = type == command::Type::kFill ? place_.built_in.fill : place_.built_in.copy;
    return {code.pc,
            static_cast<uint32_t>(launch::kArgumentWindow + number * protocol::kSlotBytes),
            parts_.groups.driver(group).all(),
            place_.watchdog,
            code.segment,
            place_.built_in.argument_segment,
            queue.context};
  }
  // After the launch of a piece: whether there is another one, which runs, or waits for room in the group.
  bool next_piece(unsigned number, Queue& queue, Flight& flight) {
    if (queue.rows.count == 0 || queue.failed || !queue.open) return false;
    const Launch launch = row_launch(number, queue, flight.type, flight.place);
    if (parts_.groups.takes(flight.place, launch)) {
      flight.over = false;
      parts_.groups.start(flight.place, launch, owner_of(number, queue.first));
    }
    return true;
  }

  Parts parts_;
  Place place_ = {};
  std::array<Queue, protocol::kQueues> queues_ = {};
  Statistics statistics_;
};

}  // namespace swai::runtime
