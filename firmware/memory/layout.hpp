// SPDX-License-Identifier: Apache-2.0
// Sizes that the parts of the memory manager share, and what they need of the processor.
//
// Memory of a group is cut into blocks of 2 MiB: a page of the processor's page tables, and the least size of
// a segment that stands alone. What is smaller than half of it comes from pools, each a block of its own.
#pragma once

#include <concepts>
#include <cstdint>

#include "abi/discard.hpp"
#include "abi/protocol.hpp"

namespace swai::memory {

using protocol::Usage;

inline constexpr uint64_t kBlockBytes = discard::kBlockBytes;
inline constexpr uint64_t kLargeBytes = kBlockBytes / 2;  // from here on whole blocks
inline constexpr unsigned kMaxGroups = 4;
inline constexpr uint64_t kMaxGroupBytes = uint64_t{16} << 30;
inline constexpr unsigned kMaxBlocks = kMaxGroupBytes / kBlockBytes;  // of a group
inline constexpr unsigned kSegments = 8192;                           // numbers that are given away

// Pools are cut in lines, those of the caches.
inline constexpr uint64_t kLineBytes = 64;
inline constexpr uint32_t kPoolLines = kBlockBytes / kLineBytes;
// Blocks that all pools together have at most.
inline constexpr unsigned kMaxPools = 256;

// What the memory manager needs of the processor that it runs on. Addresses are physical.
template <typename M>
concept Machine = requires(M m, uint64_t address, uint64_t value, Usage usage) {
  // The manager's own words, which nobody else looks at.
  { m.load(address) } -> std::same_as<uint64_t>;
  m.store(address, value);
  // `value` bytes of these outlive a reset of the processor.
  m.publish(address, value);
  // Entry `value` at `address` of the segment table: from the return on the CPEs see it, and no older one.
  m.set_entry(address, value);
  // Pages of `value` bytes from `address` become reachable for the processor, or are no longer.
  m.map(address, value, usage);
  m.unmap(address, value);
  // No client may read the contents of `value` bytes from `address`, whole blocks: they may become zeros.
  m.discard(address, value);
};

}  // namespace swai::memory
