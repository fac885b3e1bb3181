// SPDX-License-Identifier: Apache-2.0
// The queues of commands: takes what the host has put there, starts it, and sees to it that commands of a
// queue become complete in their order. Queues do not wait for each other, and nothing here waits at all:
// what can be done now is done, in those queues that have a reason to be looked at.
//
// A queue whose command failed refuses what follows until the host resets it. Whatever lies in the slots,
// nothing happens that a well-formed command of that client could not do.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "firmware/runtime/begin.hpp"
#include "firmware/runtime/built_in.hpp"
#include "firmware/runtime/finish.hpp"
#include "firmware/runtime/launches.hpp"
#include "firmware/runtime/queue.hpp"
#include "firmware/runtime/queue_state.hpp"

namespace swai::runtime {

template <Machine M>
class Queues {
 public:
  explicit Queues(const Parts<M>& parts) : state_(parts) {}
  Queues(const Queues&) = delete;
  Queues& operator=(const Queues&) = delete;

  void init(const QueuePlace& place) {
    state_.plan = place;
    state_.page_list.init(place.page_list);
    for (unsigned i = 0; i < state_.queues.size(); ++i)
      state_.queues[i].clear(i, place.sram + i * uint64_t{protocol::kQueueBytes});
    state_.statistics = {};
    state_.over = state_.look = state_.flying = state_.beside = state_.waiting = state_.stalled =
        state_.lacks_memory = 0;
    behind_ = 0;
  }

  // --- Requests of the host

  // kNoQueue: all are open, or are for others.
  static constexpr unsigned kNoQueue = ~0u;
  [[gnu::cold, gnu::noinline]] unsigned open(Client& client) {
    if (!may_open(client)) return kNoQueue;
    for (unsigned i = 0; i < state_.queues.size(); ++i) {
      Queue& queue = state_.queues[i];
      if (!is_free(queue)) continue;
      queue.open = true;
      queue.context = client.context;
      queue.counts = &client.counts;
      queue.again = {};
      ++client.queues;
      state_.parts.completions.listen(i, client.context, client.page);
      forget_slots(queue);
      give_slots(queue);
      reset(i);
      return i;
    }
    return kNoQueue;
  }
  // A copy by the cores for the runtime itself, while no queue is open; until it is over. False: it failed.
  bool run_copy(uint64_t to, uint64_t from, uint64_t bytes) {
    Queue& queue = state_.queues[0];
    queue.context = protocol::kKernelContext;
    queue.rows = {.bytes = bytes, .count = 1, .to = to, .from = from};
    give_slots(queue);
    const Launch launch = built_ins::next_launch(state_, queue, command::Type::kCopyDevice, 0, 0);
    const bool good = state_.parts.groups.run(0, launch, State::argument_at(0));
    queue.context = 0;
    return good;
  }
  bool owns(unsigned queue, uint8_t context) const {
    return queue < state_.queues.size() && state_.queues[queue].open &&
           state_.queues[queue].context == context;
  }
  // What is under way ends by itself; what has not been begun never is.
  void close(unsigned queue) {
    state_.queues[queue].open = false;
    --state_.parts.clients.of(state_.queues[queue].context).queues;
    state_.over |= State::bit(queue);
  }
  void close_all(uint8_t context) {
    for (unsigned i = 0; i < state_.queues.size(); ++i) {
      if (owns(i, context)) close(i);
    }
  }
  // Nothing of it is under way.
  bool quiet(unsigned queue) const { return state_.queues[queue].flights() == 0; }
  // Lets a queue go on after a failure. Slots that were written before are not looked at any more.
  [[gnu::cold, gnu::noinline]] void reset(unsigned number) {
    Queue& queue = state_.queues[number];
    protocol::QueueStatus& line = state_.parts.completions.line(number);
    // Behind everything that may still lie in the slots.
    queue.next += 2 * protocol::kSlots;
    queue.failed = false;
    queue.graph = {};
    line = {};
    line.completed = queue.next - 1;
    state_.parts.completions.changed(number);
  }
  uint64_t slot(unsigned queue, uint32_t sequence) const {
    return State::slot_address(state_.queues[queue], sequence);
  }
  uint32_t next_sequence(unsigned queue) const { return state_.queues[queue].next; }
  // Of what a client that leaves has begun, launches end at once.
  [[gnu::cold, gnu::noinline]] void stop_launches(uint8_t context) {
    state_.parts.groups.stop(
        [&](uint16_t owner) { return state_.queues[owner / Queue::kDepth].context == context; });
  }
  bool resume(unsigned number, uint32_t sequence) {
    Queue& queue = state_.queues[number];
    if (queue.flights() == 0 || queue.front().type != command::Type::kHostCall ||
        queue.front().begin != sequence)
      return false;
    queue.front().over = true;
    state_.over |= State::bit(number);
    return true;
  }

  // --- Programs, which fill a queue in the host's place (programs.hpp)

  // Nothing is under way, and nothing has failed.
  bool is_fresh(unsigned queue) const { return quiet(queue) && !state_.queues[queue].failed; }
  const protocol::QueueStatus& line(unsigned queue) const { return state_.parts.completions.line(queue); }
  // Its first launch will come soon.
  void expect_launch(unsigned number) {
    Groups<M>& groups = state_.parts.groups;
    groups.expect(groups.least_busy(), state_.queues[number].context, state_.plan.watchdog);
  }
  // Leaves how the queue's last launch begins once more, if a command with this number would be the next
  // thing that poll() begins and nothing else is left to do for it.
  [[gnu::cold, gnu::noinline]] void make_ready(unsigned number, uint32_t sequence, ReadyLaunch& ready) const {
    const Queue& queue = state_.queues[number];
    ready.function = ready.next = ReadyLaunch::kNone;
    if (!busy() && queue.next == sequence && queue.flights() == 0) launches::make_ready(state_, queue, ready);
  }
  // It has begun.
  [[gnu::always_inline]] void note_begin(unsigned number, ReadyLaunch& ready) {
    launches::note_begin(state_, state_.queues[number], ready);
    behind_ = behind(number);
  }
  // Nothing is under way but launches of this queue, and nobody waits for their end, or is to hear of it.
  bool is_alone(unsigned number) const {
    const Queue& queue = state_.queues[number];
    return (state_.flying | state_.waiting | state_.stalled) == 0 &&
           state_.parts.groups.under_way() == queue.flights() && queue.are_quiet();
  }
  // Launches of it are under way, and nothing else.
  bool awaits_launch(unsigned number) const {
    return state_.queues[number].flights() != 0 && (state_.flying & State::bit(number)) == 0;
  }
  // A command of one slot, `words` behind its header. `alone`: nobody else has told anything; then it begins
  // here and now, if poll() would begin it next. False: something is left for poll() to do.
  [[gnu::cold, gnu::noinline]] bool put(unsigned number, command::Header header, const CallArguments& words,
                                        bool alone) {
    const uint64_t slot = State::slot_address(state_.queues[number], header.sequence);
    static_assert(sizeof header + sizeof words == protocol::kSlotBytes);
    state_.parts.machine.put(slot, &header, sizeof header);
    state_.parts.machine.put(slot + sizeof header, words.data(), sizeof words);
    state_.parts.machine.order();
    const bool next = alone && !busy();
    state_.look |= State::bit(number);
    if (!next) return false;
    take_all();
    return !busy() && state_.parts.completions.can_wait(number);
  }
  // Something goes on with each poll(), whatever happens.
  bool needs_turns() const { return lacks_memory() || state_.parts.clients.any_leaving(); }
  // Nothing is to be done but to tell the host, and that can wait, that quiet commands of this queue are
  // complete. `sequence`: of the next one that will be put there.
  [[gnu::always_inline]] bool is_quiet(unsigned number, uint32_t sequence) {
    // An end makes its queue worth a look.
    if (state_.queues[number].next == sequence) {
      state_.look &= ~State::bit(number);
      state_.waiting &= ~State::bit(number);
    }
    return !busy() && !state_.parts.completions.loud();
  }
  [[gnu::cold, gnu::noinline]] void program_ended(unsigned number, uint64_t code) {
    protocol::QueueStatus& line = state_.parts.completions.line(number);
    line.value = protocol::program_end(line.status, static_cast<uint32_t>(code));
    stop(number, Status::kProgramEnded);
  }
  [[gnu::cold, gnu::noinline]] void program_failed(unsigned number, uint64_t cause, uint64_t pc,
                                                   uint64_t address) {
    protocol::QueueStatus& line = state_.parts.completions.line(number);
    line.detail = static_cast<uint16_t>(cause);
    line.detail_pc = pc;
    line.detail_address = address;
    stop(number, Status::kProgramFault);
  }

  // --- Work

  // What has happened: doorbells of queues, ends of launches (a bit for each group), ends of transfers, room
  // for events.
  [[gnu::always_inline]] void rung(uint32_t doorbells) {
    state_.look |= doorbells & (State::bit(protocol::kQueues) - 1);
  }
  [[gnu::always_inline]] void launches_ended(uint32_t groups) {
    for (; groups != 0; groups &= groups - 1) {
      state_.parts.groups.collect(
          static_cast<unsigned>(std::countr_zero(groups)),
          [this](uint16_t owner, uint32_t cycles) { finish::note_end(state_, owner, cycles); },
          [this](uint16_t owner, const LaunchEnd& end) { finish::note_end(state_, owner, end); });
    }
    if ((state_.waiting | state_.stalled) != 0) [[unlikely]] {
      state_.look |= state_.waiting;
      state_.over |= state_.stalled;
    }
  }
  // True: who waits for memory should look again.
  [[gnu::cold, gnu::noinline]] bool watch_groups() {
    if (!state_.parts.groups.watch(
            [this](uint16_t owner, const LaunchEnd& end) { finish::note_end(state_, owner, end); }))
      return false;
    // Launches that were good may not be any more.
    for (Queue& queue : state_.queues) queue.again = {};
    state_.look |= state_.waiting;
    state_.over |= state_.stalled;
    return true;
  }
  // Whose a launch is, by its owner as groups know it.
  uint8_t context_of(uint16_t owner) const { return state_.queues[owner / Queue::kDepth].context; }
  void transfers_ended() { state_.over |= state_.flying; }
  // There is room somewhere: for events, for a copy, in memory.
  void look_again() {
    state_.look |= state_.waiting;
    state_.over |= state_.lacks_memory;
  }
  // That poll() is called once more.
  void look_once_more() { state_.over |= State::bit(0); }

  // In the queues that have a reason to be looked at: makes complete what is over, or begins what can begin
  // now, a few commands in each.
  [[gnu::always_inline]] void retire_all() {
    if (state_.over != 0) retire_some();
  }
  [[gnu::always_inline]] void take_all() {
    state_.waiting &= ~state_.look;
    // In turns: behind the one that has begun something last comes the next one first.
    const uint32_t behind = behind_;
    for (uint32_t left = std::exchange(state_.look, 0); left != 0;) {
      const uint32_t first = (left & behind) != 0 ? left & behind : left;
      const auto number = static_cast<unsigned>(std::countr_zero(first));
      left &= ~State::bit(number);
      take_some(state_.queues[number]);
    }
  }
  // Whether all has ended that was under way when this was true last.
  [[gnu::cold, gnu::noinline]] bool period_has_ended() {
    for (const Queue& queue : state_.queues) {
      if (uses_memory(queue) && static_cast<int32_t>(queue.ended - period_[queue.number]) < 0) return false;
    }
    for (const Queue& queue : state_.queues) period_[queue.number] = queue.begun;
    return true;
  }
  // Nothing of this client is under way that may still write somewhere.
  [[gnu::cold, gnu::noinline]] bool is_quiet_for(uint8_t context) const {
    return has_ended(context) && !state_.parts.groups.may_write_now(context);
  }
  // That, or it is not known how long it would take.
  [[gnu::cold, gnu::noinline]] bool is_settled(uint8_t context) const {
    return has_ended(context) && state_.parts.groups.is_settled(context);
  }
  // One that clients cannot have; groups that knew it ask anew.
  [[gnu::cold, gnu::noinline]] void set_own_segment(uint16_t number, uint64_t entry) {
    state_.parts.machine.set_entry(state_.plan.segment_table + number * sizeof entry, entry);
    state_.parts.groups.forget();
  }
  // A command waits for memory that has to be cleared.
  bool lacks_memory() const { return state_.lacks_memory != 0; }
  // There is more to do.
  bool busy() const { return (state_.over | state_.look) != 0; }
  // Nothing is under way, nothing waits.
  bool idle() const {
    return (state_.over | state_.look | state_.flying | state_.waiting) == 0 &&
           !state_.parts.groups.any_busy();
  }
  const Statistics& statistics() const { return state_.statistics; }

 private:
  using State = QueueState<M>;

  // What waits for somebody uses nothing, and may do so for ever; a module that is loaded uses nothing
  // between its steps, and may itself wait for a period's end.
  [[gnu::cold, gnu::noinline]] static bool uses_memory(const Queue& queue) {
    const command::Type type = queue.front().type;
    return queue.flights() != 0 && type != command::Type::kEventWait && type != command::Type::kHostCall &&
           type != command::Type::kModuleLoad;
  }
  bool has_ended(uint8_t context) const {
    return std::ranges::none_of(state_.queues, [context](const Queue& queue) {
      return queue.context == context && uses_memory(queue);
    });
  }
  // What has not been begun is refused until the host resets the queue.
  void stop(unsigned number, Status status) {
    Queue& queue = state_.queues[number];
    protocol::QueueStatus& line = state_.parts.completions.line(number);
    if (!queue.failed) line.failed = queue.next;
    line.status = status;
    queue.failed = true;
    queue.again = {};
    state_.parts.completions.changed(number);
    state_.look |= State::bit(number);
  }

  [[gnu::noinline]] void retire_some() {
    state_.look |= state_.over;
    state_.stalled &= ~state_.over;
    for (uint32_t left = std::exchange(state_.over, 0); left != 0; left &= left - 1)
      finish::retire(state_, state_.queues[static_cast<unsigned>(std::countr_zero(left))]);
  }

  static constexpr uint32_t behind(unsigned number) { return ~uint32_t{1} << number; }
  static constexpr unsigned kSteps = 8;
  [[gnu::always_inline]] void take_some(Queue& queue) {
    if (!queue.open) return;
    for (unsigned i = 0; i < kSteps; ++i) {
      if (!begin::take(state_, queue)) return;
      behind_ = behind(queue.number);
    }
    // Others have their turn.
    state_.look |= State::bit(queue.number);
  }

  bool is_free(const Queue& queue) const {
    return !queue.open && queue.flights() == 0 && !state_.parts.completions.sending(queue.number);
  }
  // A client that shares the card has at most kSharedQueues, and more than one only if each place of a client
  // that has none finds one.
  bool may_open(const Client& client) const {
    if (!client.shared || client.queues == 0) return true;
    const auto free =
        std::ranges::count_if(state_.queues, [&](const Queue& queue) { return is_free(queue); });
    const auto without = std::ranges::count(state_.parts.clients.all(), 0, &Client::queues);
    return client.queues < protocol::kSharedQueues && free > without;
  }
  // The cores find there the arguments of its context's launches.
  void give_slots(const Queue& queue) {
    set_own_segment(state_.argument_segment(queue),
                    segment::encode({queue.slots, protocol::kQueueBytes, segment::kRead, queue.context}));
  }
  // What a former owner of the queue has left in the slots must never be taken.
  void forget_slots(const Queue& queue) {
    constexpr command::Header kNothing = {};
    for (unsigned slot = 0; slot < protocol::kSlots; ++slot)
      state_.parts.machine.put(State::slot_address(queue, slot), &kNothing, sizeof kNothing);
  }

  State state_;
  std::array<uint32_t, protocol::kQueues> period_ = {};  // of each queue what had begun
  uint32_t behind_ = 0;  // those behind the queue that has begun something last
};

}  // namespace swai::runtime
