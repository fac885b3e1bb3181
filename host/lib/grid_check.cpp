// SPDX-License-Identifier: Apache-2.0
#include "host/lib/grid_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace swai::module {

uint64_t most_threads(const GridKernel& kernel, uint64_t shared) {
  if (!kernel.parameters.has_grid()) return 1;
  constexpr uint64_t kMost = cpe::kMaxThreads;
  return kernel.stacks ? std::min(kMost, kernel.stacks->threads_beside(shared)) : kMost;
}

uint64_t most_shared(const GridKernel& kernel, uint64_t threads) {
  return kernel.stacks ? std::min(kernel.free_bytes, kernel.stacks->shared_beside(threads))
                       : kernel.free_bytes;
}

std::optional<GridRefusal> refuse_grid(const GridKernel& kernel, cpe::Extent blocks, cpe::Extent threads,
                                       uint64_t shared) {
  using Kind = GridRefusal::Kind;
  const auto refuse = [&](Kind kind, const std::string& why) {
    return GridRefusal{kind, fmt::format("kernel {}: {}", kernel.name, why)};
  };
  if (!kernel.parameters.has_grid()) {
    return refuse(Kind::kNoThreads,
                  "it has no threads, every core runs it once. Kernels that include swai/cuda.hpp run once "
                  "for each thread of a grid");
  }
  if (blocks.product() == 0 || threads.product() == 0)
    return refuse(Kind::kInvalid, "a grid or a block of size 0");
  // The product of three numbers may pass 2^64, that of two cannot.
  if (uint64_t{blocks.x} * blocks.y > cpe::kMaxBlocks || blocks.product() > cpe::kMaxBlocks)
    return refuse(Kind::kInvalid, fmt::format("more than {} blocks", cpe::kMaxBlocks));
  if (uint64_t{threads.x} * threads.y > cpe::kMaxThreads || threads.product() > cpe::kMaxThreads) {
    return refuse(Kind::kInvalid, fmt::format("a block of {} x {} x {} threads; {} are the most", threads.x,
                                              threads.y, threads.z, cpe::kMaxThreads));
  }
  if (const uint64_t most = most_threads(kernel, shared); threads.product() > most) {
    const ThreadStacks& stacks = kernel.stacks.value();
    return refuse(
        Kind::kNoRoom,
        fmt::format("its threads wait for each other (__syncthreads), so each of the {} of a block has {} "
                    "bytes of stack in local memory, where {} bytes are free and a launch shares {}: at "
                    "most {} threads. Take smaller blocks, less shared memory, or fewer variables",
                    threads.product(), stacks.bytes, stacks.room, shared, most));
  }
  if (shared > kernel.free_bytes) {
    return refuse(Kind::kNoRoom, fmt::format("{} bytes of local memory are to be shared, where {} are free. "
                                             "Share less, or have fewer __shared__ variables",
                                             shared, kernel.free_bytes));
  }
  return std::nullopt;
}

void place_grid(std::span<uint8_t> arguments, Parameters parameters, const cpe::Grid& grid) {
  std::memcpy(arguments.data() + parameters.offset(parameters.values()), &grid, sizeof grid);
}

}  // namespace swai::module
