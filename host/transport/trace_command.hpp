// SPDX-License-Identifier: Apache-2.0
// What vendor::Command::kTrace is asked for with its first argument.
#pragma once

#include <cstdint>

namespace swai::link::vendor {

enum class Trace : uint64_t {
  kOff = 0,
  kOn = 1,
  // Launches of it have its name: code segment << 32 | pc, 16 bytes of the name, zeros behind it.
  kKernel = 2,
  kKernelMore = 3,  // 16 bytes more
};

// All kernels of a segment that have no name of their own. None begins there.
inline constexpr uint32_t kAnyPc = 0;

}  // namespace swai::link::vendor
