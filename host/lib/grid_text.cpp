// SPDX-License-Identifier: Apache-2.0
#include "host/lib/grid_text.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>

#include "host/lib/argument_text.hpp"
#include "host/lib/elf.hpp"

namespace swai::kernel_run {

using common::InputError;

cpe::Extent parse_extent(const std::string& text, const std::string& what) {
  std::array<uint32_t, 3> sizes = {1, 1, 1};
  size_t at = 0;
  for (uint32_t& size : sizes) {
    const size_t end = text.find(',', at);
    size = static_cast<uint32_t>(parse_number(text.substr(at, end - at), std::numeric_limits<uint32_t>::max(),
                                              fmt::format("{} {}", what, text)));
    if (end == std::string::npos) return {sizes[0], sizes[1], sizes[2]};
    at = end + 1;
  }
  throw InputError(fmt::format("{} {}: more than three sizes; it is X, X,Y or X,Y,Z", what, text));
}

cpe::Grid parse_grid(const GridText& text, const module::GridKernel& kernel) {
  if (!text.any() && !kernel.parameters.has_grid()) return {};
  if (kernel.parameters.has_grid() && (text.blocks.empty() || text.threads.empty())) {
    throw InputError(fmt::format(
        "kernel {} runs once for each thread of a grid: give --grid (blocks) and --block (threads "
        "of each), for instance --grid 4 --block 64",
        kernel.name));
  }
  const cpe::Extent blocks = text.blocks.empty() ? cpe::Extent{} : parse_extent(text.blocks, "--grid");
  const cpe::Extent threads = text.threads.empty() ? cpe::Extent{} : parse_extent(text.threads, "--block");
  const uint64_t shared =
      text.shared.empty() ? 0 : parse_bytes(text.shared, std::numeric_limits<uint32_t>::max(), "--shared");
  if (auto refusal = module::refuse_grid(kernel, blocks, threads, shared)) {
    if (refusal->kind == module::GridRefusal::Kind::kNoThreads)
      refusal->why += ". Leave --grid, --block and --shared out";
    throw InputError(refusal->why);
  }
  return {blocks, threads, static_cast<uint32_t>(shared), 0};
}

}  // namespace swai::kernel_run
