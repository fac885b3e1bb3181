// SPDX-License-Identifier: Apache-2.0
// Barriers, one after the other: what one costs.
#include "abi/kernel_arguments.hpp"
#include "swai/cpe.hpp"

using namespace swai::cpe;

namespace {

template <Scope kScope>
void loop(uint32_t rounds) {
  for (; rounds >= 8; rounds -= 8) {
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) sync<kScope>();
  }
  for (; rounds != 0; --rounds) sync<kScope>();
}

}  // namespace

__kernel__ void sync_loop(const SyncArgs* args) {
  const uint32_t rounds = args->rounds;
  const uint32_t scope = args->scope;
  if (scope == static_cast<uint32_t>(Scope::kRow)) {
    loop<Scope::kRow>(rounds);
  } else if (scope == static_cast<uint32_t>(Scope::kColumn)) {
    loop<Scope::kColumn>(rounds);
  } else {
    loop<Scope::kAll>(rounds);
  }
}
