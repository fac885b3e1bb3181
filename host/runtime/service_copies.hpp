// SPDX-License-Identifier: Apache-2.0
// Small copies of the library's own, in its own queue, complete on return.
#pragma once

#include <cstdint>

#include "host/runtime/device.hpp"

namespace swai::sdaa {

void copy_to_card(Device& device, Device::Lock& lock, uint64_t to, const void* from, uint64_t bytes);
void copy_to_host(Device& device, Device::Lock& lock, void* to, uint64_t from, uint64_t bytes);

}  // namespace swai::sdaa
