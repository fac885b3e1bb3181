// SPDX-License-Identifier: Apache-2.0
// Dividing work among the CPEs of a launch.
#pragma once

#include <algorithm>

#include "swai/control.hpp"

namespace swai::cpe {

struct Share {
  uint32_t first;
  uint32_t bytes;
};

// This CPE's part of `bytes` (less than 4 GiB - 4 KiB): equal ones in order of rank, in whole lines of 64
// bytes; the last CPEs get less, perhaps nothing.
inline Share my_share(uint32_t bytes) {
  const uint32_t lines = (bytes >> 6) + ((bytes & 63) != 0);
  const uint32_t each = (lines + count() - 1) / count() * 64;
  const uint32_t first = std::min(rank() * each, bytes);
  return {first, std::min(each, bytes - first)};
}

}  // namespace swai::cpe
