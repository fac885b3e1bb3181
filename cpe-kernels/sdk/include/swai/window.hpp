// SPDX-License-Identifier: Apache-2.0
// The data window: single loads and stores to global memory. Each takes as long as memory does and the core
// waits for it; DMA is for everything larger than a few words.
//
//   const Window<uint32_t> flags(args->flags);
//   flags[3] = flags[2] + 1;
#pragma once

#include <cstddef>
#include <cstdint>

#include "abi/global_ptr.hpp"
#include "swai/isa.hpp"

namespace swai::cpe {

inline constexpr uint32_t kWindowBase = 0x8000'0000;
inline constexpr uint32_t kWindowBytes = 0x1000'0000;

// Where the arguments lie that a kernel's pointer shows, through a window of their own, for DMA: several at
// once, in the time of one load.
template <typename T>
GlobalPtr<const T> global(const T* arguments) {
  return {static_cast<uint16_t>(isa::constant_csr<isa::csr::kArgumentSegment>()),
          static_cast<uint32_t>(reinterpret_cast<uintptr_t>(arguments)) % kWindowBytes};
}

// Shows 256 MiB of global memory from `at` on, as long as the object lives; then the window shows again what
// it showed before.
template <typename T>
class Window {
 public:
  explicit Window(GlobalPtr<T> at)
      : before_low_(isa::read_csr<isa::csr::kWindowLow>()),
        before_high_(isa::read_csr<isa::csr::kWindowHigh>()) {
    isa::write_csr<isa::csr::kWindowLow>(static_cast<uint32_t>(at.bits()));
    isa::write_csr<isa::csr::kWindowHigh>(static_cast<uint32_t>(at.bits() >> 32));
  }
  ~Window() {
    isa::write_csr<isa::csr::kWindowLow>(before_low_);
    isa::write_csr<isa::csr::kWindowHigh>(before_high_);
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  volatile T& operator[](size_t index) const { return *(begin() + index); }
  volatile T& operator*() const { return *begin(); }

 private:
  static volatile T* begin() { return reinterpret_cast<volatile T*>(kWindowBase); }

  uint32_t before_low_;
  uint32_t before_high_;
};

}  // namespace swai::cpe
