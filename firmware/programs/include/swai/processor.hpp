// SPDX-License-Identifier: Apache-2.0
// The management processor as a model program uses it: calls into the kernel, what the host has told, time
// and caches. All instructions that only this processor has are here. verif/firmware/programs has a header of
// the same name, with which programs run on the host.
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
// A call is one of a function: what a callee need not keep is lost, but for a0 and a1, which have the answer.
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
// Call::kSubmit; `words`: the command's slot, of which the header is in `function`. `ticket`: the command's.
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

// What the host and the card have told.
inline const volatile Notes& notes() { return *reinterpret_cast<const volatile Notes*>(kNotes); }
// Of the card's timer.
inline uint64_t time() {
  uint64_t value;
  asm volatile("rdtime %0" : "=r"(value));
  return value;
}

// --- Lines of the data cache

// From the return on others find in memory what was given it before.
inline void written() { asm volatile("fence" ::: "memory"); }
[[gnu::always_inline]] inline void clean_line(const volatile void* line) {
  asm volatile("cbo.clean 0(%0)" ::"r"(line) : "memory");
}
[[gnu::always_inline]] inline void flush_line(const volatile void* line) {
  asm volatile("cbo.flush 0(%0)" ::"r"(line) : "memory");
}
// Before write_line() of a line that is hardly in the cache: it is not read from memory then, only to be
// overwritten. Of 64 bytes nothing is left; one that is in the cache takes two cycles more so.
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
// As memory has it. Of the same line, so one behind the other without a fence, and from one register.
[[gnu::always_inline]] inline uint64_t look_word(const volatile uint64_t* word) {
  uint64_t found;
  asm volatile("cbo.flush 0(%1)\n ld %0, 0(%1)" : "=r"(found) : "r"(word) : "memory");
  return found;
}

}  // namespace swai::program
