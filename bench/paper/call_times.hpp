// SPDX-License-Identifier: Apache-2.0
// The time that calls of the runtime library take, in the card's time, by function name; and when they began.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>

#include "host/runtime/include/sdaa_runtime.h"

namespace swai::cli::bench {

// Of a program with one thread. One at a time.
class CallTimes {
 public:
  CallTimes();
  ~CallTimes();
  CallTimes(const CallTimes&) = delete;
  CallTimes& operator=(const CallTimes&) = delete;

  struct Calls {
    uint64_t count = 0;
    uint64_t nanoseconds = 0;
    uint64_t first = 0;  // when it began
  };
  Calls of(const std::string& function) const;
  // When the first call of any of them began; 0: there was none.
  uint64_t first(std::initializer_list<const char*> functions) const;

 private:
  static void hear(const sdaaProfilerRecord_t* record, void* times);
  void hear(const sdaaProfilerRecord_t& record);

  std::map<std::string, Calls> calls_;
  uint64_t began_ = 0;  // the one that has not ended
};

}  // namespace swai::cli::bench
