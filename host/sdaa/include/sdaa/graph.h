/* Captures and graphs.
 *
 * Launches, copies of pinned memory and on the card, and fills that a stream is given between BeginCapture
 * and EndCapture are not run but become nodes of a graph, and so do those of other streams that wait for an
 * event of it; the first stream has to wait for these again. Instantiated, the nodes lie in the card's
 * memory, and a launch of the graph is one command. */
#ifndef SDAA_GRAPH_H
#define SDAA_GRAPH_H

#include "error.h"
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

SDAA_C_END

#endif
