// SPDX-License-Identifier: Apache-2.0
// Two kernels for integers: one makes what the other one needs.
#include <algorithm>

#include "swai/cpe.hpp"
#include "swai/share.hpp"

using namespace swai::cpe;

constexpr uint32_t kPiece = 4096;  // numbers
LDM alignas(64) static int32_t left[kPiece];
LDM alignas(64) static int32_t right[kPiece];

__global__ void squares(GlobalPtr<int32_t> to, uint32_t count) {
  const Share share = my_share(count * sizeof(int32_t));
  for (uint32_t at = 0; at < share.bytes; at += sizeof left) {
    const uint32_t bytes = std::min<uint32_t>(sizeof left, share.bytes - at);
    const int32_t first = static_cast<int32_t>((share.first + at) / sizeof(int32_t));
    for (int32_t i = 0; i < static_cast<int32_t>(bytes / sizeof(int32_t)); ++i)
      left[i] = (first + i) * (first + i);
    dma::wait(dma::store(to.plus_bytes(share.first + at), left, bytes));
  }
}

__global__ void add(GlobalPtr<int32_t> to, GlobalPtr<const int32_t> from, uint32_t count) {
  const Share share = my_share(count * sizeof(int32_t));
  for (uint32_t at = 0; at < share.bytes; at += sizeof left) {
    const uint32_t bytes = std::min<uint32_t>(sizeof left, share.bytes - at);
    dma::load(left, to.plus_bytes(share.first + at), bytes);
    dma::wait(dma::load(right, from.plus_bytes(share.first + at), bytes));
    for (uint32_t i = 0; i < bytes / sizeof(int32_t); ++i) left[i] += right[i];
    dma::wait(dma::store(to.plus_bytes(share.first + at), left, bytes));
  }
}
