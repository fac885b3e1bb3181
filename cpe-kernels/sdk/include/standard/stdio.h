// SPDX-License-Identifier: Apache-2.0
// The C library's, in which kernels have printf.
#pragma GCC system_header
#include_next <stdio.h>

#include "swai/print.hpp"

#undef printf
#define printf(...) SWAI_PRINTF(__VA_ARGS__)
