// SPDX-License-Identifier: Apache-2.0
// The reduction of a row of the vector unit, in the order that hardware has.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "sim/iss/cpe/fault.hpp"
#include "sim/iss/cpe/fp32.hpp"

namespace swai::iss::cpe {

struct Reduction {
  static constexpr uint32_t kMinusZero = fp32::kSign;

  // A NaN is ignored beside any number.
  uint32_t least = fp32::kNan;
  uint32_t largest = fp32::kNan;
  // Groups add to these in turns.
  std::array<uint32_t, 4> partial = {kMinusZero, kMinusZero, kMinusZero, kMinusZero};
  unsigned groups = 0;

  void add(const std::array<uint32_t, 8>& group, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      least = fp32::min(least, group[i]);
      largest = fp32::max(largest, group[i]);
    }
    std::array<uint32_t, 8> r;
    r.fill(kMinusZero);
    std::copy_n(group.begin(), count, r.begin());
    const uint32_t sum = fp32::add(fp32::add(fp32::add(r[0], r[1]), fp32::add(r[2], r[3])),
                                   fp32::add(fp32::add(r[4], r[5]), fp32::add(r[6], r[7])));
    uint32_t& one = partial[groups++ % partial.size()];
    one = fp32::add(one, sum);
  }
  uint32_t result(reduce::Kind kind) const {
    switch (kind) {
      case reduce::kMin:
        return least;
      case reduce::kMax:
        return largest;
      default:
        return fp32::add(fp32::add(partial[0], partial[1]), fp32::add(partial[2], partial[3]));
    }
  }
};

}  // namespace swai::iss::cpe
