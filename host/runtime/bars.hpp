// SPDX-License-Identifier: Apache-2.0
// Where the library finds things in the card's BARs.
#pragma once

#include <cstdint>

#include "card_regs.hpp"

namespace swai::sdaa {

inline constexpr unsigned kMemoryBar = 0;
inline constexpr unsigned kControlBar = 4;
inline constexpr uint64_t kSram = uint64_t{64} << 30;  // in the memory's BAR

// Of the words that host and card share, in the control BAR.
constexpr uint64_t shared_word(unsigned number) {
  return regs::pcie::shared::kOffset + number * sizeof(uint64_t);
}

}  // namespace swai::sdaa
