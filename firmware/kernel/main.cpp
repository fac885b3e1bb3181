// SPDX-License-Identifier: Apache-2.0
// AI-Kernel: from the ROM's jump to waiting for work.
#include "abi/boot.hpp"
#include "firmware/common/mmio.hpp"
#include "firmware/kernel/confirm.hpp"
#include "firmware/kernel/console.hpp"
#include "firmware/kernel/fault.hpp"
#include "firmware/kernel/identity.hpp"
#include "firmware/kernel/interrupt.hpp"
#include "firmware/kernel/log.hpp"
#include "firmware/kernel/selftest.hpp"
#include "firmware/kernel/service.hpp"
#include "firmware/kernel/shell.hpp"
#include "firmware/kernel/timer.hpp"
#include "firmware/kernel/trap.hpp"

namespace swai::kernel {
namespace {

namespace sys = regs::system;

// kernel.ld cannot read the memory map; build.mk tells both sides the same numbers.
static_assert(boot::kMemoryBase == SRAM_BASE && boot::kImageMemory.memory_end == RESERVED_BASE);

void set_progress(boot::Progress progress) {
  fw::write_reg(sys::progress::kAddr, static_cast<uint64_t>(progress));
}

void set_stage(uint64_t stage, image::Slot slot) {
  const uint64_t slot_value = slot == image::Slot::kA ? sys::status::kSlotA : sys::status::kSlotB;
  fw::write_reg(sys::status::kAddr, sys::status::kStage.put(stage) | sys::status::kSlot.put(slot_value));
}

void print_banner() {
  const image::Identity& identity = swai_identity.identity;
  console::print("\nSWAI AI-Kernel ", fw::field(identity.version), " (", fw::field(identity.git_hash),
                 ") on ", fw::field(identity.board), "\n");
}

void confirm(image::Slot slot) {
  const bool done = confirm_image(slot);
  set_image_confirmed(done);
  log::write(done ? journal::Line::kConfirmed : journal::Line::kNotConfirmed, letter(slot));
}

[[noreturn, gnu::noinline]] void wait_for_work() {
  for (;;) {
    {
      // wfi wakes for interrupts that are held back, also for one that was there before: nothing is slept
      // through.
      const InterruptLock lock;
      service::serve();
    }
    while (const auto byte = console::get()) shell::take(*byte);
  }
}

}  // namespace

extern "C" [[noreturn, gnu::cold]] void kernel_main(uint64_t slot_index, uint64_t confirmed) {
  const image::Slot slot = image::kSlots[slot_index & 1];
  set_image_confirmed(confirmed != 0);
  set_progress(boot::Progress::kKernelSupervisor);
  set_stage(sys::status::kStageKernel, slot);
  trap::init();
  console::init();
  trap::enable_interrupts();
  log::init();
  print_banner();
  report_last_fault();

  set_progress(boot::Progress::kKernelSelfTest);
  const std::string_view failed = selftest::run();
  if (!failed.empty()) panic(fault::Kind::kSelfTest, failed);
  log::write(journal::Line::kSelfTestPassed);
  if (service::init()) log::write(journal::Line::kServing);

  // The ROM armed it for the way up to here.
  fw::write_reg(sys::watchdog_control::kAddr, 0);
  set_progress(boot::Progress::kKernelReady);
  set_stage(sys::status::kStageReady, slot);
  log::write(journal::Line::kReady, letter(slot));
  // Work can come in meanwhile: the flash takes its time.
  if (confirmed == 0) confirm(slot);
  wait_for_work();
}

}  // namespace swai::kernel
