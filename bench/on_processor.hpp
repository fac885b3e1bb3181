// SPDX-License-Identifier: Apache-2.0
// What the management processor measures by itself, with firmware of its own in place of the kernel, on a
// card that is started for it alone: two allocators side by side, and two ways to start a kernel.
#pragma once

#include <vector>

#include "bench/series.hpp"
#include "host/tools/cli/options.hpp"

namespace swai::cli::bench {

struct OnProcessor {
  std::vector<Series> allocators;  // ours and the C library's, in a heap that is new and in one that was used
  double fast_start_ns = 0;
  double classic_start_ns = 0;
};

// Throw Error.
void measure_allocators(const Options& options, OnProcessor& result);
void measure_starts(const Options& options, OnProcessor& result);

}  // namespace swai::cli::bench
