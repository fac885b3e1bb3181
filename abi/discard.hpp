// SPDX-License-Identifier: Apache-2.0
// Notification from the kernel to a simulator of the card that no client may read the contents of some
// memory: a word for each row of blocks, written to the register system.scratch3 when its client has gone,
// and when it has been cleared. The simulator may then return its own memory to the host; these bytes read as
// zeros. Hardware ignores it.
#pragma once

#include <cstdint>

namespace swai::discard {

inline constexpr uint64_t kBlockBytes = 2 << 20;

struct Row {
  uint64_t address = 0;  // physical, a multiple of kBlockBytes
  uint64_t bytes = 0;    // a multiple of kBlockBytes
};

constexpr uint64_t encode(const Row& row) { return row.address | row.bytes / kBlockBytes; }
constexpr Row decode(uint64_t word) {
  return {word & ~(kBlockBytes - 1), (word & (kBlockBytes - 1)) * kBlockBytes};
}

}  // namespace swai::discard
