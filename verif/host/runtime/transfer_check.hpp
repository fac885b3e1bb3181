// SPDX-License-Identifier: Apache-2.0
// What a DMA engine cannot know: for whom the firmware copies. Throws when that is between a client's window
// and memory of another one.
#pragma once

#include <stdexcept>

#include "firmware/runtime/runtime.hpp"
#include "verif/host/runtime/fake_processor.hpp"

namespace swai::sdaa {

using Firmware = runtime::Runtime<FakeProcessor>;

// Whose memory that is; 0: nobody's.
inline uint8_t owner_of(Firmware& firmware, FakeProcessor& processor, uint64_t address) {
  if (const uint8_t owner = processor.owner_at(address); owner != 0) return owner;
  // The management processor's own memory has no segments.
  for (const runtime::Client& client : firmware.clients().all()) {
    const auto range =
        firmware.memory().find(segment::pointer(protocol::kPageSegment, address), client.context);
    if (range.bytes != 0) return range.context;
  }
  return 0;
}

inline void check_transfer(Firmware& firmware, FakeProcessor& processor, const dma::Descriptor& descriptor) {
  for (const runtime::Client& client : firmware.clients().all()) {
    if (client.attached == protocol::Attached::kNobody || descriptor.host - client.base >= client.bytes)
      continue;
    for (const uint64_t at : {descriptor.card, descriptor.card + descriptor.length - 1}) {
      const uint8_t owner = owner_of(firmware, processor, at);
      if (owner != 0 && owner != client.context)
        throw std::runtime_error("the firmware copies between a client's window and memory of another one");
    }
  }
}

}  // namespace swai::sdaa
