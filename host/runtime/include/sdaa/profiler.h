/* SPDX-License-Identifier: Apache-2.0 */
/* Callbacks, traces, names for parts of a program. */
#ifndef SDAA_PROFILER_H
#define SDAA_PROFILER_H

#include "error.h"

SDAA_C_BEGIN

typedef enum sdaaProfilerPhase { sdaaProfilerEnter = 0, sdaaProfilerExit = 1 } sdaaProfilerPhase;
typedef struct sdaaProfilerRecord_t {
  const char* function; /* of this API */
  sdaaProfilerPhase phase;
  uint64_t correlation; /* the same for enter and exit */
  sdaaError_t result;   /* exit */
  uint64_t hostNanoseconds;
} sdaaProfilerRecord_t;
typedef void (*sdaaProfilerCallback_t)(const sdaaProfilerRecord_t* record, void* user);
/* Called at the beginning and end of every call while profiling is on, in the calling thread. */
SDAA_API sdaaError_t sdaaProfilerSetCallback(sdaaProfilerCallback_t callback, void* user);
/* With SWAI_PROFILE=FILE in the environment, too: what the program does is written there as a trace for
 * Perfetto, from the beginning on unless it is stopped. */
SDAA_API sdaaError_t sdaaProfilerStart(void);
SDAA_API sdaaError_t sdaaProfilerStop(void);
/* Names for parts of the program there: of a thread, one in the other; and of the process, as they like. */
SDAA_API sdaaError_t sdaaRangePush(const char* name);
SDAA_API sdaaError_t sdaaRangePop(void);
SDAA_API sdaaError_t sdaaRangeStart(uint64_t* range, const char* name);
SDAA_API sdaaError_t sdaaRangeEnd(uint64_t range);

SDAA_C_END

#endif
