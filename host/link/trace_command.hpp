// What vendor::Command::kTrace is asked for with its first argument.
#pragma once

#include <cstdint>

namespace swai::link::vendor {

enum class Trace : uint64_t {
  kOff = 0,
  kOn = 1,
  kKernel =
      2,  // launches of it have its name: code segment << 32 | pc, 16 bytes of the name, zeros behind it
  kKernelMore = 3,  // 16 bytes more
};

}  // namespace swai::link::vendor
