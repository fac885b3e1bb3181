/* SPDX-License-Identifier: Apache-2.0 */
/* Cards: which there are, what they are, waiting for all that was begun on one. */
#ifndef SDAA_DEVICE_H
#define SDAA_DEVICE_H

#include "error.h"

SDAA_C_BEGIN

typedef struct sdaaDeviceProp {
  char name[64];
  char firmware[32]; /* version, and the commit it was built from */
  char firmwareCommit[32];
  size_t totalGlobalMem; /* all groups together */
  size_t memoryPerGroup;
  int groups; /* core groups, each with memory of its own */
  int rows;   /* of cores in a group */
  int columns;
  int multiProcessorCount; /* cores in all */
  size_t localMemPerCore;
  int clockRate;              /* kHz */
  int asyncEngineCount;       /* copies that can be under way at once */
  int concurrentKernels;      /* launches that can run at once */
  int streams;                /* that do not share a queue */
  size_t maxArgumentBytes;    /* of a launch */
  int managementSharedMemory; /* sdaaMallocManaged-like memory for processor and cores */
  uint64_t capabilities;
  /* By the names of CUDA, as far as the card has such a thing; 0 where it has none. */
  int major; /* version of the cores as programs see them */
  int minor;
  int warpSize; /* threads of a core that run in step */
  int maxThreadsPerBlock;
  int maxThreadsDim[3];
  int maxGridSize[3];
  int maxThreadsPerMultiProcessor;
  int maxBlocksPerMultiProcessor;
  size_t sharedMemPerBlock; /* local memory of a core */
  size_t sharedMemPerMultiprocessor;
  size_t sharedMemPerBlockOptin;
  size_t reservedSharedMemPerBlock;
  int regsPerBlock;
  int regsPerMultiprocessor;
  size_t totalConstMem; /* of a module, with its code */
  size_t memPitch;
  size_t textureAlignment; /* 0: there are no textures */
  size_t texturePitchAlignment;
  size_t surfaceAlignment;
  int maxTexture1D; /* 0, and so on */
  int maxTexture1DLayered[2];
  int maxTexture2D[2];
  int maxTexture2DLayered[3];
  int maxTexture3D[3];
  int deviceOverlap; /* copies beside kernels */
  int kernelExecTimeoutEnabled;
  int integrated;
  int canMapHostMemory; /* 0: kernels reach no memory of the host */
  int computeMode;
  int ECCEnabled;
  int pciBusID; /* 0: a card behind a socket has no place on a bus of this host */
  int pciDeviceID;
  int pciDomainID;
  int tccDriver;
  int unifiedAddressing;
  int memoryClockRate; /* kHz */
  int memoryBusWidth;  /* bits, all groups together */
  int l2CacheSize;     /* 0: data is not cached */
  int persistingL2CacheMaxSize;
  int globalL1CacheSupported;
  int localL1CacheSupported;
  int streamPrioritiesSupported;
  int managedMemory;
  int pageableMemoryAccess;
  int concurrentManagedAccess;
  int isMultiGpuBoard;
  int multiGpuBoardGroupID;
  int hostNativeAtomicSupported;
  int computePreemptionSupported;
  int cooperativeLaunch;
  int cooperativeMultiDeviceLaunch;
  int hostRegisterSupported;
  int hostRegisterReadOnlySupported;
  int memoryPoolsSupported;
  int ipcEventSupported;
} sdaaDeviceProp_t;

#define sdaaComputeModeDefault 0
#define sdaaComputeModeExclusive 1
#define sdaaComputeModeProhibited 2
#define sdaaComputeModeExclusiveProcess 3

/* A property by its number, which is CUDA's. */
typedef enum sdaaDeviceAttr {
  sdaaDevAttrMaxThreadsPerBlock = 1,
  sdaaDevAttrMaxBlockDimX = 2,
  sdaaDevAttrMaxBlockDimY = 3,
  sdaaDevAttrMaxBlockDimZ = 4,
  sdaaDevAttrMaxGridDimX = 5,
  sdaaDevAttrMaxGridDimY = 6,
  sdaaDevAttrMaxGridDimZ = 7,
  sdaaDevAttrMaxSharedMemoryPerBlock = 8,
  sdaaDevAttrTotalConstantMemory = 9,
  sdaaDevAttrWarpSize = 10,
  sdaaDevAttrMaxPitch = 11,
  sdaaDevAttrMaxRegistersPerBlock = 12,
  sdaaDevAttrClockRate = 13,
  sdaaDevAttrTextureAlignment = 14,
  sdaaDevAttrGpuOverlap = 15,
  sdaaDevAttrMultiProcessorCount = 16,
  sdaaDevAttrKernelExecTimeout = 17,
  sdaaDevAttrIntegrated = 18,
  sdaaDevAttrCanMapHostMemory = 19,
  sdaaDevAttrComputeMode = 20,
  sdaaDevAttrConcurrentKernels = 31,
  sdaaDevAttrEccEnabled = 32,
  sdaaDevAttrPciBusId = 33,
  sdaaDevAttrPciDeviceId = 34,
  sdaaDevAttrTccDriver = 35,
  sdaaDevAttrMemoryClockRate = 36,
  sdaaDevAttrGlobalMemoryBusWidth = 37,
  sdaaDevAttrL2CacheSize = 38,
  sdaaDevAttrMaxThreadsPerMultiProcessor = 39,
  sdaaDevAttrAsyncEngineCount = 40,
  sdaaDevAttrUnifiedAddressing = 41,
  sdaaDevAttrPciDomainId = 50,
  sdaaDevAttrComputeCapabilityMajor = 75,
  sdaaDevAttrComputeCapabilityMinor = 76,
  sdaaDevAttrStreamPrioritiesSupported = 78,
  sdaaDevAttrGlobalL1CacheSupported = 79,
  sdaaDevAttrLocalL1CacheSupported = 80,
  sdaaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
  sdaaDevAttrMaxRegistersPerMultiprocessor = 82,
  sdaaDevAttrManagedMemory = 83,
  sdaaDevAttrIsMultiGpuBoard = 84,
  sdaaDevAttrMultiGpuBoardGroupID = 85,
  sdaaDevAttrHostNativeAtomicSupported = 86,
  sdaaDevAttrPageableMemoryAccess = 88,
  sdaaDevAttrConcurrentManagedAccess = 89,
  sdaaDevAttrComputePreemptionSupported = 90,
  sdaaDevAttrCooperativeLaunch = 95,
  sdaaDevAttrCooperativeMultiDeviceLaunch = 96,
  sdaaDevAttrMaxSharedMemoryPerBlockOptin = 97,
  sdaaDevAttrHostRegisterSupported = 99,
  sdaaDevAttrMaxBlocksPerMultiprocessor = 106,
  sdaaDevAttrMaxPersistingL2CacheSize = 108,
  sdaaDevAttrReservedSharedMemoryPerBlock = 111,
  sdaaDevAttrHostRegisterReadOnlySupported = 113,
  sdaaDevAttrMemoryPoolsSupported = 115,
  sdaaDevAttrIpcEventSupport = 125
} sdaaDeviceAttr;
typedef sdaaDeviceAttr sdaaDeviceAttribute_t;

typedef enum sdaaDeviceP2PAttr {
  sdaaDevP2PAttrPerformanceRank = 1,
  sdaaDevP2PAttrAccessSupported = 2,
  sdaaDevP2PAttrNativeAtomicSupported = 3,
  sdaaDevP2PAttrCudaArrayAccessSupported = 4
} sdaaDeviceP2PAttr;

typedef enum sdaaLimit {
  sdaaLimitStackSize = 0,
  sdaaLimitPrintfFifoSize = 1,
  sdaaLimitMallocHeapSize = 2,
  sdaaLimitDevRuntimeSyncDepth = 3,
  sdaaLimitDevRuntimePendingLaunchCount = 4,
  sdaaLimitMaxL2FetchGranularity = 5,
  sdaaLimitPersistingL2CacheSize = 6
} sdaaLimit;

/* Preferences for what is fixed here. */
typedef enum sdaaFuncCache {
  sdaaFuncCachePreferNone = 0,
  sdaaFuncCachePreferShared = 1,
  sdaaFuncCachePreferL1 = 2,
  sdaaFuncCachePreferEqual = 3
} sdaaFuncCache;
typedef sdaaFuncCache sdaaFuncCache_t;
typedef enum sdaaSharedMemConfig {
  sdaaSharedMemBankSizeDefault = 0,
  sdaaSharedMemBankSizeFourByte = 1,
  sdaaSharedMemBankSizeEightByte = 2
} sdaaSharedMemConfig;

/* How threads wait: they let the card's time pass, whatever is chosen. */
#define sdaaDeviceScheduleAuto 0u
#define sdaaDeviceScheduleSpin 1u
#define sdaaDeviceScheduleYield 2u
#define sdaaDeviceScheduleBlockingSync 4u
#define sdaaDeviceBlockingSync sdaaDeviceScheduleBlockingSync
#define sdaaDeviceScheduleMask 7u
#define sdaaDeviceMapHost 8u
#define sdaaDeviceLmemResizeToMax 16u

/* Of another process; no card gives them out. */
#define SDAA_IPC_HANDLE_SIZE 64
typedef struct sdaaIpcMemHandle_st {
  char reserved[SDAA_IPC_HANDLE_SIZE];
} sdaaIpcMemHandle_t;
#define sdaaIpcMemLazyEnablePeerAccess 1u

typedef int sdaaDevice_t;

SDAA_API sdaaError_t sdaaInit(unsigned int flags SDAA_DEFAULT(0));
/* 1000 times the major and 10 times the minor version: of the library; of the newest library that the card's
 * firmware serves. */
SDAA_API sdaaError_t sdaaRuntimeGetVersion(int* version);
SDAA_API sdaaError_t sdaaDriverGetVersion(int* version);
SDAA_API sdaaError_t sdaaGetDeviceCount(int* count);
SDAA_API sdaaError_t sdaaSetDevice(int device);
SDAA_API sdaaError_t sdaaGetDevice(int* device);
SDAA_API sdaaError_t sdaaGetDeviceProperties(sdaaDeviceProp_t* properties, int device);
SDAA_API sdaaError_t sdaaDeviceGetAttribute(int* value, sdaaDeviceAttr attribute, int device);
/* The first of those that have most of what `properties` asks for; what is 0 there is not asked for. */
SDAA_API sdaaError_t sdaaChooseDevice(int* device, const sdaaDeviceProp_t* properties);
SDAA_API sdaaError_t sdaaInitDevice(int device, unsigned int device_flags, unsigned int flags);
SDAA_API sdaaError_t sdaaSetDeviceFlags(unsigned int flags);
SDAA_API sdaaError_t sdaaGetDeviceFlags(unsigned int* flags);
SDAA_API sdaaError_t sdaaDeviceGet(sdaaDevice_t* device, int ordinal);
SDAA_API sdaaError_t sdaaDeviceGetName(char* name, int room, sdaaDevice_t device);
SDAA_API sdaaError_t sdaaDeviceTotalMem(size_t* bytes, sdaaDevice_t device);
SDAA_API sdaaError_t sdaaDeviceComputeCapability(int* major, int* minor, sdaaDevice_t device);
SDAA_API sdaaError_t sdaaDeviceGetLimit(size_t* value, sdaaLimit limit);
SDAA_API sdaaError_t sdaaDeviceSetLimit(sdaaLimit limit, size_t value);
SDAA_API sdaaError_t sdaaDeviceGetCacheConfig(sdaaFuncCache* config);
SDAA_API sdaaError_t sdaaDeviceSetCacheConfig(sdaaFuncCache config);
SDAA_API sdaaError_t sdaaDeviceGetSharedMemConfig(sdaaSharedMemConfig* config);
SDAA_API sdaaError_t sdaaDeviceSetSharedMemConfig(sdaaSharedMemConfig config);
SDAA_API sdaaError_t sdaaDeviceGetStreamPriorityRange(int* least, int* greatest);
SDAA_API sdaaError_t sdaaDeviceGetPCIBusId(char* name, int room, int device);
SDAA_API sdaaError_t sdaaDeviceGetByPCIBusId(int* device, const char* name);
SDAA_API sdaaError_t sdaaDeviceSynchronize(void);
SDAA_API sdaaError_t sdaaDeviceReset(void);
/* Copies from the peer to the current device go from card to card then. Kernels reach their own card only. */
SDAA_API sdaaError_t sdaaDeviceCanAccessPeer(int* can_access, int device, int peer);
SDAA_API sdaaError_t sdaaDeviceEnablePeerAccess(int peer, unsigned int flags SDAA_DEFAULT(0));
SDAA_API sdaaError_t sdaaDeviceDisablePeerAccess(int peer);
SDAA_API sdaaError_t sdaaDeviceGetP2PAttribute(int* value, sdaaDeviceP2PAttr attribute, int device, int peer);
SDAA_API sdaaError_t sdaaIpcGetMemHandle(sdaaIpcMemHandle_t* handle, void* pointer);
SDAA_API sdaaError_t sdaaIpcOpenMemHandle(void** pointer, sdaaIpcMemHandle_t handle, unsigned int flags);
SDAA_API sdaaError_t sdaaIpcCloseMemHandle(void* pointer);
/* The card's present in nanoseconds of its own clock. */
SDAA_API sdaaError_t sdaaDeviceGetTime(uint64_t* nanoseconds);

SDAA_C_END

#endif
