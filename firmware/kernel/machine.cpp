// SPDX-License-Identifier: Apache-2.0
// The machine-mode layer below the kernel: it delegates what can be delegated, turns the machine timer into
// the supervisor's, and records what goes wrong beneath.
#include "abi/boot.hpp"
#include "firmware/common/csr.hpp"
#include "firmware/common/mmio.hpp"
#include "firmware/kernel/fault.hpp"
#include "firmware/kernel/frame.hpp"
#include "firmware/kernel/layout.hpp"
#include "firmware/kernel/machine_call.hpp"
#include "firmware/kernel/mmu.hpp"

extern "C" void machine_trap_entry();
extern "C" void nmi_entry();

namespace swai::kernel::machine {
namespace {

// Everything that can be delegated, except calls from supervisor mode.
constexpr uint64_t kDelegatedExceptions = 0xB1FF;
constexpr uint64_t kDelegatedInterrupts =
    csr::kSupervisorSoftware | csr::kSupervisorTimer | csr::kSupervisorExternal;

void set_timer(uint64_t time) {
  fw::write_reg(regs::timer::mtimecmp::kAddr, time);
  csr::clear<csr::kMip>(csr::kSupervisorTimer);
  csr::set<csr::kMie>(csr::kMachineTimer);
}

// The eight counters from mhpmcounter3 on count the first eight events of the core.
template <unsigned kEvent = 1>
void select_events() {
  if constexpr (kEvent <= 8) {
    csr::write<static_cast<csr::Number>(csr::kMhpmevent3 + kEvent - 1)>(kEvent);
    select_events<kEvent + 1>();
  }
}

}  // namespace

void call(Call function, uint64_t argument) {
  register uint64_t a0 asm("a0") = argument;
  register uint64_t a7 asm("a7") = static_cast<uint64_t>(function);
  asm volatile("ecall" : "+r"(a0) : "r"(a7) : "memory");
}

extern "C" void machine_main() {
  fw::write_reg(regs::system::progress::kAddr, static_cast<uint64_t>(boot::Progress::kKernelStart));
  csr::write<csr::kMscratch>(layout::address(layout::__machine_stack_top));
  csr::write<csr::kMtvec>(reinterpret_cast<uint64_t>(machine_trap_entry));
  fw::write_reg(regs::system::nmi_vector::kAddr, reinterpret_cast<uint64_t>(nmi_entry));

  csr::write<csr::kMedeleg>(kDelegatedExceptions);
  csr::write<csr::kMideleg>(kDelegatedInterrupts);
  csr::write<csr::kMcounteren>(~uint64_t{0});
  csr::write<csr::kMenvcfg>(csr::kEnvPbmt | csr::kEnvCacheClean | csr::kEnvCacheInvalidate |
                            csr::kEnvCacheZero);
  select_events();
  csr::clear<csr::kMstatus>(csr::kStatusMppMask);
  csr::set<csr::kMstatus>(csr::kStatusMppSupervisor);

  fw::write_reg(regs::system::progress::kAddr, static_cast<uint64_t>(boot::Progress::kKernelPaging));
  mmu::enable();
}

extern "C" void machine_trap(Frame& frame) {
  if (frame.cause == (csr::kInterrupt | 7)) {
    // Until the supervisor asks for another time.
    csr::clear<csr::kMie>(csr::kMachineTimer);
    csr::set<csr::kMip>(csr::kSupervisorTimer);
    return;
  }
  const bool known = frame.registers[17] == static_cast<uint64_t>(Call::kSetTimer);
  if (frame.cause != csr::kEcallFromSupervisor || !known) {
    panic(fault::Kind::kMachineException, frame, "in the machine-mode layer");
  }
  set_timer(frame.registers[10]);
  frame.epc += 4;
}

extern "C" [[noreturn]] void machine_nmi(Frame& frame) {
  namespace control = regs::system::watchdog_control;
  const bool watchdog = control::kExpired.get(fw::read_reg(control::kAddr)) != 0;
  panic(watchdog ? fault::Kind::kWatchdog : fault::Kind::kNmi, frame, "");
}

}  // namespace swai::kernel::machine
