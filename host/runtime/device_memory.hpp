// SPDX-License-Identifier: Apache-2.0
// Memory of the card: for users asked for, noted, checked (memory_check.hpp), given back.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "host/runtime/device.hpp"

namespace swai::sdaa {

struct MemoryPool;

// The pointer. `pool`: where it goes when it is freed; null: to the card.
uint64_t allocate_on_card(Device& device, Device::Lock& lock, uint64_t bytes, protocol::Usage usage,
                          int group, const std::shared_ptr<MemoryPool>& pool = nullptr);
// For the library itself, which gives it back: processor and cores reach it. `what` it is for is in messages.
uint64_t allocate_shared(Device& device, uint64_t bytes, std::string_view what);
// What begins there, when nothing uses it any more.
void free_on_card(Device& device, Device::Lock& lock, uint64_t pointer);

}  // namespace swai::sdaa
