// SPDX-License-Identifier: Apache-2.0
// Fills global memory with a byte. (The kernel is called `fill`: `memset` is the compiler's.) The firmware
// clears memory with it, with rights to all of it: so each transfer says its shape, whatever was set before.
#include <algorithm>
#include <cstring>

#include "abi/kernel_arguments.hpp"
#include "swai/cpe.hpp"
#include "swai/share.hpp"

using namespace swai::cpe;

__kernel__ void fill(const MemsetArgs* args) {
  const GlobalPtr<void> to = args->to;
  const Share share = my_share(args->bytes);
  const auto buffer = free_ldm();
  // Large enough to keep the memory busy, small enough to be there soon.
  const auto piece = std::min<uint32_t>(share.bytes, 4096);
  std::memset(buffer.data(), static_cast<int>(args->value), piece);
  dma::Ticket last = {};
  for (uint32_t at = 0; at < share.bytes; at += piece) {
    const uint32_t bytes = std::min(piece, share.bytes - at);
    last = dma::store(to.plus_bytes(share.first + at), buffer.data(), bytes, {1, 0, 0});
  }
  if (share.bytes != 0) dma::wait(last);
}
