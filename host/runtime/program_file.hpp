// SPDX-License-Identifier: Apache-2.0
// The file of a model program: an ELF file as `sdaacc --mpe` makes it, or whatever somebody gives.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace swai::sdaa {

// What lies in the pages of a program's memory when it begins.
struct ProgramFile {
  uint64_t entry = 0;
  std::vector<uint8_t> code;  // from program::kCode on
  std::vector<uint8_t> data;  // from program::kData on, zeros included
  uint64_t stack_bytes = 0;   // what comes first there and need not be zeros
};

// Throws Failure: InvalidKernelFile, NoBinaryForDevice, InvalidImage.
ProgramFile read_program(std::span<const uint8_t> file);

}  // namespace swai::sdaa
