// SPDX-License-Identifier: Apache-2.0
// Kernels that do what must not be done: one CPE, the culprit, does it; the others return. Each must end as a
// failed launch with a record, and leave the group fit for the next one. The expected cause is behind each.
#include <cassert>

#include "abi/kernel_arguments.hpp"
#include "swai/cpe.hpp"

using namespace swai::cpe;

LDM alignas(64) static std::byte buffer[256];

// A call through this is nothing that the compiler sees through.
template <typename T>
[[gnu::always_inline]] inline T opaque(T value) {
  asm volatile("" : "+r"(value));
  return value;
}

#define CULPRIT_ONLY(args) \
  if (number() != (args)->culprit) return

// kIllegal
__kernel__ void illegal_instruction(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  asm volatile(".4byte 0xffffffff");
}

// kBreakpoint
__kernel__ void breakpoint(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  asm volatile("ebreak");
}

// kBreakpoint, with words of the kernel's own
__kernel__ void assertion(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  const uint32_t value = args->value;
  assert(value != 0);
  assert(value == 0 && "by \"100 %\"");
}

// kMisaligned, read
__kernel__ void misaligned(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  const uint32_t address = opaque(ldm_address(buffer) + 1);
  uint32_t value;
  asm volatile("lw %0, 0(%1)" : "=r"(value) : "r"(address) : "memory");
}

// kVacant, fetch
__kernel__ void jump_nowhere(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  reinterpret_cast<void (*)()>(opaque<uintptr_t>(0x2000'0000))();
}

// kVacant, read
__kernel__ void read_nowhere(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  [[maybe_unused]] const uint32_t value = *reinterpret_cast<volatile uint32_t*>(opaque<uintptr_t>(0));
}

// kVacant, read: behind the end of local memory
__kernel__ void beyond_ldm(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  [[maybe_unused]] const uint32_t value =
      *reinterpret_cast<volatile uint32_t*>(opaque<uintptr_t>(kLdmBase + kLdmBytes));
}

// kPermission, write: code is not for writing
__kernel__ void store_to_code(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  *reinterpret_cast<volatile uint32_t*>(opaque<uintptr_t>(swai::module::base(swai::module::Space::kKernel))) =
      0;
}

// kLimit, read by DMA, when `at` is the last bytes of a segment; or what else is wrong with `at`
__kernel__ void dma_read(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  dma::wait(dma::load(buffer, args->at, sizeof(buffer)));
}

// The same, write
__kernel__ void dma_write(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  dma::wait(dma::store(args->at, buffer, sizeof(buffer)));
}

// The same, through the data window
__kernel__ void window_read(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  const Window<uint32_t> window(args->at.as<uint32_t>());
  [[maybe_unused]] const uint32_t value = *window;
}
__kernel__ void window_write(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  const Window<uint32_t> window(args->at.as<uint32_t>());
  *window = 1;
}

// kCommand: local memory ends before the transfer does
__kernel__ void bad_command(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  dma::wait(dma::load(reinterpret_cast<void*>(opaque<uintptr_t>(kLdmBase + kLdmBytes - 16)), args->at, 64));
}

// kCommand: there is no such unit
__kernel__ void no_such_unit(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  isa::issue<static_cast<isa::unit::Kind>(15), 0>();
}

// kCommand: launches end in the daemon only
__kernel__ void ends_its_launch(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  isa::issue<isa::unit::kControl, isa::control_op::kDone>();
}

// kWatchdog: never returns
__kernel__ void endless_loop(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  for (;;) asm volatile("");
}

// kWatchdog: receives what nobody sends
__kernel__ void deadlock_channel(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  const uint32_t sender = static_cast<uint32_t>(std::countr_zero(static_cast<uint32_t>(row::others())));
  row::wait(row::receive(sender, buffer, sizeof(buffer)));
}

// kWatchdog: a barrier that the others do not come to. The launch ends for them, so only a launch of all
// hangs.
__kernel__ void deadlock_sync(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  sync();
}
