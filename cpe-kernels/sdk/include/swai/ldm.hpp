// SPDX-License-Identifier: Apache-2.0
// Local memory: 128 KiB beside every CPE, one cycle away. Static objects lie at its start, the stack at its
// end, and what is between them is the kernel's to divide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "abi/module.hpp"

// Puts a static object into local memory: `LDM static uint8_t buffer[4096];`. It has no value when the kernel
// starts, neither the one of its declaration nor zero: local memory holds what the last kernel left.
// Alignment is the declaration's; channels need 32 bytes, DMA is fastest with 64.
#define LDM [[gnu::section(".bss.ldm")]]

namespace swai::cpe {

inline constexpr uint32_t kLdmBase = module::kLdmBase;
inline constexpr uint32_t kLdmBytes = module::kLdmBytes;
inline constexpr uint32_t kLine = 64;
inline constexpr uint32_t kChannelGranule = 32;

// The address of an object as units want it.
inline uint32_t ldm_address(const volatile void* object) {
  return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(object));
}
inline bool in_ldm(const volatile void* object) { return ldm_address(object) - kLdmBase < kLdmBytes; }

extern "C" {
extern std::byte __ldm_free[], __ldm_free_end[];
}

// What neither static objects nor the stack occupy; both ends are multiples of 64.
inline std::span<std::byte> free_ldm() {
  return {__ldm_free, static_cast<size_t>(__ldm_free_end - __ldm_free)};
}

}  // namespace swai::cpe
