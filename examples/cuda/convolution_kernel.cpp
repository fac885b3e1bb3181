// SPDX-License-Identifier: Apache-2.0
// A row of numbers through a filter that lies in constant memory.
#include "convolution.h"
#include "swai/cuda.hpp"

__constant__ int c_filter[TAPS];

__global__ void convolution(Global<const int> in, Global<int> out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int sum = 0;
  for (int k = 0; k < TAPS; ++k) {
    int at = i + k - RADIUS;
    if (at >= 0 && at < n) sum += c_filter[k] * in[at];
  }
  out[i] = sum;
}
