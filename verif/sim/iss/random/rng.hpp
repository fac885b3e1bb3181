// SPDX-License-Identifier: Apache-2.0
// The generator's source of randomness: the same seed gives the same numbers on every machine and compiler
// (the standard distributions do not promise that).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>

namespace swai::random_program {

class Rng {
 public:
  explicit Rng(uint64_t seed) {
    for (uint64_t& word : state_) {
      seed += 0x9E37'79B9'7F4A'7C15;
      uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9;
      z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EB;
      word = z ^ (z >> 31);
    }
  }

  uint64_t next() {
    const uint64_t result = rotate(state_[1] * 5, 7) * 9;
    const uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  // 0 <= result < limit; limit below 2^32.
  uint64_t below(uint64_t limit) { return ((next() >> 32) * limit) >> 32; }
  // low <= result <= high
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(below(static_cast<uint64_t>(high - low + 1)));
  }
  bool chance(unsigned percent) { return below(100) < percent; }

  template <typename Container>
  auto pick(const Container& from) {
    return *(std::begin(from) + below(std::size(from)));
  }
  template <typename T>
  T pick(std::initializer_list<T> from) {
    return *(from.begin() + below(from.size()));
  }
  // An index, with the probability of its weight.
  template <typename Container>
  size_t weighted(const Container& weights) {
    uint64_t total = 0;
    for (const auto weight : weights) total += weight;
    uint64_t left = below(total);
    size_t index = 0;
    for (const auto weight : weights) {
      if (left < weight) break;
      left -= weight;
      ++index;
    }
    return index;
  }

  // A value worth computing with: small, a power of two and its neighbours, a sign boundary, a mask, or
  // anything.
  uint64_t interesting() {
    switch (below(8)) {
      case 0:
        return static_cast<uint64_t>(between(-16, 16));
      case 1: {
        const uint64_t power = uint64_t{1} << below(64);
        return power + static_cast<uint64_t>(between(-1, 1));
      }
      case 2: {
        const uint64_t power = uint64_t{1} << below(64);
        return ~power + static_cast<uint64_t>(between(-1, 1));
      }
      case 3: {
        constexpr std::array<uint64_t, 12> kBoundaries = {0x7F,
                                                          0x80,
                                                          0x7FFF,
                                                          0x8000,
                                                          0x7FFF'FFFF,
                                                          0x8000'0000,
                                                          0xFFFF'FFFF,
                                                          0x1'0000'0000,
                                                          0xFFFF'FFFF'8000'0000,
                                                          0xFFFF'FFFF'7FFF'FFFF,
                                                          0x7FFF'FFFF'FFFF'FFFF,
                                                          0x8000'0000'0000'0000};
        return pick(kBoundaries);
      }
      case 4: {
        const uint64_t byte = next() & 0xFF;
        return byte * 0x0101'0101'0101'0101;
      }
      case 5:
        return static_cast<uint64_t>(static_cast<int32_t>(next()));
      case 6: {
        const uint64_t value = next();
        return value >> below(64);
      }
      default:
        return next();
    }
  }

 private:
  static constexpr uint64_t rotate(uint64_t x, unsigned by) { return (x << by) | (x >> (64 - by)); }

  std::array<uint64_t, 4> state_{};
};

}  // namespace swai::random_program
