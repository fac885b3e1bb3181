// SPDX-License-Identifier: Apache-2.0
// Which grids a kernel can run, and in words why it cannot run another one: hosts ask before they launch.
// docs/program/cuda-kernels.md explains the limits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "abi/grid.hpp"
#include "abi/module.hpp"
#include "host/lib/argument_types.hpp"

namespace swai::module {

// What of a kernel says so.
struct GridKernel {
  std::string_view name;
  Parameters parameters;
  std::optional<ThreadStacks> stacks;
  uint64_t free_bytes = kLdmBytes;  // of local memory, beside the module's static objects
};

// Of a block that shares so many bytes of local memory; and the most that a block of so many threads shares.
uint64_t most_threads(const GridKernel& kernel, uint64_t shared);
uint64_t most_shared(const GridKernel& kernel, uint64_t threads);

struct GridRefusal {
  enum class Kind {
    kNoThreads,  // the kernel knows none: whoever launches it knows what to do instead
    kInvalid,    // no kernel runs it
    kNoRoom,     // it does not fit into a core's local memory
  };
  Kind kind;
  std::string why;
};
// Nothing: it can run it.
std::optional<GridRefusal> refuse_grid(const GridKernel& kernel, cpe::Extent blocks, cpe::Extent threads,
                                       uint64_t shared);

// Behind the values of the structure that such a kernel finds.
void place_grid(std::span<uint8_t> arguments, Parameters parameters, const cpe::Grid& grid);

}  // namespace swai::module
