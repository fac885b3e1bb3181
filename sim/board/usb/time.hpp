// SPDX-License-Identifier: Apache-2.0
// Emulated time. It has nothing to do with the clock on the wall: docs/simulate/usb-board.md.
#pragma once

#include <cstdint>
#include <limits>

namespace swai::usb {

using Picoseconds = uint64_t;

inline constexpr Picoseconds kNanosecond = 1'000;
inline constexpr Picoseconds kMicrosecond = 1'000 * kNanosecond;
inline constexpr Picoseconds kMillisecond = 1'000 * kMicrosecond;
inline constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();

}  // namespace swai::usb
