// SPDX-License-Identifier: Apache-2.0
// C = A + B, an element for each thread.
#include "swai/cuda.hpp"

__global__ void vectorAdd(Global<const float> A, Global<const float> B, Global<float> C, int numElements) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;

  if (i < numElements) {
    C[i] = A[i] + B[i];
  }
}
