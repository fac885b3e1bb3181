// SPDX-License-Identifier: Apache-2.0
// The transpose of a matrix whose sides are no multiples of a tile's.
#include "transpose.h"

#include <vector>

#include "../check.hpp"

int main() {
  int width = 150;
  int height = 101;
  const size_t mem_size = sizeof(float) * width * height;
  std::vector<float> h_idata(width * height), h_odata(width * height);
  for (int i = 0; i < width * height; ++i) h_idata[i] = (float)i;

  sdaaModule_t module;
  sdaaFunction_t transpose;
  CHECK(sdaaModuleLoad(&module, "transpose.elf"));
  CHECK(sdaaModuleGetFunction(&transpose, module, "transpose"));

  void *d_idata, *d_odata;
  CHECK(sdaaMalloc(&d_idata, mem_size));
  CHECK(sdaaMalloc(&d_odata, mem_size));
  CHECK(sdaaMemcpy(d_idata, h_idata.data(), mem_size, sdaaMemcpyHostToDevice));

  dim3 grid((width + TILE_DIM - 1) / TILE_DIM, (height + TILE_DIM - 1) / TILE_DIM),
      threads(TILE_DIM, BLOCK_ROWS);
  CHECK(sdaa::launch(transpose, grid, threads, 0, nullptr, d_odata, d_idata, width, height));

  CHECK(sdaaMemcpy(h_odata.data(), d_odata, mem_size, sdaaMemcpyDeviceToHost));
  CHECK(sdaaFree(d_idata));
  CHECK(sdaaFree(d_odata));
  CHECK(sdaaModuleUnload(module));

  int wrong = 0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) wrong += h_odata[x * height + y] != h_idata[y * width + x];
  }
  std::printf("transpose: %d of %d elements are right\n", width * height - wrong, width * height);
  return wrong == 0 ? 0 : 1;
}
