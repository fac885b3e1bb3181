// SPDX-License-Identifier: Apache-2.0
// Sizes, masks and strides as tests of operators draw them.
#pragma once

#include <array>
#include <cstdlib>

#include "verif/cpe-kernels/operators/card.hpp"

namespace swai::operators::test {

// So many in long tests on the functional model; fewer in `make test`, and where RTL walks.
inline int rounds(int whole) {
  const int of_long = std::getenv("SWAI_LONG") == nullptr ? 6 : 1;
  const int of_rtl = std::getenv("SWAI_CPE_RUN") == nullptr ? 1 : 10;
  return (whole + of_long * of_rtl - 1) / (of_long * of_rtl);
}

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

// Shapes that are small enough for a test of seconds: one side may be long.
struct Shape {
  uint32_t rows;
  uint32_t columns;
};
inline Shape some_shape(verif::Random& random, uint32_t area) {
  const uint32_t one = some_size(random, area);
  const uint32_t other = some_size(random, std::max(area / one, 1u));
  return random.chance(50) ? Shape{one, other} : Shape{other, one};
}

inline uint32_t some_gap(verif::Random& random) { return random.chance(50) ? 0 : 200; }

// Now and then rows of a tensor that is only read overlap, as those of a convolution do.
inline void overlap_some(verif::Random& random, Tensor& tensor, uint32_t element_bytes) {
  if (tensor.columns > 1 && random.chance(30))
    tensor.stride = element_bytes * static_cast<uint32_t>(random.between(1, tensor.columns - 1));
}

// Sensible numbers where garbage would be NaN and the like.
inline void fill(verif::Random& random, Tensor& tensor, Number number) {
  for (uint32_t row = 0; row < tensor.rows; ++row) {
    for (uint32_t column = 0; column < tensor.columns; ++column) {
      if (number == Number::kFp32 || number == Number::kFp16)
        tensor.write(number, row, column, std::bit_cast<uint32_t>(some_float(random)));
    }
  }
}

}  // namespace swai::operators::test
