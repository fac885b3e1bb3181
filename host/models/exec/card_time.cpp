// SPDX-License-Identifier: Apache-2.0
#include "host/models/exec/card_time.hpp"

#include "host/models/exec/card_memory.hpp"

namespace swai::walk {

static constexpr const char* kWhat = "the card's time";

CardTime::CardTime() {
  check(sdaaEventCreate(&begin_), kWhat);
  check(sdaaEventCreate(&end_), kWhat);
}

CardTime::~CardTime() {
  for (const sdaaEvent_t event : {begin_, end_})
    if (event != nullptr) static_cast<void>(sdaaEventDestroy(event));
}

void CardTime::begin() { check(sdaaEventRecord(begin_, nullptr), kWhat); }

void CardTime::end() {
  check(sdaaEventRecord(end_, nullptr), kWhat);
  check(sdaaEventSynchronize(end_), kWhat);
}

uint64_t CardTime::nanoseconds() const {
  float milliseconds = 0;
  check(sdaaEventElapsedTime(&milliseconds, begin_, end_), kWhat);
  return static_cast<uint64_t>(milliseconds * 1e6F + 0.5F);
}

}  // namespace swai::walk
