// SPDX-License-Identifier: Apache-2.0
// Looking for misuse of device memory, when the environment asks for it (SWAI_MEMORY_CHECK=1). An allocation
// has a zone on each side that nobody may write, and everything is filled: what is fresh, the zones, and what
// was freed, so that it does not look like data any more. A functional model of the card receives the list of
// allocations and fails a kernel that accesses anything else. memory_report.hpp has what is said about it.
#pragma once

#include <cstdint>
#include <string>

#include "host/runtime/device.hpp"

namespace swai::sdaa::memory_check {

inline constexpr uint64_t kZone = 64;  // in front, and at least as much behind
inline constexpr uint8_t kZoneByte = 0xfd;
inline constexpr uint8_t kFreshByte = 0xcd;
inline constexpr uint8_t kFreedByte = 0xdd;

// What has to be asked of the card for so many bytes; the user's begin kZone behind what it gives.
constexpr uint64_t room(uint64_t bytes) {
  constexpr uint64_t kMost = uint64_t{1} << 47;  // more than any card has
  return bytes > kMost ? bytes : (bytes + kZone - 1) / kZone * kZone + 2 * kZone;
}

// Each waits for the card. Pointers are the user's.
void prepare(Device& device, Device::Lock& lock, uint64_t pointer, const Allocation& allocation);
// Empty: both zones are as they were.
std::string damage(Device& device, Device::Lock& lock, uint64_t pointer, const Allocation& allocation);
void poison(Device& device, Device::Lock& lock, uint64_t pointer, const Allocation& allocation);

}  // namespace swai::sdaa::memory_check
