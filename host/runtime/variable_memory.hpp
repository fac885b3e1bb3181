// SPDX-License-Identifier: Apache-2.0
// The variables of a module that hosts know (host/lib/variables.hpp): memory of the card as users have it, so
// all copies reach it.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "host/runtime/device.hpp"

namespace swai::sdaa {

class VariableMemory {
 public:
  VariableMemory(Device& device, Device::Lock& lock, std::span<const uint8_t> values);
  ~VariableMemory() { give_back(); }
  VariableMemory(const VariableMemory&) = delete;
  VariableMemory& operator=(const VariableMemory&) = delete;

  // Where variables begin: behind the allocation's first line, so that sdaaFree refuses each of them.
  uint64_t pointer() const { return allocation_ + kInFront; }
  // From now on the module's, which gives the allocation back.
  uint64_t release() { return std::exchange(allocation_, 0) + kInFront; }

  // What release() gave, when nothing uses it any more.
  static void give_back(Device& device, Device::Lock& lock, uint64_t pointer);

 private:
  static constexpr uint64_t kInFront = 64;

  void give_back() noexcept;

  Device& device_;
  Device::Lock& lock_;
  const uint64_t epoch_;
  uint64_t allocation_ = 0;
};

}  // namespace swai::sdaa
