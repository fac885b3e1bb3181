// SPDX-License-Identifier: Apache-2.0
// Decoded code. Harts that see the same code share one of these, also when several threads run them; it keeps
// what it has read until invalidate(), as the instruction caches do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <span>
#include <vector>

#include "sim/iss/cpe/fault.hpp"
#include "sim/iss/cpe/host_code.hpp"

namespace swai {
class Archive;
}

namespace swai::iss::cpe {

// Every instruction; compressed ones are what they expand to.
enum class Op : uint8_t {
  kIllegal,
  // clang-format off
  kLui, kAuipc, kJal, kJalr,
  kBeq, kBne, kBlt, kBge, kBltu, kBgeu,
  kLb, kLh, kLw, kLbu, kLhu, kSb, kSh, kSw,
  kAddi, kSlti, kSltiu, kXori, kOri, kAndi, kSlli, kSrli, kSrai,
  kAdd, kSub, kSll, kSlt, kSltu, kXor, kSrl, kSra, kOr, kAnd,
  kMul, kMulh, kMulhsu, kMulhu, kDiv, kDivu, kRem, kRemu,
  kFence, kBreak,
  kCsrrw, kCsrrs, kCsrrc, kCsrrwi, kCsrrsi, kCsrrci,
  kCustom,
  // clang-format on
};
inline constexpr size_t kOpCount = static_cast<size_t>(Op::kCustom) + 1;

struct Insn {
  Op op = Op::kIllegal;
  uint8_t rd = 0;  // 0 where there is none
  uint8_t rs1 = 0;
  uint8_t rs2 = 0;
  int32_t imm = 0;    // immediate, shift amount, CSR number; custom: {unit, funct7}
  uint32_t bits = 0;  // as in memory; compressed: 16 bits, zero-extended
  uint8_t length = 4;
};

// Decodes any bits; the upper 16 do not matter when the lower ones are a compressed instruction.
Insn decode(uint32_t bits);

// The 32-bit instruction that a compressed one stands for; 0 (never legal) if there is none.
uint32_t expand(uint16_t bits);

// Where code comes from.
class CodeSource {
 public:
  virtual ~CodeSource() = default;
  // The 64 bytes at this scalar address, a multiple of 64 in SpaceDaemon or SpaceKernel.
  virtual Cause fetch(uint32_t address, uint8_t* line) = 0;
};

// Two instructions, one behind the other, that a hart executes in one row: those that kernels have most.
struct Pair {
  Op first = Op::kIllegal;
  Op second = Op::kIllegal;
  bool chained = false;  // rs1 of the second is rd of the first, so it need not be read
};
// clang-format off
inline constexpr Pair kPairs[] = {
    {Op::kLw, Op::kLw}, {Op::kLw, Op::kAddi}, {Op::kLw, Op::kAdd}, {Op::kLw, Op::kSub}, {Op::kLw, Op::kMul},
    {Op::kLw, Op::kSlli}, {Op::kLw, Op::kBeq}, {Op::kLw, Op::kBgeu}, {Op::kLbu, Op::kBeq, true},
    {Op::kSw, Op::kSw}, {Op::kSw, Op::kAddi},
    {Op::kAddi, Op::kAddi}, {Op::kAddi, Op::kAdd}, {Op::kAddi, Op::kAdd, true}, {Op::kAddi, Op::kAndi, true},
    {Op::kAddi, Op::kLw}, {Op::kAddi, Op::kBeq}, {Op::kAddi, Op::kBgeu},
    {Op::kSlli, Op::kAdd, true}, {Op::kSlli, Op::kAndi}, {Op::kAndi, Op::kSlli, true}, {Op::kAndi, Op::kSrli},
    {Op::kSrli, Op::kXor}, {Op::kSrli, Op::kXor, true}, {Op::kSrli, Op::kBge},
    {Op::kXor, Op::kAndi, true}, {Op::kXor, Op::kBeq},
    {Op::kAdd, Op::kAdd, true}, {Op::kAdd, Op::kAddi}, {Op::kAdd, Op::kLw}, {Op::kAdd, Op::kLw, true},
    {Op::kAdd, Op::kSw}, {Op::kAdd, Op::kBne}, {Op::kAdd, Op::kSrli},
    {Op::kSub, Op::kBltu, true}, {Op::kMul, Op::kAdd, true},
};
// clang-format on
inline constexpr size_t kPairCount = std::size(kPairs);

// What a hart runs: an instruction in as little room as possible, because many lie side by side.
struct Slot {
  // What to do with it: a number of Hart's rows, or of those below.
  uint8_t row = 0;
  uint8_t rd = 0;  // kNowhere where there is none; of branches: see below
  uint8_t rs1 = 0;
  uint8_t rs2 = 0;  // of loads and jumps: see below
  int32_t imm = 0;  // as Insn's; of jumps and branches: how many slots away the target is

  // Cycles beyond one, where a register would have no use: of a branch that is taken; of a load, or a jump.
  uint8_t extra_of_branch() const { return rd; }
  uint8_t extra() const { return rs2; }

  static constexpr uint8_t kUndecoded = 0;
  // One that is executed as step() does it: it is rare, or jumps out of the code.
  static constexpr uint8_t kByItself = 1;
  static constexpr uint8_t kFirstRow = 2;
  static constexpr uint8_t kNowhere = 32;
  static constexpr unsigned kFirstPair = kFirstRow + 2 * kOpCount;
  static constexpr unsigned kRows = kFirstPair + 4 * kPairCount;
  // Of an instruction of 2 or 4 bytes.
  static constexpr uint8_t row_of(Op op, unsigned length) {
    return static_cast<uint8_t>(kFirstRow + 2 * static_cast<unsigned>(op) + length / 4);
  }
  // A command that only_sets(): kCustom has no compressed form that would need the row.
  static constexpr uint8_t kSets = kFirstRow + 2 * static_cast<unsigned>(Op::kCustom);
  // A place that jumps lead to: it counts how often it is executed, and then there is code of the host for
  // it. What it really is its Lead knows. (These have no compressed form, either.)
  static constexpr uint8_t kCounts = kFirstRow + 2 * static_cast<unsigned>(Op::kMulhsu);
  static constexpr uint8_t kHostCode = kFirstRow + 2 * static_cast<unsigned>(Op::kMulhu);
  // Of a pair by its number in kPairs.
  static constexpr uint8_t row_of(size_t pair, unsigned first_length, unsigned second_length) {
    return static_cast<uint8_t>(kFirstPair + 4 * pair + first_length / 4 * 2 + second_length / 4);
  }
  // Of a row that is neither kUndecoded nor kByItself: its instruction, the first one of a pair.
  static constexpr Op op_of(uint8_t row) {
    if (row >= kFirstPair) return kPairs[(row - kFirstPair) / 4].first;
    return static_cast<Op>((row - kFirstRow) / 2);
  }
  // And how many bytes it has.
  static constexpr unsigned length_of(uint8_t row) {
    if (row == kSets) return 4;
    return row >= kFirstPair ? 2 + (row - kFirstPair) / 2 % 2 * 2 : 2 + (row - kFirstRow) % 2 * 2;
  }
};

static_assert(Slot::kRows <= 256);

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
