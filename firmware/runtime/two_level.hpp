// SPDX-License-Identifier: Apache-2.0
// Feeds a queue the GPU's way (abi/two_level.hpp): entries of the host's ring, and then the commands
// that they name, come by DMA and are put into the queue's slots, from where they are taken as all others.
// One queue at a time. What cannot be fetched becomes a slot without form, so that the queue fails in its
// order.
#pragma once

#include <array>
#include <cstdint>

#include "abi/command.hpp"
#include "abi/two_level.hpp"
#include "card_regs.hpp"
#include "firmware/runtime/queues.hpp"
#include "firmware/runtime/transfers.hpp"

namespace swai::runtime {

template <Machine M>
class TwoLevel {
 public:
  static constexpr uint64_t kBytes = 64;  // SRAM that the DMA engine reaches: the entry

  TwoLevel(M& machine, Transfers<M>& transfers, Queues<M>& queues)
      : machine_(machine), transfers_(transfers), queues_(queues) {}

  void init(uint64_t sram) {
    sram_ = sram;
    queue_ = channel_ = kNone;
    stage_ = Stage::kEntry;
  }
  // From now on; `ring` is a bus address. Commands go on with this sequence number. Not while busy().
  void use(unsigned queue, uint8_t context, uint64_t ring, uint32_t next) {
    queue_ = queue;
    context_ = context;
    ring_ = ring;
    next_ = next;
    put_ = get_ = 0;
    set_word(two_level::kPutWord, 0);
    set_word(two_level::kGetWord, 0);
  }
  // A transfer is under way.
  bool busy() const { return channel_ != kNone; }
  // The queue was reset: what is in the ring does not count any more. Not while busy().
  void reset(unsigned queue, uint32_t next) {
    if (queue != queue_) return;
    next_ = next;
    get_ = put_;
    set_word(two_level::kGetWord, get_);
  }
  // The queue is closed.
  void forget(unsigned queue) {
    if (queue == queue_) queue_ = kNone;
  }
  // Its owner goes. Its transfers have been stopped.
  void drop(uint8_t context) {
    if (context != context_) return;
    queue_ = kNone;
    step();
  }

  // The doorbell.
  void rung() {
    put_ = static_cast<uint32_t>(machine_.read(address(two_level::kPutWord)));
    step();
  }
  // Goes on as far as it can without waiting: to be called when transfers have ended.
  void step() {
    while (busy() ? fetched() : queue_ != kNone && get_ != put_ && fetch()) {
    }
  }

 private:
  static constexpr unsigned kNone = ~0u;
  // What is fetched: an entry, a command's slots behind the first, the first, which makes the others valid.
  enum class Stage : uint8_t { kEntry, kRest, kFirst };

  // Begins a transfer. False: no channel is free.
  bool fetch() {
    Transfer transfer;
    transfer.context = context_;
    switch (stage_) {
      case Stage::kEntry:
        transfer.host = ring_ + get_ % two_level::kEntries * sizeof(two_level::Entry);
        transfer.card = sram_;
        transfer.bytes = sizeof(two_level::Entry);
        break;
      case Stage::kRest:
        transfer.host = entry_.buffer + protocol::kSlotBytes;
        transfer.card = queues_.slot(queue_, next_ + 1);
        transfer.bytes = (entry_.slots - 1) * uint64_t{protocol::kSlotBytes};
        break;
      case Stage::kFirst:
        transfer.host = entry_.buffer;
        transfer.card = queues_.slot(queue_, next_);
        transfer.bytes = protocol::kSlotBytes;
        break;
    }
    channel_ = transfers_.start(transfer);
    return channel_ != kNone;
  }
  // False: not yet.
  bool fetched() {
    if (!transfers_.over(channel_)) return false;
    const bool good = transfers_.finish(channel_) == 0;
    channel_ = kNone;
    if (queue_ == kNone) {
      stage_ = Stage::kEntry;
      return false;
    }
    if (good && stage_ == Stage::kEntry) {
      machine_.fetch(sram_, &entry_, sizeof entry_);
      if (is_sound()) {
        stage_ = entry_.slots > 1 ? Stage::kRest : Stage::kFirst;
        return true;
      }
    } else if (good && stage_ == Stage::kRest) {
      stage_ = Stage::kFirst;
      return true;
    } else if (good) {
      give(entry_.slots);
      return true;
    }
    const command::Header nothing = {next_, command::Type::kNone, 1, 0};
    machine_.put(queues_.slot(queue_, next_), &nothing, sizeof nothing);
    give(1);
    return true;
  }
  bool is_sound() const {
    return entry_.slots != 0 && entry_.slots <= command::kMaxSlots &&
           next_ % protocol::kSlots + entry_.slots <= protocol::kSlots;
  }
  void give(uint32_t slots) {
    stage_ = Stage::kEntry;
    next_ += slots;
    set_word(two_level::kGetWord, ++get_);
    queues_.rung(uint32_t{1} << queue_);
  }

  static constexpr uint64_t address(unsigned number) {
    return regs::pcie::shared::kAddr + number * sizeof(uint64_t);
  }
  void set_word(unsigned number, uint64_t value) { machine_.write(address(number), value); }

  M& machine_;
  Transfers<M>& transfers_;
  Queues<M>& queues_;
  uint64_t sram_ = 0;
  unsigned queue_ = kNone;
  uint8_t context_ = 0;
  unsigned channel_ = kNone;
  Stage stage_ = Stage::kEntry;
  uint64_t ring_ = 0;
  uint32_t put_ = 0;
  uint32_t get_ = 0;
  uint32_t next_ = 0;  // sequence number of the next command
  two_level::Entry entry_ = {};
};

}  // namespace swai::runtime
