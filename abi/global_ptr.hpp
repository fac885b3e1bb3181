// SPDX-License-Identifier: Apache-2.0
// Pointers to global memory. The same type is used by kernels (32 bits), firmware and host (64 bits) in
// arguments.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "abi/segment.hpp"

namespace swai::cpe {

// Where a T lies in global memory: 16-bit segment, 48-bit byte offset. It cannot be dereferenced: DMA and the
// data window (window.hpp) move what it points to. Arithmetic stays inside the segment: an offset that leaves
// it faults when it is used.
template <typename T = void>
class GlobalPtr {
 public:
  // The null pointer: segment 0 is never given to anybody.
  constexpr GlobalPtr() = default;
  constexpr GlobalPtr(std::nullptr_t) {}
  constexpr explicit GlobalPtr(uint64_t bits) : bits_(bits) {}
  constexpr GlobalPtr(uint16_t segment, uint64_t offset) : bits_(segment::pointer(segment, offset)) {}

  // As with ordinary pointers, every T* is a const T* and a void*.
  template <typename U>
  requires std::is_convertible_v<U*, T*>
  constexpr GlobalPtr(GlobalPtr<U> other) : bits_(other.bits()) {}

  template <typename U>
  constexpr GlobalPtr<U> as() const {
    return GlobalPtr<U>(bits_);
  }

  constexpr uint64_t bits() const { return bits_; }
  constexpr uint16_t segment() const { return segment::number(bits_); }
  constexpr uint64_t offset() const { return segment::offset(bits_); }

  constexpr explicit operator bool() const { return bits_ != 0; }
  constexpr bool operator==(const GlobalPtr&) const = default;

  // By halves: a core of 32 bits takes half of the instructions then that it takes for 64 bits.
  constexpr GlobalPtr plus_bytes(int64_t bytes) const {
    constexpr auto kMask = static_cast<uint32_t>(segment::kOffsetMask >> 32);
    const uint64_t sum = bits_ + static_cast<uint64_t>(bytes);
    const auto high = static_cast<uint32_t>(bits_ >> 32), sum_high = static_cast<uint32_t>(sum >> 32);
    return GlobalPtr(uint64_t{high ^ ((high ^ sum_high) & kMask)} << 32 | static_cast<uint32_t>(sum));
  }
  constexpr GlobalPtr operator+(int64_t count) const requires(!std::is_void_v<T>) {
    return plus_bytes(count * size_of<T>());
  }
  constexpr GlobalPtr operator-(int64_t count) const requires(!std::is_void_v<T>) { return *this + -count; }
  constexpr GlobalPtr& operator+=(int64_t count) requires(!std::is_void_v<T>) {
    return *this = *this + count;
  }

 private:
  // As a template of its own, because there is no size of void.
  template <typename U>
  static constexpr int64_t size_of() {
    if constexpr (std::is_void_v<U>) {
      return 0;
    } else {
      return sizeof(U);
    }
  }

  uint64_t bits_ = 0;
};
static_assert(sizeof(GlobalPtr<int>) == 8 && alignof(GlobalPtr<int>) == 8);

}  // namespace swai::cpe
