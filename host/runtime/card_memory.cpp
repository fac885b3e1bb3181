// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/card_memory.hpp"

#include "host/runtime/device_memory.hpp"
#include "host/runtime/service_copies.hpp"

namespace swai::sdaa {

using protocol::Operation;

CardMemory::CardMemory(Device& device, Device::Lock& lock, std::span<const uint8_t> bytes)
    : device_(device), lock_(lock), epoch_(device.epoch()) {
  pointer_ = allocate_shared(device, bytes.size(), "the library's own data");
  try {
    guard([&] { copy_to_card(device, lock, pointer_, bytes.data(), bytes.size()); });
  } catch (...) {
    drop();
    throw;
  }
}

void CardMemory::drop() noexcept {
  try {
    give_back();
  } catch (...) {
    // The card is lost, or was reset meanwhile.
  }
}

void CardMemory::give_back() {
  if (pointer_ != 0) device_.connection().ask(Operation::kFree, {release()});
}

void CardMemory::repair() {
  if (device_.epoch() != epoch_) {
    release();  // it has gone with all the rest
    return;
  }
  Queue& queue = device_.queues().service();
  if (!queue.failed()) return;
  device_.waiting().until(lock_, [&] { return queue.idle(); });
  device_.queues().restart(queue);
}

}  // namespace swai::sdaa
