#include "sim/iss/cpe/hart.hpp"

#include <cstring>
#include <limits>

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

constexpr bool has_result(Op op) {
  return (op < Op::kBeq || op > Op::kBgeu) && (op < Op::kSb || op > Op::kSw);
}

// CSRs. (This is a member of Hart, too.)
namespace numbers = swai::cpe::isa::csr;

}  // namespace

void Hart::reset(uint32_t pc) {
  pc_ = pc & ~1U;
  instructions_ = 0;
  pointer_ = 0;
  fault_ = {};
  command_ = {};
}

Hart::Status Hart::stop(Cause cause, Access access, uint64_t offset, uint16_t segment) {
  fault_ = {cause, access, false, pc_, segment, offset};
  return Status::kFault;
}

// Members are written back only where somebody may look at them: stores to local memory may change any of
// them, as far as the compiler knows.
[[gnu::always_inline]] inline void Hart::keep(Place& place) {
  pc_ = place.pc;
  instructions_ += place.retired;
  place.retired = 0;
}

template <bool kRecord>
[[gnu::always_inline]] inline bool Hart::load(Op op, const Insn& insn, Place& place, uint32_t& value,
                                              Retirement* record) {
  const uint32_t address = x_[insn.rs1] + static_cast<uint32_t>(insn.imm);
  const unsigned bytes = bytes_of(op);
  uint32_t data = 0;
  if ((address & (bytes - 1)) != 0) {
    keep(place);
    stop(Cause::kMisaligned, Access::kRead, address);
    return false;
  }
  if (address - kLdmBase < kLdmBytes) {
    std::memcpy(&data, ldm_ + (address - kLdmBase), bytes);
  } else if (in_window(address)) {
    keep(place);
    const auto result = environment_.window({false, address, bytes, 0, pointer_});
    if (result.cause != Cause::kNone) {
      stop(result.cause, Access::kRead, result.offset, result.segment);
      return false;
    }
    data = bytes == 4 ? result.data : result.data & ((1U << (8 * bytes)) - 1);
  } else {
    keep(place);
    stop(Cause::kVacant, Access::kRead, address);
    return false;
  }
  if constexpr (kRecord) {
    record->mem_addr = address;
    record->mem_rmask = static_cast<uint8_t>((1U << bytes) - 1);
    record->mem_rdata = data;
  }
  if (op == Op::kLb) data = static_cast<uint32_t>(static_cast<int8_t>(data));
  if (op == Op::kLh) data = static_cast<uint32_t>(static_cast<int16_t>(data));
  value = data;
  return true;
}

template <bool kRecord>
[[gnu::always_inline]] inline bool Hart::store(Op op, const Insn& insn, Place& place, Retirement* record) {
  const uint32_t address = x_[insn.rs1] + static_cast<uint32_t>(insn.imm);
  const unsigned bytes = bytes_of(op);
  const uint32_t data = bytes == 4 ? x_[insn.rs2] : x_[insn.rs2] & ((1U << (8 * bytes)) - 1);
  if ((address & (bytes - 1)) != 0) {
    keep(place);
    stop(Cause::kMisaligned, Access::kWrite, address);
    return false;
  }
  if (address - kLdmBase < kLdmBytes) {
    std::memcpy(ldm_ + (address - kLdmBase), &data, bytes);
  } else if (in_window(address)) {
    keep(place);
    const auto result = environment_.window({true, address, bytes, data, pointer_});
    if (result.cause != Cause::kNone) {
      stop(result.cause, Access::kWrite, result.offset, result.segment);
      return false;
    }
  } else {
    keep(place);
    stop(Cause::kVacant, Access::kWrite, address);
    return false;
  }
  if constexpr (kRecord) {
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

// `op` is the instruction's; where it is a constant, only its own case is left of the switch.
template <bool kRecord>
[[gnu::always_inline]] inline Hart::Status Hart::execute(Op op, const Insn& insn, Place& place,
                                                         Retirement* record) {
  const uint32_t pc = place.pc;
  const uint32_t a = x_[insn.rs1];
  const uint32_t b = x_[insn.rs2];
  const auto imm = static_cast<uint32_t>(insn.imm);
  uint32_t next_pc = pc + insn.length;
  uint32_t result = 0;
  if constexpr (kRecord) {
    *record = {};
    record->pc = pc;
    record->insn = insn.bits;
  }
  switch (op) {
    case Op::kLui:
      result = imm;
      break;
    case Op::kAuipc:
      result = pc + imm;
      break;
    case Op::kJal:
      result = next_pc;
      next_pc = pc + imm;
      break;
    case Op::kJalr:
      result = next_pc;
      next_pc = (a + imm) & ~1U;
      break;
    case Op::kBeq:
      if (a == b) next_pc = pc + imm;
      break;
    case Op::kBne:
      if (a != b) next_pc = pc + imm;
      break;
    case Op::kBlt:
      if (as_signed(a) < as_signed(b)) next_pc = pc + imm;
      break;
    case Op::kBge:
      if (as_signed(a) >= as_signed(b)) next_pc = pc + imm;
      break;
    case Op::kBltu:
      if (a < b) next_pc = pc + imm;
      break;
    case Op::kBgeu:
      if (a >= b) next_pc = pc + imm;
      break;
    case Op::kLb:
    case Op::kLh:
    case Op::kLw:
    case Op::kLbu:
    case Op::kLhu:
      if (!load<kRecord>(op, insn, place, result, record)) return Status::kFault;
      break;
    case Op::kSb:
    case Op::kSh:
    case Op::kSw:
      if (!store<kRecord>(op, insn, place, record)) return Status::kFault;
      break;
    case Op::kAddi:
      result = a + imm;
      break;
    case Op::kSlti:
      result = as_signed(a) < insn.imm;
      break;
    case Op::kSltiu:
      result = a < imm;
      break;
    case Op::kXori:
      result = a ^ imm;
      break;
    case Op::kOri:
      result = a | imm;
      break;
    case Op::kAndi:
      result = a & imm;
      break;
    case Op::kSlli:
      result = a << imm;
      break;
    case Op::kSrli:
      result = a >> imm;
      break;
    case Op::kSrai:
      result = static_cast<uint32_t>(as_signed(a) >> imm);
      break;
    case Op::kAdd:
      result = a + b;
      break;
    case Op::kSub:
      result = a - b;
      break;
    case Op::kSll:
      result = a << (b & 31);
      break;
    case Op::kSlt:
      result = as_signed(a) < as_signed(b);
      break;
    case Op::kSltu:
      result = a < b;
      break;
    case Op::kXor:
      result = a ^ b;
      break;
    case Op::kSrl:
      result = a >> (b & 31);
      break;
    case Op::kSra:
      result = static_cast<uint32_t>(as_signed(a) >> (b & 31));
      break;
    case Op::kOr:
      result = a | b;
      break;
    case Op::kAnd:
      result = a & b;
      break;
    case Op::kMul:
      result = a * b;
      break;
    case Op::kMulh:
      result = high(int64_t{as_signed(a)} * as_signed(b));
      break;
    case Op::kMulhsu:
      result = high(int64_t{as_signed(a)} * int64_t{b});
      break;
    case Op::kMulhu:
      result = static_cast<uint32_t>((static_cast<uint64_t>(a) * b) >> 32);
      break;
    case Op::kDiv:
      result = div(a, b);
      break;
    case Op::kDivu:
      result = b == 0 ? ~uint32_t{0} : a / b;
      break;
    case Op::kRem:
      result = rem(a, b);
      break;
    case Op::kRemu:
      result = b == 0 ? a : a % b;
      break;
    case Op::kFence:  // accesses are done one after the other anyway
      break;
    case Op::kBreak:
      keep(place);
      return stop(Cause::kBreakpoint);
    case Op::kCsrrw:
    case Op::kCsrrs:
    case Op::kCsrrc:
    case Op::kCsrrwi:
    case Op::kCsrrsi:
    case Op::kCsrrci:
      keep(place);
      if (!csr(insn)) return Status::kFault;
      result = x_[insn.rd];
      break;
    case Op::kCustom: {
      keep(place);
      command_ = {static_cast<uint8_t>(imm >> 7), static_cast<uint8_t>(imm & 0x7f), a, b, pc};
      const auto answer = environment_.issue(command_);
      if (answer.kind == Environment::Answer::kWait) return Status::kWaiting;
      if (answer.kind == Environment::Answer::kBad) return stop(Cause::kCommand);
      result = answer.data;
      break;
    }
    default:
      keep(place);
      return stop(Cause::kIllegal);
  }
  if (has_result(op)) {
    x_[insn.rd] = result;
    x_[0] = 0;
  }
  if constexpr (kRecord) {
    record->rd = insn.rd;
    record->rd_wdata = insn.rd == 0 ? 0 : result;
    record->next_pc = next_pc;
  }
  place.pc = next_pc;
  ++place.retired;
  return Status::kRetired;
}

Hart::Status Hart::step(Retirement& record) {
  if (fault_.cause != Cause::kNone) return Status::kFault;
  const Insn* const insn = code_.find(pc_);
  if (insn == nullptr) return stop(code_.failure().cause, Access::kFetch, code_.failure().address);
  Place place{pc_};
  const Status status = execute<true>(insn->op, *insn, place, &record);
  keep(place);
  return status;
}

Hart::Status Hart::cannot_fetch(Place& place) {
  keep(place);
  return stop(code_.failure().cause, Access::kFetch, code_.failure().address);
}

// One instruction, and then those that follow: each calls the next one itself, so that a processor's branch
// predictor tells them apart.
template <Op kOp>
Hart::Status Hart::row(Hart& hart, const Insn* insn, uint32_t pc, uint64_t retired, uint64_t limit) {
  Place place{pc, retired};
  if constexpr (kOp == Op::kUndecoded) {
    insn = hart.code_.find(pc);
    if (insn == nullptr) return hart.cannot_fetch(place);
  } else {
    const uint32_t next = pc + insn->length;
    const Status status = hart.execute<false>(kOp, *insn, place, nullptr);
    if (kOp == Op::kCustom || status != Status::kRetired || --limit == 0) {
      hart.keep(place);
      return status;
    }
    insn += insn->length / 2;
    if (place.pc != next) {
      insn = hart.code_.find(place.pc);
      if (insn == nullptr) return hart.cannot_fetch(place);
    }
  }
  [[clang::musttail]] return kRows[static_cast<size_t>(insn->op)](hart, insn, place.pc, place.retired, limit);
}

template <size_t... kOps>
constexpr std::array<Hart::Row, sizeof...(kOps)> Hart::rows(std::index_sequence<kOps...>) {
  return {row<static_cast<Op>(kOps)>...};
}

const std::array<Hart::Row, kOpCount> Hart::kRows = rows(std::make_index_sequence<kOpCount>());

Hart::Status Hart::run(uint64_t limit) {
  if (fault_.cause != Cause::kNone) return Status::kFault;
  if (limit == 0) return Status::kRetired;
  return row<Op::kUndecoded>(*this, nullptr, pc_, 0, limit);
}

}  // namespace swai::iss::cpe
