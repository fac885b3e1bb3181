// SPDX-License-Identifier: Apache-2.0
// A convolution with two filters, one after the other, in constant memory.
#include "convolution.h"

#include <vector>

#include "../check.hpp"

int main() {
  int n = 1000;
  std::vector<int> h_in(n), h_out(n);
  for (int& value : h_in) value = rand() % 100;

  sdaaModule_t module;
  sdaaFunction_t convolution;
  CHECK(sdaaModuleLoad(&module, "convolution.elf"));
  CHECK(sdaaModuleGetFunction(&convolution, module, "convolution"));

  int *d_in, *d_out;
  CHECK(sdaaMalloc(&d_in, n * sizeof(int)));
  CHECK(sdaaMalloc(&d_out, n * sizeof(int)));
  CHECK(sdaaMemcpy(d_in, h_in.data(), n * sizeof(int), sdaaMemcpyHostToDevice));

  int wrong = 0;
  for (int run = 0; run < 2; ++run) {
    int h_filter[TAPS];
    for (int& tap : h_filter) tap = rand() % 20 - 10;
    CHECK(sdaaMemcpyToSymbol("c_filter", h_filter, sizeof h_filter));
    CHECK(sdaa::launch(convolution, (n + 127) / 128, 128, 0, nullptr, d_in, d_out, n));
    CHECK(sdaaMemcpy(h_out.data(), d_out, n * sizeof(int), sdaaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) {
      int sum = 0;
      for (int k = 0; k < TAPS; ++k) {
        int at = i + k - RADIUS;
        if (at >= 0 && at < n) sum += h_filter[k] * h_in[at];
      }
      wrong += h_out[i] != sum;
    }
  }
  CHECK(sdaaFree(d_in));
  CHECK(sdaaFree(d_out));
  CHECK(sdaaModuleUnload(module));
  std::printf("convolution: %d of %d elements are right\n", 2 * n - wrong, 2 * n);
  return wrong == 0 ? 0 : 1;
}
