// SPDX-License-Identifier: Apache-2.0
// Who writes a trace of a simulated card is told how kernels are called. Nobody else wants to know.
#pragma once

#include <cstdint>

#include "abi/module_reader.hpp"
#include "host/transport/card.hpp"

namespace swai::sdaa {

// Those of a module whose code lies in this segment.
void name_kernels(link::Card& card, uint16_t segment, const module::Module& module);
// Those that the firmware launches itself.
void name_own_kernels(link::Card& card);

}  // namespace swai::sdaa
