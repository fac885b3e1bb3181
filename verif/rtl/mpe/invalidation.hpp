// SPDX-License-Identifier: Apache-2.0
// A line that is invalidated while it is dirty, on the core and on the reference model in lockstep.
#pragma once

#include <cstdint>
#include <string>

namespace swai::mpe {

// Whether lockstep accepts exactly the contents of memory then; prints failures.
bool test_invalidation(uint64_t seed);

}  // namespace swai::mpe
