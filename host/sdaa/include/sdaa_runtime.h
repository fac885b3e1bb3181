/* SDAA runtime: how programs use the card. Memory, copies, modules, launches, streams, events.
 *
 * Names and meanings are those that GPU programmers know, with `sdaa` in front; docs/sdaa.md tells what each
 * function does and which errors it can return. Plain C; every function may be called from every thread. */
#ifndef SDAA_RUNTIME_H
#define SDAA_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define SDAA_API __attribute__((visibility("default")))
#else
#define SDAA_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define SDAA_VERSION_MAJOR 1
#define SDAA_VERSION_MINOR 0
#define SDAA_VERSION (SDAA_VERSION_MAJOR * 1000 + SDAA_VERSION_MINOR * 10)

/* --- Errors ---------------------------------------------------------------------------------------------- */

typedef enum sdaaError_t {
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
  sdaaErrorUnknown = 999,
  /* Ours. */
  sdaaErrorTimedOut = 2000,        /* the card lives, but did not answer in time */
  sdaaErrorDeviceLost = 2001,      /* connection or firmware is gone, and what was on the card with it */
  sdaaErrorTransferFailure = 2002, /* a transfer between host and card failed */
  sdaaErrorDeviceFirmware = 2003   /* the card's firmware reported something that should not be */
} sdaaError_t;

/* Of this thread. GetLast makes it sdaaSuccess again, Peek does not. */
SDAA_API sdaaError_t sdaaGetLastError(void);
SDAA_API sdaaError_t sdaaPeekAtLastError(void);
SDAA_API const char* sdaaGetErrorName(sdaaError_t error);
SDAA_API const char* sdaaGetErrorString(sdaaError_t error);
/* What went wrong in this thread's last call that failed, in full: names, numbers, what to do. Valid until the
 * thread's next call. */
SDAA_API const char* sdaaGetLastErrorMessage(void);

/* --- Devices --------------------------------------------------------------------------------------------- */

typedef struct sdaaDeviceProp_t {
  char name[64];
  char firmware[32];          /* version, and the commit it was built from */
  char firmwareCommit[32];
  size_t totalGlobalMem;      /* all groups together */
  size_t memoryPerGroup;
  int groups;                 /* core groups, each with memory of its own */
  int rows;                   /* of cores in a group */
  int columns;
  int multiProcessorCount;    /* cores in all */
  size_t localMemPerCore;
  int clockRate;              /* kHz */
  int asyncEngineCount;       /* copies that can be under way at once */
  int concurrentKernels;      /* launches that can run at once */
  int streams;                /* that do not share a queue */
  size_t maxArgumentBytes;    /* of a launch */
  int managementSharedMemory; /* sdaaMallocManaged-like memory for processor and cores */
  uint64_t capabilities;
} sdaaDeviceProp_t;

SDAA_API sdaaError_t sdaaInit(unsigned int flags);
SDAA_API sdaaError_t sdaaRuntimeGetVersion(int* version);
SDAA_API sdaaError_t sdaaDriverGetVersion(int* version);
SDAA_API sdaaError_t sdaaGetDeviceCount(int* count);
SDAA_API sdaaError_t sdaaSetDevice(int device);
SDAA_API sdaaError_t sdaaGetDevice(int* device);
SDAA_API sdaaError_t sdaaGetDeviceProperties(sdaaDeviceProp_t* properties, int device);
SDAA_API sdaaError_t sdaaDeviceSynchronize(void);
SDAA_API sdaaError_t sdaaDeviceReset(void);
/* Copies from the peer to the current device go from card to card then. Kernels reach their own card only. */
SDAA_API sdaaError_t sdaaDeviceCanAccessPeer(int* can_access, int device, int peer);
SDAA_API sdaaError_t sdaaDeviceEnablePeerAccess(int peer, unsigned int flags);
SDAA_API sdaaError_t sdaaDeviceDisablePeerAccess(int peer);
/* The card's present in nanoseconds of its own clock. */
SDAA_API sdaaError_t sdaaDeviceGetTime(uint64_t* nanoseconds);

/* --- What the card tells about itself ---------------------------------------------------------------------
 *
 * Two journals on the card: its firmware's log, and faults. Both can be read when the firmware has ended, too,
 * and no program that is using the card notices. Records are counted since power-on: *position is the first
 * one that is wanted, and afterwards the one to go on with; *lost is how many of those in between the card does
 * not have any more. */

typedef enum sdaaSeverity { sdaaSeverityInfo = 0, sdaaSeverityWarning = 1, sdaaSeverityError = 2 } sdaaSeverity;

typedef struct sdaaLogRecord_t {
  uint64_t position;
  uint64_t cycle; /* since the card's processor was reset */
  sdaaSeverity severity;
  int id; /* which line it is: text with other arguments */
  uint64_t arguments[6];
  char text[160];
} sdaaLogRecord_t;
SDAA_API sdaaError_t sdaaDeviceReadLog(sdaaLogRecord_t* records, unsigned int room, unsigned int* count,
                                       uint64_t* position, uint64_t* lost, int device);

typedef enum sdaaFaultKind {
  sdaaFaultKernel = 1,        /* a kernel was stopped for what it did */
  sdaaFaultKernelTimeout = 2, /* or because it ran too long */
  sdaaFaultTransfer = 3,      /* the DMA engine could not copy */
  sdaaFaultBadCommand = 4,    /* what lay in a queue was no command */
  sdaaFaultBadRequest = 5,    /* what was asked for is no request */
  sdaaFaultGroupLost = 6,     /* a core group does not answer any more */
  sdaaFaultFirmware = 7,      /* the firmware itself ended; noted when it was started again */
  sdaaFaultStatusPage = 8,    /* the DMA engine could not tell the host what is complete */
  sdaaFaultProgram = 9,       /* a model program was stopped for what it did */
  sdaaFaultKernelStuck = 10   /* a kernel was stopped because none of its cores could go on */
} sdaaFaultKind;

typedef struct sdaaFaultRecord_t {
  uint64_t position;
  uint64_t cycle; /* since the card's processor was reset */
  sdaaFaultKind kind;
  uint64_t count;  /* of this kind, since power-on */
  int cause;       /* as the hardware numbers it; -1: none */
  int group;       /* these, too: -1: none */
  int core;
  int channel;     /* of the DMA engine */
  int segment;     /* of the address */
  int queue;       /* of the command that failed, and its number there */
  uint32_t command;
  uint64_t address;
  uint64_t pc;
  char causeText[64];
  char text[192];
} sdaaFaultRecord_t;
SDAA_API sdaaError_t sdaaDeviceReadFaults(sdaaFaultRecord_t* records, unsigned int room, unsigned int* count,
                                          uint64_t* position, uint64_t* lost, int device);

/* What the firmware left when it ended, with the processor's registers. It stays until another one takes its
 * place. */
typedef struct sdaaFirmwareFault_t {
  int kind;
  uint64_t cycle; /* since the card's processor was reset */
  uint64_t cause;
  uint64_t pc;
  uint64_t value;
  uint64_t status;
  uint64_t registers[32];
  char message[72];
  char build[24]; /* the commit that the firmware was built from */
  char text[192];
} sdaaFirmwareFault_t;
SDAA_API sdaaError_t sdaaDeviceGetFirmwareFault(sdaaFirmwareFault_t* fault, int device);

/* --- Memory ---------------------------------------------------------------------------------------------- */

/* Who reaches it beside copies. */
#define sdaaMallocCores 0u     /* the cores' kernels (sdaaMalloc) */
#define sdaaMallocProcessor 1u /* the management processor only */
#define sdaaMallocShared 2u    /* both */

#define sdaaAnyGroup (-1)

SDAA_API sdaaError_t sdaaMalloc(void** pointer, size_t bytes);
SDAA_API sdaaError_t sdaaMallocWithFlags(void** pointer, size_t bytes, unsigned int flags, int group);
SDAA_API sdaaError_t sdaaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height);
SDAA_API sdaaError_t sdaaFree(void* pointer);
SDAA_API sdaaError_t sdaaMemGetInfo(size_t* free, size_t* total);
/* With SWAI_MEMORY_CHECK=1: around how many allocations of the current device something was written. Each is named
 * on stderr. */
SDAA_API sdaaError_t sdaaMemCheck(size_t* damaged);

#define sdaaHostMallocDefault 0u
#define sdaaHostMallocPortable 1u
#define sdaaHostRegisterDefault 0u
#define sdaaHostRegisterPortable 1u
#define sdaaHostRegisterReadOnly 8u /* the card may not write */

/* Host memory that the card reaches by itself: copies of it need no help. */
SDAA_API sdaaError_t sdaaMallocHost(void** pointer, size_t bytes);
SDAA_API sdaaError_t sdaaHostMalloc(void** pointer, size_t bytes, unsigned int flags);
SDAA_API sdaaError_t sdaaFreeHost(void* pointer);
SDAA_API sdaaError_t sdaaHostRegister(void* pointer, size_t bytes, unsigned int flags);
SDAA_API sdaaError_t sdaaHostUnregister(void* pointer);

typedef enum sdaaMemoryType {
  sdaaMemoryTypeUnregistered = 0, /* of the host, nothing is known about it */
  sdaaMemoryTypeHost = 1,         /* sdaaMallocHost, sdaaHostRegister */
  sdaaMemoryTypeDevice = 2,
  sdaaMemoryTypeManaged = 3 /* sdaaMallocShared */
} sdaaMemoryType;

typedef struct sdaaPointerAttribute_t {
  sdaaMemoryType type;
  int device;
  int group;           /* of device memory */
  void* devicePointer; /* host memory: as the DMA engine names it */
  void* hostPointer;
  void* base; /* where the allocation begins */
  size_t bytes;
} sdaaPointerAttribute_t;
SDAA_API sdaaError_t sdaaPointerGetAttributes(sdaaPointerAttribute_t* attributes, const void* pointer);

/* --- Streams and events ---------------------------------------------------------------------------------- */

typedef struct sdaaStream_st* sdaaStream_t; /* NULL: the device's default stream */
typedef struct sdaaEvent_st* sdaaEvent_t;

#define sdaaStreamDefault 0u
#define sdaaStreamNonBlocking 1u /* does not wait for the default stream, nor lets it wait */

SDAA_API sdaaError_t sdaaStreamCreate(sdaaStream_t* stream);
SDAA_API sdaaError_t sdaaStreamCreateWithFlags(sdaaStream_t* stream, unsigned int flags);
SDAA_API sdaaError_t sdaaStreamDestroy(sdaaStream_t stream);
SDAA_API sdaaError_t sdaaStreamSynchronize(sdaaStream_t stream);
SDAA_API sdaaError_t sdaaStreamQuery(sdaaStream_t stream);
SDAA_API sdaaError_t sdaaStreamWaitEvent(sdaaStream_t stream, sdaaEvent_t event, unsigned int flags);
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

SDAA_API sdaaError_t sdaaEventCreate(sdaaEvent_t* event);
SDAA_API sdaaError_t sdaaEventCreateWithFlags(sdaaEvent_t* event, unsigned int flags);
SDAA_API sdaaError_t sdaaEventDestroy(sdaaEvent_t event);
SDAA_API sdaaError_t sdaaEventRecord(sdaaEvent_t event, sdaaStream_t stream);
SDAA_API sdaaError_t sdaaEventSynchronize(sdaaEvent_t event);
SDAA_API sdaaError_t sdaaEventQuery(sdaaEvent_t event);
SDAA_API sdaaError_t sdaaEventElapsedTime(float* milliseconds, sdaaEvent_t start, sdaaEvent_t end);

/* --- Copies and fills ------------------------------------------------------------------------------------ */

typedef enum sdaaMemcpyKind {
  sdaaMemcpyHostToHost = 0,
  sdaaMemcpyHostToDevice = 1,
  sdaaMemcpyDeviceToHost = 2,
  sdaaMemcpyDeviceToDevice = 3,
  sdaaMemcpyDefault = 4 /* the pointers tell */
} sdaaMemcpyKind;

SDAA_API sdaaError_t sdaaMemcpy(void* to, const void* from, size_t bytes, sdaaMemcpyKind kind);
SDAA_API sdaaError_t sdaaMemcpyAsync(void* to, const void* from, size_t bytes, sdaaMemcpyKind kind,
                                     sdaaStream_t stream);
SDAA_API sdaaError_t sdaaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                  size_t height, sdaaMemcpyKind kind);
SDAA_API sdaaError_t sdaaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                       size_t width, size_t height, sdaaMemcpyKind kind, sdaaStream_t stream);
SDAA_API sdaaError_t sdaaMemcpyHtoD(void* to, const void* from, size_t bytes);
SDAA_API sdaaError_t sdaaMemcpyDtoH(void* to, const void* from, size_t bytes);
SDAA_API sdaaError_t sdaaMemcpyDtoD(void* to, const void* from, size_t bytes);
SDAA_API sdaaError_t sdaaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes);
SDAA_API sdaaError_t sdaaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                         size_t bytes, sdaaStream_t stream);
SDAA_API sdaaError_t sdaaMemset(void* to, int value, size_t bytes);
SDAA_API sdaaError_t sdaaMemsetAsync(void* to, int value, size_t bytes, sdaaStream_t stream);
SDAA_API sdaaError_t sdaaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height);
SDAA_API sdaaError_t sdaaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                                       sdaaStream_t stream);

/* --- Modules and launches -------------------------------------------------------------------------------- */

typedef struct sdaaModule_st* sdaaModule_t;
typedef struct sdaaFunction_st* sdaaFunction_t;

SDAA_API sdaaError_t sdaaModuleLoad(sdaaModule_t* module, const char* path);
SDAA_API sdaaError_t sdaaModuleLoadData(sdaaModule_t* module, const void* image);
/* The same without trust in what the image says about its size. */
SDAA_API sdaaError_t sdaaModuleLoadBytes(sdaaModule_t* module, const void* image, size_t bytes);
SDAA_API sdaaError_t sdaaModuleUnload(sdaaModule_t module);
SDAA_API sdaaError_t sdaaModuleGetFunction(sdaaFunction_t* function, sdaaModule_t module, const char* name);
SDAA_API sdaaError_t sdaaModuleGetFunctionCount(unsigned int* count, sdaaModule_t module);

typedef struct sdaaFuncAttributes {
  char name[49];
  size_t argumentBytes; /* of the structure that the kernel takes; 0: it takes none */
  size_t localSizeBytes; /* static objects in a core's local memory, of all kernels of the module */
  size_t maxDynamicLocalBytes;
} sdaaFuncAttributes;
SDAA_API sdaaError_t sdaaFuncGetAttributes(sdaaFuncAttributes* attributes, sdaaFunction_t function);

/* All cores of a group run `function`. A kernel that is a function of values finds what the pointers in the
 * array `args` point to, a pointer for each parameter (void* args[] = {&in, &out, &count}); one that takes a
 * structure finds the one that `args` points to. Device pointers have 8 bytes. `sharedMem`: bytes of local
 * memory that it needs on each core beyond its static objects; the launch is refused when there are not so
 * many. */
SDAA_API sdaaError_t sdaaLaunchKernel(sdaaFunction_t function, const void* args, size_t sharedMem,
                                      sdaaStream_t stream);

typedef struct sdaaLaunchConfig_t {
  size_t structBytes;      /* sizeof(sdaaLaunchConfig_t) */
  uint32_t coreMask;       /* 0: all cores of the group */
  int group;               /* sdaaAnyGroup: the card chooses */
  uint32_t timeoutCycles;  /* the kernel is stopped after so many; 0: the card's own limit */
  size_t sharedMem;
} sdaaLaunchConfig_t;
/* `args` is the structure, for kernels of values, too: each at a multiple of its size, as C has it. */
SDAA_API sdaaError_t sdaaLaunch(sdaaFunction_t function, const sdaaLaunchConfig_t* config, const void* args,
                                size_t argumentBytes, sdaaStream_t stream);

/* --- Programs --------------------------------------------------------------------------------------------
 *
 * A model program runs on the card's management processor, launches kernels there and sends messages to the host,
 * while the host does something else. `sdaacc --mpe` makes it. */

typedef struct sdaaProgram_st* sdaaProgram_t;
SDAA_API sdaaError_t sdaaProgramLoad(sdaaProgram_t* program, const char* path);
SDAA_API sdaaError_t sdaaProgramLoadBytes(sdaaProgram_t* program, const void* image, size_t bytes);
/* Ends it if it runs. */
SDAA_API sdaaError_t sdaaProgramDestroy(sdaaProgram_t program);
/* Begins a run; the program finds a copy of `args`. A program runs once at a time. */
SDAA_API sdaaError_t sdaaProgramStart(sdaaProgram_t program, const void* args, size_t argumentBytes);
/* Waits for the next message. *bytes: room in `message` before, length of the message afterwards. NotFound: the
 * program has ended, and all messages were read. */
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

/* --- Graphs ----------------------------------------------------------------------------------------------
 *
 * Launches, copies of pinned memory and on the card, and fills that a stream is given between BeginCapture and
 * EndCapture are not run but become nodes of a graph, and so do those of other streams that wait for an event of
 * it; the first stream has to wait for these again. Instantiated, the nodes lie in the card's memory, and a launch
 * of the graph is one command. */

typedef struct sdaaGraph_st* sdaaGraph_t;
typedef struct sdaaGraphNode_st* sdaaGraphNode_t;
typedef struct sdaaGraphExec_st* sdaaGraphExec_t;

/* All of them are the same here: other calls of the thread, or of others, do not disturb a capture. */
typedef enum sdaaStreamCaptureMode {
  sdaaStreamCaptureModeGlobal = 0,
  sdaaStreamCaptureModeThreadLocal = 1,
  sdaaStreamCaptureModeRelaxed = 2
} sdaaStreamCaptureMode;
typedef enum sdaaStreamCaptureStatus {
  sdaaStreamCaptureStatusNone = 0,
  sdaaStreamCaptureStatusActive = 1,
  sdaaStreamCaptureStatusInvalidated = 2
} sdaaStreamCaptureStatus;
typedef enum sdaaGraphNodeType {
  sdaaGraphNodeTypeKernel = 0,
  sdaaGraphNodeTypeMemcpy = 1,
  sdaaGraphNodeTypeMemset = 2
} sdaaGraphNodeType;

SDAA_API sdaaError_t sdaaStreamBeginCapture(sdaaStream_t stream, sdaaStreamCaptureMode mode);
SDAA_API sdaaError_t sdaaStreamEndCapture(sdaaStream_t stream, sdaaGraph_t* graph);
SDAA_API sdaaError_t sdaaStreamIsCapturing(sdaaStream_t stream, sdaaStreamCaptureStatus* status);
/* `nodes`: room for *count of them, or null; *count is how many there are afterwards. */
SDAA_API sdaaError_t sdaaGraphGetNodes(sdaaGraph_t graph, sdaaGraphNode_t* nodes, size_t* count);
SDAA_API sdaaError_t sdaaGraphNodeGetType(sdaaGraphNode_t node, sdaaGraphNodeType* type);
SDAA_API sdaaError_t sdaaGraphDestroy(sdaaGraph_t graph);
/* Does not need the graph any more afterwards. */
SDAA_API sdaaError_t sdaaGraphInstantiate(sdaaGraphExec_t* exec, sdaaGraph_t graph, unsigned long long flags);
/* Launches of the same one run one after the other, whatever streams they are given to. */
SDAA_API sdaaError_t sdaaGraphLaunch(sdaaGraphExec_t exec, sdaaStream_t stream);
SDAA_API sdaaError_t sdaaGraphExecDestroy(sdaaGraphExec_t exec);

/* --- Profiling ------------------------------------------------------------------------------------------- */

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
/* With SWAI_PROFILE=FILE in the environment, too: what the program does is written there as a trace for Perfetto,
 * from the beginning on unless it is stopped. */
SDAA_API sdaaError_t sdaaProfilerStart(void);
SDAA_API sdaaError_t sdaaProfilerStop(void);
/* Names for parts of the program there: of a thread, one in the other; and of the process, as they like. */
SDAA_API sdaaError_t sdaaRangePush(const char* name);
SDAA_API sdaaError_t sdaaRangePop(void);
SDAA_API sdaaError_t sdaaRangeStart(uint64_t* range, const char* name);
SDAA_API sdaaError_t sdaaRangeEnd(uint64_t range);

#ifdef __cplusplus
}
#endif

#endif
