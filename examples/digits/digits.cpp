// SPDX-License-Identifier: Apache-2.0
// Recognises digits: draws some, has the device convolve them with a filter for each digit, and takes the
// digit that fits best.
#include <sdaa_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "pictures.hpp"

#define CHECK(call)                                                                      \
  do {                                                                                   \
    const sdaaError_t error = (call);                                                    \
    if (error != sdaaSuccess) {                                                          \
      std::fprintf(stderr, "digits: %s failed: %s\n", #call, sdaaGetErrorString(error)); \
      std::exit(1);                                                                      \
    }                                                                                    \
  } while (false)

int main() {
  int count = 10;
  const Pictures pictures = draw(count);
  const Filters filters = make_filters();
  std::vector<int32_t> maps(count * kDigits * kMapPlaces);
  const size_t map_bytes = maps.size() * sizeof(int32_t);

  sdaaModule_t library;
  sdaaFunction_t convolve;
  CHECK(sdaaModuleLoad(&library, "convolution.elf"));
  CHECK(sdaaModuleGetFunction(&convolve, library, "convolve"));

  // Memory on the device
  void *d_images, *d_filters, *d_biases, *d_maps;
  CHECK(sdaaMalloc(&d_images, pictures.pixels.size()));
  CHECK(sdaaMalloc(&d_filters, filters.weights.size()));
  CHECK(sdaaMalloc(&d_biases, filters.biases.size() * sizeof(int32_t)));
  CHECK(sdaaMalloc(&d_maps, map_bytes));

  // What the kernel works with
  CHECK(sdaaMemcpy(d_images, pictures.pixels.data(), pictures.pixels.size(), sdaaMemcpyHostToDevice));
  CHECK(sdaaMemcpy(d_filters, filters.weights.data(), filters.weights.size(), sdaaMemcpyHostToDevice));
  CHECK(sdaaMemcpy(d_biases, filters.biases.data(), filters.biases.size() * sizeof(int32_t),
                   sdaaMemcpyHostToDevice));

  // The kernel
  void* args[] = {&d_images, &d_filters, &d_biases, &d_maps, &count};
  CHECK(sdaaLaunchKernel(convolve, dim3(count), dim3(128), args, 0, nullptr));

  // Its results, when it has ended
  CHECK(sdaaMemcpy(maps.data(), d_maps, map_bytes, sdaaMemcpyDeviceToHost));

  CHECK(sdaaFree(d_images));
  CHECK(sdaaFree(d_filters));
  CHECK(sdaaFree(d_biases));
  CHECK(sdaaFree(d_maps));
  CHECK(sdaaModuleUnload(library));
  return judge(pictures, filters, maps) ? 0 : 1;
}
