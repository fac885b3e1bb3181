// SPDX-License-Identifier: Apache-2.0
// Time that the software of a modelled host takes. A simulated card's time stands still while a host program
// computes; baselines with a slow host let it pass explicitly. Benchmarks only: the installed library has
// no such function.
#pragma once

#include <cstdint>

#include "host/runtime/include/sdaa_runtime.h"

namespace swai::sdaa {

// Returns when `nanoseconds` of the current device's time have passed, or a few more if the card sleeps.
sdaaError_t let_device_time_pass(uint64_t nanoseconds);

}  // namespace swai::sdaa
