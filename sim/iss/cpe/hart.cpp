#include "sim/iss/cpe/hart.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "sim/iss/cpe/costs.hpp"
#include "sim/iss/cpe/units.hpp"

namespace swai::iss::cpe {
namespace {

constexpr int32_t as_signed(uint32_t a) { return static_cast<int32_t>(a); }

// Division by zero gives all ones and the dividend as remainder; the one overflow gives the dividend and 0.
constexpr bool overflows(uint32_t a, uint32_t b) {
  return as_signed(a) == std::numeric_limits<int32_t>::min() && as_signed(b) == -1;
}
constexpr uint32_t div(uint32_t a, uint32_t b) {
  if (b == 0) return ~uint32_t{0};
  return overflows(a, b) ? a : static_cast<uint32_t>(as_signed(a) / as_signed(b));
}
constexpr uint32_t rem(uint32_t a, uint32_t b) {
  if (b == 0) return a;
  return overflows(a, b) ? 0 : static_cast<uint32_t>(as_signed(a) % as_signed(b));
}
constexpr uint32_t high(int64_t product) {
  return static_cast<uint32_t>(static_cast<uint64_t>(product) >> 32);
}

constexpr bool in_window(uint32_t address) {
  const uint32_t region = address >> 28;
  return region == space::kDaemon || region == space::kKernel || region == space::kWindow ||
         region == space::kArguments;
}

constexpr unsigned bytes_of(Op op) {
  switch (op) {
    case Op::kLb:
    case Op::kLbu:
    case Op::kSb:
      return 1;
    case Op::kLh:
    case Op::kLhu:
    case Op::kSh:
      return 2;
    default:
      return 4;
  }
}

constexpr bool is_branch(Op op) { return op >= Op::kBeq && op <= Op::kBgeu; }
constexpr bool is_division(Op op) { return op >= Op::kDiv && op <= Op::kRemu; }
constexpr bool is_load(Op op) { return op >= Op::kLb && op <= Op::kLhu; }
constexpr bool is_store(Op op) { return op >= Op::kSb && op <= Op::kSw; }

constexpr bool is_taken(Op op, uint32_t a, uint32_t b) {
  switch (op) {
    case Op::kBeq:
      return a == b;
    case Op::kBne:
      return a != b;
    case Op::kBlt:
      return as_signed(a) < as_signed(b);
    case Op::kBge:
      return as_signed(a) >= as_signed(b);
    case Op::kBltu:
      return a < b;
    default:
      return a >= b;
  }
}

// What an instruction makes of its operands that does nothing else.
constexpr uint32_t compute(Op op, uint32_t a, uint32_t b, uint32_t imm) {
  switch (op) {
    case Op::kLui:
      return imm;
    case Op::kAddi:
      return a + imm;
    case Op::kSlti:
      return as_signed(a) < as_signed(imm);
    case Op::kSltiu:
      return a < imm;
    case Op::kXori:
      return a ^ imm;
    case Op::kOri:
      return a | imm;
    case Op::kAndi:
      return a & imm;
    case Op::kSlli:
      return a << imm;
    case Op::kSrli:
      return a >> imm;
    case Op::kSrai:
      return static_cast<uint32_t>(as_signed(a) >> imm);
    case Op::kAdd:
      return a + b;
    case Op::kSub:
      return a - b;
    case Op::kSll:
      return a << (b & 31);
    case Op::kSlt:
      return as_signed(a) < as_signed(b);
    case Op::kSltu:
      return a < b;
    case Op::kXor:
      return a ^ b;
    case Op::kSrl:
      return a >> (b & 31);
    case Op::kSra:
      return static_cast<uint32_t>(as_signed(a) >> (b & 31));
    case Op::kOr:
      return a | b;
    case Op::kAnd:
      return a & b;
    case Op::kMul:
      return a * b;
    case Op::kMulh:
      return high(int64_t{as_signed(a)} * as_signed(b));
    case Op::kMulhsu:
      return high(int64_t{as_signed(a)} * int64_t{b});
    case Op::kMulhu:
      return static_cast<uint32_t>((static_cast<uint64_t>(a) * b) >> 32);
    case Op::kDiv:
      return div(a, b);
    case Op::kDivu:
      return b == 0 ? ~uint32_t{0} : a / b;
    case Op::kRem:
      return rem(a, b);
    case Op::kRemu:
      return b == 0 ? a : a % b;
    default:  // kFence: accesses are done one after the other anyway
      return 0;
  }
}

constexpr uint64_t division_cycles(Op op, uint32_t a, uint32_t b) {
  if (op == Op::kDivu || op == Op::kRemu) return costs::division(b == 0 ? ~uint32_t{0} : a / b);
  const auto magnitude = [](uint32_t x) { return as_signed(x) < 0 ? 0 - x : x; };
  return costs::division(b == 0 ? ~uint32_t{0} : magnitude(a) / magnitude(b));
}

// As a load of this kind extends what it has read.
constexpr uint32_t extended(Op op, uint32_t data) {
  if (op == Op::kLb) return static_cast<uint32_t>(static_cast<int8_t>(data));
  if (op == Op::kLh) return static_cast<uint32_t>(static_cast<int16_t>(data));
  return data;
}

constexpr uint32_t low_bytes(uint32_t data, unsigned bytes) {
  return bytes == 4 ? data : data & ((1U << (8 * bytes)) - 1);
}

// CSRs. (This is a member of Hart, too.)
namespace numbers = swai::cpe::isa::csr;

}  // namespace

void Hart::reset(uint32_t pc) {
  pc_ = pc & ~1U;
  instructions_ = 0;
  extra_ = 0;
  pointer_ = 0;
  fault_ = {};
  command_ = {};
}

Hart::Status Hart::stop(Cause cause, Access access, uint64_t offset, uint16_t segment) {
  fault_ = {cause, access, false, pc_, segment, offset};
  return Status::kFault;
}

bool Hart::load_elsewhere(uint32_t address, unsigned bytes, uint32_t& data) {
  if ((address & (bytes - 1)) != 0) {
    stop(Cause::kMisaligned, Access::kRead, address);
    return false;
  }
  if (!in_window(address)) {
    stop(Cause::kVacant, Access::kRead, address);
    return false;
  }
  const auto result = environment_.window({false, address, bytes, 0, pointer_});
  if (result.cause != Cause::kNone) {
    stop(result.cause, Access::kRead, result.offset, result.segment);
    return false;
  }
  data = low_bytes(result.data, bytes);
  return true;
}

bool Hart::store_elsewhere(uint32_t address, unsigned bytes, uint32_t data) {
  if ((address & (bytes - 1)) != 0) {
    stop(Cause::kMisaligned, Access::kWrite, address);
    return false;
  }
  if (!in_window(address)) {
    stop(Cause::kVacant, Access::kWrite, address);
    return false;
  }
  const auto result = environment_.window({true, address, bytes, data, pointer_});
  if (result.cause != Cause::kNone) {
    stop(result.cause, Access::kWrite, result.offset, result.segment);
    return false;
  }
  return true;
}

bool Hart::load(Op op, uint32_t address, uint32_t& value, Retirement* record) {
  const unsigned bytes = bytes_of(op);
  uint32_t data = 0;
  if (is_local(address, bytes)) {
    std::memcpy(&data, local(address), bytes);
  } else if (!load_elsewhere(address, bytes, data)) {
    return false;
  }
  if (record != nullptr) {
    record->mem_addr = address;
    record->mem_rmask = static_cast<uint8_t>((1U << bytes) - 1);
    record->mem_rdata = data;
  }
  value = extended(op, data);
  return true;
}

bool Hart::store(Op op, uint32_t address, uint32_t value, Retirement* record) {
  const unsigned bytes = bytes_of(op);
  const uint32_t data = low_bytes(value, bytes);
  if (is_local(address, bytes)) {
    std::memcpy(local(address), &data, bytes);
  } else if (!store_elsewhere(address, bytes, data)) {
    return false;
  }
  if (record != nullptr) {
    record->mem_addr = address;
    record->mem_wmask = static_cast<uint8_t>((1U << bytes) - 1);
    record->mem_wdata = data;
  }
  return true;
}

bool Hart::read_csr(unsigned number, uint32_t& value) {
  switch (number) {
    case numbers::kWindowLow:
      value = static_cast<uint32_t>(pointer_);
      return true;
    case numbers::kWindowHigh:
      value = static_cast<uint32_t>(pointer_ >> 32);
      return true;
    case numbers::kMcycle:
    case numbers::kCycle:
    case numbers::kMcycleh:
    case numbers::kCycleh:
      value = environment_.counter(0, (number & 0x80) != 0);
      return true;
    case numbers::kMinstret:
    case numbers::kInstret:
      value = static_cast<uint32_t>(instructions_);
      return true;
    case numbers::kMinstreth:
    case numbers::kInstreth:
      value = static_cast<uint32_t>(instructions_ >> 32);
      return true;
    case numbers::kMhartid:
      value = identity_.id;
      return true;
    case numbers::kCpeConfig:
      value = identity_.config;
      return true;
    case numbers::kLaunchMask:
      value = launch_mask_;
      return true;
    default:
      if (number < numbers::kMhpmcounter3 || number > numbers::kMhpmcounter11) return false;
      value = environment_.counter(number - numbers::kMhpmcounter3 + 2, false);
      return true;
  }
}

bool Hart::write_csr(unsigned number, uint32_t value) {
  if (number == numbers::kWindowLow) {
    pointer_ = (pointer_ & 0xffff'ffff'0000'0000) | value;
  } else if (number == numbers::kWindowHigh) {
    pointer_ = (pointer_ & 0xffff'ffff) | static_cast<uint64_t>(value) << 32;
  } else {
    return false;
  }
  return true;
}

bool Hart::csr(const Insn& insn) {
  const auto number = static_cast<unsigned>(insn.imm);
  const bool immediate = insn.op >= Op::kCsrrwi;
  const uint32_t operand = immediate ? insn.rs1 : x_[insn.rs1];
  uint32_t old = 0;
  bool good = read_csr(number, old);
  switch (insn.op) {
    case Op::kCsrrw:
    case Op::kCsrrwi:
      good = good && write_csr(number, operand);
      break;
    case Op::kCsrrs:
    case Op::kCsrrsi:
      good = good && (insn.rs1 == 0 || write_csr(number, old | operand));
      break;
    default:
      good = good && (insn.rs1 == 0 || write_csr(number, old & ~operand));
      break;
  }
  if (!good) {
    stop(Cause::kIllegal);
    return false;
  }
  x_[insn.rd] = old;
  return true;
}

Hart::Status Hart::issue(const Command& command, uint32_t& result) {
  command_ = command;
  const auto answer = environment_.issue(command);
  if (answer.kind == Environment::Answer::kWait) return Status::kWaiting;
  if (answer.kind == Environment::Answer::kBad) return stop(Cause::kCommand);
  result = answer.data;
  ends_run_ = answer.ends_run;
  return Status::kRetired;
}

namespace {

Command command_of(int32_t imm, uint32_t a, uint32_t b, uint32_t pc) {
  return {unit_of(imm), operation_of(imm), a, b, pc};
}

}  // namespace

// Of the jump, or branch, that stands there.
uint64_t Hart::taken_cycles(uint32_t pc, bool is_jump) const {
  const Slot& slot = *code_.slot(pc);
  return is_jump ? slot.extra() : slot.extra_of_branch();
}

template <bool kRecord>
Hart::Status Hart::execute(const Insn& insn, Retirement* record) {
  const uint32_t pc = pc_;
  const uint32_t a = x_[insn.rs1];
  const uint32_t b = x_[insn.rs2];
  const auto imm = static_cast<uint32_t>(insn.imm);
  uint32_t next_pc = pc + insn.length;
  uint32_t result = 0;
  uint64_t extra = 0;
  if constexpr (kRecord) {
    *record = {};
    record->pc = pc;
    record->insn = insn.bits;
  }
  switch (insn.op) {
    case Op::kAuipc:
      result = pc + imm;
      break;
    case Op::kJal:
      result = next_pc;
      next_pc = pc + imm;
      extra = taken_cycles(pc, true);
      break;
    case Op::kJalr:
      result = next_pc;
      next_pc = (a + imm) & ~1U;
      extra = costs::kTaken;
      break;
    case Op::kBreak:
      return stop(Cause::kBreakpoint);
    case Op::kCsrrw:
    case Op::kCsrrs:
    case Op::kCsrrc:
    case Op::kCsrrwi:
    case Op::kCsrrsi:
    case Op::kCsrrci:
      if (!csr(insn)) return Status::kFault;
      result = x_[insn.rd];
      break;
    case Op::kCustom:
      if (const Status status = issue(command_of(insn.imm, a, b, pc), result); status != Status::kRetired) {
        return status;
      }
      break;
    case Op::kIllegal:
      return stop(Cause::kIllegal);
    default:
      if (is_branch(insn.op)) {
        if (is_taken(insn.op, a, b)) {
          next_pc = pc + imm;
          extra = taken_cycles(pc, false);
        }
      } else if (is_load(insn.op)) {
        if (!load(insn.op, a + imm, result, record)) return Status::kFault;
        extra = code_.slot(pc)->extra();
      } else if (is_store(insn.op)) {
        if (!store(insn.op, a + imm, b, record)) return Status::kFault;
      } else {
        result = compute(insn.op, a, b, imm);
        if (is_division(insn.op)) extra = division_cycles(insn.op, a, b);
      }
      break;
  }
  // What has no result has no rd either.
  x_[insn.rd] = result;
  x_[0] = 0;
  if constexpr (kRecord) {
    record->rd = insn.rd;
    record->rd_wdata = insn.rd == 0 ? 0 : result;
    record->next_pc = next_pc;
  }
  pc_ = next_pc;
  ++instructions_;
  extra_ += extra;
  return Status::kRetired;
}

Hart::Status Hart::step(Retirement& record) {
  if (fault_.cause != Cause::kNone) return Status::kFault;
  if (!code_.decode(pc_, failure_)) return cannot_fetch();
  return execute<true>(code_.insn(pc_), &record);
}

template <Op kOp>
[[gnu::always_inline]] inline bool Hart::perform(const Slot* slot, uint32_t a, const Slot*& next,
                                                 uint32_t& result, uint64_t& extra) {
  const uint32_t b = x_[slot->rs2];
  const auto imm = static_cast<uint32_t>(slot->imm);
  if constexpr (is_branch(kOp)) {
    if (is_taken(kOp, a, b)) {
      next = slot + slot->imm;
      extra += slot->extra_of_branch();
    }
  } else if constexpr (is_load(kOp)) {
    if (!is_local(a + imm, bytes_of(kOp))) [[unlikely]]
      return false;
    uint32_t data = 0;
    std::memcpy(&data, local(a + imm), bytes_of(kOp));
    result = x_[slot->rd] = extended(kOp, data);
    extra += slot->extra();
  } else if constexpr (is_store(kOp)) {
    if (!is_local(a + imm, bytes_of(kOp))) [[unlikely]]
      return false;
    std::memcpy(local(a + imm), &b, bytes_of(kOp));
  } else if constexpr (kOp != Op::kFence) {
    result = x_[slot->rd] = compute(kOp, a, b, imm);
    if constexpr (is_division(kOp)) extra += division_cycles(kOp, a, b);
  }
  return true;
}

// One instruction, and then those that follow: each calls the next one itself, so that a processor's branch
// predictor tells them apart.
template <Op kOp, unsigned kLength>
Hart::Status Hart::row(Hart& hart, const Slot* slot, uint32_t left, uint64_t extra) {
  const Slot* next = slot + kLength / 2;
  const uint32_t a = hart.x_[slot->rs1];
  if constexpr (kOp == Op::kJal) {
    hart.x_[slot->rd] = hart.code_.address(next);
    next = slot + slot->imm;
    extra += slot->extra();
  } else if constexpr (kOp == Op::kJalr) {
    const uint32_t target = (a + static_cast<uint32_t>(slot->imm)) & ~1U;
    hart.x_[slot->rd] = hart.code_.address(next);
    next = hart.code_.slot(target);
    extra += costs::kTaken;
    if (next == nullptr) {
      hart.keep(slot, --left, extra);
      hart.pc_ = target;
      return Status::kRetired;
    }
  } else if constexpr (kOp == Op::kCustom) {
    hart.keep(slot, left, extra);
    const Status status =
        hart.issue(command_of(slot->imm, a, hart.x_[slot->rs2], hart.pc_), hart.x_[slot->rd]);
    if (status != Status::kRetired) return status;
    if (hart.ends_run_) {
      hart.keep(next, --left, extra);
      return status;
    }
  } else {
    uint32_t result = 0;
    if (!hart.perform<kOp>(slot, a, next, result, extra)) [[unlikely]] {
      [[clang::musttail]] return row_by_itself(hart, slot, left, extra);
    }
  }
  if (--left == 0) {
    hart.keep(next, left, extra);
    return Status::kRetired;
  }
  [[clang::musttail]] return kRows[Code::row(*next)](hart, next, left, extra);
}

// False: it has to be executed by itself, and nothing has happened.
bool Hart::set(Hart& hart, const Slot* slot) {
  const uint32_t a = hart.x_[slot->rs1];
  const uint32_t b = hart.x_[slot->rs2];
  if (!hart.environment_.set(unit_of(slot->imm), operation_of(slot->imm), a, b)) [[unlikely]]
    return false;
  hart.x_[slot->rd] = 0;
  return true;
}

Hart::Status Hart::row_that_sets(Hart& hart, const Slot* slot, uint32_t left, uint64_t extra) {
  if (!set(hart, slot)) [[unlikely]] {
    [[clang::musttail]] return row_by_itself(hart, slot, left, extra);
  }
  const Slot* const next = slot + 2;
  if (--left == 0) {
    hart.keep(next, left, extra);
    return Status::kRetired;
  }
  [[clang::musttail]] return kRows[Code::row(*next)](hart, next, left, extra);
}

// The second one of a chain finds what it needs where the first one has left it: what is stored in x_ takes
// the host long to load again.
template <size_t kPair, unsigned kFirstLength, unsigned kSecondLength>
Hart::Status Hart::row_of_pair(Hart& hart, const Slot* slot, uint32_t left, uint64_t extra) {
  constexpr Pair kBoth = kPairs[kPair];
  if (left == 1) [[unlikely]] {
    [[clang::musttail]] return row<kBoth.first, kFirstLength>(hart, slot, left, extra);
  }
  const Slot* const second = slot + kFirstLength / 2;
  const Slot* next = second + kSecondLength / 2;
  uint32_t result = 0;
  if (!hart.perform<kBoth.first>(slot, hart.x_[slot->rs1], next, result, extra)) [[unlikely]] {
    [[clang::musttail]] return row_by_itself(hart, slot, left, extra);
  }
  const uint32_t a = kBoth.chained ? result : hart.x_[second->rs1];
  if (!hart.perform<kBoth.second>(second, a, next, result, extra)) [[unlikely]] {
    [[clang::musttail]] return row_by_itself(hart, second, left - 1, extra);
  }
  left -= 2;
  if (left == 0) {
    hart.keep(next, left, extra);
    return Status::kRetired;
  }
  [[clang::musttail]] return kRows[Code::row(*next)](hart, next, left, extra);
}

Hart::Status Hart::undecoded_row(Hart& hart, const Slot* slot, uint32_t left, uint64_t extra) {
  hart.keep(slot, left, extra);
  if (!hart.code_.decode(hart.pc_, hart.failure_)) return hart.cannot_fetch();
  [[clang::musttail]] return kRows[Code::row(*slot)](hart, slot, left, extra);
}

Hart::Status Hart::row_that_counts(Hart& hart, const Slot* slot, uint32_t left, uint64_t extra) {
  const auto offset = [&](const auto& member) {
    return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(&member) - reinterpret_cast<uintptr_t>(&hart));
  };
  const uint8_t row = hart.code_.count(slot, {.registers = offset(hart.x_),
                                              .local_memory = offset(hart.ldm_),
                                              .rows = kRows.data(),
                                              .by_itself = reinterpret_cast<const void*>(&row_by_itself),
                                              .set = reinterpret_cast<const void*>(&set)});
  [[clang::musttail]] return kRows[row](hart, slot, left, extra);
}

Hart::Status Hart::row_of_host_code(Hart& hart, const Slot* slot, uint32_t left, uint64_t extra) {
  const auto code = reinterpret_cast<uintptr_t>(hart.code_.host_code(*slot));
  [[clang::musttail]] return reinterpret_cast<Row>(code)(hart, slot, left, extra);
}

Hart::Status Hart::row_by_itself(Hart& hart, const Slot* slot, uint32_t left, uint64_t extra) {
  hart.keep(slot, left, extra);
  return hart.execute<false>(hart.code_.insn(hart.pc_), nullptr);
}

template <size_t... kOps, size_t... kNumbers>
constexpr auto Hart::rows(std::index_sequence<kOps...>, std::index_sequence<kNumbers...>) {
  std::array<Row, Slot::kRows> all{undecoded_row, row_by_itself};
  ((all[Slot::row_of(static_cast<Op>(kOps), 2)] = row<static_cast<Op>(kOps), 2>,
    all[Slot::row_of(static_cast<Op>(kOps), 4)] = row<static_cast<Op>(kOps), 4>),
   ...);
  all[Slot::kSets] = row_that_sets;
  all[Slot::kCounts] = row_that_counts;
  all[Slot::kHostCode] = row_of_host_code;
  ((all[Slot::row_of(kNumbers, 2, 2)] = row_of_pair<kNumbers, 2, 2>,
    all[Slot::row_of(kNumbers, 2, 4)] = row_of_pair<kNumbers, 2, 4>,
    all[Slot::row_of(kNumbers, 4, 2)] = row_of_pair<kNumbers, 4, 2>,
    all[Slot::row_of(kNumbers, 4, 4)] = row_of_pair<kNumbers, 4, 4>),
   ...);
  return all;
}

const std::array<Hart::Row, Slot::kRows> Hart::kRows =
    rows(std::make_index_sequence<kOpCount>(), std::make_index_sequence<kPairCount>());

Hart::MemoryAccess Hart::next_access() {
  const Slot* const slot = code_.slot(pc_);
  Code::Failure ignored;
  if (slot == nullptr || (Code::row(*slot) == Slot::kUndecoded && !code_.decode(pc_, ignored))) return {};
  const uint8_t row = code_.plain_row(*slot);
  if (row < Slot::kFirstRow) return {};
  const Op op = Slot::op_of(row);
  if (!is_load(op) && !is_store(op)) return {};
  return {.write = is_store(op),
          .address = x_[slot->rs1] + static_cast<uint32_t>(slot->imm),
          .bytes = bytes_of(op)};
}

Hart::Status Hart::run(uint64_t limit) {
  if (fault_.cause != Cause::kNone) return Status::kFault;
  if (limit == 0) return Status::kRetired;
  limit = std::min<uint64_t>(limit, ~uint32_t{0});
  left_ = static_cast<uint32_t>(limit);
  const Slot* const slot = code_.slot(pc_);
  if (slot != nullptr) return kRows[Code::row(*slot)](*this, slot, left_, 0);
  code_.decode(pc_, failure_);
  return cannot_fetch();
}

}  // namespace swai::iss::cpe
