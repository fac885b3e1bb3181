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

// take_shares: each core takes its share, 1 << shift bytes, of what lies in the segment from `first` (whole
// KiB) on, and the last one stores its last line behind all shares. This word is the launch's argument, not
// where it lies.
class SharesWord {
 public:
  static constexpr uint32_t kUnit = 1024;
  constexpr explicit SharesWord(uint32_t word) : word_(word) {}
  // Fewer than 4096 segments and units.
  constexpr SharesWord(uint32_t segment, uint32_t first, uint32_t shift)
      : word_(segment << 20 | first / kUnit << 8 | shift) {}
  // For `bytes` at a device pointer; pointer() says another one if that cannot be said.
  constexpr SharesWord(uint64_t pointer, uint64_t bytes, unsigned cores)
      : SharesWord(segment::number(pointer), static_cast<uint32_t>(segment::offset(pointer)),
                   static_cast<uint32_t>(std::countr_zero(bytes / cores))) {}
  constexpr uint32_t word() const { return word_; }
  constexpr uint64_t pointer() const { return segment::pointer(segment(), first()); }
  constexpr uint16_t segment() const { return static_cast<uint16_t>(word_ >> 20); }
  constexpr uint32_t first() const { return (word_ >> 8 & 0xfff) * kUnit; }
  // For shifts, of which the core looks at the low five bits.
  constexpr uint32_t shift() const { return word_ & 31; }

 private:
  uint32_t word_;
};

}  // namespace swai::sdaa
