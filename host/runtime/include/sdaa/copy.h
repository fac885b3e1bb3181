/* SPDX-License-Identifier: Apache-2.0 */
/* Copies and fills. */
#ifndef SDAA_COPY_H
#define SDAA_COPY_H

#include "error.h"
#include "memory.h"
#include "stream.h"

SDAA_C_BEGIN

typedef enum sdaaMemcpyKind {
  sdaaMemcpyHostToHost = 0,
  sdaaMemcpyHostToDevice = 1,
  sdaaMemcpyDeviceToHost = 2,
  sdaaMemcpyDeviceToDevice = 3,
  sdaaMemcpyDefault = 4 /* the pointers tell */
} sdaaMemcpyKind;

SDAA_API sdaaError_t sdaaMemcpy(void* to, const void* from, size_t bytes, sdaaMemcpyKind kind);
SDAA_API sdaaError_t sdaaMemcpyAsync(void* to, const void* from, size_t bytes, sdaaMemcpyKind kind,
                                     sdaaStream_t stream SDAA_DEFAULT(NULL));
/* In the order of the stream, and complete on return. */
SDAA_API sdaaError_t sdaaMemcpyWithStream(void* to, const void* from, size_t bytes, sdaaMemcpyKind kind,
                                          sdaaStream_t stream);
SDAA_API sdaaError_t sdaaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                  size_t width, size_t height, sdaaMemcpyKind kind);
SDAA_API sdaaError_t sdaaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                       size_t width, size_t height, sdaaMemcpyKind kind,
                                       sdaaStream_t stream SDAA_DEFAULT(NULL));
SDAA_API sdaaError_t sdaaMemcpyHtoD(void* to, const void* from, size_t bytes);
SDAA_API sdaaError_t sdaaMemcpyDtoH(void* to, const void* from, size_t bytes);
SDAA_API sdaaError_t sdaaMemcpyDtoD(void* to, const void* from, size_t bytes);
SDAA_API sdaaError_t sdaaMemcpyHtoDAsync(void* to, const void* from, size_t bytes, sdaaStream_t stream);
SDAA_API sdaaError_t sdaaMemcpyDtoHAsync(void* to, const void* from, size_t bytes, sdaaStream_t stream);
SDAA_API sdaaError_t sdaaMemcpyDtoDAsync(void* to, const void* from, size_t bytes, sdaaStream_t stream);
SDAA_API sdaaError_t sdaaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes);
SDAA_API sdaaError_t sdaaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                         size_t bytes, sdaaStream_t stream SDAA_DEFAULT(NULL));

/* Boxes: `extent` of them from srcPos of srcPtr to dstPos of dstPtr. The arrays are NULL: a card has none. */
typedef struct sdaaArray* sdaaArray_t;
typedef struct sdaaMemcpy3DParms {
  sdaaArray_t srcArray;
  sdaaPos srcPos;
  sdaaPitchedPtr srcPtr;
  sdaaArray_t dstArray;
  sdaaPos dstPos;
  sdaaPitchedPtr dstPtr;
  sdaaExtent extent;
  sdaaMemcpyKind kind;
} sdaaMemcpy3DParms;
SDAA_API sdaaError_t sdaaMemcpy3D(const sdaaMemcpy3DParms* parameters);
SDAA_API sdaaError_t sdaaMemcpy3DAsync(const sdaaMemcpy3DParms* parameters,
                                       sdaaStream_t stream SDAA_DEFAULT(NULL));

SDAA_API sdaaError_t sdaaMemset(void* to, int value, size_t bytes);
SDAA_API sdaaError_t sdaaMemsetAsync(void* to, int value, size_t bytes,
                                     sdaaStream_t stream SDAA_DEFAULT(NULL));
SDAA_API sdaaError_t sdaaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height);
SDAA_API sdaaError_t sdaaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                                       sdaaStream_t stream SDAA_DEFAULT(NULL));
SDAA_API sdaaError_t sdaaMemset3D(sdaaPitchedPtr to, int value, sdaaExtent extent);
SDAA_API sdaaError_t sdaaMemset3DAsync(sdaaPitchedPtr to, int value, sdaaExtent extent,
                                       sdaaStream_t stream SDAA_DEFAULT(NULL));
/* `count` values of 1, 2 or 4 bytes. */
SDAA_API sdaaError_t sdaaMemsetD8(void* to, unsigned char value, size_t count);
SDAA_API sdaaError_t sdaaMemsetD8Async(void* to, unsigned char value, size_t count, sdaaStream_t stream);
SDAA_API sdaaError_t sdaaMemsetD16(void* to, unsigned short value, size_t count);
SDAA_API sdaaError_t sdaaMemsetD16Async(void* to, unsigned short value, size_t count, sdaaStream_t stream);
SDAA_API sdaaError_t sdaaMemsetD32(void* to, unsigned int value, size_t count);
SDAA_API sdaaError_t sdaaMemsetD32Async(void* to, unsigned int value, size_t count, sdaaStream_t stream);

SDAA_C_END

#endif
