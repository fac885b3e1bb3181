// SPDX-License-Identifier: Apache-2.0
// Control and status registers of the management processor, and the few instructions that C++ has no words
// for.
#pragma once

#include <cstdint>

namespace swai::csr {

enum Number : unsigned {
  kSstatus = 0x100,
  kSie = 0x104,
  kStvec = 0x105,
  kScounteren = 0x106,
  kSenvcfg = 0x10A,
  kSscratch = 0x140,
  kSip = 0x144,
  kSatp = 0x180,
  kMstatus = 0x300,
  kMedeleg = 0x302,
  kMideleg = 0x303,
  kMie = 0x304,
  kMtvec = 0x305,
  kMcounteren = 0x306,
  kMenvcfg = 0x30A,
  kMhpmevent3 = 0x323,
  kMscratch = 0x340,
  kMepc = 0x341,
  kMip = 0x344,
  kMcycle = 0xB00,
  kCycle = 0xC00,
  kTime = 0xC01,
  kInstret = 0xC02,
};

inline constexpr uint64_t kStatusSie = 1U << 1;
inline constexpr uint64_t kStatusSpp = 1U << 8;
inline constexpr uint64_t kStatusMppSupervisor = 1U << 11;
inline constexpr uint64_t kStatusMppMask = 3U << 11;

// Bits of mie, mip, mideleg and their supervisor views.
inline constexpr uint64_t kSupervisorSoftware = 1U << 1;
inline constexpr uint64_t kSupervisorTimer = 1U << 5;
inline constexpr uint64_t kMachineTimer = 1U << 7;
inline constexpr uint64_t kSupervisorExternal = 1U << 9;
inline constexpr uint64_t kMachineExternal = 1U << 11;

inline constexpr uint64_t kInterrupt = uint64_t{1} << 63;
enum Cause : uint64_t {
  kIllegalInstruction = 2,
  kBreakpoint = 3,
  kEcallFromSupervisor = 9,
  kFetchPageFault = 12,
  kLoadPageFault = 13,
  kStorePageFault = 15,
};

inline constexpr uint64_t kEnvPbmt = uint64_t{1} << 62;
inline constexpr uint64_t kEnvCacheClean = 1U << 6;
inline constexpr uint64_t kEnvCacheZero = 1U << 7;
inline constexpr uint64_t kEnvCacheInvalidate = 3U << 4;
inline constexpr uint64_t kEnvInvalidateFlushes = 1U << 4;

template <Number kCsr>
inline uint64_t read() {
  uint64_t value;
  asm volatile("csrr %0, %1" : "=r"(value) : "i"(kCsr));
  return value;
}
template <Number kCsr>
inline void write(uint64_t value) {
  asm volatile("csrw %0, %1" ::"i"(kCsr), "r"(value) : "memory");
}
template <Number kCsr>
inline void set(uint64_t bits) {
  asm volatile("csrs %0, %1" ::"i"(kCsr), "r"(bits) : "memory");
}
template <Number kCsr>
inline void clear(uint64_t bits) {
  asm volatile("csrc %0, %1" ::"i"(kCsr), "r"(bits) : "memory");
}

inline void wait_for_interrupt() { asm volatile("wfi" ::: "memory"); }
inline void fence() { asm volatile("fence" ::: "memory"); }
inline void fence_i() { asm volatile("fence.i" ::: "memory"); }
inline void flush_tlb() { asm volatile("sfence.vma" ::: "memory"); }

inline constexpr uint64_t kLineBytes = 64;
// The data cache's (docs/hardware/mpe.md).
inline constexpr uint64_t kDataCacheBytes = 16 << 10;
inline constexpr uint64_t kPairBytes = 16;
// Two words to 16 bytes of memory, aligned, in one cycle: pair `kPair` of the 64 bytes from `line` on. The
// compiler does not know th.sdd.
template <unsigned kPair>
[[gnu::always_inline]] inline void store_pair(volatile uint64_t* line, uint64_t low, uint64_t high) {
  asm volatile(
      ".option push\n .option arch, +xtheadmempair\n th.sdd %1, %2, (%0), %3, 4\n .option pop" ::"r"(line),
      "r"(low), "r"(high), "i"(kPair)
      : "memory");
}
// A line becomes zero without being read from memory.
[[gnu::always_inline]] inline void zero_line(volatile void* line) {
  asm volatile(".option push\n .option arch, +zicboz\n cbo.zero 0(%0)\n .option pop" ::"r"(line) : "memory");
}
// Writes one line back; fence() tells when it has arrived.
inline void clean_line(const volatile void* line) { asm volatile("cbo.clean 0(%0)" ::"r"(line) : "memory"); }
// Forgets a line, also if it was written: it is somebody else's now.
inline void drop_line(const volatile void* line) { asm volatile("cbo.inval 0(%0)" ::"r"(line) : "memory"); }
// Writes cached lines back to memory, so that they survive a reset and others can read them.
inline void clean_cache(const void* data, uint64_t bytes) {
  const auto first = reinterpret_cast<uint64_t>(data);
  for (uint64_t line = first & ~(kLineBytes - 1); line < first + bytes; line += kLineBytes) {
    asm volatile("cbo.clean 0(%0)" ::"r"(line) : "memory");
  }
  fence();
}
// Like clean_cache, and forgets the lines: the next access reads memory.
inline void flush_cache(const void* data, uint64_t bytes) {
  const auto first = reinterpret_cast<uint64_t>(data);
  for (uint64_t line = first & ~(kLineBytes - 1); line < first + bytes; line += kLineBytes) {
    asm volatile("cbo.flush 0(%0)" ::"r"(line) : "memory");
  }
  fence();
}

}  // namespace swai::csr
