// SPDX-License-Identifier: Apache-2.0
// Memory of the card that the library has for itself: filled at once, and given back whatever happens.
#pragma once

#include <cstdint>
#include <span>

#include "host/runtime/device.hpp"

namespace swai::sdaa {

class CardMemory {
 public:
  // Processor and cores reach it.
  CardMemory(Device& device, Device::Lock& lock, std::span<const uint8_t> bytes);
  ~CardMemory() { drop(); }
  CardMemory(const CardMemory&) = delete;
  CardMemory& operator=(const CardMemory&) = delete;

  uint64_t pointer() const { return pointer_; }
  void give_back();
  // Somebody else gives it back.
  uint64_t release() { return std::exchange(pointer_, 0); }

  // Commands that use it, in the library's own queue, which is put in order again when they fail.
  template <typename Commands>
  void guard(Commands commands) {
    try {
      commands();
    } catch (...) {
      repair();
      throw;
    }
  }

 private:
  void drop() noexcept;
  void repair();

  Device& device_;
  Device::Lock& lock_;
  const uint64_t epoch_;
  uint64_t pointer_ = 0;
};

}  // namespace swai::sdaa
