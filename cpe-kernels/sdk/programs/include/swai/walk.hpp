// SPDX-License-Identifier: Apache-2.0
// The kernel `walk` (cpe-kernels/operators), for programs that go through lists of nodes.
#pragma once

#include "abi/node.hpp"
#include "swai/program.hpp"

namespace swai::program {

// Arguments by device pointers: a list and its number of nodes, parameters and their number; if two words are
// equal when it begins, nothing is walked.
inline Ticket walk(const Kernel& kernel, uint64_t list, uint32_t count, uint64_t parameters,
                   uint32_t parameter_count, uint64_t unless = 0) {
  return launch(kernel, node::WalkArgs{cpe::GlobalPtr<const node::Node>(list), count,
                                       cpe::GlobalPtr<const uint64_t>(parameters), parameter_count,
                                       cpe::GlobalPtr<const uint32_t>(unless)});
}

}  // namespace swai::program
