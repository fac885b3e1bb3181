// SPDX-License-Identifier: Apache-2.0
// Which edges there are, as bits of a word: included before everything else in models that are built with
// EDGE_BITS (sim/build.mk), and in what knows such a model from the inside.
//
// Verilator's own class has a bool for each. A model asks about them before every function that it calls,
// mostly about several at once: with bits that is one instruction and a branch, where bools take three for
// each of them.
#pragma once

#include <verilated.h>

#include <array>
#include <cstddef>
#include <cstdint>

template <std::size_t Size>
class VerilatedTriggers final {
 public:
  class Bit {
   public:
    Bit(uint64_t& word, uint64_t mask) : word_(word), mask_(mask) {}
    operator bool() const { return (word_ & mask_) != 0; }
    Bit& operator=(bool on) {
      word_ = on ? word_ | mask_ : word_ & ~mask_;
      return *this;
    }

   private:
    uint64_t& word_;
    uint64_t mask_;
  };

  void clear() { words_.fill(0); }
  Bit at(std::size_t index) { return {words_[index / 64], uint64_t{1} << index % 64}; }

  bool any() const {
    uint64_t all = 0;
    for (const uint64_t word : words_) all |= word;
    return all != 0;
  }

  void set(const VerilatedTriggers& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }

  void andNot(const VerilatedTriggers& a, const VerilatedTriggers& b) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] = a.words_[i] & ~b.words_[i];
  }

 private:
  std::array<uint64_t, (Size + 63) / 64> words_{};
};

// A name of its own: other models in the same program may have Verilator's.
#define VlTriggerVec VerilatedTriggers
