// SPDX-License-Identifier: Apache-2.0
// What a card is: simulated cycle by cycle, or a functional model, whose times are coarse.
#pragma once

#include <string_view>

#include "host/tools/swai/commands.hpp"
#include "host/transport/vendor_region.hpp"

namespace swai::cli {

// A card says so where it says its configuration, of which its name is made.
inline bool is_fast(const sdaaDeviceProp_t& card) {
  return std::string_view(card.name).ends_with(link::vendor::kFastTier);
}

// For machines.
inline const char* tier_of(const sdaaDeviceProp_t& card) { return is_fast(card) ? "fast" : "rtl"; }

}  // namespace swai::cli
