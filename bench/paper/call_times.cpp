// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/call_times.hpp"

#include <string_view>

#include "host/tools/cli/error.hpp"
#include "host/tools/cli/measured.hpp"

namespace swai::cli::bench {

CallTimes::CallTimes() {
  check(sdaaProfilerSetCallback(&CallTimes::hear, this), "times of calls");
  check(sdaaProfilerStart(), "times of calls");
}

CallTimes::~CallTimes() {
  static_cast<void>(sdaaProfilerStop());
  static_cast<void>(sdaaProfilerSetCallback(nullptr, nullptr));
}

void CallTimes::hear(const sdaaProfilerRecord_t* record, void* times) {
  // By this it tells the time itself.
  if (std::string_view(record->function) == "sdaaDeviceGetTime") return;
  static_cast<CallTimes*>(times)->hear(*record);
}

void CallTimes::hear(const sdaaProfilerRecord_t& record) {
  uint64_t now = 0;
  if (sdaaDeviceGetTime(&now) != sdaaSuccess) return;  // the next call of the program meets the same
  if (record.phase == sdaaProfilerEnter) {
    began_ = now;
    return;
  }
  Calls& calls = calls_[record.function];
  if (calls.count++ == 0) calls.first = began_;
  calls.nanoseconds += now - began_;
}

CallTimes::Calls CallTimes::of(const std::string& function) const {
  const auto found = calls_.find(function);
  return found == calls_.end() ? Calls() : found->second;
}

uint64_t CallTimes::first(std::initializer_list<const char*> functions) const {
  uint64_t earliest = 0;
  for (const char* const function : functions) {
    const uint64_t first = of(function).first;
    if (first != 0 && (earliest == 0 || first < earliest)) earliest = first;
  }
  return earliest;
}

}  // namespace swai::cli::bench
