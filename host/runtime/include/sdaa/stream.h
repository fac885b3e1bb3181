/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, events, functions of the host. */
#ifndef SDAA_STREAM_H
#define SDAA_STREAM_H

#include "error.h"

SDAA_C_BEGIN

typedef struct sdaaStream_st* sdaaStream_t; /* NULL: the device's default stream */
typedef struct sdaaEvent_st* sdaaEvent_t;

#define sdaaStreamDefault 0u
#define sdaaStreamLegacy ((sdaaStream_t)0)
#define sdaaStreamNonBlocking 1u /* does not wait for the default stream, nor lets it wait */

SDAA_API sdaaError_t sdaaStreamCreate(sdaaStream_t* stream);
SDAA_API sdaaError_t sdaaStreamCreateWithFlags(sdaaStream_t* stream, unsigned int flags);
/* All streams of a card have the same priority, 0. */
SDAA_API sdaaError_t sdaaStreamCreateWithPriority(sdaaStream_t* stream, unsigned int flags, int priority);
SDAA_API sdaaError_t sdaaStreamGetPriority(sdaaStream_t stream, int* priority);
SDAA_API sdaaError_t sdaaStreamGetDevice(sdaaStream_t stream, int* device);
/* The same for no two streams of the process. */
SDAA_API sdaaError_t sdaaStreamGetId(sdaaStream_t stream, unsigned long long* id);
SDAA_API sdaaError_t sdaaStreamDestroy(sdaaStream_t stream);
SDAA_API sdaaError_t sdaaStreamSynchronize(sdaaStream_t stream);
SDAA_API sdaaError_t sdaaStreamQuery(sdaaStream_t stream);
SDAA_API sdaaError_t sdaaStreamWaitEvent(sdaaStream_t stream, sdaaEvent_t event,
                                         unsigned int flags SDAA_DEFAULT(0));
SDAA_API sdaaError_t sdaaStreamGetFlags(sdaaStream_t stream, unsigned int* flags);
/* After a failure: what was behind it is dropped, the stream works again. */
SDAA_API sdaaError_t sdaaStreamReset(sdaaStream_t stream);

typedef void (*sdaaHostFn_t)(void* user);
typedef void (*sdaaStreamCallback_t)(sdaaStream_t stream, sdaaError_t status, void* user);
SDAA_API sdaaError_t sdaaLaunchHostFunc(sdaaStream_t stream, sdaaHostFn_t function, void* user);
SDAA_API sdaaError_t sdaaStreamAddCallback(sdaaStream_t stream, sdaaStreamCallback_t function, void* user,
                                           unsigned int flags);

#define sdaaEventDefault 0u
#define sdaaEventBlockingSync 1u
#define sdaaEventDisableTiming 2u
#define sdaaEventInterprocess 4u /* NotSupported: an event is its client's */
#define sdaaEventWaitDefault 0u
#define sdaaEventRecordDefault 0u
#define sdaaEventRecordExternal 1u /* NotSupported */

SDAA_API sdaaError_t sdaaEventCreate(sdaaEvent_t* event);
SDAA_API sdaaError_t sdaaEventCreateWithFlags(sdaaEvent_t* event, unsigned int flags);
SDAA_API sdaaError_t sdaaEventDestroy(sdaaEvent_t event);
SDAA_API sdaaError_t sdaaEventRecord(sdaaEvent_t event, sdaaStream_t stream SDAA_DEFAULT(NULL));
SDAA_API sdaaError_t sdaaEventRecordWithFlags(sdaaEvent_t event, sdaaStream_t stream SDAA_DEFAULT(NULL),
                                              unsigned int flags SDAA_DEFAULT(0));
SDAA_API sdaaError_t sdaaEventSynchronize(sdaaEvent_t event);
SDAA_API sdaaError_t sdaaEventQuery(sdaaEvent_t event);
SDAA_API sdaaError_t sdaaEventElapsedTime(float* milliseconds, sdaaEvent_t start, sdaaEvent_t end);

typedef struct sdaaIpcEventHandle_st {
  char reserved[64];
} sdaaIpcEventHandle_t;
SDAA_API sdaaError_t sdaaIpcGetEventHandle(sdaaIpcEventHandle_t* handle, sdaaEvent_t event);
SDAA_API sdaaError_t sdaaIpcOpenEventHandle(sdaaEvent_t* event, sdaaIpcEventHandle_t handle);

SDAA_C_END

#endif
