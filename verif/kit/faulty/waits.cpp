// SPDX-License-Identifier: Apache-2.0
// Kernels that wait. All but the first wait for what nobody brings about: the culprit, or all that are left.
#include "abi/kernel_arguments.hpp"
#include "swai/cpe.hpp"

using namespace swai::cpe;

LDM alignas(64) static std::byte buffer[64];

static uint32_t first(Positions positions) {
  return static_cast<uint32_t>(std::countr_zero(static_cast<uint32_t>(positions)));
}

// The culprit comes late to the barrier, but it comes.
__kernel__ void late(const FaultArgs* args) {
  constexpr uint32_t kRounds = 200'000;
  for (uint32_t i = 0; number() == args->culprit && i < kRounds; ++i) asm volatile("");
  sync();
}

// All but the culprit.
__kernel__ void without_one(const FaultArgs* args) {
  if (number() != args->culprit) sync();
}

// At a barrier of its column, where nobody else is.
__kernel__ void in_its_column(const FaultArgs* args) {
  if (number() == args->culprit) sync<Scope::kColumn>();
}

// Two that wait for each other, the culprit at a barrier.
__kernel__ void crossed(const FaultArgs* args) {
  if (number() == args->culprit) {
    sync();
  } else {
    row::wait(row::receive(first(row::others()), buffer, sizeof(buffer)));
  }
}

// Returns with something to send.
__kernel__ void unsent(const FaultArgs* args) {
  if (number() == args->culprit) row::send(row::others(), buffer, sizeof(buffer));
}

// For a transfer that it has never begun.
__kernel__ void no_transfer(const FaultArgs* args) {
  if (number() == args->culprit) dma::wait(dma::Ticket{7});
}

// Others wait for one that has failed.
__kernel__ void for_the_dead(const FaultArgs* args) {
  if (number() == args->culprit) asm volatile("ebreak");
  sync();
}
