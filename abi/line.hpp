// SPDX-License-Identifier: Apache-2.0
// What caches and memory exchange.
#pragma once

#include <cstdint>

namespace swai::program {

// 64 bytes, in registers.
struct Line {
  uint64_t w0, w1, w2, w3, w4, w5, w6, w7;
  bool operator==(const Line&) const = default;
};

}  // namespace swai::program
