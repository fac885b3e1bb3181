// SPDX-License-Identifier: Apache-2.0
// How long the card takes for something.
#pragma once

#include <cstdint>

#include "host/runtime/include/sdaa_runtime.h"

namespace swai::walk {

class CardTime {
 public:
  CardTime();
  ~CardTime();
  CardTime(const CardTime&) = delete;
  CardTime& operator=(const CardTime&) = delete;

  void begin();
  // Waits until all is done that was asked for before.
  void end();
  // From one to the other.
  uint64_t nanoseconds() const;

 private:
  sdaaEvent_t begin_ = nullptr, end_ = nullptr;
};

}  // namespace swai::walk
