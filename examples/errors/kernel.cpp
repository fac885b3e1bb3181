// SPDX-License-Identifier: Apache-2.0
// Fills memory with a number. It believes what it is told about where that is.
#include <algorithm>

#include "swai/cpe.hpp"
#include "swai/share.hpp"

using namespace swai::cpe;

LDM alignas(64) static int32_t piece[4096];

__global__ void fill(GlobalPtr<int32_t> to, uint32_t count, int32_t value) {
  for (int32_t& number : piece) number = value;
  const Share share = my_share(count * sizeof(int32_t));
  for (uint32_t at = 0; at < share.bytes; at += sizeof piece) {
    dma::wait(dma::store(to.plus_bytes(share.first + at), piece,
                         std::min<uint32_t>(sizeof piece, share.bytes - at)));
  }
}
