// SPDX-License-Identifier: Apache-2.0
// The sum of many numbers: a first launch leaves one for each block, further ones add these.
#include <utility>
#include <vector>

#include "../check.hpp"

int main() {
  const unsigned int size = 100003;
  const unsigned int threads = 128;
  std::vector<int> h_idata(size);
  int expected = 0;
  for (int& value : h_idata) expected += value = rand() & 0xff;

  sdaaModule_t module;
  sdaaFunction_t reduce;
  CHECK(sdaaModuleLoad(&module, "reduction.elf"));
  CHECK(sdaaModuleGetFunction(&reduce, module, "reduce"));

  void *d_idata, *d_odata;
  CHECK(sdaaMalloc(&d_idata, size * sizeof(int)));
  CHECK(sdaaMalloc(&d_odata, size * sizeof(int)));
  CHECK(sdaaMemcpy(d_idata, h_idata.data(), size * sizeof(int), sdaaMemcpyHostToDevice));

  for (unsigned int left = size; left > 1;) {
    unsigned int blocks = (left + (threads * 2 - 1)) / (threads * 2);
    CHECK(sdaa::launch(reduce, blocks, threads, threads * sizeof(int), nullptr, d_idata, d_odata, left));
    std::swap(d_idata, d_odata);
    left = blocks;
  }

  int result;
  CHECK(sdaaMemcpy(&result, d_idata, sizeof(int), sdaaMemcpyDeviceToHost));
  CHECK(sdaaFree(d_idata));
  CHECK(sdaaFree(d_odata));
  CHECK(sdaaModuleUnload(module));
  std::printf("reduction: the sum is %d, expected %d\n", result, expected);
  return result == expected ? 0 : 1;
}
