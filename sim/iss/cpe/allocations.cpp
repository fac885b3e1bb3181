// SPDX-License-Identifier: Apache-2.0
#include "sim/iss/cpe/allocations.hpp"

#include <iterator>

#include "abi/segment.hpp"

namespace swai::iss::cpe {

bool Allocations::add(uint64_t pointer, uint64_t bytes) {
  const uint64_t begin = segment::offset(pointer);
  if (bytes == 0 || bytes > segment::kOffsetMask - begin || count_ == kMaxAllocations) return false;
  Ranges& ranges = segments_[segment::number(pointer)];
  const auto next = ranges.lower_bound(begin);
  const bool overlaps = (next != ranges.end() && next->first < begin + bytes) ||
                        (next != ranges.begin() && std::prev(next)->second > begin);
  if (overlaps) return false;
  ranges.emplace_hint(next, begin, begin + bytes);
  ++count_;
  return true;
}

bool Allocations::remove(uint64_t pointer) {
  const auto found = segments_.find(segment::number(pointer));
  if (found == segments_.end() || found->second.erase(segment::offset(pointer)) == 0) return false;
  if (found->second.empty()) segments_.erase(found);
  --count_;
  return true;
}

bool Allocations::contain(const Ranges& ranges, uint64_t offset, uint64_t bytes) {
  const auto next = ranges.upper_bound(offset);
  if (next == ranges.begin()) return false;
  const uint64_t end = std::prev(next)->second;
  return offset < end && bytes <= end - offset;
}

}  // namespace swai::iss::cpe
