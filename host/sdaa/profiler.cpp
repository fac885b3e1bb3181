#include "host/sdaa/profiler.hpp"

#include <atomic>
#include <chrono>
#include <mutex>

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
    {
      const std::lock_guard guard(mutex);
      require(callback != nullptr, "sdaaProfilerSetCallback has to be called before",
              sdaaErrorProfilerNotInitialized);
    }
    require(!on.exchange(true), "profiling has been started already", sdaaErrorProfilerAlreadyStarted);
  });
}

sdaaError_t sdaaProfilerStop(void) {
  return call("sdaaProfilerStop", [] {
    require(on.exchange(false), "profiling has been stopped already", sdaaErrorProfilerAlreadyStopped);
  });
}
