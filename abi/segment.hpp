// SPDX-License-Identifier: Apache-2.0
// Entries of the segment table and global pointers, as they lie in memory (abi/cpe.toml): shared by firmware,
// host, kernels and tests.
#pragma once

#include <cstdint>

#include "cpe_isa.hpp"

namespace swai::segment {

inline constexpr uint64_t kGranuleBytes = 4096;
inline constexpr unsigned kGranuleShift = 12;
inline constexpr unsigned kAddressBits = 40;
// The number of a segment has 16 bits. 0 is never given to anybody, so that a null pointer faults; 0xffff
// stands for "none" in fault records.
inline constexpr uint32_t kMaxEntries = 0x1'0000;
inline constexpr uint16_t kNull = 0;
inline constexpr uint16_t kNone = cpe::isa::kNoSegment;
// The context that everybody belongs to.
inline constexpr uint8_t kShared = cpe::isa::kSharedOwner;

enum Permission : uint8_t { kRead = 1, kWrite = 2, kExecute = 4 };

struct Entry {
  uint64_t base;  // physical address, a multiple of kGranuleBytes
  uint64_t size;  // bytes, a multiple of kGranuleBytes
  uint8_t permissions;
  uint8_t owner = kShared;
};

// One 64-bit store makes a segment or takes it away.
inline constexpr uint64_t kNoEntry = 0;

constexpr bool representable(const Entry& entry) {
  constexpr uint64_t kMaxSize = cpe::isa::segment_entry::kSize.mask() >> cpe::isa::segment_entry::kSize.lsb
                                                                             << kGranuleShift;
  return entry.base % kGranuleBytes == 0 && entry.size % kGranuleBytes == 0 &&
         entry.base >> kAddressBits == 0 && entry.size <= kMaxSize &&
         entry.permissions <= (kRead | kWrite | kExecute);
}

// Permission's bits are three fields side by side.
inline constexpr Field kPermissions{cpe::isa::segment_entry::kRead.lsb, 3};
static_assert(kPermissions.put(kWrite) == cpe::isa::segment_entry::kWrite.mask() &&
              kPermissions.put(kExecute) == cpe::isa::segment_entry::kExecute.mask());

// Of a representable entry.
constexpr uint64_t encode(const Entry& entry) {
  namespace e = cpe::isa::segment_entry;
  return entry.base >> kGranuleShift << e::kBase.lsb | entry.size >> kGranuleShift << e::kSize.lsb |
         uint64_t{entry.permissions} << kPermissions.lsb | e::kValid.mask() |
         uint64_t{entry.owner} << e::kOwner.lsb;
}

constexpr bool is_valid(uint64_t word) { return cpe::isa::segment_entry::kValid.get(word) != 0; }

constexpr Entry decode(uint64_t word) {
  namespace e = cpe::isa::segment_entry;
  return {e::kBase.get(word) << kGranuleShift, e::kSize.get(word) << kGranuleShift,
          static_cast<uint8_t>(kPermissions.get(word)), static_cast<uint8_t>(e::kOwner.get(word))};
}

// A global pointer: segment and byte offset in it.
inline constexpr unsigned kOffsetBits = 48;
inline constexpr uint64_t kOffsetMask = (uint64_t{1} << kOffsetBits) - 1;
constexpr uint64_t pointer(uint16_t segment, uint64_t offset) {
  return uint64_t{segment} << kOffsetBits | (offset & kOffsetMask);
}
constexpr uint16_t number(uint64_t pointer) { return static_cast<uint16_t>(pointer >> kOffsetBits); }
constexpr uint64_t offset(uint64_t pointer) { return pointer & kOffsetMask; }

}  // namespace swai::segment
