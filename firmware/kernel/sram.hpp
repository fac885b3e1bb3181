// SPDX-License-Identifier: Apache-2.0
// The SRAM that the kernel shares with others. The caches do not hold it, and it is mapped where it is.
#pragma once

#include <cstdint>
#include <cstring>

namespace swai::kernel {

struct Sram {
  // Both sides are whole words, aligned.
  [[gnu::always_inline]] static void fetch(uint64_t address, void* to, uint64_t bytes) {
    const auto* from = reinterpret_cast<const volatile uint64_t*>(address);
    auto* words = static_cast<uint64_t*>(__builtin_assume_aligned(to, sizeof(uint64_t)));
#pragma GCC unroll 8
    for (uint64_t i = 0; i < bytes / sizeof(uint64_t); ++i) {
      const uint64_t word = from[i];
      std::memcpy(words + i, &word, sizeof word);
    }
  }
  [[gnu::always_inline]] static void put(uint64_t address, const void* from, uint64_t bytes) {
    auto* to = reinterpret_cast<volatile uint64_t*>(address);
    const auto* words = static_cast<const uint64_t*>(__builtin_assume_aligned(from, sizeof(uint64_t)));
#pragma GCC unroll 8
    for (uint64_t i = 0; i < bytes / sizeof(uint64_t); ++i) {
      uint64_t word = 0;
      std::memcpy(&word, words + i, sizeof word);
      to[i] = word;
    }
  }
  static void order() { asm volatile("fence w, ow" ::: "memory"); }
};

}  // namespace swai::kernel
