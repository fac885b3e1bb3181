// SPDX-License-Identifier: Apache-2.0
// Dividing the local memory that nobody else uses, once, at the start of a kernel.
#pragma once

#include "swai/ldm.hpp"

namespace swai::cpe {

class Arena {
 public:
  // `bytes` at a line of 64 bytes. When a kernel's arguments ask for more than there is it stops: breakpoint.
  template <typename T>
  T* take(uint32_t bytes) {
    const uint32_t lines = (bytes + kLine - 1) / kLine * kLine;
    if (lines > left()) __builtin_trap();
    std::byte* const at = next_;
    next_ += lines;
    return reinterpret_cast<T*>(at);
  }
  uint32_t left() const { return static_cast<uint32_t>(end_ - next_); }

 private:
  std::byte* next_ = free_ldm().data();
  std::byte* end_ = next_ + free_ldm().size();
};

}  // namespace swai::cpe
