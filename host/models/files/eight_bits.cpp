// SPDX-License-Identifier: Apache-2.0
#include "host/models/files/eight_bits.hpp"

#include <algorithm>
#include <cmath>

#include "cpe-kernels/operators/linear/plan.hpp"

namespace swai::models {

EightBits eight_bits(std::span<const float> numbers, size_t depth) {
  EightBits made;
  std::vector<int8_t> whole;
  whole.reserve(numbers.size());
  for (size_t at = 0; at < numbers.size(); at += depth) {
    const std::span<const float> row = numbers.subspan(at, depth);
    float largest = 0;
    for (const float number : row) largest = std::max(largest, std::abs(number));
    const float scale = largest / 127;
    made.scales.push_back(scale);
    for (const float number : row)
      whole.push_back(scale == 0 ? int8_t{0} : static_cast<int8_t>(std::lround(number / scale)));
  }
  const auto columns = static_cast<uint32_t>(made.scales.size());
  made.packed.resize(operators::packed_linear_bytes(static_cast<uint32_t>(depth), columns));
  operators::pack_linear(whole, static_cast<uint32_t>(depth), columns, made.packed);
  return made;
}

}  // namespace swai::models
