// SPDX-License-Identifier: Apache-2.0
// The scalar core of a CPE as a model: RV32IMC_Zicsr, machine mode only, no traps. docs/hardware/cpe-core.md
// says what is left to the implementation.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include "sim/iss/cpe/code.hpp"
#include "sim/iss/cpe/fault.hpp"

namespace swai {
class Archive;
}

namespace swai::iss::cpe {

// What lies around the core, apart from code (CodeSource) and local memory (plain bytes).
class Environment {
 public:
  virtual ~Environment() = default;

  // A scalar access to SpaceDaemon, SpaceKernel, SpaceWindow or SpaceArguments; naturally aligned.
  struct WindowAccess {
    bool write = false;
    uint32_t address = 0;
    unsigned bytes = 0;    // 1, 2, 4
    uint32_t data = 0;     // right-aligned; the bits beyond are 0
    uint64_t pointer = 0;  // the data window: segment in bits 63:48, offset in 47:0
  };
  struct WindowResult {
    Cause cause = Cause::kNone;
    uint32_t data = 0;              // right-aligned
    uint16_t segment = kNoSegment;  // for the record of a fault
    uint64_t offset = 0;
  };
  virtual WindowResult window(const WindowAccess& access) = 0;

  // A command to a unit. A unit that makes the core wait is asked again by the next step.
  struct Answer {
    enum Kind : uint8_t { kDone, kWait, kBad } kind = kDone;
    uint32_t data = 0;      // for rd
    bool ends_run = false;  // done, but what follows must not be executed in the same run()
  };
  virtual Answer issue(const Command& command) = 0;
  // A command that only_sets(), without what issue() does around it. False: nothing has happened, and it is
  // to be issued.
  virtual bool set(uint8_t /*unit*/, uint8_t /*op*/, uint32_t /*rs1*/, uint32_t /*rs2*/) { return false; }

  // A counter by its number (docs/hardware/cpe-core.md); number 1, instructions, is the hart's own and never
  // asked for. `high`: bits 63:32 of the cycles.
  virtual uint32_t counter(unsigned /*number*/, bool /*high*/) { return 0; }
};

// One step, as the core's retirement port shows it.
struct Retirement {
  uint32_t pc = 0;
  uint32_t next_pc = 0;
  uint32_t insn = 0;  // compressed instructions: 16 bits, zero-extended
  uint8_t rd = 0;     // 0: no register written
  uint32_t rd_wdata = 0;
  uint32_t mem_addr = 0;
  uint8_t mem_rmask = 0;  // bytes relative to mem_addr: 0x1, 0x3, 0xf
  uint8_t mem_wmask = 0;
  uint32_t mem_rdata = 0;  // as read, zero-extended
  uint32_t mem_wdata = 0;
};

class Hart {
 public:
  struct Identity {
    uint8_t id = 0;  // {group, row, column}: CSR mhartid
    uint32_t config = 0;
  };

  // `ldm` has kLdmBytes bytes, which others may change between steps.
  Hart(Code& code, Environment& environment, std::span<uint8_t> ldm, const Identity& identity)
      : ldm_(ldm.data()), code_(code), environment_(environment), identity_(identity) {}

  // As the hardware's reset, which leaves the registers as they are.
  void reset(uint32_t pc);

  enum class Status : uint8_t {
    kRetired,  // one instruction more
    kWaiting,  // the unit is not ready: nothing has happened
    kFault     // stopped until reset
  };
  Status step(Retirement& record);
  Status step() { return run(1); }
  // Up to `limit` instructions; ends early when it waits or faults, and after what is not its own alone: an
  // access through the window, a CSR, a command whose answer says so.
  Status run(uint64_t limit);

  // What the next instruction does in memory, if it does not fault; no bytes: nothing.
  struct MemoryAccess {
    bool write = false;
    uint32_t address = 0;
    unsigned bytes = 0;
  };
  MemoryAccess next_access();

  const Fault& fault() const { return fault_; }  // cause none: it has not stopped
  // The command that the unit is not ready for, after Status::kWaiting.
  const Command& waits_for() const { return command_; }

  uint32_t pc() const { return pc_; }
  uint32_t x(unsigned number) const { return x_[number]; }
  void set_x(unsigned number, uint32_t value) {
    if (number != 0) x_[number] = value;
  }
  uint64_t instructions() const { return instructions_; }
  // That its instructions have taken by themselves, without waiting for anything outside (costs.hpp).
  uint64_t cycles() const { return instructions_ + extra_; }
  uint64_t pointer() const { return pointer_; }  // of the data window
  void set_launch(uint32_t mask, uint16_t argument_segment) {
    launch_mask_ = mask;
    argument_segment_ = argument_segment;
  }
  void visit(Archive& archive);

 private:
  // By itself, with everything where others see it.
  template <bool kRecord>
  Status execute(const Insn& insn, Retirement* record);
  uint64_t taken_cycles(uint32_t pc, bool is_jump) const;
  bool load(Op op, uint32_t address, uint32_t& value, Retirement* record);
  bool store(Op op, uint32_t address, uint32_t value, Retirement* record);
  bool load_elsewhere(uint32_t address, unsigned bytes, uint32_t& data);
  bool store_elsewhere(uint32_t address, unsigned bytes, uint32_t data);
  // These bytes are in local memory, and aligned.
  static bool is_local(uint32_t address, unsigned bytes) {
    return ((address - kLdmBase) & ~(kLdmBytes - bytes)) == 0;
  }
  uint8_t* local(uint32_t address) const { return ldm_ + (address - kLdmBase); }
  Status issue(const Command& command, uint32_t& result);
  Status cannot_fetch() { return stop(failure_.cause, Access::kFetch, failure_.address); }

  // One after the other: `left` instructions from this one on; `extra`: the cycles that those before took
  // beyond one each. Members are written only where somebody may look at them.
  using Row = Status (*)(Hart& hart, const Slot* slot, uint32_t left, uint64_t extra);
  template <Op kOp, unsigned kLength>
  static Status row(Hart& hart, const Slot* slot, uint32_t left, uint64_t extra);
  template <size_t kPair, unsigned kFirstLength, unsigned kSecondLength>
  static Status row_of_pair(Hart& hart, const Slot* slot, uint32_t left, uint64_t extra);
  static bool set(Hart& hart, const Slot* slot);
  static Status row_that_sets(Hart& hart, const Slot* slot, uint32_t left, uint64_t extra);
  static Status undecoded_row(Hart& hart, const Slot* slot, uint32_t left, uint64_t extra);
  static Status row_that_counts(Hart& hart, const Slot* slot, uint32_t left, uint64_t extra);
  static Status row_of_host_code(Hart& hart, const Slot* slot, uint32_t left, uint64_t extra);
  static Status row_by_itself(Hart& hart, const Slot* slot, uint32_t left, uint64_t extra);
  // What does not end the row; `a` is its first operand, and `next` and `result` are set where it has one.
  // False: it has to be executed by itself, and nothing has happened.
  template <Op kOp>
  bool perform(const Slot* slot, uint32_t a, const Slot*& next, uint32_t& result, uint64_t& extra);
  template <size_t... kOps, size_t... kNumbers>
  static constexpr auto rows(std::index_sequence<kOps...>, std::index_sequence<kNumbers...>);
  static const std::array<Row, Slot::kRows> kRows;  // by Slot::row
  void keep(const Slot* next, uint32_t left, uint64_t& extra) {
    pc_ = code_.address(next);
    extra_ += extra;
    extra = 0;
    instructions_ += left_ - left;
    left_ = left;
  }
  bool csr(const Insn& insn);
  bool read_csr(unsigned number, uint32_t& value);
  bool write_csr(unsigned number, uint32_t value);
  Status stop(Cause cause, Access access = Access::kNone, uint64_t offset = 0, uint16_t segment = kNoSegment);

  std::array<uint32_t, Slot::kNowhere + 1> x_{};
  uint8_t* ldm_;
  Code& code_;
  Environment& environment_;
  Identity identity_;
  uint32_t pc_ = 0;
  uint64_t instructions_ = 0;
  uint64_t extra_ = 0;
  uint32_t left_ = 0;  // of those to run, when `instructions_` was written
  uint64_t pointer_ = 0;
  uint32_t launch_mask_ = 0;
  uint16_t argument_segment_ = 0;
  Fault fault_;
  Command command_;
  bool ends_run_ = false;  // the answer to it
  Code::Failure failure_;  // of the fetch that failed last
};

}  // namespace swai::iss::cpe
