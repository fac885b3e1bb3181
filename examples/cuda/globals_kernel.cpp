// SPDX-License-Identifier: Apache-2.0
// Threads count what they find in variables of the card's memory, which last from launch to launch.
#include "globals.h"
#include "swai/cuda.hpp"

__constant__ int limits[CLASSES] = {10, 30, 60, 100};

__device__ int counts[CLASSES];
__device__ int last = -1;

__global__ void classify(Global<const int> in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int which = 0;
  while (which < CLASSES - 1 && in[i] >= limits[which]) ++which;
  atomicAdd(&counts[which], 1);
  atomicMax(&last, in[i]);
}
