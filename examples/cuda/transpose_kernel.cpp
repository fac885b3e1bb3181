// SPDX-License-Identifier: Apache-2.0
// A matrix becomes its transpose, by way of tiles in shared memory: rows are read and rows are written. A
// tile's rows have one element too many, which a GPU needs to reach columns without conflicts.
#include "swai/cuda.hpp"
#include "transpose.h"

__global__ void transpose(Global<float> odata, Global<const float> idata, int width, int height) {
  __shared__ float tile[TILE_DIM][TILE_DIM + 1];

  int xIndex = blockIdx.x * TILE_DIM + threadIdx.x;
  int yIndex = blockIdx.y * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) {
    if (xIndex < width && yIndex + j < height)
      tile[threadIdx.y + j][threadIdx.x] = idata[(yIndex + j) * width + xIndex];
  }

  __syncthreads();

  xIndex = blockIdx.y * TILE_DIM + threadIdx.x;
  yIndex = blockIdx.x * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) {
    if (xIndex < height && yIndex + j < width)
      odata[(yIndex + j) * height + xIndex] = tile[threadIdx.x][threadIdx.y + j];
  }
}
