// SPDX-License-Identifier: Apache-2.0
// The boot ROM: reset to a running kernel, or recovery.
#include "firmware/boot/rom_platform.hpp"
#include "firmware/common/csr.hpp"
#include "firmware/common/mmio.hpp"

namespace swai::boot {
namespace {

namespace sys = regs::system;

// rom.ld cannot read the memory map; build.mk tells both sides the same numbers.
static_assert(regs::kRomRegion.base == ROM_BASE && regs::kRomRegion.size == ROM_BYTES);
static_assert(kImageMemory.memory_end == RESERVED_BASE);
static_assert(kReservedBytes == RESERVED_BYTES && kFaultRecordBytes == FAULT_RECORD_BYTES);
static_assert(regs::kBootVector == ROM_BASE && sys::nmi_vector::kReset == ROM_BASE + 0x100);

// The handover is described in docs/firmware/boot.md.
[[noreturn]] void jump(const Loaded& loaded) {
  csr::fence_i();
  register uint64_t a0 asm("a0") = image::index(loaded.slot);
  register uint64_t a1 asm("a1") = loaded.confirmed ? 1 : 0;
  asm volatile("jr %0" ::"r"(loaded.entry), "r"(a0), "r"(a1) : "memory");
  __builtin_unreachable();
}

// An image that hangs is reset, counted, and in the end given up.
void arm_watchdog() {
  fw::write_reg(sys::watchdog_timeout::kAddr, kWatchdogClocks);
  fw::write_reg(sys::watchdog_control::kAddr, sys::watchdog_control::kEnable.put(1));
}

// Sleeps until somebody asks for a new search: r on the console, or the software interrupt.
void wait_for_request(fw::Uart& uart) {
  constexpr uint64_t kSources = regs::irq::pending::kUart.mask() | regs::irq::pending::kSoftware.mask();
  uart.flush();
  uart.enable_receive_interrupt(true);
  fw::write_reg(regs::irq::enable_m::kAddr, kSources);
  csr::write<csr::kMie>(csr::kMachineExternal);
  for (bool asked = false; !asked;) {
    csr::wait_for_interrupt();
    if (regs::irq::pending::kSoftware.get(fw::read_reg(regs::irq::pending::kAddr)) != 0) {
      fw::write_reg(regs::irq::pending::kAddr, regs::irq::pending::kSoftware.mask());
      asked = true;
    }
    while (const auto byte = uart.get()) asked = asked || *byte == 'r';
  }
  csr::write<csr::kMie>(0);
  fw::write_reg(regs::irq::enable_m::kAddr, 0);
  uart.enable_receive_interrupt(false);
}

}  // namespace

extern "C" [[noreturn]] void rom_main() {
  RomPlatform rom;
  rom.set_progress(Progress::kRomStart);
  for (;;) {
    if (const auto loaded = find_and_load(rom)) {
      rom.set_progress(Progress::kRomJump);
      // Most is out by now: loading takes longer than what there is to say.
      rom.uart().drain();
      arm_watchdog();
      jump(*loaded);
    }
    wait_for_request(rom.uart());
  }
}

// Either an image failed before it had handlers of its own (`nmi` is 1 when the watchdog noticed), or the
// hardware or the ROM itself is broken. No input in flash leads here before an image runs.
extern "C" [[noreturn]] void rom_fault(uint64_t cause, uint64_t pc, uint64_t value, uint64_t nmi) {
  constexpr uint64_t kFailed =
      sys::status::kStage.put(sys::status::kStageFailed) | sys::status::kDetail.put(kRomFaultDetail);
  // A fault while reporting a fault: enough has been said.
  if (fw::read_reg(sys::status::kAddr) != kFailed) {
    fw::write_reg(sys::status::kAddr, kFailed);
    RomPlatform rom;
    rom.set_progress(Progress::kRomFault);
    fw::print(rom.console(), nmi != 0 ? "boot ROM: non-maskable interrupt" : "boot ROM: unexpected trap",
              ", cause ", fw::hex(cause), ", pc ", fw::hex(pc), ", value ", fw::hex(value), '\n');
    rom.uart().flush();
  }
  // An image was given the processor. The watchdog counts only while that is awake, and its reset is the way
  // out.
  while (sys::watchdog_control::kEnable.get(fw::read_reg(sys::watchdog_control::kAddr)) != 0) {
  }
  for (;;) csr::wait_for_interrupt();
}

}  // namespace swai::boot
