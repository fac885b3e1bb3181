// SPDX-License-Identifier: Apache-2.0
// Tells somebody when functions of the C interface begin and end.
#pragma once

#include <cstdint>

#include "host/sdaa/include/sdaa_runtime.h"

namespace swai::sdaa {

class Profiled {
 public:
  explicit Profiled(const char* name) noexcept;
  sdaaError_t end(sdaaError_t result) const noexcept;

 private:
  const char* name_;
  uint64_t correlation_ = 0;  // 0: nobody listens
};

}  // namespace swai::sdaa
