// SPDX-License-Identifier: Apache-2.0
// Grids of threads, as kernels that were written for CUDA have them: what the host asks for, and the core
// finds behind the kernel's arguments. docs/program/cuda-kernels.md explains it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace swai::cpe {

struct Extent {
  unsigned int x = 0;
  unsigned int y = 0;
  unsigned int z = 0;

  constexpr uint64_t product() const { return uint64_t{x} * y * z; }
};

// All zero: a block of one thread for each core.
struct Grid {
  Extent blocks;
  Extent threads;             // of a block
  uint32_t shared_bytes = 0;  // local memory of a block beside its static objects
  uint32_t reserved = 0;
};
static_assert(sizeof(Grid) == 32 && offsetof(Grid, shared_bytes) == 24);

inline constexpr uint32_t kMaxThreads = 1024;  // of a block
inline constexpr uint64_t kMaxBlocks = 0xffff'ffff;
// Dynamic shared memory, and behind it the threads' stacks, begin at multiples of it.
inline constexpr uint32_t kSharedAlignment = 64;

}  // namespace swai::cpe
