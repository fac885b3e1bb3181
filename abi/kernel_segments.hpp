// Segments of the code that the kernel itself launches, which no client can have.
#pragma once

#include <cstdint>

namespace swai::protocol {

inline constexpr uint16_t kCopySegment = 2;
inline constexpr uint16_t kFillSegment = 3;
inline constexpr uint16_t kWipeSegment = 4;

}  // namespace swai::protocol
