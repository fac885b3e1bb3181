// SPDX-License-Identifier: Apache-2.0
// A core that stops for a reason of the kernel's own: an ebreak, and words for hosts that no segment holds
// (host/lib/stops.hpp). assert.h is for kernels; this is for it.
#pragma once

// What is given, as a literal in the assembler's language: quotes and backslashes become escaped once more.
#define SWAI_QUOTED(...) #__VA_ARGS__
#define SWAI_LITERAL(text) SWAI_QUOTED(text)

// The line stands in the assembler's text so that the compiler never makes one stop of two.
#define SWAI_STOP_CODE(words) \
  "1: ebreak # " SWAI_LITERAL(__LINE__) "\n"          \
  ".pushsection .debug_swai_stops, \"\", @progbits\n" \
  ".4byte 1b\n"                                       \
  ".asciz " SWAI_LITERAL(words) "\n"                  \
  ".popsection"

// Ends the launch; `words`, a literal, are told with file and line.
#define SWAI_STOP(words)                 \
  __extension__({                        \
    asm volatile(SWAI_STOP_CODE(words)); \
    __builtin_unreachable();             \
  })
