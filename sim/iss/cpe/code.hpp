// SPDX-License-Identifier: Apache-2.0
// Decoded code. Harts that see the same code share one of these, also when several threads run them; it keeps
// what it has read until invalidate(), as the instruction caches do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "sim/iss/cpe/fault.hpp"
#include "sim/iss/cpe/host_code.hpp"
#include "sim/iss/cpe/insn.hpp"
#include "sim/iss/cpe/slot.hpp"

namespace swai {
class Archive;
}

namespace swai::iss::cpe {

// Where code comes from.
class CodeSource {
 public:
  virtual ~CodeSource() = default;
  // The 64 bytes at this scalar address, a multiple of 64 in SpaceDaemon or SpaceKernel.
  virtual Cause fetch(uint32_t address, uint8_t* line) = 0;
};

class Code {
 public:
  // Throws std::bad_alloc when the system has no room for so many addresses.
  explicit Code(CodeSource& source);
  ~Code();
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;

  // Nobody may run meanwhile.
  void invalidate();

  // Of an even address; null: there is no code. The slot of what follows is `length / 2` slots further on;
  // behind the last one lies one that is never decoded.
  const Slot* slot(uint32_t pc) const {
    const uint32_t index = (pc - kFirst) / 2;
    return index < kHalves ? slots_ + index : nullptr;
  }
  uint32_t address(const Slot* slot) const { return kFirst + 2 * static_cast<uint32_t>(slot - slots_); }
  // Another thread may be decoding it: what else the slot says is there when its row is.
  static uint8_t row(const Slot& slot) { return __atomic_load_n(&slot.row, __ATOMIC_ACQUIRE); }

  // Of what stands there, whatever else is done before it.
  uint8_t plain_row(const Slot& slot) const {
    const uint8_t shown = row(slot);
    return shown == Slot::kCounts || shown == Slot::kHostCode ? lead(slot).row : shown;
  }
  // Of a slot with kCounts, which is executed once more: the row to go on with.
  uint8_t count(const Slot* slot, const HostCode::Hart& hart);
  // Of one with kHostCode.
  const void* host_code(const Slot& slot) const { return host_.at(places_[&slot - slots_].host_code); }

  struct Failure {
    Cause cause = Cause::kNone;
    uint32_t address = 0;  // of the first 16 bits that could not be read
  };
  // False: it cannot be fetched.
  bool decode(uint32_t pc, Failure& failure);
  // One that was decoded.
  Insn insn(uint32_t pc) const;

  // Lines of 64 bytes, by their numbers and in order, whose code has been executed for the first time since
  // the last call. Nobody may run meanwhile.
  std::span<const uint32_t> take_entered();
  // Between turns. Decoded code begins anew.
  void visit(Archive& archive);
  // Has code of this line been executed?
  bool was_entered(uint32_t line) const { return line < kHalves / kHalvesOfLine && was_entered_[line]; }

 private:
  // SpaceDaemon and SpaceKernel lie side by side. Every 16 bits of them have a slot here, as pages that cost
  // nothing before they are used; so one follows the other, and none ever takes another one's place.
  static_assert(space::kKernel == space::kDaemon + 1);
  static constexpr uint32_t kFirst = uint32_t{space::kDaemon} << 28;
  static constexpr uint32_t kHalves = (uint32_t{2} << 28) / 2;
  static constexpr uint32_t kHalvesOfLine = 32;

  // The 16 bits at this address, whose line is read if it was not.
  bool half(uint32_t address, uint32_t& bits, Failure& failure);
  // The instruction there, wherever it comes from, kept or not; illegal: none can be read.
  Insn look(uint32_t pc);
  Slot slot_of(const Insn& insn, uint32_t pc);
  // The slot before this one, if its instruction was decoded and ends there; null: it was not.
  Slot* before(const Slot& slot, unsigned length);
  uint8_t taken_cycles(uint32_t target);

  // A slot that jumps lead to.
  struct Lead {
    uint32_t index = 0;  // of the slot
    uint32_t times = 0;  // that it was executed
    uint8_t row = Slot::kUndecoded;
    const void* code = nullptr;  // of the host
  };
  static constexpr uint32_t kMostLeads = 1 << 18;
  // So often a place is executed before it gets code of the host: what is done once is decoded sooner.
  static constexpr uint32_t kOften = 32;
  // What is known of a slot beside it.
  struct Place {
    uint32_t lead = 0;       // its number; 0: it is none
    uint32_t host_code = 0;  // where it is
  };
  const Lead& lead(const Slot& slot) const { return leads_[places_[&slot - slots_].lead]; }
  void mark(const Slot* slot);
  static void begin_to_count(Slot& slot, Lead& lead);

  CodeSource& source_;
  Slot* slots_;
  uint16_t* halves_;               // what was read
  bool* was_read_;                 // by line
  bool* was_entered_;              // likewise
  std::vector<uint32_t> entered_;  // since everything was forgotten
  size_t told_ = 0;                // of them
  std::vector<uint32_t> lines_;    // those that were read, as indices of their first slots
  HostCode host_;
  Place* places_;  // by slot
  Lead* leads_;    // from 1 on
  uint32_t lead_count_ = 0;
  std::mutex decoding_;
};

}  // namespace swai::iss::cpe
