// SPDX-License-Identifier: Apache-2.0
// Copies between cards. One that may do so (sdaaDeviceEnablePeerAccess) reads the other's memory through its
// BAR, which a root complex that has both brings to it; else the bytes go through the host.
#pragma once

#include <cstdint>
#include <memory>

#include "host/runtime/copy.hpp"
#include "host/runtime/device.hpp"

namespace swai::sdaa {

// Where some memory of a card is.
struct PeerMemory {
  std::shared_ptr<Device> device;
  uint64_t pointer = 0;
};

// Tried out with a few bytes. No lock is held.
bool reaches(const std::shared_ptr<Device>& device, const std::shared_ptr<Device>& peer);

// In the order of both default streams; complete on return.
void copy_between(const PeerMemory& to, const PeerMemory& from, uint64_t bytes);
// In the order of this stream, behind what the default stream of the other card has. Returns at once only if
// the stream is of the card that it goes to, and that reaches the other one.
void start_copy_between(const PeerMemory& to, const PeerMemory& from, uint64_t bytes, sdaaStream_t stream);

}  // namespace swai::sdaa
