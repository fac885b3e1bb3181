// SPDX-License-Identifier: Apache-2.0
#include "firmware/kernel/trap.hpp"

#include "firmware/common/csr.hpp"
#include "firmware/common/mmio.hpp"
#include "firmware/kernel/console.hpp"
#include "firmware/kernel/fault.hpp"
#include "firmware/kernel/frame.hpp"
#include "firmware/kernel/layout.hpp"
#include "firmware/kernel/log.hpp"
#include "firmware/kernel/timer.hpp"

extern "C" void supervisor_trap_entry();

namespace swai::kernel::trap {
namespace {

constinit uint64_t trap_count = 0;
// Where to go on after an exception that is expected; 0 when none is.
constinit volatile uint64_t resume_at = 0;
constinit Caught caught = {};

bool is_within(uint64_t address, const char* first, uint64_t bytes) {
  return address - layout::address(first) < bytes;
}

void on_external(const Frame& frame) {
  namespace irq = regs::irq;
  const uint64_t pending = fw::read_reg(irq::pending_s::kAddr);
  if (irq::pending::kWriteError.get(pending) != 0) panic(fault::Kind::kBusWrite, frame, "");
  if (irq::pending::kUart.get(pending) != 0) console::on_interrupt();
  const uint64_t unknown = pending & ~irq::pending::kUart.mask();
  if (unknown != 0) {
    fw::write_reg(irq::enable_s::kAddr, fw::read_reg(irq::enable_s::kAddr) & ~unknown);
    log::write(journal::Line::kNoDriver, unknown);
  }
}

void on_exception(Frame& frame) {
  // The emergency stack is for traps inside a handler.
  constexpr uint64_t kEmergencyBytes = 2048;
  if (is_within(reinterpret_cast<uint64_t>(&frame), layout::__emergency_stack, kEmergencyBytes)) {
    panic(fault::Kind::kNestedTrap, frame, "");
  }
  if (resume_at != 0) {
    caught = {true, frame.cause, frame.value};
    frame.epc = resume_at;
    return;
  }
  const bool overflow = frame.cause == csr::kStorePageFault &&
                        is_within(frame.value, layout::__stack_guard, layout::kPageBytes);
  panic(overflow ? fault::Kind::kStackOverflow : fault::Kind::kException, frame, "");
}

}  // namespace

void init() {
  csr::write<csr::kSscratch>(layout::address(layout::__trap_stack_top));
  csr::write<csr::kStvec>(reinterpret_cast<uint64_t>(supervisor_trap_entry));
}

void enable_interrupts() {
  namespace irq = regs::irq;
  fw::write_reg(irq::enable_s::kAddr, fw::read_reg(irq::enable_s::kAddr) | irq::pending::kWriteError.mask());
  csr::write<csr::kSie>(csr::kSupervisorTimer | csr::kSupervisorExternal);
  csr::set<csr::kSstatus>(csr::kStatusSie);
}

Caught try_load(uint64_t address) {
  caught = {};
  uint64_t loaded = 0;
  asm volatile("lla t0, 1f; sd t0, %0; ld %1, 0(%2); 1: sd zero, %0"
               : "=m"(resume_at), "+&r"(loaded)
               : "r"(address)
               : "t0", "memory");
  if (!caught.faulted) caught.value = loaded;
  return caught;
}

Caught try_store(uint64_t address) {
  caught = {};
  asm volatile("lla t0, 1f; sd t0, %0; sb zero, 0(%1); 1: sd zero, %0"
               : "=m"(resume_at)
               : "r"(address)
               : "t0", "memory");
  return caught;
}

Caught try_call(uint64_t address) {
  caught = {};
  asm volatile("lla t0, 1f; sd t0, %0; jalr %1; 1: sd zero, %0"
               : "=m"(resume_at)
               : "r"(address)
               : "ra", "t0", "memory");
  return caught;
}

uint64_t count() { return trap_count; }

extern "C" void supervisor_trap(Frame& frame) {
  ++trap_count;
  switch (frame.cause) {
    case csr::kInterrupt | 5:
      timer::on_interrupt();
      break;
    case csr::kInterrupt | 9:
      on_external(frame);
      break;
    default:
      on_exception(frame);
  }
}

}  // namespace swai::kernel::trap
