// Sizes, masks and strides as tests of operators draw them.
#pragma once

#include <array>

#include "verif/operators/card.hpp"

namespace swai::operators::test {

// 1, primes, neighbours of powers of two, anything; at most `limit`.
inline uint32_t some_size(verif::Random& random, uint32_t limit) {
  static constexpr uint32_t kPrimes[] = {2, 3, 5, 7, 13, 31, 61, 127, 251, 509, 1021, 2039, 4093, 8191};
  uint32_t size = 1;
  switch (random.below(4)) {
    case 0:
      break;
    case 1:
      size = kPrimes[random.below(std::size(kPrimes))];
      break;
    case 2:
      size = (1u << random.below(14)) + static_cast<uint32_t>(random.below(3)) - 1;
      break;
    default:
      size = static_cast<uint32_t>(random.between(1, limit));
  }
  return std::min(std::max(size, 1u), limit);
}

// All CPEs, one, or any.
inline uint32_t some_mask(verif::Random& random, uint32_t all) {
  switch (random.below(4)) {
    case 0:
      return all;
    case 1:
      return 1u << random.below(static_cast<uint64_t>(std::popcount(all)));
    default: {
      const auto mask = static_cast<uint32_t>(random.next()) & all;
      return mask == 0 ? all : mask;
    }
  }
}

inline Number some_number(verif::Random& random) { return static_cast<Number>(random.below(4)); }

}  // namespace swai::operators::test
