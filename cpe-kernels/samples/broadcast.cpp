// SPDX-License-Identifier: Apache-2.0
// One CPE of each row sends a buffer to all others of the row, through the row channel.
#include "abi/kernel_arguments.hpp"
#include "swai/cpe.hpp"

using namespace swai::cpe;

__kernel__ void broadcast(const BroadcastArgs* args) {
  const GlobalPtr<void> to = args->to;
  const GlobalPtr<const void> from = args->from;
  const uint32_t bytes = args->bytes;
  const uint32_t sender = args->sender;
  const uint32_t rounds = args->rounds;
  std::byte* const buffer = free_ldm().data();

  const bool alone = row::others() == 0;
  if (row::position() == sender) {
    dma::wait(dma::load(buffer, from.plus_bytes(int64_t{row_number()} * bytes), bytes));
    row::Sent last = {};
    for (uint32_t round = 0; round < rounds && !alone; ++round)
      last = row::send(row::others(), buffer, bytes);
    if (rounds != 0 && !alone) row::wait(last);
  } else {
    row::Received last = {};
    for (uint32_t round = 0; round < rounds; ++round) last = row::receive(sender, buffer, bytes);
    if (rounds != 0) row::wait(last);
  }
  dma::wait(dma::store(to.plus_bytes(int64_t{number()} * bytes), buffer, bytes));
}
