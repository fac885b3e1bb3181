// SPDX-License-Identifier: Apache-2.0
// What kernels print comes out: whoever has waited takes what is there. It goes to standard output, core
// after core.
#pragma once

#include "host/runtime/device.hpp"

namespace swai::sdaa {

void drain_prints(Device& device, Device::Lock& lock);
// The same when waiting has failed, and that is what counts.
void drain_prints_quietly(Device& device, Device::Lock& lock) noexcept;

// What was printed comes out, however the waiting ends.
template <typename Wait>
void wait_and_print(Device& device, Device::Lock& lock, Wait wait) {
  try {
    wait();
  } catch (...) {
    drain_prints_quietly(device, lock);
    throw;
  }
  drain_prints(device, lock);
}

}  // namespace swai::sdaa
