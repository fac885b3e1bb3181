// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/profiler.hpp"

#include <atomic>
#include <chrono>
#include <mutex>

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

void set_profiler_callback(sdaaProfilerCallback_t function, void* user) {
  const std::lock_guard guard(mutex);
  callback = function;
  callback_user = user;
}

void turn_profiler(bool now_on) { on = now_on; }

}  // namespace swai::sdaa
