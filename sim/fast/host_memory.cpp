// SPDX-License-Identifier: Apache-2.0
#include "sim/fast/host_memory.hpp"

namespace swai::fast {

HostMemory::State HostMemory::begin(Access& access, bool write, uint64_t address, std::span<uint8_t> bytes) {
  if (route_) {
    if (const auto taken = route_(write, address, bytes)) return *taken ? State::kDone : State::kFault;
  }
  access.transfer_.begin(iommu_, now_(), write ? rootport::Access::kWrite : rootport::Access::kRead, address,
                         bytes);
  access.open_ = true;
  return go_on(access);
}

HostMemory::State HostMemory::go_on(Access& access) {
  using enum rootport::Iommu::Transfer::State;
  switch (access.transfer_.state()) {
    case kWaiting:
      return State::kWaiting;
    case kDone:
      access.open_ = false;
      return State::kDone;
    default:
      access.open_ = false;
      return State::kFault;
  }
}

void HostMemory::cancel(Access& access) {
  if (access.open_) access.transfer_.cancel();
  access.open_ = false;
}

}  // namespace swai::fast
