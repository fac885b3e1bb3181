// SPDX-License-Identifier: Apache-2.0
// Several stacks in local memory: one of them is at work, the others wait.
#pragma once

#include <cstddef>

namespace swai::cpe {

extern "C" {
// lib/switch.S: keeps the registers on the stack and its pointer at `leave`, goes on where `enter` was left.
void swai_switch(void** leave, void* enter);
}

// What swai_switch takes from a stack that it enters.
struct Kept {
  void* return_address;
  void* registers[12];  // s0 to s11
  void* unused[3];
};
static_assert(sizeof(Kept) == 64);

// Where a stack goes on that has not been entered: with a function that never returns.
inline void* begin_of_stack(std::byte* end, void (*function)()) {
  auto* const kept = reinterpret_cast<Kept*>(end) - 1;
  kept->return_address = reinterpret_cast<void*>(function);
  return kept;
}

}  // namespace swai::cpe
