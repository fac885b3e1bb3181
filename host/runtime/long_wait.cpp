// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/long_wait.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "host/runtime/client_usage.hpp"
#include "host/transport/served_client.hpp"

namespace swai::sdaa {
namespace {

// Of another client of a card that is shared.
std::string launch_of(uint64_t own, uint64_t other) {
  const auto client = link::served_client(own, other);
  return client ? fmt::format("a launch of {}, process {} (client {} in `swai top`)", client->program,
                              client->process, other)
                : fmt::format("a launch of another program (client {} in `swai top`)", other);
}

}  // namespace

void LongWait::tell(Clock::duration waited, uint64_t cycles) {
  const double seconds = std::max(std::chrono::duration<double>(waited).count(), 1e-3);
  Connection& connection = queues_.connection();
  const uint64_t other = other_client(connection);
  // The limit is one of this program's own launches.
  fmt::print(stderr,
             "swai: waiting for {} on device {} for {:.0f} s: {} cycles, {:.0f} thousand a second{}\n",
             other != 0 ? launch_of(connection.client(), other) : what_runs(), device_, seconds, cycles,
             static_cast<double>(cycles) / seconds / 1e3,
             other != 0 ? "" : "; SWAI_LAUNCH_LIMIT=CYCLES ends launches that take longer");
}

std::string LongWait::what_runs() const {
  const KernelInfo* const kernel = queues_.first_kernel();
  return kernel == nullptr ? "the card" : fmt::format("kernel {}", kernel->name);
}

}  // namespace swai::sdaa
