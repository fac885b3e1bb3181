// SPDX-License-Identifier: Apache-2.0
// A range of bits in a word, as the generated headers name them.
#pragma once

#include <cstdint>

namespace swai {

struct Field {
  unsigned lsb;
  unsigned width;
  constexpr std::uint64_t mask() const { return (width == 64 ? ~0ull : (1ull << width) - 1) << lsb; }
  constexpr std::uint64_t get(std::uint64_t word) const { return (word & mask()) >> lsb; }
  constexpr std::uint64_t put(std::uint64_t value) const { return (value << lsb) & mask(); }
  constexpr std::uint64_t replace(std::uint64_t word, std::uint64_t value) const {
    return (word & ~mask()) | put(value);
  }
};

}  // namespace swai
