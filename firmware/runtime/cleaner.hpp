// SPDX-License-Identifier: Apache-2.0
// Clears memory that others have left (memory::Leftovers), block by block, with a launch of the runtime's own
// on the group that it belongs to. Those launches wait among the others, and others wait for one of them at
// most.
#pragma once

#include <cstdint>

#include "abi/kernel_arguments.hpp"
#include "firmware/memory/memory.hpp"
#include "firmware/runtime/queues.hpp"

namespace swai::runtime {

// What clears memory, with the segments that it uses; the kernel's own.
struct Clearing {
  Code fill = {};
  uint16_t memory = 0;  // the first of the segments that are each all of a group's areas
  uint16_t argument_segment = 0;
  uint32_t argument_offset = 0;  // in that segment
  uint64_t arguments = 0;        // where that is: a line for each group
};

template <Machine M>
class Cleaner {
 public:
  Cleaner(M& machine, memory::Memory<M>& memory, Groups<M>& groups, Queues<M>& queues)
      : machine_(machine), memory_(memory), groups_(groups), queues_(queues) {}

  void init(const Clearing& plan) {
    plan_ = plan;
    row_ = {};
    runs_ = waits_ = false;
    look_ = true;
    cleared_ = 0;
  }
  bool wanted() const { return look_; }
  // Somebody has come, gone, or asked for memory. (The manager's own word for it lies in slower memory.)
  void look_again() { look_ = true; }
  // Goes on as far as it can without waiting. True: something has been cleared that somebody may wait for.
  [[gnu::cold, gnu::noinline]] bool step() {
    bool any = false;
    if (runs_) {
      if (!groups_.own_has_ended(group_, number_)) return false;
      runs_ = false;
      any = end_block();
    }
    if (groups_.any_lost()) {
      const bool all = groups_.all_lost();
      memory_.keep(all ? memory::Contexts::all() : groups_.writers());
      if (all) {
        look_ = false;
        return queues_.lacks_memory();
      }
    }
    if (row_.blocks == 0) {
      row_ = next_row();
      // Who waits may do so in vain.
      any |= groups_.any_lost() && row_.blocks == 0 && !waits_ && queues_.lacks_memory();
    }
    if (row_.blocks != 0) begin_block();
    look_ = row_.blocks != 0 || waits_;
    return any;
  }
  uint64_t cleared() const { return cleared_; }  // bytes

 private:
  static constexpr uint32_t kLineBytes = 64;

  memory::Row next_row() {
    if (waits_ && queues_.period_has_ended()) memory_.end_period();
    const memory::Row row = memory_.to_clear() ? memory_.take_to_clear() : memory::Row{};
    waits_ = row.blocks == 0 && memory_.waits_for_period();
    return row;
  }
  void begin_block() {
    const unsigned home = row_.index / memory::kMaxBlocks;
    group_ = groups_.lost(home) ? groups_.least_busy() : home;
    if (groups_.lost(group_)) return;
    switch (groups_.room_for_own(group_)) {
      case Groups<M>::Room::kNone:
        return;
      case Groups<M>::Room::kYielded:
        queues_.look_once_more();
        return;
      case Groups<M>::Room::kThere:
        break;
    }
    const uint64_t offset = memory_.physical_of(row_.index) - memory_.area(home);
    const cpe::MemsetArgs arguments = {
        cpe::GlobalPtr<void>(segment::pointer(static_cast<uint16_t>(plan_.memory + home), offset)),
        static_cast<uint32_t>(memory::kBlockBytes), 0};
    std::array<uint64_t, sizeof arguments / sizeof(uint64_t)> words;
    static_assert(sizeof words == sizeof arguments);
    std::memcpy(words.data(), &arguments, sizeof words);
    // One that is lost may still look at its own.
    const uint32_t line = group_ * kLineBytes;
    for (unsigned i = 0; i < words.size(); ++i)
      machine_.store(plan_.arguments + line + i * sizeof words[i], words[i]);
    machine_.publish(plan_.arguments + line, sizeof words);
    const Launch launch = {0,
                           plan_.fill.pc,
                           groups_.all(group_),
                           0,
                           plan_.fill.segment,
                           plan_.argument_segment,
                           protocol::kKernelContext};
    number_ = groups_.start_own(group_, launch, launch::kArgumentWindow + plan_.argument_offset + line);
    runs_ = true;
  }
  // What was dropped for another's sake, or did not come to its end, is tried again.
  [[gnu::cold, gnu::noinline]] bool end_block() {
    if (groups_.own_is_good(group_, number_)) {
      memory_.cleared(1);
      cleared_ += memory::kBlockBytes;
    } else if (groups_.own_may_write(group_)) {
      memory_.withhold(1);
    } else {
      return false;
    }
    ++row_.index;
    --row_.blocks;
    return true;
  }

  M& machine_;
  memory::Memory<M>& memory_;
  Groups<M>& groups_;
  Queues<M>& queues_;
  Clearing plan_ = {};
  memory::Row row_ = {};  // what is left of the one that is being cleared
  bool look_ = true;
  bool runs_ = false;
  bool waits_ = false;  // for those who may still use what they gave back
  unsigned group_ = 0;
  uint32_t number_ = 0;
  uint64_t cleared_ = 0;
};

}  // namespace swai::runtime
