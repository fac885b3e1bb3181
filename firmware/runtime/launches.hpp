// Launches of kernels: what a queue's command says is checked once, and begun as often as it comes again.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "firmware/runtime/queue.hpp"
#include "firmware/runtime/under_way.hpp"

namespace swai::runtime {

template <Machine M>
class Launches : protected UnderWay<M> {
 protected:
  using UnderWay<M>::UnderWay;
  using QueueState<M>::parts_;
  using QueueState<M>::place_;
  using UnderWay<M>::finish_now;
  using UnderWay<M>::put_flight;

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

 private:
  // The arguments of the queue's next command.
  [[gnu::always_inline]] static void say_where(const Queue& queue, ReadyLaunch& ready) {
    ready.slot = QueueState<M>::slot_address(queue, queue.next) + sizeof(command::Launch);
    if (ready.argument == 0)
      ready.doorbell =
          Groups<M>::Driver::with_argument(ready.doorbell, QueueState<M>::argument_at(queue.next));
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
