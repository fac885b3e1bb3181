// SPDX-License-Identifier: Apache-2.0
// Traps in supervisor mode: interrupts go to their drivers, exceptions end in a panic unless they were
// expected.
#pragma once

#include <cstdint>

namespace swai::kernel::trap {

// From here on traps are handled; interrupts stay off until enable_interrupts().
void init();
void enable_interrupts();

// What an access did that was allowed to fault; `cause` as in scause, `value` as in stval. Without a fault
// `value` is the word that was loaded.
struct Caught {
  bool faulted = false;
  uint64_t cause = 0;
  uint64_t value = 0;
};
Caught try_load(uint64_t address);
Caught try_store(uint64_t address);
// Calls code at an address, which must return at once.
Caught try_call(uint64_t address);

// Exceptions and interrupts so far.
uint64_t count();

}  // namespace swai::kernel::trap
