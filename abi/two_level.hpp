// SPDX-License-Identifier: Apache-2.0
// The GPU's way of giving commands, which the queues in the card's memory replace: a ring in host memory,
// each of its entries naming a command buffer in host memory, and two registers that say how far host and
// card are. It is here as the baseline of measurements. docs/firmware/protocol.md explains it.
#pragma once

#include <cstdint>

namespace swai::two_level {

// Shared words (registers pcie.shared): how many entries the host has put into the ring, and how many
// commands the card has taken out of their buffers. Both count modulo 2^32.
inline constexpr unsigned kPutWord = 32;
inline constexpr unsigned kGetWord = 33;
// Rung behind kPutWord.
inline constexpr unsigned kDoorbell = 30;

inline constexpr uint32_t kEntries = 64;

// One command as it would lie in the slots of the queue.
struct Entry {
  uint64_t buffer;  // bus address
  uint32_t slots;
  uint32_t reserved;
};
static_assert(sizeof(Entry) == 16);

}  // namespace swai::two_level
