// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/variable_memory.hpp"

#include <vector>

#include "host/runtime/device_memory.hpp"
#include "host/runtime/service_copies.hpp"

namespace swai::sdaa {

VariableMemory::VariableMemory(Device& device, Device::Lock& lock, std::span<const uint8_t> values)
    : device_(device), lock_(lock), epoch_(device.epoch()) {
  std::vector<uint8_t> content(kInFront);
  content.insert(content.end(), values.begin(), values.end());
  allocation_ = allocate_on_card(device, lock, content.size(), protocol::Usage::kCpe, sdaaAnyGroup);
  try {
    copy_to_card(device, lock, allocation_, content.data(), content.size());
  } catch (...) {
    give_back();
    throw;
  }
}

void VariableMemory::give_back(Device& device, Device::Lock& lock, uint64_t pointer) {
  // Its owner may have freed it all the same, by what sdaaMemGetAddressRange says.
  if (device.allocations().all().contains(pointer - kInFront)) free_on_card(device, lock, pointer - kInFront);
}

void VariableMemory::give_back() noexcept {
  if (allocation_ == 0 || device_.epoch() != epoch_) return;
  try {
    give_back(device_, lock_, release());
  } catch (...) {
    // The card is lost.
  }
}

}  // namespace swai::sdaa
