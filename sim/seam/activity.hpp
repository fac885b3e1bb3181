// SPDX-License-Identifier: Apache-2.0
// What CPEs do, as cpe_activity.sv beside this tells it of each.
#pragma once

#include <cstdint>

#include "abi/trace/activity.hpp"

namespace swai::activity {

// The word of a CPE.
struct Activity {
  uint32_t word = 1;

  bool idle() const { return (word & 1) != 0; }  // in no launch
  unsigned state() const { return word >> 1 & 0xF; }
  bool works(unsigned engine) const { return (word >> (5 + engine) & 1) != 0; }
  bool operator==(const Activity&) const = default;
};

// Who wants to know when the word of a CPE changes; `cpe` is group * 32 + its number there. Null: nobody.
// Models of CPEs and what listens to them need not be linked together.
using Tell = void (*)(unsigned cpe, unsigned activity, const uint32_t* counts);
inline Tell tell = nullptr;

}  // namespace swai::activity
