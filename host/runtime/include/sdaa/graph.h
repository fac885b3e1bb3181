/* SPDX-License-Identifier: Apache-2.0 */
/* Captures and graphs.
 *
 * Launches, copies of pinned memory and on the card, and fills that a stream is given between BeginCapture
 * and EndCapture are not run but become nodes of a graph, and so do those of other streams that wait for an
 * event of it; the first stream has to wait for these again. Instantiated, the nodes lie in the card's
 * memory, and a launch of the graph is one command. */
#ifndef SDAA_GRAPH_H
#define SDAA_GRAPH_H

#include "base.h"
#include "copy.h"
#include "error.h"
#include "module.h"
#include "stream.h"

SDAA_C_BEGIN

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
  sdaaGraphNodeTypeMemset = 2,
  sdaaGraphNodeTypeEmpty = 5
} sdaaGraphNodeType;

SDAA_API sdaaError_t sdaaStreamBeginCapture(sdaaStream_t stream, sdaaStreamCaptureMode mode);
SDAA_API sdaaError_t sdaaStreamEndCapture(sdaaStream_t stream, sdaaGraph_t* graph);
SDAA_API sdaaError_t sdaaStreamIsCapturing(sdaaStream_t stream, sdaaStreamCaptureStatus* status);
/* `nodes`: room for *count of them, or null; *count is how many there are afterwards. */
SDAA_API sdaaError_t sdaaGraphGetNodes(sdaaGraph_t graph, sdaaGraphNode_t* nodes, size_t* count);
SDAA_API sdaaError_t sdaaGraphNodeGetType(sdaaGraphNode_t node, sdaaGraphNodeType* type);
SDAA_API sdaaError_t sdaaGraphDestroy(sdaaGraph_t graph);
/* Does not need the graph any more afterwards. */
SDAA_API sdaaError_t sdaaGraphInstantiate(sdaaGraphExec_t* exec, sdaaGraph_t graph,
                                          unsigned long long flags SDAA_DEFAULT(0));
/* Launches of the same one run one after the other, whatever streams they are given to. */
SDAA_API sdaaError_t sdaaGraphLaunch(sdaaGraphExec_t exec, sdaaStream_t stream);
SDAA_API sdaaError_t sdaaGraphExecDestroy(sdaaGraphExec_t exec);

/* --- Graphs that are built node by node
 *
 * A node is one command for the card, or a few: a launch, a copy of pinned memory or on the card, a fill, or
 * nothing. It begins when all that it depends on are complete. Parameters are copied. */
SDAA_API sdaaError_t sdaaGraphCreate(sdaaGraph_t* graph, unsigned int flags SDAA_DEFAULT(0));
SDAA_API sdaaError_t sdaaGraphClone(sdaaGraph_t* clone, sdaaGraph_t graph);

typedef struct sdaaKernelNodeParams {
  void* func;   /* an sdaaFunction_t */
  dim3 gridDim; /* of kernels with threads (swai/cuda.hpp); else all cores of a group run it */
  dim3 blockDim;
  unsigned int sharedMemBytes;
  void** kernelParams; /* as for sdaaLaunchKernel */
  void** extra;        /* NULL */
} sdaaKernelNodeParams;
typedef struct sdaaMemsetParams {
  void* dst;
  size_t pitch;
  unsigned int value;
  unsigned int elementSize; /* 1, 2 or 4 bytes */
  size_t width;             /* elements */
  size_t height;
} sdaaMemsetParams;

SDAA_API sdaaError_t sdaaGraphAddKernelNode(sdaaGraphNode_t* node, sdaaGraph_t graph,
                                            const sdaaGraphNode_t* dependencies, size_t count,
                                            const sdaaKernelNodeParams* parameters);
SDAA_API sdaaError_t sdaaGraphAddMemcpyNode(sdaaGraphNode_t* node, sdaaGraph_t graph,
                                            const sdaaGraphNode_t* dependencies, size_t count,
                                            const sdaaMemcpy3DParms* parameters);
SDAA_API sdaaError_t sdaaGraphAddMemcpyNode1D(sdaaGraphNode_t* node, sdaaGraph_t graph,
                                              const sdaaGraphNode_t* dependencies, size_t count, void* to,
                                              const void* from, size_t bytes, sdaaMemcpyKind kind);
SDAA_API sdaaError_t sdaaGraphAddMemsetNode(sdaaGraphNode_t* node, sdaaGraph_t graph,
                                            const sdaaGraphNode_t* dependencies, size_t count,
                                            const sdaaMemsetParams* parameters);
SDAA_API sdaaError_t sdaaGraphAddEmptyNode(sdaaGraphNode_t* node, sdaaGraph_t graph,
                                           const sdaaGraphNode_t* dependencies, size_t count);
/* NotSupported: nothing passes between host and card while a graph runs. */
typedef struct sdaaHostNodeParams {
  sdaaHostFn_t fn;
  void* userData;
} sdaaHostNodeParams;
SDAA_API sdaaError_t sdaaGraphAddHostNode(sdaaGraphNode_t* node, sdaaGraph_t graph,
                                          const sdaaGraphNode_t* dependencies, size_t count,
                                          const sdaaHostNodeParams* parameters);
SDAA_API sdaaError_t sdaaGraphDestroyNode(sdaaGraphNode_t node);

SDAA_API sdaaError_t sdaaGraphAddDependencies(sdaaGraph_t graph, const sdaaGraphNode_t* from,
                                              const sdaaGraphNode_t* to, size_t count);
SDAA_API sdaaError_t sdaaGraphRemoveDependencies(sdaaGraph_t graph, const sdaaGraphNode_t* from,
                                                 const sdaaGraphNode_t* to, size_t count);
/* As sdaaGraphGetNodes. */
SDAA_API sdaaError_t sdaaGraphGetEdges(sdaaGraph_t graph, sdaaGraphNode_t* from, sdaaGraphNode_t* to,
                                       size_t* count);
SDAA_API sdaaError_t sdaaGraphGetRootNodes(sdaaGraph_t graph, sdaaGraphNode_t* nodes, size_t* count);
SDAA_API sdaaError_t sdaaGraphNodeGetDependencies(sdaaGraphNode_t node, sdaaGraphNode_t* nodes,
                                                  size_t* count);
SDAA_API sdaaError_t sdaaGraphNodeGetDependentNodes(sdaaGraphNode_t node, sdaaGraphNode_t* nodes,
                                                    size_t* count);

/* Of a graph; of its instances nothing changes. */
SDAA_API sdaaError_t sdaaGraphKernelNodeSetParams(sdaaGraphNode_t node,
                                                  const sdaaKernelNodeParams* parameters);
SDAA_API sdaaError_t sdaaGraphMemcpyNodeSetParams(sdaaGraphNode_t node, const sdaaMemcpy3DParms* parameters);
SDAA_API sdaaError_t sdaaGraphMemcpyNodeSetParams1D(sdaaGraphNode_t node, void* to, const void* from,
                                                    size_t bytes, sdaaMemcpyKind kind);
SDAA_API sdaaError_t sdaaGraphMemsetNodeSetParams(sdaaGraphNode_t node, const sdaaMemsetParams* parameters);
/* Of an instance of the node's graph, when what was launched of it is complete. */
SDAA_API sdaaError_t sdaaGraphExecKernelNodeSetParams(sdaaGraphExec_t exec, sdaaGraphNode_t node,
                                                      const sdaaKernelNodeParams* parameters);
SDAA_API sdaaError_t sdaaGraphExecMemcpyNodeSetParams(sdaaGraphExec_t exec, sdaaGraphNode_t node,
                                                      const sdaaMemcpy3DParms* parameters);
SDAA_API sdaaError_t sdaaGraphExecMemcpyNodeSetParams1D(sdaaGraphExec_t exec, sdaaGraphNode_t node, void* to,
                                                        const void* from, size_t bytes, sdaaMemcpyKind kind);
SDAA_API sdaaError_t sdaaGraphExecMemsetNodeSetParams(sdaaGraphExec_t exec, sdaaGraphNode_t node,
                                                      const sdaaMemsetParams* parameters);

typedef enum sdaaGraphExecUpdateResult {
  sdaaGraphExecUpdateSuccess = 0,
  sdaaGraphExecUpdateError = 1,
  sdaaGraphExecUpdateErrorTopologyChanged = 2,
  sdaaGraphExecUpdateErrorNodeTypeChanged = 3,
  sdaaGraphExecUpdateErrorFunctionChanged = 4,
  sdaaGraphExecUpdateErrorParametersChanged = 5,
  sdaaGraphExecUpdateErrorNotSupported = 6
} sdaaGraphExecUpdateResult;
/* The instance does what `graph` says from now on: the same nodes, with other parameters.
 * GraphExecUpdateFailure: they are not the same; `result` says how, `node` is the first one of `graph` that
 * differs. Both may be NULL. */
SDAA_API sdaaError_t sdaaGraphExecUpdate(sdaaGraphExec_t exec, sdaaGraph_t graph, sdaaGraphNode_t* node,
                                         sdaaGraphExecUpdateResult* result);
SDAA_API sdaaError_t sdaaGraphInstantiateWithFlags(sdaaGraphExec_t* exec, sdaaGraph_t graph,
                                                   unsigned long long flags SDAA_DEFAULT(0));
/* An instance lies on the card from the beginning: this changes nothing. */
SDAA_API sdaaError_t sdaaGraphUpload(sdaaGraphExec_t exec, sdaaStream_t stream);
/* A picture of the graph, for graphviz. */
SDAA_API sdaaError_t sdaaGraphDebugDotPrint(sdaaGraph_t graph, const char* path,
                                            unsigned int flags SDAA_DEFAULT(0));

SDAA_C_END

#endif
