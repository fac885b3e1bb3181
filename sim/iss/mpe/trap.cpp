// SPDX-License-Identifier: Apache-2.0
// Exceptions, interrupts, and the instructions that return from them.
#include <fmt/format.h>

#include <array>

#include "sim/iss/mpe/csr_numbers.hpp"
#include "sim/iss/mpe/hart.hpp"

namespace swai::iss {

namespace {

// Highest priority first: external, software, timer; machine before supervisor.
constexpr std::array<unsigned, 6> kPriority = {11, 3, 7, 9, 1, 5};

std::optional<uint64_t> highest(uint64_t pending) {
  for (const unsigned code : kPriority) {
    if ((pending >> code) & 1) return cause::kInterrupt | code;
  }
  return std::nullopt;
}

// Where a trap goes: all to the base, or (mode 1) interrupts to an entry of their own.
uint64_t vector(uint64_t tvec, uint64_t cause) {
  const uint64_t base = tvec & ~uint64_t{3};
  const bool vectored = (tvec & 1) != 0 && (cause & cause::kInterrupt) != 0;
  return vectored ? base + 4 * (cause & ~cause::kInterrupt) : base;
}

constexpr uint64_t bit_if(bool condition, uint64_t bit) { return condition ? bit : 0; }

}  // namespace

void Hart::set_privilege(Privilege privilege) {
  privilege_ = privilege;
  update_context();
}

// Loads and stores may act with another privilege than the present one (MPRV).
void Hart::update_context() {
  data_privilege_ = (csrs_.mstatus & mstatus::kMprv)
                        ? static_cast<Privilege>((csrs_.mstatus & mstatus::kMpp) >> mstatus::kMppShift)
                        : privilege_;
  // The lowest bits are those of addresses that are not aligned.
  constexpr uint64_t kValid = 1 << 5;
  fetch_context_ = kValid | static_cast<uint64_t>(privilege_) << 6;
  update_code_key();
  data_context_ = kValid | static_cast<uint64_t>(data_privilege_) << 6 |
                  bit_if(csrs_.mstatus & mstatus::kSum, 1 << 8) |
                  bit_if(csrs_.mstatus & mstatus::kMxr, 1 << 9);
}

void Hart::take_trap(uint64_t cause, uint64_t tval) {
  raised_ = false;
  waiting_ = false;
  reservation_.reset();
  const bool nmi = cause == cause::kNmi;
  if (nmi) {
    nmi_pending_ = false;
    return trap_into_machine(cause, tval, config_.nmi_pc);
  }
  const bool interrupt = (cause & cause::kInterrupt) != 0;
  const uint64_t delegated = interrupt ? csrs_.mideleg : csrs_.medeleg;
  if (privilege_ != Privilege::kMachine && ((delegated >> (cause & 63)) & 1))
    return trap_into_supervisor(cause, tval);
  trap_into_machine(cause, tval, vector(csrs_.mtvec, cause));
}

void Hart::trap_into_machine(uint64_t cause, uint64_t tval, uint64_t target) {
  stuck_ = privilege_ == Privilege::kMachine && pc_ == target && csrs_.mepc == pc_ && csrs_.mcause == cause;
  if (stuck_) stop_ = true;
  csrs_.mepc = pc_;
  csrs_.mcause = cause;
  csrs_.mtval = tval;
  csrs_.mstatus = (csrs_.mstatus & ~(mstatus::kMpie | mstatus::kMie | mstatus::kMpp)) |
                  bit_if(csrs_.mstatus & mstatus::kMie, mstatus::kMpie) |
                  static_cast<uint64_t>(privilege_) << mstatus::kMppShift;
  pc_ = target;
  set_privilege(Privilege::kMachine);
}

void Hart::trap_into_supervisor(uint64_t cause, uint64_t tval) {
  csrs_.sepc = pc_;
  csrs_.scause = cause;
  csrs_.stval = tval;
  csrs_.mstatus = (csrs_.mstatus & ~(mstatus::kSpie | mstatus::kSie | mstatus::kSpp)) |
                  bit_if(csrs_.mstatus & mstatus::kSie, mstatus::kSpie) |
                  bit_if(privilege_ == Privilege::kSupervisor, mstatus::kSpp);
  pc_ = vector(csrs_.stvec, cause);
  set_privilege(Privilege::kSupervisor);
}

std::optional<uint64_t> Hart::enabled_interrupt() const {
  const uint64_t pending = wake_sources();
  if (privilege_ != Privilege::kMachine || (csrs_.mstatus & mstatus::kMie)) {
    if (const auto code = highest(pending & ~csrs_.mideleg)) return code;
  }
  if (privilege_ == Privilege::kUser ||
      (privilege_ == Privilege::kSupervisor && (csrs_.mstatus & mstatus::kSie))) {
    return highest(pending & csrs_.mideleg);
  }
  return std::nullopt;
}

void Hart::record_interrupt(uint64_t cause, Retirement& record) {
  record = {};
  record.pc = pc_;
  record.mode = privilege_;
  record.mip = mip();
  record.intr = true;
  record.cause = cause;
  take_trap(cause, 0);
  record.next_pc = pc_;
  ++ticks_;
}

std::optional<std::string> Hart::take_interrupt(uint64_t cause, const Supply& supply, Retirement& record) {
  apply(supply);
  std::optional<std::string> complaint;
  const uint64_t code = cause & ~cause::kInterrupt;
  if (cause == cause::kNmi) {
    if (!nmi_pending_) complaint = "NMI taken, but none is pending";
  } else if (!(cause & cause::kInterrupt) || code > 63 || !highest(uint64_t{1} << code)) {
    record = {};
    return fmt::format("there is no interrupt with cause {:#x}", cause);
  } else if (const auto expected = enabled_interrupt(); nmi_pending_) {
    complaint = fmt::format("interrupt {} taken before a pending NMI", code);
  } else if (expected != cause) {
    const std::string instead = expected ? fmt::format("{} has priority", *expected & 63) : "none is enabled";
    complaint = fmt::format("interrupt {} taken, but {} (mip {:#x} mie {:#x} mideleg {:#x} mstatus {:#x})",
                            code, instead, mip(), csrs_.mie, csrs_.mideleg, csrs_.mstatus);
  }
  record_interrupt(cause, record);
  return complaint;
}

// The input lines are what the RTL saw. SEIP shows its line only while software has not set the bit itself.
void Hart::apply(const Supply& supply) {
  line_mip_ = supply.mip & (irq::kMsi | irq::kMti | irq::kMei | irq::kSei);
}

void Hart::return_from_machine() {
  if (privilege_ != Privilege::kMachine) return raise_illegal();
  const auto to = static_cast<Privilege>((csrs_.mstatus & mstatus::kMpp) >> mstatus::kMppShift);
  const bool enable = (csrs_.mstatus & mstatus::kMpie) != 0;
  csrs_.mstatus =
      (csrs_.mstatus & ~(mstatus::kMie | mstatus::kMpp)) | mstatus::kMpie | bit_if(enable, mstatus::kMie);
  if (to != Privilege::kMachine) csrs_.mstatus &= ~mstatus::kMprv;
  reservation_.reset();
  jump(csrs_.mepc);
  set_privilege(to);
}

void Hart::return_from_supervisor() {
  const bool trapped = privilege_ == Privilege::kSupervisor && (csrs_.mstatus & mstatus::kTsr);
  if (privilege_ == Privilege::kUser || trapped) return raise_illegal();
  const auto to = (csrs_.mstatus & mstatus::kSpp) ? Privilege::kSupervisor : Privilege::kUser;
  const bool enable = (csrs_.mstatus & mstatus::kSpie) != 0;
  csrs_.mstatus = (csrs_.mstatus & ~(mstatus::kSie | mstatus::kSpp | mstatus::kMprv)) | mstatus::kSpie |
                  bit_if(enable, mstatus::kSie);
  reservation_.reset();
  jump(csrs_.sepc);
  set_privilege(to);
}

void Hart::wait_for_interrupt() {
  const bool trapped = privilege_ == Privilege::kSupervisor && (csrs_.mstatus & mstatus::kTw);
  if (privilege_ == Privilege::kUser || trapped) return raise_illegal();
  waiting_ = config_.interrupts == Interrupts::kTaken;
}

void Hart::fence_translations() {
  const bool trapped = privilege_ == Privilege::kSupervisor && (csrs_.mstatus & mstatus::kTvm);
  if (privilege_ == Privilege::kUser || trapped) return raise_illegal();
  flush_translations();
}

}  // namespace swai::iss
