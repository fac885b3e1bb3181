// SPDX-License-Identifier: Apache-2.0
// Ends the program with what went wrong, in full, when a call of the runtime library fails.
#pragma once

#include <sdaa_runtime.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                    \
  do {                                                                                                 \
    const sdaaError_t error = (call);                                                                  \
    if (error != sdaaSuccess) {                                                                        \
      std::fprintf(stderr, "%s: %s: %s\n", #call, sdaaGetErrorName(error), sdaaGetLastErrorMessage()); \
      std::exit(1);                                                                                    \
    }                                                                                                  \
  } while (false)
