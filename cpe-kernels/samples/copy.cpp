// SPDX-License-Identifier: Apache-2.0
// Copies global memory, through two buffers: while one is stored the other is loaded.
#include <algorithm>

#include "abi/kernel_arguments.hpp"
#include "swai/cpe.hpp"
#include "swai/share.hpp"

using namespace swai::cpe;

__kernel__ void copy(const CopyArgs* args) {
  const GlobalPtr<void> to = args->to;
  const GlobalPtr<const void> from = args->from;
  const Share share = my_share(args->bytes);
  constexpr uint32_t kPiece = 32768;
  std::byte* const buffers = free_ldm().data();

  // Waiting for a load also waits for the store before it, which ran at the same time: the buffer of the next
  // load is free then.
  dma::Ticket last = {};
  unsigned turn = 0;
  for (uint32_t at = 0; at < share.bytes; at += kPiece, turn ^= 1) {
    std::byte* const buffer = buffers + turn * kPiece;
    const uint32_t bytes = std::min(kPiece, share.bytes - at);
    dma::wait(dma::load(buffer, from.plus_bytes(share.first + at), bytes));
    last = dma::store(to.plus_bytes(share.first + at), buffer, bytes);
  }
  if (share.bytes != 0) dma::wait(last);
}
