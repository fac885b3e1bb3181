// SPDX-License-Identifier: Apache-2.0
// A histogram, with atomics in shared and in global memory.
#include "histogram.h"

#include <vector>

#include "../check.hpp"

int main() {
  int n = 20000;
  std::vector<unsigned char> h_data(n);
  std::vector<unsigned int> h_counts(BINS), expected(BINS);
  for (unsigned char& value : h_data) ++expected[(value = rand() >> 7) % BINS];

  sdaaModule_t module;
  sdaaFunction_t histogram;
  CHECK(sdaaModuleLoad(&module, "histogram.elf"));
  CHECK(sdaaModuleGetFunction(&histogram, module, "histogram"));

  unsigned char* d_data;
  unsigned int* d_counts;
  CHECK(sdaaMalloc(&d_data, n));
  CHECK(sdaaMalloc(&d_counts, BINS * sizeof(unsigned int)));
  CHECK(sdaaMemcpy(d_data, h_data.data(), n, sdaaMemcpyHostToDevice));
  CHECK(sdaaMemset(d_counts, 0, BINS * sizeof(unsigned int)));

  CHECK(sdaa::launch(histogram, 20, 128, 0, nullptr, d_data, d_counts, n));

  CHECK(sdaaMemcpy(h_counts.data(), d_counts, BINS * sizeof(unsigned int), sdaaMemcpyDeviceToHost));
  CHECK(sdaaFree(d_data));
  CHECK(sdaaFree(d_counts));
  CHECK(sdaaModuleUnload(module));

  int wrong = 0;
  for (int i = 0; i < BINS; ++i) wrong += h_counts[i] != expected[i];
  std::printf("histogram: %d of %d counts are right\n", BINS - wrong, BINS);
  return wrong == 0 ? 0 : 1;
}
