// SPDX-License-Identifier: Apache-2.0
// Calls a program's own function when functions of the C interface begin and end.
#pragma once

#include <cstdint>

#include "host/runtime/include/sdaa_runtime.h"

namespace swai::sdaa {

class Profiled {
 public:
  explicit Profiled(const char* name) noexcept;
  sdaaError_t end(sdaaError_t result) const noexcept;

 private:
  const char* name_;
  uint64_t correlation_ = 0;  // 0: nobody listens
};

// The function that is called; null: none.
void set_profiler_callback(sdaaProfilerCallback_t function, void* user);
void turn_profiler(bool now_on);

}  // namespace swai::sdaa
