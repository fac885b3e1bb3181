// Entries of the segment table and global pointers, as they lie in memory: shared by firmware, host, kernels
// and tests. The hardware's side is rtl/cg/cg_pkg.sv.
#pragma once

#include <cstdint>

namespace swai::segment {

inline constexpr uint64_t kGranuleBytes = 4096;
inline constexpr unsigned kGranuleShift = 12;
inline constexpr unsigned kAddressBits = 40;
// The number of a segment has 16 bits. 0 is never given to anybody, so that a null pointer faults; 0xffff
// stands for "none" in fault records.
inline constexpr uint32_t kMaxEntries = 0x1'0000;
inline constexpr uint16_t kNull = 0;
inline constexpr uint16_t kNone = 0xffff;
// The context that everybody belongs to.
inline constexpr uint8_t kShared = 0;

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
  constexpr uint64_t kMaxSize = ((uint64_t{1} << 24) - 1) << kGranuleShift;
  return entry.base % kGranuleBytes == 0 && entry.size % kGranuleBytes == 0 &&
         entry.base >> kAddressBits == 0 && entry.size <= kMaxSize &&
         entry.permissions <= (kRead | kWrite | kExecute);
}

constexpr uint64_t encode(const Entry& entry) {
  return entry.base >> kGranuleShift | entry.size >> kGranuleShift << 28 | uint64_t{entry.permissions} << 52 |
         uint64_t{1} << 55 | uint64_t{entry.owner} << 56;
}

constexpr bool is_valid(uint64_t word) { return (word >> 55 & 1) != 0; }

constexpr Entry decode(uint64_t word) {
  return {(word & 0xfff'ffff) << kGranuleShift, (word >> 28 & 0xff'ffff) << kGranuleShift,
          static_cast<uint8_t>(word >> 52 & 7), static_cast<uint8_t>(word >> 56)};
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
