// SPDX-License-Identifier: Apache-2.0
// The first program of most who learn CUDA: two vectors are added, a thread for each element.
#include <cmath>
#include <cstdlib>
#include <vector>

#include "../check.hpp"

int main(int argc, char** argv) {
  const int numElements = argc > 1 ? std::atoi(argv[1]) : 50000;
  const size_t size = numElements * sizeof(float);
  std::vector<float> h_A(numElements), h_B(numElements), h_C(numElements);
  for (int i = 0; i < numElements; ++i) {
    h_A[i] = rand() / (float)RAND_MAX;
    h_B[i] = rand() / (float)RAND_MAX;
  }

  sdaaModule_t module;
  sdaaFunction_t vectorAdd;
  CHECK(sdaaModuleLoad(&module, "vectorAdd.elf"));
  CHECK(sdaaModuleGetFunction(&vectorAdd, module, "vectorAdd"));

  void *d_A, *d_B, *d_C;
  CHECK(sdaaMalloc(&d_A, size));
  CHECK(sdaaMalloc(&d_B, size));
  CHECK(sdaaMalloc(&d_C, size));
  CHECK(sdaaMemcpy(d_A, h_A.data(), size, sdaaMemcpyHostToDevice));
  CHECK(sdaaMemcpy(d_B, h_B.data(), size, sdaaMemcpyHostToDevice));

  int threadsPerBlock = 256;
  int blocksPerGrid = (numElements + threadsPerBlock - 1) / threadsPerBlock;
  CHECK(sdaa::launch(vectorAdd, blocksPerGrid, threadsPerBlock, 0, nullptr, d_A, d_B, d_C, numElements));

  CHECK(sdaaMemcpy(h_C.data(), d_C, size, sdaaMemcpyDeviceToHost));
  CHECK(sdaaFree(d_A));
  CHECK(sdaaFree(d_B));
  CHECK(sdaaFree(d_C));
  CHECK(sdaaModuleUnload(module));

  int wrong = 0;
  for (int i = 0; i < numElements; ++i) wrong += h_C[i] != h_A[i] + h_B[i];
  std::printf("vectorAdd: %d of %d elements are right\n", numElements - wrong, numElements);
  return wrong == 0 ? 0 : 1;
}
