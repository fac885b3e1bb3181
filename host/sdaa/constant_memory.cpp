#include "host/sdaa/constant_memory.hpp"

#include <vector>

#include "host/sdaa/copy.hpp"
#include "host/sdaa/device_memory.hpp"

namespace swai::sdaa {

ConstantMemory::ConstantMemory(Device& device, Device::Lock& lock, uint64_t bytes)
    : device_(device), lock_(lock), epoch_(device.epoch()) {
  const std::vector<uint8_t> zeros(kInFront + bytes);
  allocation_ = allocate_on_card(device, lock, zeros.size(), protocol::Usage::kCpe, sdaaAnyGroup);
  try {
    copy_to_card(device, lock, device.service_queue(), allocation_, zeros.data(), zeros.size());
  } catch (...) {
    give_back();
    throw;
  }
}

void ConstantMemory::give_back(Device& device, Device::Lock& lock, uint64_t pointer) {
  // Its owner may have freed it all the same, by what sdaaMemGetAddressRange says.
  if (device.allocations().all().contains(pointer - kInFront)) free_on_card(device, lock, pointer - kInFront);
}

void ConstantMemory::give_back() noexcept {
  if (allocation_ == 0 || device_.epoch() != epoch_) return;
  try {
    give_back(device_, lock_, release());
  } catch (...) {
    // The card is lost.
  }
}

}  // namespace swai::sdaa
