// The kernel's page tables: Sv39, identity mapping. Code is not writable, data is not executable, devices are
// mapped as such, and what is not listed here faults: the null page, the boot ROM, and a guard page below
// each stack.
#pragma once

namespace swai::kernel::mmu {

// Builds the tables and switches translation on. Called in machine mode, which it does not affect.
void enable();

}  // namespace swai::kernel::mmu
