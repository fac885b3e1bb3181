// SPDX-License-Identifier: Apache-2.0
// Numbers sorted into classes, counted in global variables: first with the limits that the kernel's source
// has, then with others.
#include "globals.h"

#include <algorithm>
#include <vector>

#include "../check.hpp"

int main() {
  int n = 1000;
  std::vector<int> h_in(n);
  for (int& value : h_in) value = rand() % 100;

  sdaaModule_t module;
  sdaaFunction_t classify;
  CHECK(sdaaModuleLoad(&module, "globals.elf"));
  CHECK(sdaaModuleGetFunction(&classify, module, "classify"));

  int* d_in;
  CHECK(sdaaMalloc(&d_in, n * sizeof(int)));
  CHECK(sdaaMemcpy(d_in, h_in.data(), n * sizeof(int), sdaaMemcpyHostToDevice));

  int wrong = 0;
  int expected[CLASSES] = {};
  int h_limits[CLASSES] = {10, 30, 60, 100};
  for (int run = 0; run < 2; ++run) {
    CHECK(sdaa::launch(classify, (n + 127) / 128, 128, 0, nullptr, d_in, n));
    for (int value : h_in) {
      int which = 0;
      while (which < CLASSES - 1 && value >= h_limits[which]) ++which;
      ++expected[which];
    }
    int h_counts[CLASSES];
    CHECK(sdaaMemcpyFromSymbol(h_counts, "counts", sizeof h_counts));
    for (int which = 0; which < CLASSES; ++which) wrong += h_counts[which] != expected[which];

    for (int& limit : h_limits) limit /= 2;
    CHECK(sdaaMemcpyToSymbol("limits", h_limits, sizeof h_limits));
  }

  int *d_last, h_last;
  CHECK(sdaaGetSymbolAddress(&d_last, "last"));
  CHECK(sdaaMemcpy(&h_last, d_last, sizeof h_last, sdaaMemcpyDeviceToHost));
  wrong += h_last != *std::max_element(h_in.begin(), h_in.end());

  CHECK(sdaaFree(d_in));
  CHECK(sdaaModuleUnload(module));
  std::printf("globals: %d of %d results are right\n", 2 * CLASSES + 1 - wrong, 2 * CLASSES + 1);
  return wrong == 0 ? 0 : 1;
}
