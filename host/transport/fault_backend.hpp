// SPDX-License-Identifier: Apache-2.0
// A backend that wraps another and makes things go wrong, by a seed: for testing what users do then. What it
// can do is the list of InjectedFault; nothing else ever differs from the wrapped backend.
#pragma once

#include <functional>
#include <memory>
#include <random>

#include "host/transport/backend.hpp"

namespace swai::link {

enum class InjectedFault {
  kDropBefore,  // the connection breaks; the card has not seen the call: kLost, and every call after it as
                // well
  kDropAfter,   // the same, but the card has done it
  kRefuse,      // the card has not seen the call: kRefused with EIO
  kTimeOut,     // the card has done it, but the answer is not seen: kTimedOut
  kDelay,       // the call takes `delay` longer, and works
  kShortRead,   // reads only: some first bytes are right, the rest untouched: kIncomplete
};
inline constexpr unsigned kInjectedFaults = 6;
const char* name(InjectedFault fault);

struct FaultPlan {
  uint64_t seed = 1;
  // How many of 1,000 calls go wrong in this way, in the order of InjectedFault.
  unsigned per_mille[kInjectedFaults] = {};
  Milliseconds delay{20};
  // The first calls work, so that a test gets somewhere.
  uint64_t spare_calls = 0;
  std::function<void(InjectedFault, const char* call)> on_fault;
};

std::unique_ptr<Backend> inject_faults(std::unique_ptr<Backend> wrapped, FaultPlan plan);

}  // namespace swai::link
