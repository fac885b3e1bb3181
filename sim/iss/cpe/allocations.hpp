// SPDX-License-Identifier: Apache-2.0
// The memory that a client says it has allocated, for checked runs: global memory is protected segment by
// segment, and a segment may hold many allocations.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>

namespace swai::iss::cpe {

class Allocations {
 public:
  // Offsets in a segment: where each allocation begins, and the first byte after it.
  using Ranges = std::map<uint64_t, uint64_t>;

  // False: the range leaves its segment, overlaps an allocation, or there are too many.
  bool add(uint64_t pointer, uint64_t bytes);
  // The allocation that begins there; false: none does.
  bool remove(uint64_t pointer);
  void clear() { segments_.clear(), count_ = 0; }

  // Null: the segment has no allocation, and all of it may be accessed.
  const Ranges* of(uint16_t segment) const {
    if (count_ == 0) return nullptr;
    const auto found = segments_.find(segment);
    return found == segments_.end() ? nullptr : &found->second;
  }
  // Whether all of these bytes lie in one of them.
  static bool contain(const Ranges& ranges, uint64_t offset, uint64_t bytes);

 private:
  // Limit, so that a client cannot exhaust the memory of the process.
  static constexpr size_t kMaxAllocations = size_t{1} << 20;

  std::unordered_map<uint16_t, Ranges> segments_;
  size_t count_ = 0;
};

}  // namespace swai::iss::cpe
