// SPDX-License-Identifier: Apache-2.0
// Modules and launches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abi/grid.hpp"
#include "host/runtime/stream_writer.hpp"

namespace swai::sdaa {

std::shared_ptr<Module> load_module(const std::shared_ptr<Device>& device, std::span<const uint8_t> file);
// How long an ELF file is, by what it says itself.
uint64_t length_of_image(const void* image);

// What a kernel finds: of a kernel of values the structure with the grid, made of what the pointers of `args`
// point to; else a copy of the structure there.
std::vector<uint8_t> arguments_of(const KernelInfo& kernel, const void* args, const cpe::Grid& grid = {});

// Of a block that shares so many bytes of local memory; and the most that a block of so many threads shares.
uint64_t most_threads(const KernelInfo& kernel, uint64_t shared);
uint64_t most_shared(const KernelInfo& kernel, uint64_t threads);

struct LaunchWish {
  uint32_t mask = 0;
  int group = sdaaAnyGroup;
  uint32_t timeout = 0;
  size_t local_bytes = 0;
  cpe::Grid grid = {};  // of kernels with threads
};
// The default, if there is no configuration.
LaunchWish wish_of(const sdaaLaunchConfig_t* config);
// Throws unless the kernel can run such a grid. Of it come the wish's shared bytes, too.
void ask_for_grid(LaunchWish& wish, const KernelInfo& kernel, cpe::Extent blocks, cpe::Extent threads,
                  size_t shared);
// For calls that have no grid.
void require_no_threads(const KernelInfo& kernel);
// The command, without arguments, of which it has as many bytes as the kernel takes.
command::Launch launch_of(const Device& device, const Function& function, const LaunchWish& wish);
void launch(StreamWriter stream, const Function& function, const LaunchWish& wish,
            std::span<const uint8_t> arguments);

}  // namespace swai::sdaa
