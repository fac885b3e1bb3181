// SPDX-License-Identifier: Apache-2.0
// Kernels whose first core accesses the address in the arguments, whether it is allocated or not.
#include "swai/cpe.hpp"

using namespace swai::cpe;

LDM alignas(64) static std::byte buffer[4096];

__global__ void writes(GlobalPtr<uint32_t> data, uint32_t index) {
  const Window<uint32_t> window(data);
  if (number() == 0) window[index] = index;  // writes
}

__global__ void reads(GlobalPtr<uint32_t> data, uint32_t index) {
  const Window<uint32_t> window(data);
  if (number() == 0 && window[index] != 0) asm volatile("");  // reads
}

// `bytes`: at most 4096.
__global__ void loads(GlobalPtr<void> data, uint32_t bytes) {
  if (number() == 0) dma::wait(dma::load(buffer, data, bytes));  // loads
}

__global__ void stores(GlobalPtr<void> data, uint32_t bytes) {
  if (number() == 0) dma::wait(dma::store(data, buffer, bytes));  // stores
}
