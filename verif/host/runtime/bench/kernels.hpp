// SPDX-License-Identifier: Apache-2.0
// Arguments of the kernels that measurements launch.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "abi/global_ptr.hpp"
#include "abi/segment.hpp"

namespace swai::sdaa {

// idle: does nothing with them.
struct IdleArgs {
  cpe::GlobalPtr<uint32_t> to;
  cpe::GlobalPtr<const uint32_t> from;
  uint64_t count;
};

// take_shares: each core takes its share, 1 << shift bytes, of what lies in the segment from `first` (4 KiB
// each) on, and the last one stores its last line behind all shares, or beside the processor, timed::kBeside
// behind program::kAnswerPointer. This word is the launch's argument, not where it lies.
class SharesWord {
 public:
  constexpr explicit SharesWord(uint32_t word) : word_(word) {}
  // For `bytes` at a device pointer, for a group of rows and columns that are powers of two; pointer() says
  // another one if that cannot be said: of a segment from 4096 on, or 64 KiB from its beginning.
  constexpr SharesWord(uint64_t pointer, uint64_t bytes, unsigned rows, unsigned columns)
      : word_(uint32_t{segment::number(pointer)} << 20 |
              (static_cast<uint32_t>(segment::offset(pointer)) & kFirst) |
              static_cast<uint32_t>(std::countr_zero(bytes / rows)) << 5 |
              static_cast<uint32_t>(std::countr_zero(bytes / rows / columns))) {}
  constexpr SharesWord beside() const { return SharesWord(word_ | kIsBeside); }
  constexpr uint32_t word() const { return word_; }
  constexpr uint64_t pointer() const { return segment::pointer(segment(), first()); }
  constexpr uint16_t segment() const { return static_cast<uint16_t>(word_ >> 20); }
  constexpr uint32_t first() const { return word_ & kFirst; }
  constexpr bool is_beside() const { return (word_ & kIsBeside) != 0; }
  // For shifts, of which the core looks at the low five bits: of a row's share, and of a core's.
  constexpr uint32_t row_shift() const { return word_ >> 5 & 31; }
  constexpr uint32_t shift() const { return word_ & 31; }

 private:
  static constexpr uint32_t kFirst = 0xf000, kIsBeside = 1 << 16;
  uint32_t word_;
};

}  // namespace swai::sdaa
