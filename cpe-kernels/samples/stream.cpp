// SPDX-License-Identifier: Apache-2.0
// Every CPE streams its share of memory through DMA: how fast memory is.
#include <algorithm>

#include "abi/kernel_arguments.hpp"
#include "swai/cpe.hpp"

using namespace swai::cpe;

__kernel__ void stream(const StreamArgs* args) {
  const uint32_t bytes = args->bytes;
  const GlobalPtr<void> share = args->at.plus_bytes(int64_t{rank()} * bytes);
  const uint32_t piece = args->piece;
  const bool is_store = args->mode != 0;
  const uint32_t rounds = args->rounds;
  if (piece == 0 || bytes == 0) return;
  const auto memory = free_ldm();
  // A buffer takes whole lines, so that all of them begin with one.
  const uint32_t stride = (piece + kLine - 1) & ~(kLine - 1);
  const uint32_t depth = std::clamp<uint32_t>(static_cast<uint32_t>(memory.size()) / stride, 1, 8);

  dma::Ticket tickets[8] = {};
  uint32_t issued = 0;
  uint32_t slot = 0;
  std::byte* buffer = memory.data();
  dma::Ticket last = {};
  for (uint32_t round = 0; round < rounds; ++round) {
    for (uint32_t at = 0; at < bytes; at += piece) {
      const uint32_t part = std::min(piece, bytes - at);
      if (issued >= depth) dma::wait(tickets[slot]);
      last = is_store ? dma::store(share.plus_bytes(at), buffer, part)
                      : dma::load(buffer, GlobalPtr<const void>(share).plus_bytes(at), part);
      tickets[slot] = last;
      ++issued;
      if (++slot == depth) {
        slot = 0;
        buffer = memory.data();
      } else {
        buffer += stride;
      }
    }
  }
  if (issued != 0) dma::wait(last);
}
