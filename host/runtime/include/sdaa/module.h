/* SPDX-License-Identifier: Apache-2.0 */
/* Modules, kernels, launches. */
#ifndef SDAA_MODULE_H
#define SDAA_MODULE_H

#include "device.h"
#include "error.h"
#include "stream.h"

SDAA_C_BEGIN

typedef struct sdaaModule_st* sdaaModule_t;
typedef struct sdaaFunction_st* sdaaFunction_t;

SDAA_API sdaaError_t sdaaModuleLoad(sdaaModule_t* module, const char* path);
SDAA_API sdaaError_t sdaaModuleLoadData(sdaaModule_t* module, const void* image);
/* The same without trust in what the image says about its size. */
SDAA_API sdaaError_t sdaaModuleLoadBytes(sdaaModule_t* module, const void* image, size_t bytes);
SDAA_API sdaaError_t sdaaModuleUnload(sdaaModule_t module);
SDAA_API sdaaError_t sdaaModuleGetFunction(sdaaFunction_t* function, sdaaModule_t module, const char* name);
SDAA_API sdaaError_t sdaaModuleGetFunctionCount(unsigned int* count, sdaaModule_t module);
/* The first `count` of them. */
SDAA_API sdaaError_t sdaaModuleEnumerateFunctions(sdaaFunction_t* functions, unsigned int count,
                                                  sdaaModule_t module);
/* Options are for compilers that run on the host; there is none. */
typedef enum sdaaJitOption { sdaaJitMaxRegisters = 0 } sdaaJitOption;
SDAA_API sdaaError_t sdaaModuleLoadDataEx(sdaaModule_t* module, const void* image, unsigned int option_count,
                                          sdaaJitOption* options, void** values);

/* A library is a module, a kernel of it a function. */
typedef sdaaModule_t sdaaLibrary_t;
typedef sdaaFunction_t sdaaKernel_t;
typedef enum sdaaLibraryOption {
  sdaaLibraryHostUniversalFunctionAndDataTable = 0,
  sdaaLibraryBinaryIsPreserved = 1
} sdaaLibraryOption;
SDAA_API sdaaError_t sdaaLibraryLoadData(sdaaLibrary_t* library, const void* code, sdaaJitOption* jit_options,
                                         void** jit_values, unsigned int jit_count,
                                         sdaaLibraryOption* options, void** values, unsigned int count);
SDAA_API sdaaError_t sdaaLibraryLoadFromFile(sdaaLibrary_t* library, const char* path,
                                             sdaaJitOption* jit_options, void** jit_values,
                                             unsigned int jit_count, sdaaLibraryOption* options,
                                             void** values, unsigned int count);
SDAA_API sdaaError_t sdaaLibraryUnload(sdaaLibrary_t library);
SDAA_API sdaaError_t sdaaLibraryGetKernel(sdaaKernel_t* kernel, sdaaLibrary_t library, const char* name);
SDAA_API sdaaError_t sdaaLibraryGetKernelCount(unsigned int* count, sdaaLibrary_t library);
SDAA_API sdaaError_t sdaaLibraryEnumerateKernels(sdaaKernel_t* kernels, unsigned int count,
                                                 sdaaLibrary_t library);

typedef struct sdaaFuncAttributes {
  char name[49];
  size_t argumentBytes;  /* of the structure that the kernel takes; 0: it takes none */
  size_t localSizeBytes; /* static objects in a core's local memory, of all kernels of the module */
  size_t maxDynamicLocalBytes;
  /* The same by CUDA's names. */
  size_t sharedSizeBytes;
  size_t constSizeBytes;  /* what the module's kernels declare as __constant__ */
  int maxThreadsPerBlock; /* 1: a kernel without threads, which every core runs once */
  int numRegs;
  int binaryVersion; /* ten times the version of the cores that it is for */
  int ptxVersion;    /* 0: there is no such thing */
  int cacheModeCA;
  int maxDynamicSharedSizeBytes;
  int preferredShmemCarveout;
} sdaaFuncAttributes;
SDAA_API sdaaError_t sdaaFuncGetAttributes(sdaaFuncAttributes* attributes, sdaaFunction_t function);

/* One of them, by CUDA's numbers. */
typedef enum sdaaFunctionAttribute {
  sdaaFunctionAttributeMaxThreadsPerBlock = 0,
  sdaaFunctionAttributeSharedSizeBytes = 1,
  sdaaFunctionAttributeConstSizeBytes = 2,
  sdaaFunctionAttributeLocalSizeBytes = 3,
  sdaaFunctionAttributeNumRegs = 4,
  sdaaFunctionAttributePtxVersion = 5,
  sdaaFunctionAttributeBinaryVersion = 6,
  sdaaFunctionAttributeCacheModeCA = 7,
  sdaaFunctionAttributeMaxDynamicSharedSizeBytes = 8,
  sdaaFunctionAttributePreferredSharedMemoryCarveout = 9
} sdaaFunctionAttribute;
SDAA_API sdaaError_t sdaaFuncGetAttribute(int* value, sdaaFunctionAttribute attribute,
                                          sdaaFunction_t function);

/* What a program may choose. A kernel may use all that its module leaves without asking first. */
typedef enum sdaaFuncAttribute {
  sdaaFuncAttributeMaxDynamicSharedMemorySize = 8,
  sdaaFuncAttributePreferredSharedMemoryCarveout = 9
} sdaaFuncAttribute;
#define sdaaSharedmemCarveoutDefault (-1)
#define sdaaSharedmemCarveoutMaxShared 100
#define sdaaSharedmemCarveoutMaxL1 0
SDAA_API sdaaError_t sdaaFuncSetAttribute(sdaaFunction_t function, sdaaFuncAttribute attribute, int value);
SDAA_API sdaaError_t sdaaFuncSetCacheConfig(sdaaFunction_t function, sdaaFuncCache config);
SDAA_API sdaaError_t sdaaFuncSetSharedMemConfig(sdaaFunction_t function, sdaaSharedMemConfig config);
SDAA_API sdaaError_t sdaaFuncGetName(const char** name, sdaaFunction_t function);
SDAA_API sdaaError_t sdaaFuncGetModule(sdaaModule_t* module, sdaaFunction_t function);
/* Where a parameter lies in the structure of arguments, of a kernel that is a function of values. */
SDAA_API sdaaError_t sdaaFuncGetParamInfo(sdaaFunction_t function, size_t index, size_t* offset,
                                          size_t* bytes);

/* Local memory that a block of so many threads can be given at a launch. */
SDAA_API sdaaError_t sdaaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, sdaaFunction_t function,
                                                               int blocks, int threads);
/* A core runs one block at a time, if it has the local memory for it and for the stacks of its threads. */
#define sdaaOccupancyDefault 0u
#define sdaaOccupancyDisableCachingOverride 1u
SDAA_API sdaaError_t sdaaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, sdaaFunction_t function,
                                                                   int threads, size_t sharedMem);
SDAA_API sdaaError_t sdaaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks,
                                                                            sdaaFunction_t function,
                                                                            int threads, size_t sharedMem,
                                                                            unsigned int flags);
/* The fewest blocks that give all cores of a group work, of as many threads as a block may have. */
SDAA_API sdaaError_t sdaaOccupancyMaxPotentialBlockSize(int* blocks, int* threads, sdaaFunction_t function,
                                                        size_t sharedMem SDAA_DEFAULT(0),
                                                        int limit SDAA_DEFAULT(0));

/* All cores of a group run `function`. A kernel that is a function of values finds what the pointers in the
 * array `args` point to, a pointer for each parameter (void* args[] = {&in, &out, &count}); one that takes a
 * structure finds the one that `args` points to. Device pointers have 8 bytes. `sharedMem`: bytes of local
 * memory that it needs on each core beyond its static objects; the launch is refused when there are not so
 * many. */
SDAA_API sdaaError_t sdaaLaunchKernel(sdaaFunction_t function, const void* args, size_t sharedMem,
                                      sdaaStream_t stream);

typedef struct sdaaLaunchConfig_t {
  size_t structBytes;     /* sizeof(sdaaLaunchConfig_t) */
  uint32_t coreMask;      /* 0: all cores of the group */
  int group;              /* sdaaAnyGroup: the card chooses */
  uint32_t timeoutCycles; /* the kernel is stopped after so many; 0: the card's own limit */
  size_t sharedMem;
} sdaaLaunchConfig_t;
/* `args` is the structure, for kernels of values, too: each at a multiple of its size, as C has it. */
SDAA_API sdaaError_t sdaaLaunch(sdaaFunction_t function, const sdaaLaunchConfig_t* config, const void* args,
                                size_t argumentBytes, sdaaStream_t stream);

SDAA_C_END

#endif
