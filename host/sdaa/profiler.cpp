// SPDX-License-Identifier: Apache-2.0
#include "host/sdaa/profiler.hpp"

#include <atomic>
#include <chrono>
#include <mutex>
#include <vector>

#include "host/sdaa/call.hpp"

namespace swai::sdaa {
namespace {

// The callback and its argument change together.
std::mutex mutex;
sdaaProfilerCallback_t callback = nullptr;
void* callback_user = nullptr;
std::atomic<bool> on = false;
std::atomic<uint64_t> last = 0;

void tell(const char* name, sdaaProfilerPhase phase, uint64_t correlation, sdaaError_t result) {
  sdaaProfilerCallback_t function;
  void* user;
  {
    const std::lock_guard guard(mutex);
    function = callback;
    user = callback_user;
  }
  if (function == nullptr) return;
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  const sdaaProfilerRecord_t record = {
      name, phase, correlation, result,
      static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count())};
  function(&record, user);
}

}  // namespace

Profiled::Profiled(const char* name) noexcept : name_(name) {
  if (!on.load(std::memory_order_relaxed)) return;
  correlation_ = ++last;
  tell(name_, sdaaProfilerEnter, correlation_, sdaaSuccess);
}

sdaaError_t Profiled::end(sdaaError_t result) const noexcept {
  if (correlation_ != 0) tell(name_, sdaaProfilerExit, correlation_, result);
  return result;
}

}  // namespace swai::sdaa

using namespace swai::sdaa;

sdaaError_t sdaaProfilerSetCallback(sdaaProfilerCallback_t function, void* user) {
  return call("sdaaProfilerSetCallback", [&] {
    const std::lock_guard guard(mutex);
    callback = function;
    callback_user = user;
  });
}

sdaaError_t sdaaProfilerStart(void) {
  return call("sdaaProfilerStart", [] {
    // As in CUDA nothing is wrong when nobody profiles, or when it is on already.
    Profile* profile = Profile::get();
    on = true;
    if (profile != nullptr) profile->turn(true);
  });
}

sdaaError_t sdaaProfilerStop(void) {
  return call("sdaaProfilerStop", [] {
    Profile* profile = Profile::get();
    on = false;
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
