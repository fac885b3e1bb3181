// SPDX-License-Identifier: Apache-2.0
// What the program `count` (firmware/programs/count.cpp) is told by its host.
#pragma once

#include <array>
#include <cstdint>

#include "abi/program.hpp"

namespace swai::count {

struct Wish {
  program::Kernel kernel;
  std::array<uint64_t, 5> arguments;  // of the kernel
  uint64_t times;
};

// The program's code.
enum Code : uint32_t { kAll = 0, kCancelled = 1, kFailed = 2, kRefused = 3 };

}  // namespace swai::count
