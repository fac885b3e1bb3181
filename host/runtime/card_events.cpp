// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/card_events.hpp"

#include "abi/protocol.hpp"
#include "host/runtime/error.hpp"

namespace swai::sdaa {

void CardEvents::open() {
  counts_.assign(protocol::kEvents, 0);
  free_.clear();
  for (unsigned i = protocol::kEvents - protocol::kQueues; i-- > 0;) free_.push_back(i);
}

unsigned CardEvents::take() {
  if (free_.empty()) fail(sdaaErrorOutOfMemory, "the card has no more events");
  const unsigned number = free_.back();
  free_.pop_back();
  return number;
}

unsigned CardEvents::of_queue(unsigned queue) { return protocol::kEvents - 1 - queue; }

}  // namespace swai::sdaa
