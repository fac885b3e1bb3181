// SPDX-License-Identifier: Apache-2.0
#include "host/tools/cli/measured.hpp"

#include "host/tools/cli/error.hpp"
#include "host/tools/cli/table.hpp"

namespace swai::cli {

OnCard::OnCard(uint64_t bytes) { check(sdaaMalloc(&pointer_, bytes), size_text(bytes) + " on the card"); }
OnCard::~OnCard() { sdaaFree(pointer_); }

Pinned::Pinned(uint64_t bytes) : bytes_(bytes) {
  check(sdaaMallocHost(&pointer_, bytes), size_text(bytes) + " pinned");
}
Pinned::~Pinned() { sdaaFreeHost(pointer_); }

uint64_t card_time() {
  uint64_t nanoseconds = 0;
  check(sdaaDeviceGetTime(&nanoseconds), "the card's time");
  return nanoseconds;
}

}  // namespace swai::cli
