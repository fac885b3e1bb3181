// SPDX-License-Identifier: Apache-2.0
// Which instructions of the host the systolic and the vector unit are computed with. All leave the same bits.
#pragma once

#include <cstdint>

namespace swai::iss::cpe::simd {

enum class Level : uint8_t { kPlain, kAvx2, kAvx512 };

// What this host has.
Level best();
// What is used: the best, until use() says another. For tests; not while a group runs.
Level level();
void use(Level level);

}  // namespace swai::iss::cpe::simd
