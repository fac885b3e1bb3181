// SPDX-License-Identifier: Apache-2.0
// The sum of each block's elements: every thread adds two of them while it loads, then half of the threads
// that are left add what the other half has, with addresses that follow each other.
#include "swai/cuda.hpp"

__global__ void reduce(Global<const int> g_idata, Global<int> g_odata, unsigned int n) {
  extern __shared__ int sdata[];

  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;

  int mySum = (i < n) ? g_idata[i] : 0;
  if (i + blockDim.x < n) mySum += g_idata[i + blockDim.x];
  sdata[tid] = mySum;
  __syncthreads();

  for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (tid < s) {
      sdata[tid] = mySum = mySum + sdata[tid + s];
    }
    __syncthreads();
  }

  if (tid == 0) g_odata[blockIdx.x] = mySum;
}
