// The beginning of commands: what lies in a queue's slots is checked and started. Nothing here waits: what
// cannot begin now is looked at again later.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "firmware/runtime/built_in.hpp"
#include "firmware/runtime/finish.hpp"
#include "firmware/runtime/queue.hpp"

namespace swai::runtime {

template <Machine M>
class Begin : protected Finish<M> {
 protected:
  using Finish<M>::Finish;
  using QueueState<M>::page_list_;
  using QueueState<M>::parts_;
  using QueueState<M>::place_;
  using QueueState<M>::statistics_;

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
  // --- The same in parts, for the last launch once more where nothing is before it. What has to be looked at
  // is looked at before it is wanted, and what has to be noted comes behind.

  // Nothing of the queue is under way, and nothing waits. Leaves how it begins, if that is all there is to
  // it.
  void make_ready(const Queue& queue, ReadyLaunch& ready) const {
    const Again& again = queue.again;
    if (again.slots != 1 || again.modules != parts_.modules.changes() || parts_.clients.crowded()) return;
    const bool any = again.group == protocol::kAnyGroup;
    unsigned group = any ? 0 : again.group;
    while (!parts_.groups.is_idle(group)) {
      if (!any || ++group == parts_.groups.count()) return;
    }
    if (!parts_.groups.is_prepared(group, again.launch)) return;
    const auto kind = std::bit_cast<command::Header>(uint64_t{again.header} << 32);
    if ((kind.flags & command::kQuiet) == 0) return;
    const auto flags = static_cast<uint16_t>(kind.flags | (again.by_word ? command::kWord : 0));
    ready.argument = again.by_word ? ~uint32_t{0} : 0;
    ready.doorbell = parts_.groups.compose(group, again.launch, 0);
    ready.group = group;
    ready.words = again.words;
    ready.function = program::submit_word(static_cast<uint8_t>(kind.type), flags);
    say_where(queue, ready);
  }
  // Such a one has begun. What can be said of the next one is said now, while the cores run.
  [[gnu::always_inline]] void note_begin(Queue& queue, ReadyLaunch& ready) {
    const auto group = static_cast<unsigned>(ready.group);
    parts_.groups.rung(group, owner_of(queue.number, queue.free()));
    put_flight(queue, std::bit_cast<command::Header>(queue.next | uint64_t{queue.again.header} << 32),
               command::Type::kLaunch, group, ready.argument != 0);
    ready.next = std::exchange(ready.function, ReadyLaunch::kNone);
    say_where(queue, ready);
  }

 private:
  static constexpr uint64_t kMostBytes = uint64_t{1} << 40;

  // The arguments of the queue's next command.
  [[gnu::always_inline]] static void say_where(const Queue& queue, ReadyLaunch& ready) {
    ready.slot = QueueState<M>::slot_address(queue, queue.next) + sizeof(command::Launch);
    if (ready.argument == 0)
      ready.doorbell =
          Groups<M>::Driver::with_argument(ready.doorbell, QueueState<M>::argument_at(queue.next));
  }

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

  bool refuse_garbage(Queue& queue, const command::Header& header, unsigned slots) {
    if (queue.flights() != 0) return false;
    ++statistics_.bad_slots;
    uint64_t word;
    std::memcpy(&word, &header, sizeof word);
    parts_.machine.note(journal::Fault::kBadCommand,
                        {word, 0, 0, 0, journal::command(queue.number, queue.next)});
    return finish_now(queue, slots, Status::kBadCommand);
  }

  // Complete at once. Nothing else of the queue is under way, or it is a failure.
  [[gnu::noinline]] bool finish_now(Queue& queue, unsigned slots, Status status = Status::kOk,
                                    uint16_t detail = 0) {
    if (queue.flights() != 0) return false;
    if (status != Status::kOk) this->fail(queue, queue.next, status, detail);
    if (status == Status::kRefused) ++statistics_.refused;
    queue.next += slots;
    this->complete(queue, queue.next - 1, false);
    return true;
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
  // What was begun and will be complete later; `place`: the group or channel that has it.
  void begin(Queue& queue, const command::Header& header, unsigned place = 0) {
    this->flying_ |= this->bit(queue.number);
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

  // Whether that is the queue's last launch once more.
  [[gnu::always_inline]] bool is_again(const Queue& queue, const command::Header& header, uint64_t slot) {
    std::array<uint64_t, 2> words;
    static_assert(sizeof header + sizeof words == sizeof(command::Launch));
    if (kind_of(header) != queue.again.header) return false;
    parts_.machine.fetch(slot + sizeof header, words.data(), sizeof words);
    return has_words(queue, words) && queue.next % protocol::kSlots + queue.again.slots <= protocol::kSlots;
  }
  [[gnu::always_inline]] bool has_words(const Queue& queue, const std::array<uint64_t, 2>& words) const {
    const Again& again = queue.again;
    return words[0] == again.words[0] && words[1] == again.words[1] &&
           parts_.modules.changes() == again.modules;
  }
  // All but the sequence number.
  static uint32_t kind_of(const command::Header& header) {
    uint64_t word;
    static_assert(sizeof word == sizeof header && sizeof header.sequence == 4);
    std::memcpy(&word, &header, sizeof word);
    return static_cast<uint32_t>(word >> 32);
  }
  [[gnu::noinline]] bool take_launch(Queue& queue, const command::Header& header) {
    std::array<uint64_t, 2> words;
    parts_.machine.fetch(this->slot_address(queue, queue.next) + sizeof header, words.data(), sizeof words);
    if (const Status status = check_launch(queue, header, words); status != Status::kOk)
      return finish_now(queue, header.slots, status);
    if (!queue.again.by_word) return start_again(queue, header);
    if (!start(queue, header, command::Type::kLaunch, this->word_of(queue, queue.next))) return false;
    queue.back().over = true;
    return true;
  }
  [[gnu::always_inline]] bool start_again(Queue& queue, const command::Header& header) {
    return start(queue, header, command::Type::kLaunch, this->argument_at(queue.next));
  }
  // The launch in `queue.again`; kGraph: of a graph.
  [[gnu::always_inline]] bool start(Queue& queue, const command::Header& header, command::Type type,
                                    uint32_t argument) {
    const Again& again = queue.again;
    unsigned group = again.group;
    if (queue.flights() != 0) {
      // Only behind launches on the same group: that keeps them in order.
      const Flight* last = &queue.back();
      if (last->type == command::Type::kCopy) [[unlikely]]
        last = before_copies(queue);
      if (last->type != type) return false;
      if (group != last->place && group != protocol::kAnyGroup) return false;
      group = last->place;
    } else if (group == protocol::kAnyGroup) {
      group = parts_.groups.least_busy();
    }
    if (!this->hand_over(queue, group, again.launch, argument, queue.free())) return false;
    put_flight(queue, header, type, group);
    return true;
  }
  // The last one before copies that are over and good, which stay there until the launch before them ends.
  [[gnu::cold, gnu::noinline]] static const Flight* before_copies(const Queue& queue) {
    uint32_t i = queue.begun;
    const Flight* flight;
    do {
      flight = &queue.ring[--i % Queue::kDepth];
    } while (i != queue.ended && flight->type == command::Type::kCopy && flight->over && flight->slot == 0);
    return flight;
  }
  // Whether the client may do that; leaves the launch in `queue.again`.
  Status check_launch(Queue& queue, const command::Header& header, const std::array<uint64_t, 2>& words) {
    queue.again = {};
    command::Launch command;
    std::memcpy(reinterpret_cast<uint8_t*>(&command) + sizeof header, words.data(), sizeof words);
    const Module* module = parts_.modules.find(command.module, queue.context);
    if (module == nullptr || command.kernel >= module->kernels) return Status::kBadHandle;
    const Kernel kernel = parts_.modules.kernel(command.module, command.kernel);
    if (command.argument_bytes != kernel.argument_bytes ||
        sizeof(command) + command.argument_bytes > header.slots * size_t{protocol::kSlotBytes}) {
      return Status::kBadArguments;
    }
    if ((header.flags & ~(command::kQuiet | command::kWord)) != 0) return Status::kBadArguments;
    if ((header.flags & command::kWord) != 0 && command.argument_bytes != sizeof(uint32_t))
      return Status::kBadArguments;
    if (command.group >= parts_.groups.count() && command.group != protocol::kAnyGroup)
      return Status::kBadOperation;
    // All groups are alike.
    const uint32_t all = parts_.groups.all(0);
    const uint32_t mask = command.mask == ~uint32_t{0} ? all : command.mask;
    if (mask == 0 || (mask & ~all) != 0) return Status::kBadMask;
    if (parts_.groups.lost(choose_group(queue, command.group))) return Status::kGroupLost;
    if (settings_ == Groups<M>::kLastSettings) number_settings_anew();
    queue.again.launch = {++settings_,
                          kernel.pc,
                          mask,
                          command.watchdog == 0 ? place_.watchdog : command.watchdog,
                          module->segment,
                          this->argument_segment(queue),
                          queue.context};
    queue.again.words = words;
    queue.again.modules = parts_.modules.changes();
    queue.again.group = command.group;
    queue.again.slots = header.slots;
    // By word none is begun so soon from a slot: no header says so.
    queue.again.by_word = (header.flags & command::kWord) != 0;
    command::Header kind = header;
    kind.flags &= static_cast<uint16_t>(~command::kWord);
    queue.again.header = kind_of(kind);
    return Status::kOk;
  }
  // The group that is to run it.
  unsigned choose_group(Queue& queue, unsigned wanted) const {
    if (wanted != protocol::kAnyGroup) return wanted;
    if (queue.flights() != 0 && is_launch(queue.back())) return queue.back().place;
    return parts_.groups.least_busy();
  }

  static bool is_launch(const Flight& flight) {
    return flight.type == command::Type::kLaunch || flight.type == command::Type::kGraph;
  }

  // The next command of a graph, or its end. The queue stays at the command that runs it, and looks at it
  // again and again; so nothing of the queue runs beside.
  [[gnu::noinline]] bool take_graph(Queue& queue, const command::Header& header) {
    GraphRun& run = queue.graph;
    if (!run.is_of(queue.next)) {
      if (queue.flights() != 0) return false;
      if (const Status status = begin_graph(queue, header); status != Status::kOk)
        return finish_now(queue, header.slots, status);
    }
    if (run.at_end()) {
      if (queue.flights() != 0) return false;
      run.end();
      queue.again = {};  // its arguments were elsewhere
      return finish_now(queue, header.slots);
    }
    run.node = 0;
    if (!find_node(queue)) return finish_now(queue, 0, Status::kBadPointer);
    // Some at once, that it need not be found for each.
    bool any = false;
    for (unsigned i = 0; i < kNodesAtOnce && !run.at_end() && !queue.failed && next_node(queue); ++i)
      any = true;
    run.at = 0;
    return any;
  }
  static constexpr unsigned kNodesAtOnce = launch::kQueue;
  bool next_node(Queue& queue) {
    GraphRun& run = queue.graph;
    command::Header node;
    if (run.known) {
      parts_.machine.touch();
    } else {
      parts_.machine.look(run.at, protocol::kSlotBytes);
    }
    load_words(parts_.machine, run.at, &node, sizeof node);
    run.node = static_cast<uint16_t>(node.sequence);
    if (!take_node(queue, node)) return false;
    if (queue.failed) return true;
    queue.back().slot = static_cast<uint16_t>(run.done / protocol::kSlotBytes);
    queue.back().node = run.node;
    const uint32_t bytes = node.slots * protocol::kSlotBytes;
    run.done += bytes;
    run.at += bytes;
    return true;
  }
  Status begin_graph(Queue& queue, const command::Header& header) {
    const auto command = this->template read<command::Graph>(queue, header);
    if (!GraphRun::is_sound(command)) return Status::kBadRange;
    const Area found = area(command.commands, command.bytes, 1, 0, queue.context);
    if (found.status != Status::kOk) return found.status;
    if (found.usage != memory::Usage::kShared) return Status::kBadPointer;
    queue.graph.begin(command, queue.next, parts_.memory.releases());
    queue.again = {};
    return Status::kOk;
  }
  // Its memory may have been freed meanwhile, and be somebody else's.
  bool find_node(Queue& queue) {
    GraphRun& run = queue.graph;
    const Area found = area(run.pointer + run.done, run.bytes - run.done, 1, 0, queue.context);
    if (found.status != Status::kOk || found.usage != memory::Usage::kShared) return false;
    run.at = found.physical;
    return true;
  }
  bool take_node(Queue& queue, command::Header node) {
    const GraphRun& run = queue.graph;
    const uint8_t slots = std::exchange(node.slots, 0);
    if (slots == 0 || slots > command::kMaxSlots || slots * protocol::kSlotBytes > run.bytes - run.done)
      return refuse_garbage(queue, node, 0);
    switch (node.type) {
      case command::Type::kLaunch:
        return launch_node(queue, node, slots);
      case command::Type::kCopy:
        return take_copy(queue, node);
      case command::Type::kFill:
        return queue.flights() == 0 && take_fill(queue, node);
      case command::Type::kCopyDevice:
        return queue.flights() == 0 && take_copy_device(queue, node);
      default:
        return refuse_garbage(queue, node, 0);
    }
  }
  // Arguments lie in the graph's memory, and are read there.
  bool launch_node(Queue& queue, const command::Header& node, uint8_t slots) {
    const GraphRun& run = queue.graph;
    command::Header header = node;
    header.slots = slots;
    std::array<uint64_t, 2> words;
    load_words(parts_.machine, run.at + sizeof header, words.data(), sizeof words);
    const Again& again = queue.again;
    if ((header.flags & command::kWord) != 0) return finish_now(queue, 0, Status::kBadArguments);
    if (kind_of(header) != again.header || words != again.words ||
        parts_.modules.changes() != again.modules) {
      if (const Status status = check_launch(queue, header, words); status != Status::kOk)
        return finish_now(queue, 0, status);
      queue.again.launch.argument_segment = segment::number(run.pointer);
    }
    return start(queue, node, command::Type::kGraph, run.argument_at(run.done / protocol::kSlotBytes));
  }

  // Rows of memory that a client may use. Status kOk and where they lie, or what is wrong.
  struct Area {
    Status status = Status::kOk;
    uint64_t physical = 0;
    unsigned group = 0;
    memory::Usage usage = memory::Usage::kCpe;
  };
  Area area(uint64_t pointer, uint64_t bytes, uint32_t rows, uint64_t pitch, uint8_t context) const {
    const memory::Range range = parts_.memory.find(pointer, context);
    if (range.bytes == 0) return {Status::kBadPointer};
    if (bytes == 0 || rows == 0 || bytes > kMostBytes || pitch > kMostBytes) return {Status::kBadOperation};
    const uint64_t offset = segment::offset(pointer) - segment::offset(range.pointer);
    const uint64_t left = range.bytes - offset;
    if (bytes > left || (rows > 1 && pitch != 0 && (left - bytes) / pitch < rows - 1))
      return {Status::kBadRange};
    return {Status::kOk, range.physical + offset, range.group, range.usage};
  }
  // Whether all rows of host memory are the client's to name.
  static bool reaches(const Client& client, const command::Copy& command) {
    uint64_t length = 0;
    if (command.rows > 1 && __builtin_mul_overflow(command.host_pitch, command.rows - 1, &length))
      return false;
    uint64_t end = 0;
    return !__builtin_add_overflow(command.bytes, length, &length) &&
           !__builtin_add_overflow(command.host, length, &end) && client.reaches(command.host, length);
  }

  [[gnu::noinline]] bool take_copy(Queue& queue, const command::Header& header) {
    const bool beside = (header.flags & command::kConcurrent) != 0;
    if (queue.flights() != 0 && (!beside || (queue.back().type != command::Type::kCopy &&
                                             queue.back().type != command::Type::kLaunch)))
      return false;
    const auto command = this->template read<command::Copy>(queue, header);
    const Area card = area(command.device, command.bytes, command.rows, command.device_pitch, queue.context);
    if (card.status != Status::kOk) return finish_now(queue, header.slots, card.status);
    const Client& client = parts_.clients.of(queue.context);
    if (!reaches(client, command)) return finish_now(queue, header.slots, Status::kBadRange);
    if (channels_left(queue.context) == 0) return false;
    Transfer transfer = {.context = queue.context,
                         .to_host = command.to_host != 0,
                         .host = client.bus(command.host),
                         .pages = 0,
                         .card = card.physical,
                         .bytes = command.bytes,
                         .rows = command.rows,
                         .host_pitch = command.host_pitch,
                         .card_pitch = command.device_pitch};
    if ((header.flags & command::kPaged) != 0) {
      const Status status = client.alone()
                                ? page_list_.use(command.host, command.bytes, queue.context, transfer)
                                : Status::kBadOperation;
      if (status != Status::kOk) return finish_now(queue, header.slots, status);
    }
    const unsigned channel = parts_.transfers.start(transfer);
    if (channel == Transfers<M>::kNone) return false;
    (command.to_host != 0 ? queue.counts->bytes_to_host : queue.counts->bytes_to_card) +=
        command.bytes * command.rows;
    if (queue.flights() != 0 && queue.back().type == command::Type::kLaunch)
      this->beside_ |= this->bit(queue.number);
    begin(queue, header, channel);
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

  bool take_fill(Queue& queue, const command::Header& header) {
    const auto command = this->template read<command::Fill>(queue, header);
    Area to = area(command.to, command.bytes, command.rows, command.pitch, queue.context);
    if (to.status == Status::kOk && !cores_reach(to)) to.status = Status::kBadPointer;
    if (to.status != Status::kOk) return finish_now(queue, header.slots, to.status);
    queue.rows = {.bytes = command.bytes,
                  .count = command.rows,
                  .to = command.to,
                  .to_pitch = command.pitch,
                  .value = command.value};
    return begin_on_cores(queue, header, parts_.groups.least_busy());
  }
  static bool cores_reach(const Area& area) { return area.usage != memory::Usage::kMpe; }
  bool begin_on_cores(Queue& queue, const command::Header& header, unsigned group) {
    if (parts_.groups.lost(group)) return finish_now(queue, header.slots, Status::kGroupLost);
    ++queue.counts->launches;
    begin(queue, header, group);
    queue.back().over = true;  // of no piece: so the first one is next
    this->next_piece(queue, queue.back());
    return true;
  }
  [[gnu::noinline]] bool take_copy_device(Queue& queue, const command::Header& header) {
    const auto command = this->template read<command::CopyDevice>(queue, header);
    const Area to = area(command.to, command.bytes, command.rows, command.to_pitch, queue.context);
    const Area from = area(command.from, command.bytes, command.rows, command.from_pitch, queue.context);
    for (const Area& one : {to, from}) {
      if (one.status != Status::kOk) return finish_now(queue, header.slots, one.status);
    }
    const CardCopy copy = {to.physical, from.physical, command.bytes};
    const unsigned group = parts_.groups.least_busy();
    const uint32_t able = able_engines(command, copy, cores_reach(to) && cores_reach(from));
    if (able == 0) return finish_now(queue, header.slots, Status::kBadPointer);
    queue.rows = {.bytes = command.bytes,
                  .count = command.rows,
                  .engine = best_engine(able, command.bytes, group),
                  .to = command.to,
                  .from = command.from,
                  .to_pitch = command.to_pitch,
                  .from_pitch = command.from_pitch};
    if (queue.rows.engine == Engine::kCores) return begin_on_cores(queue, header, group);
    if (queue.rows.engine == Engine::kProcessor) {
      queue.rows.to = copy.to;
      queue.rows.from = copy.from;
      begin(queue, header);
      this->over_ |= this->bit(queue.number);
      return true;
    }
    const unsigned channels = channels_left(queue.context);
    const uint32_t taken = parts_.routes.start(queue.rows.engine, copy, queue.context, channels);
    if (taken == 0) return false;
    begin(queue, header, taken);
    return true;
  }
  // Those that can do it, and may.
  uint32_t able_engines(const command::CopyDevice& command, const CardCopy& copy, bool cores_reach) const {
    constexpr uint64_t kLine = 64;
    const uint32_t wanted = command.engine == Engine::kBest ? ~uint32_t{0} : set_of(command.engine);
    uint32_t able = cores_reach ? set_of(Engine::kCores) : 0;
    if (command.rows == 1) able |= parts_.routes.engines() & parts_.costs.known();
    // The processor writes whole lines: of a line in part somebody else could write the rest meanwhile.
    const bool whole_lines = command.rows == 1 && (copy.to | copy.bytes) % kLine == 0;
    if (!cores_reach || whole_lines) able |= set_of(Engine::kProcessor);
    return able & wanted;
  }
  [[gnu::always_inline]] Engine best_engine(uint32_t engines, uint64_t bytes, unsigned group) {
    constexpr uint32_t kCores = set_of(Engine::kCores);
    const uint32_t others = engines & ~kCores;
    if (others == 0) return Engine::kCores;
    const Costs& costs = parts_.costs;
    // A group that is lost ends nothing.
    const bool may_cores = others != engines && !parts_.groups.lost(group);
    if (may_cores && !parts_.groups.busy(group) && bytes >= costs.cores_lead()) return Engine::kCores;
    const Reckoning takes = costs.at(bytes);
    const Reckoning::Choice other = takes.best_of(others);
    const int64_t patience = other.cycles - takes.by(Engine::kCores);
    if (!may_cores || patience <= 0) return other.engine;
    return parts_.groups.is_idle_within(group, static_cast<uint64_t>(patience)) ? Engine::kCores
                                                                                : other.engine;
  }
  // Of channels, while there are others.
  unsigned channels_left(uint8_t context) const {
    constexpr unsigned kAll = Transfers<M>::kChannels;
    if (!parts_.clients.crowded()) return kAll;
    const unsigned has = parts_.transfers.count(context);
    const unsigned may = parts_.clients.channels_each(kAll);
    return may > has ? may - has : 0;
  }

  // No number comes back to whoever still has it: what it stood for may be another client's.
  [[gnu::cold, gnu::noinline]] void number_settings_anew() {
    for (Queue& queue : this->queues_) queue.again = {};
    parts_.groups.forget_settings();
    settings_ = 0;
  }

  uint32_t settings_ = 0;
};

}  // namespace swai::runtime
