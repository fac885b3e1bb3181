// SPDX-License-Identifier: Apache-2.0
// A kernel that takes a while.
#include "swai/cpe.hpp"

__global__ void spin(uint32_t rounds) {
  for (uint32_t i = 0; i < rounds; ++i) asm volatile("");
}
