#include "host/sdaa/long_wait.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "host/sdaa/device.hpp"

namespace swai::sdaa {
namespace {

constexpr std::chrono::seconds kLongestPause{600};

}  // namespace

void LongWait::tell(Clock::duration waited, Clock::time_point now, uint64_t cycles) {
  const double seconds = std::max(std::chrono::duration<double>(waited).count(), 1e-3);
  fmt::print(stderr,
             "swai: waiting for {} (device {}) for {:.0f} s: {} cycles, {:.0f} thousand a second; "
             "SWAI_LAUNCH_LIMIT=CYCLES ends launches that take longer\n",
             what_runs(), device_.number(), seconds, cycles, static_cast<double>(cycles) / seconds / 1e3);
  next_ = now + pause_;
  pause_ = std::min(pause_ * 2, kLongestPause);
}

std::string LongWait::what_runs() const {
  const uint64_t other = device_.other_client();
  if (other != 0) {
    return fmt::format("a launch of another program, client {} in `swai top`,", other);
  }
  const KernelInfo* const kernel = device_.first_kernel();
  return kernel == nullptr ? "the card" : fmt::format("kernel {}", kernel->name);
}

}  // namespace swai::sdaa
