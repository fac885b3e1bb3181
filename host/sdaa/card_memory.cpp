// SPDX-License-Identifier: Apache-2.0
#include "host/sdaa/card_memory.hpp"

#include "host/sdaa/device_memory.hpp"
#include "host/sdaa/staging.hpp"

namespace swai::sdaa {

using protocol::Operation;

CardMemory::CardMemory(Device& device, Device::Lock& lock, std::span<const uint8_t> bytes)
    : device_(device), lock_(lock), epoch_(device.epoch()) {
  Queue& queue = device.service_queue();
  pointer_ = allocate_shared(device, bytes.size(), "the library's own data");
  try {
    guard([&] { copy_to_card(device, lock, queue, pointer_, bytes.data(), bytes.size()); });
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
  Queue& queue = device_.service_queue();
  if (!queue.failed()) return;
  device_.wait_until(lock_, [&] { return queue.idle(); });
  queue.begin(static_cast<uint32_t>(device_.connection().ask(Operation::kQueueReset, {queue.number})[0]));
}

}  // namespace swai::sdaa
