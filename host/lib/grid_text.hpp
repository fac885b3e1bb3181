// SPDX-License-Identifier: Apache-2.0
// Grids of threads as they are written on command lines: --grid X[,Y[,Z]] --block X[,Y[,Z]] --shared BYTES.
#pragma once

#include <string>

#include "host/lib/grid_check.hpp"

namespace swai::kernel_run {

// Empty: it was not given.
struct GridText {
  std::string blocks;
  std::string threads;
  std::string shared;

  bool any() const { return !blocks.empty() || !threads.empty() || !shared.empty(); }
};

// "64", "64,2", "64,2,1"; what is left out is 1. Throws common::InputError with `what` in its message.
cpe::Extent parse_extent(const std::string& text, const std::string& what);
// What the kernel finds; all zero for one that knows no threads. Throws common::InputError when the kernel
// cannot run it, and when one that runs in threads was given no grid.
cpe::Grid parse_grid(const GridText& text, const module::GridKernel& kernel);

}  // namespace swai::kernel_run
