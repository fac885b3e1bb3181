// SPDX-License-Identifier: Apache-2.0
// Arguments of the kernels of the runtime library's tests.
#pragma once

#include <cstdint>

#include "abi/global_ptr.hpp"

namespace swai::sdaa {

// Where they are.
inline constexpr const char* kModule = "build/cpe-kernels/sdaa-tests.elf";

template <typename T>
cpe::GlobalPtr<T> global(const void* pointer) {
  return cpe::GlobalPtr<T>(reinterpret_cast<uintptr_t>(pointer));
}

// axpy_int: y = a * x + y, `count` numbers (a multiple of 16), divided among the cores.
struct AxpyIntArgs {
  cpe::GlobalPtr<int32_t> y;
  cpe::GlobalPtr<const int32_t> x;
  uint32_t count;
  int32_t a;
};

// who: every core writes its number to `to` + number * 64.
struct WhoArgs {
  cpe::GlobalPtr<uint32_t> to;
};

// many_arguments: core 0 writes the sum of the values to `to`. More than fits into one slot of a queue.
struct ManyArgs {
  cpe::GlobalPtr<uint32_t> to;
  uint32_t values[60];
};

// values: core 0 writes its arguments to where the first one points.
struct Values {
  int64_t wide;
  double real;
  float single;
  int16_t narrow;
  int8_t least;
  uint8_t most;
};

// outlives: core 0 ends its launch as the daemon does, and then has lines written, `rows` of them, `stride`
// apart from `to` on, behind a transfer that takes longer than the next launch takes to begin. takes_launch:
// it takes the next launch as well, and has them written then. Both wait `rounds` before, in which others ask
// for that launch. leaves_shape: all cores end with a shape that no transfer has used.
struct OutlivesArgs {
  cpe::GlobalPtr<void> to;
  int32_t stride;
  uint16_t rows;
  uint16_t rounds;
};

}  // namespace swai::sdaa
