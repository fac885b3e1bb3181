// SPDX-License-Identifier: Apache-2.0
// Kernels of which nobody knows before they run how much stack they take. Each tells the lowest address that
// its stack has reached; with too much of everything it stops, and nothing below the stack has changed.
#include <algorithm>

#include "swai/cpe.hpp"

using namespace swai::cpe;

namespace {

[[gnu::always_inline]] inline uint32_t stack_pointer() {
  uint32_t value;
  asm volatile("mv %0, sp" : "=r"(value));
  return value;
}

// Needs some itself, which the one that calls it must leave it.
[[gnu::noinline]] uint32_t last(uint32_t value) {
  volatile uint32_t some[20] = {value};
  return std::min(uint32_t{some[0]}, stack_pointer());
}

[[gnu::noinline]] uint32_t deepest(uint32_t levels) {
  volatile uint32_t left = levels;
  const uint32_t here = stack_pointer();
  return std::min(here, left == 0 ? last(here) : deepest(left - 1));
}

[[gnu::noinline]] uint32_t odd(uint32_t levels);
[[gnu::noinline]] uint32_t even(uint32_t levels) {
  volatile uint32_t left[10] = {levels};
  const uint32_t here = stack_pointer();
  return std::min(here, left[0] == 0 ? here : odd(left[0] - 1));
}
uint32_t odd(uint32_t levels) {
  volatile uint32_t left = levels;
  const uint32_t here = stack_pointer();
  return std::min(here, left == 0 ? here : even(left - 1));
}

[[gnu::noinline]] uint32_t array(uint32_t bytes) {
  auto* const all = static_cast<volatile std::byte*>(__builtin_alloca(bytes));
  all[0] = std::byte{1};
  return std::min(last(~0U), stack_pointer());
}

LDM uint32_t (*next)(uint32_t levels);
[[gnu::noinline]] uint32_t pointed(uint32_t levels) {
  volatile uint32_t left = levels;
  const uint32_t here = stack_pointer();
  return std::min(here, left == 0 ? here : next(left - 1));
}

// The stack ends where the free local memory does.
void tell(GlobalPtr<uint32_t> to, uint32_t lowest) {
  const Window<uint32_t> window(to);
  *window = lowest - ldm_address(free_ldm().data() + free_ldm().size());
}

}  // namespace

__kernel__ void recursion(GlobalPtr<uint32_t> to, uint32_t levels) { tell(to, deepest(levels)); }
__kernel__ void mutual(GlobalPtr<uint32_t> to, uint32_t levels) { tell(to, even(levels)); }
__kernel__ void arrays(GlobalPtr<uint32_t> to, uint32_t bytes) { tell(to, array(bytes)); }
__kernel__ void pointers(GlobalPtr<uint32_t> to, uint32_t levels) {
  next = pointed;
  asm volatile("" : "+m"(next));
  tell(to, pointed(levels));
}
