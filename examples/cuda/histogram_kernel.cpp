// SPDX-License-Identifier: Apache-2.0
// How often each value occurs: each block counts in shared memory, then adds to what all have counted.
#include "histogram.h"
#include "swai/cuda.hpp"

__global__ void histogram(Global<const unsigned char> data, Global<unsigned int> counts, int n) {
  __shared__ unsigned int mine[BINS];
  if (threadIdx.x < BINS) mine[threadIdx.x] = 0;
  __syncthreads();

  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    atomicAdd(&mine[data[i] % BINS], 1);
  }
  __syncthreads();

  if (threadIdx.x < BINS) atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}
