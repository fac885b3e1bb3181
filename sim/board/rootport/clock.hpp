// SPDX-License-Identifier: Apache-2.0
// The time of the root's side, one for all cards.
#pragma once

#include <cstdint>

namespace swai::rootport {

struct Clock {
  uint64_t cycle = 0;
};

}  // namespace swai::rootport
