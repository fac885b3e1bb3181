// SPDX-License-Identifier: Apache-2.0
// The MPE as a model program uses it: calls into the kernel, words from the host, time and caches. All
// instructions that are specific to the MPE are here. verif/firmware/programs has a header of the same name,
// with which programs run on the host.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "abi/line.hpp"
#include "abi/program.hpp"

namespace swai::program {

using protocol::Status;

// --- Calls into the kernel

struct CallAnswer {
  Status status;
  uint64_t value;
};
// As in a function call, caller-saved registers are lost, except a0 and a1, which hold the answer.
inline CallAnswer call(uint64_t function, uint64_t first, uint64_t second = 0) {
  register uint64_t a0 asm("a0") = first;
  register uint64_t a1 asm("a1") = second;
  register uint64_t a7 asm("a7") = function;
  asm volatile("ecall"
               : "+r"(a0), "+r"(a1), "+r"(a7)
               :
               : "ra", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a2", "a3", "a4", "a5", "a6", "memory");
  return {static_cast<Status>(a0), a1};
}
inline CallAnswer call(Call function, uint64_t first, uint64_t second = 0) {
  return call(static_cast<uint64_t>(function), first, second);
}
// Call::kSubmit. `words`: the command's slot, whose header is in `function`. `ticket`: the command's.
[[gnu::always_inline]] inline Status call_submit(
    uint64_t function, const std::array<uint64_t, protocol::kSlotBytes / sizeof(uint64_t)>& words,
    uint32_t& ticket) {
  register uint64_t a0 asm("a0") = words[1];
  register uint64_t a1 asm("a1") = words[2];
  register uint64_t a2 asm("a2") = words[3];
  register uint64_t a3 asm("a3") = words[4];
  register uint64_t a4 asm("a4") = words[5];
  register uint64_t a5 asm("a5") = words[6];
  register uint64_t a6 asm("a6") = words[7];
  register uint64_t a7 asm("a7") = function;
  asm volatile("ecall"
               : "+r"(a0), "+r"(a1), "+r"(a2), "+r"(a3), "+r"(a4), "+r"(a5), "+r"(a6), "+r"(a7)
               :
               : "ra", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "memory");
  ticket = static_cast<uint32_t>(a1);
  return static_cast<Status>(a0);
}
// The same for a launch whose argument is one word.
[[gnu::always_inline]] inline Status call_launch_word(uint64_t function, const Kernel& kernel,
                                                      uint32_t argument, uint32_t& ticket) {
  register uint64_t a0 asm("a0") = kernel.words[0];
  register uint64_t a1 asm("a1") = kernel.words[1];
  register uint64_t a2 asm("a2") = argument;
  register uint64_t a7 asm("a7") = function;
  asm volatile("ecall"
               : "+r"(a0), "+r"(a1), "+r"(a2), "+r"(a7)
               :
               : "ra", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a3", "a4", "a5", "a6", "memory");
  ticket = static_cast<uint32_t>(a1);
  return static_cast<Status>(a0);
}

// Notes from the host and the kernel.
inline const volatile Notes& notes() { return *reinterpret_cast<const volatile Notes*>(kNotes); }
// Time of the card's timer.
inline uint64_t time() {
  uint64_t value;
  asm volatile("rdtime %0" : "=r"(value));
  return value;
}

// --- Lines of the data cache

// After the return, other masters see all earlier writes to memory.
inline void written() { asm volatile("fence" ::: "memory"); }
[[gnu::always_inline]] inline void clean_line(const volatile void* line) {
  asm volatile("cbo.clean 0(%0)" ::"r"(line) : "memory");
}
[[gnu::always_inline]] inline void flush_line(const volatile void* line) {
  asm volatile("cbo.flush 0(%0)" ::"r"(line) : "memory");
}
// For use before write_line() of a line that is probably not in the cache: avoids reading it from memory only
// to overwrite it. All 64 bytes are lost; a line in the cache takes two cycles more.
[[gnu::always_inline]] inline void zero_line(volatile void* line) {
  asm volatile(".option push\n .option arch, +zicboz\n cbo.zero 0(%0)\n .option pop" ::"r"(line) : "memory");
}
[[gnu::always_inline]] inline void store_line(volatile void* to, const Line& line) {
  asm volatile(
      ".option push\n .option arch, +xtheadmempair\n"
      " th.sdd %1, %2, (%0), 0, 4\n th.sdd %3, %4, (%0), 1, 4\n"
      " th.sdd %5, %6, (%0), 2, 4\n th.sdd %7, %8, (%0), 3, 4\n"
      " .option pop" ::"r"(to),
      "r"(line.w0), "r"(line.w1), "r"(line.w2), "r"(line.w3), "r"(line.w4), "r"(line.w5), "r"(line.w6),
      "r"(line.w7)
      : "memory");
}
// Reads a word from memory, not from the cache. Both instructions access the same line through one register,
// so they stay in order without a fence.
[[gnu::always_inline]] inline uint64_t look_word(const volatile uint64_t* word) {
  uint64_t found;
  asm volatile("cbo.flush 0(%1)\n ld %0, 0(%1)" : "=r"(found) : "r"(word) : "memory");
  return found;
}

}  // namespace swai::program
