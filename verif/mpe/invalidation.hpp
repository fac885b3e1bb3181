// SPDX-License-Identifier: Apache-2.0
// A line that is invalidated while it is dirty, on the core and on the reference model in lockstep.
#pragma once

#include <cstdint>
#include <string>

namespace swai::mpe {

// Whether lockstep accepts what memory holds then, and nothing else; prints what is wrong.
bool test_invalidation(uint64_t seed);

}  // namespace swai::mpe
