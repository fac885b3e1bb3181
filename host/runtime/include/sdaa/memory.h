/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the card, and pinned memory of the host. */
#ifndef SDAA_MEMORY_H
#define SDAA_MEMORY_H

#include "error.h"
#include "stream.h"

SDAA_C_BEGIN

/* Who reaches it beside copies. */
#define sdaaMallocCores 0u     /* the cores' kernels (sdaaMalloc) */
#define sdaaMallocProcessor 1u /* the management processor only */
#define sdaaMallocShared 2u    /* both */

#define sdaaAnyGroup (-1)

SDAA_API sdaaError_t sdaaMalloc(void** pointer, size_t bytes);
SDAA_API sdaaError_t sdaaMallocWithFlags(void** pointer, size_t bytes, unsigned int flags, int group);
SDAA_API sdaaError_t sdaaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height);
SDAA_API sdaaError_t sdaaFree(void* pointer);
typedef struct sdaaExtent {
  size_t width; /* bytes */
  size_t height;
  size_t depth;
} sdaaExtent;
typedef struct sdaaPos {
  size_t x; /* bytes */
  size_t y;
  size_t z;
} sdaaPos;
/* Slices of `ysize` rows, each of which begins `pitch` bytes behind the one before. */
typedef struct sdaaPitchedPtr {
  void* ptr;
  size_t pitch;
  size_t xsize; /* bytes of a row */
  size_t ysize;
} sdaaPitchedPtr;
static inline sdaaExtent make_sdaaExtent(size_t width, size_t height, size_t depth) {
  sdaaExtent made;
  made.width = width;
  made.height = height;
  made.depth = depth;
  return made;
}
static inline sdaaPos make_sdaaPos(size_t x, size_t y, size_t z) {
  sdaaPos made;
  made.x = x;
  made.y = y;
  made.z = z;
  return made;
}
static inline sdaaPitchedPtr make_sdaaPitchedPtr(void* ptr, size_t pitch, size_t xsize, size_t ysize) {
  sdaaPitchedPtr made;
  made.ptr = ptr;
  made.pitch = pitch;
  made.xsize = xsize;
  made.ysize = ysize;
  return made;
}
SDAA_API sdaaError_t sdaaMalloc3D(sdaaPitchedPtr* pointer, sdaaExtent extent);

/* The allocation that the pointer leads into. */
SDAA_API sdaaError_t sdaaMemGetAddressRange(void** base, size_t* bytes, void* pointer);
SDAA_API sdaaError_t sdaaMemPtrGetInfo(void* pointer, size_t* bytes);
SDAA_API sdaaError_t sdaaMemGetInfo(size_t* free, size_t* total);
/* With SWAI_MEMORY_CHECK=1: around how many allocations of the current device something was written. Each is
 * named on stderr. */
SDAA_API sdaaError_t sdaaMemCheck(size_t* damaged);

#define sdaaHostMallocDefault 0u
#define sdaaHostMallocPortable 1u
#define sdaaHostMallocMapped 2u        /* NotSupported: kernels reach no memory of the host */
#define sdaaHostMallocWriteCombined 4u /* a hint that nobody needs */
#define sdaaHostAllocDefault sdaaHostMallocDefault
#define sdaaHostAllocPortable sdaaHostMallocPortable
#define sdaaHostAllocMapped sdaaHostMallocMapped
#define sdaaHostAllocWriteCombined sdaaHostMallocWriteCombined
#define sdaaHostRegisterDefault 0u
#define sdaaHostRegisterPortable 1u
#define sdaaHostRegisterMapped 2u   /* NotSupported */
#define sdaaHostRegisterIoMemory 4u /* NotSupported */
#define sdaaHostRegisterReadOnly 8u /* the card may not write */

/* Host memory that the card reaches by itself: copies of it need no help. */
SDAA_API sdaaError_t sdaaMallocHost(void** pointer, size_t bytes);
SDAA_API sdaaError_t sdaaHostMalloc(void** pointer, size_t bytes, unsigned int flags SDAA_DEFAULT(0));
SDAA_API sdaaError_t sdaaHostAlloc(void** pointer, size_t bytes, unsigned int flags SDAA_DEFAULT(0));
SDAA_API sdaaError_t sdaaFreeHost(void* pointer);
SDAA_API sdaaError_t sdaaHostFree(void* pointer);
SDAA_API sdaaError_t sdaaHostRegister(void* pointer, size_t bytes, unsigned int flags SDAA_DEFAULT(0));
SDAA_API sdaaError_t sdaaHostUnregister(void* pointer);
/* What it was made or registered with. */
SDAA_API sdaaError_t sdaaHostGetFlags(unsigned int* flags, void* pointer);
SDAA_API sdaaError_t sdaaHostGetDevicePointer(void** device, void* host, unsigned int flags);

/* One address for host and card: no card has that, and these say so. */
#define sdaaMemAttachGlobal 1u
#define sdaaMemAttachHost 2u
#define sdaaCpuDeviceId (-1)
#define sdaaInvalidDeviceId (-2)
typedef enum sdaaMemoryAdvise {
  sdaaMemAdviseSetReadMostly = 1,
  sdaaMemAdviseUnsetReadMostly = 2,
  sdaaMemAdviseSetPreferredLocation = 3,
  sdaaMemAdviseUnsetPreferredLocation = 4,
  sdaaMemAdviseSetAccessedBy = 5,
  sdaaMemAdviseUnsetAccessedBy = 6
} sdaaMemoryAdvise;
SDAA_API sdaaError_t sdaaMallocManaged(void** pointer, size_t bytes,
                                       unsigned int flags SDAA_DEFAULT(sdaaMemAttachGlobal));
SDAA_API sdaaError_t sdaaMemAdvise(const void* pointer, size_t bytes, sdaaMemoryAdvise advice, int device);
SDAA_API sdaaError_t sdaaMemPrefetchAsync(const void* pointer, size_t bytes, int device,
                                          sdaaStream_t stream SDAA_DEFAULT(NULL));

typedef enum sdaaMemoryType {
  sdaaMemoryTypeUnregistered = 0, /* of the host, nothing is known about it */
  sdaaMemoryTypeHost = 1,         /* sdaaMallocHost, sdaaHostRegister */
  sdaaMemoryTypeDevice = 2,
  sdaaMemoryTypeManaged = 3 /* sdaaMallocShared */
} sdaaMemoryType;

typedef struct sdaaPointerAttributes {
  sdaaMemoryType type;
  int device;
  int group;           /* of device memory */
  void* devicePointer; /* host memory: as the DMA engine names it */
  void* hostPointer;
  void* base; /* where the allocation begins */
  size_t bytes;
} sdaaPointerAttribute_t;
SDAA_API sdaaError_t sdaaPointerGetAttributes(sdaaPointerAttribute_t* attributes, const void* pointer);

SDAA_C_END

#endif
