// SPDX-License-Identifier: Apache-2.0
// A mix of arithmetic, loads, stores and branches in local memory: what a busy scalar core is to the
// simulator. verif compares the check value with the same loop on the host.
#include "abi/kernel_arguments.hpp"
#include "swai/cpe.hpp"
#include "swai/scalar_mix.hpp"

using namespace swai::cpe;

LDM static uint32_t table[kMixWords];

__kernel__ void scalar(const ScalarArgs* args) {
  const GlobalPtr<uint32_t> to = args->to;
  const uint32_t rounds = args->rounds;
  const uint32_t check = scalar_mix(table, number(), rounds);
  const Window<uint32_t> out(to);
  out[number()] = check;
}
