// SPDX-License-Identifier: Apache-2.0
// The convolution of the digit recognition: a map for each image and digit, which says how well the digit's
// filter fits at each place. Images and filters are bytes, sums are integers.
#include <cuda_runtime.h>

#include <cstdint>

#include "../sizes.h"

extern "C" __global__ void convolve(const int8_t* images, const int8_t* filters, const int32_t* biases,
                                    int32_t* maps, int count) {
  __shared__ int8_t image[kImagePixels];
  __shared__ int8_t filter[kDigits * kFilterPixels];
  for (int i = threadIdx.x; i < kDigits * kFilterPixels; i += blockDim.x) filter[i] = filters[i];

  for (int number = blockIdx.x; number < count; number += gridDim.x) {
    for (int i = threadIdx.x; i < kImagePixels; i += blockDim.x) image[i] = images[number * kImagePixels + i];
    __syncthreads();
    for (int i = threadIdx.x; i < kDigits * kMapPlaces; i += blockDim.x) {
      const int digit = i / kMapPlaces;
      const int top = i % kMapPlaces / kMapWidth;
      const int left = i % kMapWidth;
      int32_t sum = biases[digit];
      for (int y = 0; y < kFilterHeight; ++y) {
        for (int x = 0; x < kFilterWidth; ++x) {
          sum += image[(top + y) * kImageWidth + left + x] *
                 filter[digit * kFilterPixels + y * kFilterWidth + x];
        }
      }
      maps[number * kDigits * kMapPlaces + i] = sum;
    }
    __syncthreads();
  }
}
