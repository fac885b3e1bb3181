/* SPDX-License-Identifier: Apache-2.0 */
/* Model programs.
 *
 * A model program runs on the card's management processor, launches kernels there and sends messages to the
 * host, while the host does something else. `sdaacc --mpe` makes it. */
#ifndef SDAA_PROGRAM_H
#define SDAA_PROGRAM_H

#include "error.h"
#include "module.h"

SDAA_C_BEGIN

typedef struct sdaaProgram_st* sdaaProgram_t;
SDAA_API sdaaError_t sdaaProgramLoad(sdaaProgram_t* program, const char* path);
SDAA_API sdaaError_t sdaaProgramLoadBytes(sdaaProgram_t* program, const void* image, size_t bytes);
/* Ends it if it runs. */
SDAA_API sdaaError_t sdaaProgramDestroy(sdaaProgram_t program);
/* Begins a run; the program finds a copy of `args`. A program runs once at a time. */
SDAA_API sdaaError_t sdaaProgramStart(sdaaProgram_t program, const void* args, size_t argumentBytes);
/* Waits for the next message. *bytes: room in `message` before, length of the message afterwards. NotFound:
 * the program has ended, and all messages were read. */
SDAA_API sdaaError_t sdaaProgramRead(sdaaProgram_t program, void* message, size_t* bytes);
/* Waits for the end; messages can be read afterwards. `code`: what the program gave back, or null. */
SDAA_API sdaaError_t sdaaProgramWait(sdaaProgram_t program, uint32_t* code);
/* One of eight words that the program sees, and that wake it: from 2 on they are the program's own. */
SDAA_API sdaaError_t sdaaProgramTell(sdaaProgram_t program, unsigned int number, uint64_t word);
/* Asks it to end, which it may do when it likes; sdaaProgramDestroy does not ask. */
SDAA_API sdaaError_t sdaaProgramCancel(sdaaProgram_t program);
/* What a program launches `function` with (swai::program::Kernel), to be passed in its arguments. */
typedef struct sdaaProgramKernel_t {
  uint64_t words[2];
} sdaaProgramKernel_t;
SDAA_API sdaaError_t sdaaProgramGetKernel(sdaaProgramKernel_t* kernel, sdaaFunction_t function,
                                          const sdaaLaunchConfig_t* config);

SDAA_C_END

#endif
