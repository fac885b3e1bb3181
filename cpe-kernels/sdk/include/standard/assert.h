// SPDX-License-Identifier: Apache-2.0
// assert() for kernels; <cassert> finds it, too. A core for which the condition does not hold stops, and the
// launch fails with "assertion failed: i < n" and the line. It costs a branch that is not taken; the words
// stay on the host.
//
// As the standard has it: the last inclusion counts, and NDEBUG switches it off.
#include "swai/stop.hpp"

#undef assert
#ifdef NDEBUG
#define assert(...) (static_cast<void>(0))
#else
#define assert(...)                                                \
  (__builtin_expect(static_cast<bool>(__VA_ARGS__), true) ? void() \
                                                          : SWAI_STOP("assertion failed: " #__VA_ARGS__))
#endif
