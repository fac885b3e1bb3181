// SPDX-License-Identifier: Apache-2.0
// Sets of clients, by their numbers.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace swai::memory {

class Contexts {
 public:
  static Contexts all() {
    Contexts every;
    every.words_.fill(~uint64_t{0});
    return every;
  }
  void add(uint8_t context) { words_[context / 64] |= uint64_t{1} << context % 64; }
  void add(const Contexts& others) {
    for (unsigned i = 0; i < words_.size(); ++i) words_[i] |= others.words_[i];
  }
  bool has(uint8_t context) const { return (words_[context / 64] >> context % 64 & 1) != 0; }
  bool any() const {
    return std::ranges::any_of(words_, [](uint64_t word) { return word != 0; });
  }

 private:
  std::array<uint64_t, 4> words_ = {};
};

}  // namespace swai::memory
