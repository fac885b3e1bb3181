// SPDX-License-Identifier: Apache-2.0
#include "sim/iss/cpe/hart.hpp"

#include <cstring>

#include "sim/iss/cpe/instructions.hpp"

namespace swai::iss::cpe {
namespace {

constexpr bool in_window(uint32_t address) {
  const uint32_t region = address >> 28;
  return region == space::kDaemon || region == space::kKernel || region == space::kWindow ||
         region == space::kArguments;
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
    case numbers::kArgumentSegment:
      value = argument_segment_;
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

Hart::Status Hart::row_by_itself(Hart& hart, const Slot* slot, uint32_t left, uint64_t extra) {
  hart.keep(slot, left, extra);
  return hart.execute<false>(hart.code_.insn(hart.pc_), nullptr);
}

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

}  // namespace swai::iss::cpe
