// SPDX-License-Identifier: Apache-2.0
// Symbols of kernel.ld.
#pragma once

#include <cstdint>

#include "abi/journal.hpp"

namespace swai::kernel::layout {

extern "C" {
extern const char __text_start[], __data_start[], __bss_end[], __free_start[], __free_end[];
extern const char __trap_stack_guard[], __trap_stack_top[], __stack_guard[], __stack_top[];
extern const char __uncached_start[], __uncached_end[];
extern const char __machine_stack_top[], __emergency_stack[], __emergency_stack_top[];
}

inline uint64_t address(const char* symbol) { return reinterpret_cast<uint64_t>(symbol); }
inline constexpr uint64_t kPageBytes = 4096;

// The part of the SRAM that the host writes: queues, and what the card tells about itself.
inline constexpr uint64_t kHostWindow = HOST_BASE;
inline constexpr uint64_t kHostWindowEnd = RESERVED_BASE;
// At its end the two journals, which outlive resets of the processor.
inline constexpr unsigned kLogRecords = 32;
inline constexpr unsigned kFaultRecords = 64;
inline constexpr uint64_t kFaultJournal = kHostWindowEnd - journal::ring_bytes(kFaultRecords);
inline constexpr uint64_t kLogJournal = kFaultJournal - journal::ring_bytes(kLogRecords);

}  // namespace swai::kernel::layout
