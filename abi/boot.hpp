// SPDX-License-Identifier: Apache-2.0
// What firmware leaves for others to read: progress codes, the detail of the boot status word, and the memory
// that the boot ROM keeps for itself.
#pragma once

#include <cstdint>

#include "abi/image.hpp"
#include "card_regs.hpp"

namespace swai::boot {

// At the top of the SRAM: memory that images may not occupy. The ROM's data and stack lie here, and above
// them the fault record (abi/fault.hpp), which outlives resets.
inline constexpr uint64_t kReservedBytes = 0x2000;
inline constexpr uint64_t kFaultRecordBytes = 0x400;
inline constexpr uint64_t kMemoryBase = regs::kLocalRegion.base;
inline constexpr uint64_t kMemoryEnd = kMemoryBase + regs::kSramBytes;
inline constexpr image::Limits kImageMemory = {kMemoryBase, kMemoryEnd - kReservedBytes};

// A kernel must be up and have taken over the watchdog within this many clocks after the ROM's jump.
inline constexpr uint32_t kWatchdogClocks = 1'000'000;

// Values of the register system.progress. Values are never reused.
enum class Progress : uint64_t {
  kRomStart = 0x10,
  kRomFlash = 0x11,
  kRomHeaders = 0x12,
  kRomLoading = 0x13,
  kRomAttempt = 0x14,
  kRomJump = 0x15,
  kRomRecovery = 0x1E,
  kRomFault = 0x1F,
  kKernelStart = 0x20,
  kKernelPaging = 0x21,
  kKernelSupervisor = 0x22,
  kKernelSelfTest = 0x23,
  kKernelReady = 0x2E,
  kKernelPanic = 0x2F,
};

// In stage `recovery` the detail of the status word holds why each slot was refused.
constexpr uint16_t recovery_detail(image::Refusal a, image::Refusal b) {
  return static_cast<uint16_t>(static_cast<uint16_t>(a) | static_cast<uint16_t>(b) << 8);
}

// In stage `failed` it holds this when the ROM itself faulted, else a fault::Kind.
inline constexpr uint16_t kRomFaultDetail = 0xFFFF;

}  // namespace swai::boot
