// SPDX-License-Identifier: Apache-2.0
// Segments of the kernel's own, which no client can have.
#pragma once

#include <cstdint>

#include "abi/protocol.hpp"

namespace swai::protocol {

// Code that it launches.
inline constexpr uint16_t kCopySegment = 2;
inline constexpr uint16_t kFillSegment = 3;
inline constexpr uint16_t kWipeSegment = 4;
inline constexpr uint16_t kFirstQueueSegment = 8;
// The first of those that are each all memory of a group.
inline constexpr uint16_t kMemorySegment = kFirstQueueSegment + kQueues;

}  // namespace swai::protocol
