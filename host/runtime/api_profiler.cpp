// SPDX-License-Identifier: Apache-2.0
// The C interface: profiling and ranges.
#include <vector>

#include "host/runtime/call.hpp"
#include "host/runtime/profile.hpp"
#include "host/runtime/profiler.hpp"

using namespace swai::sdaa;

sdaaError_t sdaaProfilerSetCallback(sdaaProfilerCallback_t function, void* user) {
  return call("sdaaProfilerSetCallback", [&] { set_profiler_callback(function, user); });
}

sdaaError_t sdaaProfilerStart(void) {
  return call("sdaaProfilerStart", [] {
    // As in CUDA nothing is wrong when nobody profiles, or when it is on already.
    Profile* profile = Profile::get();
    turn_profiler(true);
    if (profile != nullptr) profile->turn(true);
  });
}

sdaaError_t sdaaProfilerStop(void) {
  return call("sdaaProfilerStop", [] {
    Profile* profile = Profile::get();
    turn_profiler(false);
    if (profile != nullptr) profile->turn(false);
  });
}

namespace {
// Of this thread, from the outermost on; whether the profile has it.
thread_local std::vector<bool> ranges;
}  // namespace

sdaaError_t sdaaRangePush(const char* name) {
  return call_unseen("sdaaRangePush", [&] {
    require(name != nullptr, "a null pointer");
    Profile* profile = Profile::get();
    ranges.push_back(profile != nullptr && profile->begin(name));
  });
}

sdaaError_t sdaaRangePop(void) {
  return call_unseen("sdaaRangePop", [] {
    require(!ranges.empty(), "the thread is in no range", sdaaErrorIllegalState);
    if (ranges.back()) Profile::get()->end();
    ranges.pop_back();
  });
}

sdaaError_t sdaaRangeStart(uint64_t* range, const char* name) {
  return call_unseen("sdaaRangeStart", [&] {
    require(range != nullptr && name != nullptr, "a null pointer");
    Profile* profile = Profile::get();
    *range = profile == nullptr ? 0 : profile->start(name);
  });
}

sdaaError_t sdaaRangeEnd(uint64_t range) {
  return call_unseen("sdaaRangeEnd", [&] {
    if (range == 0) return;  // profiling was off
    Profile* profile = Profile::get();
    require(profile != nullptr && profile->stop(range), "no such range", sdaaErrorInvalidHandle);
  });
}
