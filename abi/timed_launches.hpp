// SPDX-License-Identifier: Apache-2.0
// What the program `timed_launches` (firmware/programs/timed_launches.cpp) is told by its host, and sends
// back.
#pragma once

#include <array>
#include <cstdint>

#include "abi/program.hpp"

namespace swai::timed_launches {

struct Wish {
  program::Kernel kernel;
  std::array<uint64_t, 5> arguments;  // of the kernel
  uint64_t times;
};

struct Message {
  uint64_t cycles;  // of all
};

// The program's code.
enum Code : uint32_t { kAll = 0, kFailed = 1, kRefused = 2 };

}  // namespace swai::timed_launches
