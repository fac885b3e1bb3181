/* SPDX-License-Identifier: Apache-2.0 */
/* What the simulator of a card tells about it. No part of sdaa_runtime.h: hardware has no such thing. */
#ifndef SDAA_SIMULATION_H
#define SDAA_SIMULATION_H

#include "error.h"

SDAA_C_BEGIN

/* Cycles since power-on in which an engine of any core had not come to its end, and bytes over the link.
 * `any` is without transfers of cores that wait at a barrier: those are for what comes behind it.
 * sdaaErrorNotSupported where nobody counts: on hardware, and in the functional model. */
typedef struct sdaaDeviceWork {
  uint64_t any;
  uint64_t dma; /* of a core: transfers between memory and local memory */
  uint64_t systolic;
  uint64_t vector;
  uint64_t bytesToCard; /* payload */
  uint64_t bytesToHost;
  uint64_t barrier; /* of all cores together: they waited for others at a barrier */
} sdaaDeviceWork_t;
SDAA_API sdaaError_t sdaaDeviceGetWork(sdaaDeviceWork_t* work);

SDAA_C_END

#endif
