// SPDX-License-Identifier: Apache-2.0
#include "sim/iss/cpe/simd.hpp"

#include <algorithm>

namespace swai::iss::cpe::simd {

namespace {

Level& chosen() {
  static Level level = best();
  return level;
}

}  // namespace

Level best() {
#if defined(__x86_64__)
  // Whoever has these has F16C, for which not every compiler lets one ask.
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  // Whoever has VNNI has the two that come before it.
  if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vnni"))
    return Level::kAvx512;
  if (avx2) return Level::kAvx2;
#endif
  return Level::kPlain;
}

Level level() { return chosen(); }

void use(Level level) { chosen() = std::min(level, best()); }

}  // namespace swai::iss::cpe::simd
