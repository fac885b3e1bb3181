/* SPDX-License-Identifier: Apache-2.0 */
/* What calls return, and what is known about the last failure. */
#ifndef SDAA_ERROR_H
#define SDAA_ERROR_H

#include "base.h"

SDAA_C_BEGIN

typedef enum sdaaError {
  sdaaSuccess = 0,
  sdaaErrorInvalidValue = 1,
  sdaaErrorOutOfMemory = 2,
  sdaaErrorNotInitialized = 3,
  sdaaErrorDeinitialized = 4,
  sdaaErrorProfilerDisabled = 5,
  sdaaErrorProfilerNotInitialized = 6,
  sdaaErrorProfilerAlreadyStarted = 7,
  sdaaErrorProfilerAlreadyStopped = 8,
  sdaaErrorInvalidConfiguration = 9,
  sdaaErrorInvalidPitchValue = 12,
  sdaaErrorInvalidSymbol = 13,
  sdaaErrorInvalidDevicePointer = 17,
  sdaaErrorInvalidMemcpyDirection = 21,
  sdaaErrorInsufficientDriver = 35,
  sdaaErrorMissingConfiguration = 52,
  sdaaErrorPriorLaunchFailure = 53,
  sdaaErrorInvalidDeviceFunction = 98,
  sdaaErrorNoDevice = 100,
  sdaaErrorInvalidDevice = 101,
  sdaaErrorInvalidImage = 200,
  sdaaErrorInvalidContext = 201,
  sdaaErrorMapFailed = 205,
  sdaaErrorUnmapFailed = 206,
  sdaaErrorNoBinaryForDevice = 209,
  sdaaErrorNotMapped = 211,
  sdaaErrorECCNotCorrectable = 214,
  sdaaErrorUnsupportedLimit = 215,
  sdaaErrorPeerAccessUnsupported = 217,
  sdaaErrorInvalidKernelFile = 218,
  sdaaErrorInvalidSource = 300,
  sdaaErrorFileNotFound = 301,
  sdaaErrorSharedObjectSymbolNotFound = 302,
  sdaaErrorSharedObjectInitFailed = 303,
  sdaaErrorOperatingSystem = 304,
  sdaaErrorInvalidHandle = 400,
  sdaaErrorInvalidResourceHandle = sdaaErrorInvalidHandle,
  sdaaErrorIllegalState = 401,
  sdaaErrorNotFound = 500,
  sdaaErrorNotReady = 600,
  sdaaErrorIllegalAddress = 700,
  sdaaErrorLaunchOutOfResources = 701,
  sdaaErrorLaunchTimeOut = 702,
  sdaaErrorPeerAccessAlreadyEnabled = 704,
  sdaaErrorPeerAccessNotEnabled = 705,
  sdaaErrorContextIsDestroyed = 709,
  sdaaErrorAssert = 710,
  sdaaErrorHostMemoryAlreadyRegistered = 712,
  sdaaErrorHostMemoryNotRegistered = 713,
  sdaaErrorLaunchFailure = 719,
  sdaaErrorCooperativeLaunchTooLarge = 720,
  sdaaErrorNotPermitted = 800,
  sdaaErrorNotSupported = 801,
  sdaaErrorStreamCaptureUnsupported = 900,
  sdaaErrorStreamCaptureInvalidated = 901,
  sdaaErrorStreamCaptureMerge = 902,
  sdaaErrorStreamCaptureUnmatched = 903,
  sdaaErrorStreamCaptureUnjoined = 904,
  sdaaErrorStreamCaptureIsolation = 905,
  sdaaErrorStreamCaptureImplicit = 906,
  sdaaErrorCapturedEvent = 907,
  sdaaErrorGraphExecUpdateFailure = 910,
  sdaaErrorUnknown = 999,
  /* Ours. */
  sdaaErrorTimedOut = 2000,        /* the card lives, but did not answer in time */
  sdaaErrorDeviceLost = 2001,      /* connection or firmware is gone, and what was on the card with it */
  sdaaErrorTransferFailure = 2002, /* a transfer between host and card failed */
  sdaaErrorDeviceFirmware = 2003,  /* the card's firmware reported something that should not be */
  /* Other names of the same, as CUDA has them. */
  sdaaErrorMemoryAllocation = sdaaErrorOutOfMemory,
  sdaaErrorInitializationError = sdaaErrorNotInitialized,
  sdaaErrorCudartUnloading = sdaaErrorDeinitialized,
  sdaaErrorInvalidKernelImage = sdaaErrorInvalidImage,
  sdaaErrorDeviceUninitialized = sdaaErrorInvalidContext,
  sdaaErrorMapBufferObjectFailed = sdaaErrorMapFailed,
  sdaaErrorUnmapBufferObjectFailed = sdaaErrorUnmapFailed,
  sdaaErrorNoKernelImageForDevice = sdaaErrorNoBinaryForDevice,
  sdaaErrorECCUncorrectable = sdaaErrorECCNotCorrectable,
  sdaaErrorInvalidPtx = sdaaErrorInvalidKernelFile,
  sdaaErrorSymbolNotFound = sdaaErrorNotFound,
  sdaaErrorLaunchTimeout = sdaaErrorLaunchTimeOut
} sdaaError_t;

/* Of this thread. GetLast makes it sdaaSuccess again, Peek does not. */
SDAA_API sdaaError_t sdaaGetLastError(void);
SDAA_API sdaaError_t sdaaPeekAtLastError(void);
SDAA_API const char* sdaaGetErrorName(sdaaError_t error);
SDAA_API const char* sdaaGetErrorString(sdaaError_t error);
/* The same; InvalidValue for what is no error of this library. */
SDAA_API sdaaError_t sdaaDrvGetErrorName(sdaaError_t error, const char** name);
SDAA_API sdaaError_t sdaaDrvGetErrorString(sdaaError_t error, const char** text);
/* What went wrong in this thread's last call that failed, in full: names, numbers, what to do. Valid until
 * the thread's next call. */
SDAA_API const char* sdaaGetLastErrorMessage(void);

SDAA_C_END

#endif
