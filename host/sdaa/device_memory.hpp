// Memory of the card for users: asked for, noted, checked (memory_check.hpp), given back.
#pragma once

#include <cstdint>
#include <memory>

#include "host/sdaa/device.hpp"

namespace swai::sdaa {

struct MemoryPool;

// The pointer. `pool`: where it goes when it is freed; null: to the card.
uint64_t allocate_on_card(Device& device, Device::Lock& lock, uint64_t bytes, protocol::Usage usage,
                          int group, const std::shared_ptr<MemoryPool>& pool = nullptr);
// What begins there, when nothing uses it any more.
void free_on_card(Device& device, Device::Lock& lock, uint64_t pointer);

}  // namespace swai::sdaa
