// SPDX-License-Identifier: Apache-2.0
// The kernel's page tables: Sv39. SRAM and devices are mapped where they are, the device memory at the top of
// the address space: physical addresses have 40 bits, virtual ones 39. Code is not writable, data is not
// executable, devices are mapped as such, SRAM that others write is not cached, and what is not listed here
// faults: the null page, the boot ROM, a guard page below each stack, and device memory that nobody has
// allocated for the processor.
#pragma once

#include <cstdint>

#include "abi/kernel_memory.hpp"
#include "abi/program.hpp"
#include "card_regs.hpp"

namespace swai::kernel::mmu {

// Builds the tables and switches translation on. Called in machine mode, which it does not affect.
void enable();

// --- Device memory

inline constexpr uint64_t kPageBytes = 2 << 20;
// The kernel's own at the beginning of group 0: always mapped. Page tables lie there, too.
inline constexpr uint64_t kPrivateBytes = boot::kKernelMemoryBytes;
inline constexpr uint64_t kPrivate = regs::kHbmRegion.base;
// At its end.
inline constexpr uint64_t kTables = kPrivate + kPrivateBytes - 64 * 4096;
// Three small pages for each program: two tables and its notes.
inline constexpr uint64_t kProgramPages = kPrivate + 0x90'0000;
inline constexpr uint64_t kProgramPagesEnd = kProgramPages + program::kPrograms * 3 * 4096;

// Where the processor finds a physical address.
constexpr uint64_t virtual_of(uint64_t physical) {
  constexpr uint64_t kTop = ~uint64_t{0} << 38;
  return physical < regs::kHbmRegion.base ? physical : physical - regs::kHbmRegion.base + kTop;
}

// Whole pages of device memory; `groups` have some.
void init_device_memory(unsigned groups);
void map(uint64_t physical, uint64_t bytes);
void unmap(uint64_t physical, uint64_t bytes);
// Copies, whether the pages, one on each side, are mapped or not. The caches keep nothing of it.
void move(uint64_t to, uint64_t from, uint64_t bytes);
// The data cache may hold memory of clients from now on, as somebody has left it.
inline constinit bool touched = false;
inline void touch() { touched = true; }

// --- Address spaces of programs (abi/program.hpp), beside what the kernel itself sees

void begin_program(unsigned number);
// The address at which the program sees so many pages from `physical` on, also if it does already; 0: no
// room.
uint64_t show(unsigned number, uint64_t physical, unsigned pages, bool executable);
// A small page of the SRAM, at program::kAnswers, to be read.
void show_answers(unsigned number, uint64_t physical);
void end_program(unsigned number);
// Where the kernel writes the program's notes.
uint64_t notes_of(unsigned number);
// That of this program is the one that counts.
void use_program(unsigned number);

}  // namespace swai::kernel::mmu
