// SPDX-License-Identifier: Apache-2.0
#include "sim/fast/debug_port.hpp"

#include <array>

#include "card_regs.hpp"

namespace swai::fast {
namespace {

namespace control = regs::debug::control;
namespace status = regs::debug::status;

// The registers of debug mode, as RISC-V numbers them.
constexpr unsigned kDcsr = 0x7b0;
constexpr unsigned kDpc = 0x7b1;
constexpr unsigned kDscratch0 = 0x7b2;
constexpr uint64_t kMode = 3;
constexpr unsigned kCauseShift = 6;
constexpr uint64_t kVersion = uint64_t{4} << 28;

constexpr uint32_t kEbreak = 0x0010'0073;
constexpr uint16_t kShortEbreak = 0x9002;

struct CsrInsn {
  unsigned rd, rs, csr, kind;
  bool is_one;
  explicit CsrInsn(uint32_t bits)
      : rd(bits >> 7 & 31),
        rs(bits >> 15 & 31),
        csr(bits >> 20),
        kind(bits >> 12 & 7),
        is_one((bits & 0x7f) == 0x73 && (kind == 1 || kind == 2)) {}
};

constexpr std::array kBreakpoints = {regs::debug::breakpoint0::kOffset, regs::debug::breakpoint1::kOffset,
                                     regs::debug::breakpoint2::kOffset, regs::debug::breakpoint3::kOffset};

}  // namespace

bool DebugPort::halt_asked() const { return control::kHalt.get(at(control::kOffset)) != 0; }

bool DebugPort::watches() const {
  const uint64_t now = at(control::kOffset);
  return stepping_ || control::kBreakpoints.get(now) != 0 || control::kEbreakHalts.get(now) != 0;
}

void DebugPort::stop(uint64_t cause) {
  halted_ = true;
  stepping_ = false;
  cause_ = cause;
}

bool DebugPort::at_breakpoint() const {
  const uint64_t on = control::kBreakpoints.get(at(control::kOffset));
  for (unsigned i = 0; i < kBreakpoints.size(); ++i) {
    if ((on >> i & 1) != 0 && at(kBreakpoints[i]) == hart_.pc()) return true;
  }
  return false;
}

bool DebugPort::at_ebreak() {
  if (control::kEbreakHalts.get(at(control::kOffset)) == 0) return false;
  uint32_t bits = 0;
  for (unsigned i = 0; i < 2; ++i) {
    const auto where = hart_.translate(hart_.pc() + 2 * i, iss::Access::kFetch);
    uint64_t half = 0;
    if (!where || !memory_.read(*where, 2, half)) return false;
    bits |= static_cast<uint32_t>(half) << (16 * i);
    if (i == 0 && half == kShortEbreak) return true;
  }
  return bits == kEbreak;
}

bool DebugPort::stops() {
  if (leaving_) return false;
  if (at_breakpoint()) {
    stop(status::kCauseBreakpoint);
  } else if (at_ebreak()) {
    stop(status::kCauseEbreak);
  }
  return halted_;
}

void DebugPort::stepped() {
  leaving_ = false;
  if (stepping_) stop(status::kCauseStep);
}

void DebugPort::release() {
  RegisterBlock::reset(true);
  halted_ = stepping_ = leaving_ = false;
}

uint64_t DebugPort::load(uint64_t offset, uint64_t value) {
  if (offset == regs::debug::data_out::kOffset) return scratch_;
  if (offset != status::kOffset) return value;
  return status::kHalted.put(halted_ ? 1 : 0) | status::kFault.put(fault_ ? 1 : 0) |
         status::kCause.put(cause_);
}

void DebugPort::stored(uint64_t offset, uint64_t data, uint64_t mask) {
  namespace action = regs::debug::action;
  if (offset == action::kOffset && action::kResume.get(data) != 0 && halted_) {
    halted_ = false;
    leaving_ = true;
    stepping_ = action::kStep.get(data) != 0;
    cause_ = status::kCauseNone;
  } else if (offset == regs::debug::insn::kOffset &&
             regs::debug::insn::kCode.mask() == (mask & 0xFFFF'FFFF) && halted_) {
    fault_ = !execute(static_cast<uint32_t>(data));
  } else if (offset == regs::debug::data_in::kOffset && ~mask == 0) {
    scratch_ = data;
  }
}

uint64_t DebugPort::read_csr(unsigned number) const {
  if (number == kDpc) return hart_.pc();
  if (number == kDscratch0) return scratch_;
  return kVersion | cause_ << kCauseShift | static_cast<uint64_t>(hart_.privilege());
}

void DebugPort::write_csr(unsigned number, uint64_t value) {
  if (number == kDpc) hart_.set_pc(value & ~uint64_t{1});
  if (number == kDscratch0) scratch_ = value;
  // There is no mode 2: the write leaves the mode as it was.
  if (number == kDcsr && (value & kMode) != 2) hart_.set_mode(static_cast<iss::Privilege>(value & kMode));
}

bool DebugPort::execute(uint32_t bits) {
  const CsrInsn insn(bits);
  if (!insn.is_one || insn.csr < kDcsr || insn.csr > kDscratch0) return hart_.inject(bits);
  const uint64_t old = read_csr(insn.csr);
  const uint64_t operand = hart_.reg(insn.rs);
  if (insn.kind == 1 || insn.rs != 0) write_csr(insn.csr, insn.kind == 1 ? operand : old | operand);
  hart_.set_reg(insn.rd, old);
  return true;
}

}  // namespace swai::fast
