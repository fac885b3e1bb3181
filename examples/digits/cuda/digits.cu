// SPDX-License-Identifier: Apache-2.0
// Recognises digits: draws some, has the device convolve them with a filter for each digit, and takes the
// digit that fits best.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../pictures.hpp"

#define CHECK(call)                                                                      \
  do {                                                                                   \
    const cudaError_t error = (call);                                                    \
    if (error != cudaSuccess) {                                                          \
      std::fprintf(stderr, "digits: %s failed: %s\n", #call, cudaGetErrorString(error)); \
      std::exit(1);                                                                      \
    }                                                                                    \
  } while (false)

int main() {
  int count = 10;
  const Pictures pictures = draw(count);
  const Filters filters = make_filters();
  std::vector<int32_t> maps(count * kDigits * kMapPlaces);
  const size_t map_bytes = maps.size() * sizeof(int32_t);

  cudaLibrary_t library;
  cudaKernel_t convolve;
  CHECK(cudaLibraryLoadFromFile(&library, "convolution.fatbin", nullptr, nullptr, 0, nullptr, nullptr, 0));
  CHECK(cudaLibraryGetKernel(&convolve, library, "convolve"));

  // Memory on the device
  void *d_images, *d_filters, *d_biases, *d_maps;
  CHECK(cudaMalloc(&d_images, pictures.pixels.size()));
  CHECK(cudaMalloc(&d_filters, filters.weights.size()));
  CHECK(cudaMalloc(&d_biases, filters.biases.size() * sizeof(int32_t)));
  CHECK(cudaMalloc(&d_maps, map_bytes));

  // What the kernel works with
  CHECK(cudaMemcpy(d_images, pictures.pixels.data(), pictures.pixels.size(), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_filters, filters.weights.data(), filters.weights.size(), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_biases, filters.biases.data(), filters.biases.size() * sizeof(int32_t),
                   cudaMemcpyHostToDevice));

  // The kernel
  void* args[] = {&d_images, &d_filters, &d_biases, &d_maps, &count};
  CHECK(cudaLaunchKernel(convolve, dim3(count), dim3(128), args, 0, nullptr));

  // Its results, when it has ended
  CHECK(cudaMemcpy(maps.data(), d_maps, map_bytes, cudaMemcpyDeviceToHost));

  CHECK(cudaFree(d_images));
  CHECK(cudaFree(d_filters));
  CHECK(cudaFree(d_biases));
  CHECK(cudaFree(d_maps));
  CHECK(cudaLibraryUnload(library));
  return judge(pictures, filters, maps) ? 0 : 1;
}
