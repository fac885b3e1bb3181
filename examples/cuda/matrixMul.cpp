// SPDX-License-Identifier: Apache-2.0
// The product of two matrices of numbers, tiled: blocks of 16 x 16 threads.
#include "matrixMul.h"

#include <cmath>
#include <vector>

#include "../check.hpp"

int main() {
  const dim3 dimsA(5 * BLOCK_SIZE, 4 * BLOCK_SIZE);
  const dim3 dimsB(6 * BLOCK_SIZE, 5 * BLOCK_SIZE);
  const dim3 dimsC(dimsB.x, dimsA.y);
  std::vector<float> h_A(dimsA.x * dimsA.y), h_B(dimsB.x * dimsB.y), h_C(dimsC.x * dimsC.y);
  for (size_t i = 0; i < h_A.size(); ++i) h_A[i] = (float)(i % 17) / 8 - 1;
  for (size_t i = 0; i < h_B.size(); ++i) h_B[i] = (float)(i % 13) / 8 - 1;

  sdaaModule_t module;
  sdaaFunction_t matrixMul;
  CHECK(sdaaModuleLoad(&module, "matrixMul.elf"));
  CHECK(sdaaModuleGetFunction(&matrixMul, module, "matrixMul"));

  void *d_A, *d_B, *d_C;
  CHECK(sdaaMalloc(&d_A, h_A.size() * sizeof(float)));
  CHECK(sdaaMalloc(&d_B, h_B.size() * sizeof(float)));
  CHECK(sdaaMalloc(&d_C, h_C.size() * sizeof(float)));
  CHECK(sdaaMemcpy(d_A, h_A.data(), h_A.size() * sizeof(float), sdaaMemcpyHostToDevice));
  CHECK(sdaaMemcpy(d_B, h_B.data(), h_B.size() * sizeof(float), sdaaMemcpyHostToDevice));

  dim3 threads(BLOCK_SIZE, BLOCK_SIZE);
  dim3 grid(dimsB.x / threads.x, dimsA.y / threads.y);
  int wA = dimsA.x;
  int wB = dimsB.x;
  CHECK(sdaa::launch(matrixMul, grid, threads, 0, nullptr, d_C, d_A, d_B, wA, wB));

  CHECK(sdaaMemcpy(h_C.data(), d_C, h_C.size() * sizeof(float), sdaaMemcpyDeviceToHost));
  CHECK(sdaaFree(d_A));
  CHECK(sdaaFree(d_B));
  CHECK(sdaaFree(d_C));
  CHECK(sdaaModuleUnload(module));

  // All these numbers are multiples of 1/64, and small: no order of the sum rounds anything.
  int wrong = 0;
  for (unsigned y = 0; y < dimsC.y; ++y) {
    for (unsigned x = 0; x < dimsC.x; ++x) {
      float sum = 0;
      for (int k = 0; k < wA; ++k) sum += h_A[y * wA + k] * h_B[k * wB + x];
      wrong += h_C[y * wB + x] != sum;
    }
  }
  std::printf("matrixMul: %zu of %zu elements are right\n", h_C.size() - wrong, h_C.size());
  return wrong == 0 ? 0 : 1;
}
