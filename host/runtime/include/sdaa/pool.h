/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is allocated and freed in the order of a stream. A pool keeps what was freed, for whoever comes
 * next. */
#ifndef SDAA_POOL_H
#define SDAA_POOL_H

#include "error.h"
#include "stream.h"

SDAA_C_BEGIN

typedef struct sdaaMemPool_st* sdaaMemPool_t;

typedef enum sdaaMemAllocationType {
  sdaaMemAllocationTypeInvalid = 0,
  sdaaMemAllocationTypePinned = 1
} sdaaMemAllocationType;
typedef enum sdaaMemAllocationHandleType { sdaaMemHandleTypeNone = 0 } sdaaMemAllocationHandleType;
typedef enum sdaaMemLocationType {
  sdaaMemLocationTypeInvalid = 0,
  sdaaMemLocationTypeDevice = 1
} sdaaMemLocationType;
typedef struct sdaaMemLocation {
  sdaaMemLocationType type;
  int id;
} sdaaMemLocation;
typedef struct sdaaMemPoolProps {
  sdaaMemAllocationType allocType;
  sdaaMemAllocationHandleType handleTypes;
  sdaaMemLocation location;
  void* win32SecurityAttributes; /* NULL */
  size_t maxSize;                /* bytes; 0: as many as the card has */
} sdaaMemPoolProps;

/* The first three are int: how memory that another stream has freed may be used again. A pool never waits for
 * that, nor lets streams wait: it is used again when it is free. */
typedef enum sdaaMemPoolAttr {
  sdaaMemPoolReuseFollowEventDependencies = 1,
  sdaaMemPoolReuseAllowOpportunistic = 2,
  sdaaMemPoolReuseAllowInternalDependencies = 3,
  sdaaMemPoolAttrReleaseThreshold = 4, /* uint64_t: so many bytes are kept when somebody waits for a stream */
  sdaaMemPoolAttrReservedMemCurrent = 5,
  sdaaMemPoolAttrReservedMemHigh = 6,
  sdaaMemPoolAttrUsedMemCurrent = 7,
  sdaaMemPoolAttrUsedMemHigh = 8
} sdaaMemPoolAttr;

SDAA_API sdaaError_t sdaaMallocAsync(void** pointer, size_t bytes, sdaaStream_t stream);
SDAA_API sdaaError_t sdaaMallocFromPoolAsync(void** pointer, size_t bytes, sdaaMemPool_t pool,
                                             sdaaStream_t stream);
SDAA_API sdaaError_t sdaaFreeAsync(void* pointer, sdaaStream_t stream);

SDAA_API sdaaError_t sdaaMemPoolCreate(sdaaMemPool_t* pool, const sdaaMemPoolProps* properties);
SDAA_API sdaaError_t sdaaMemPoolDestroy(sdaaMemPool_t pool);
SDAA_API sdaaError_t sdaaMemPoolGetAttribute(sdaaMemPool_t pool, sdaaMemPoolAttr attribute, void* value);
SDAA_API sdaaError_t sdaaMemPoolSetAttribute(sdaaMemPool_t pool, sdaaMemPoolAttr attribute, void* value);
SDAA_API sdaaError_t sdaaMemPoolTrimTo(sdaaMemPool_t pool, size_t bytes);
SDAA_API sdaaError_t sdaaDeviceGetDefaultMemPool(sdaaMemPool_t* pool, int device);
/* The pool that sdaaMallocAsync takes from. */
SDAA_API sdaaError_t sdaaDeviceGetMemPool(sdaaMemPool_t* pool, int device);
SDAA_API sdaaError_t sdaaDeviceSetMemPool(int device, sdaaMemPool_t pool);

SDAA_C_END

#endif
