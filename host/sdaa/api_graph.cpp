// Captures and graphs.
#include <algorithm>

#include "host/sdaa/call.hpp"
#include "host/sdaa/graph.hpp"

using namespace swai::sdaa;

namespace {

// Of graphs and nodes: a node's handle is its graph's, with another kind and the node's number above it.
constexpr unsigned kNodeKind = 0x57;
constexpr unsigned kGraphKind = 0x55;
constexpr unsigned kNodeShift = 40;
constexpr uintptr_t kGraphMask = (uintptr_t{1} << kNodeShift) - 1;

sdaaGraphNode_t node_handle(sdaaGraph_t graph, size_t index) {
  const auto number = reinterpret_cast<uintptr_t>(graph) & kGraphMask;
  return reinterpret_cast<sdaaGraphNode_t>(uintptr_t{kNodeKind} << 56 | index << kNodeShift | number);
}

std::shared_ptr<Graph> find_graph(sdaaGraph_t handle) {
  return Runtime::get().graphs.get(handle, "no such graph");
}

}  // namespace

sdaaError_t sdaaStreamBeginCapture(sdaaStream_t stream, sdaaStreamCaptureMode mode) {
  return call("sdaaStreamBeginCapture", [&] {
    require(mode >= sdaaStreamCaptureModeGlobal && mode <= sdaaStreamCaptureModeRelaxed,
            "a mode that does not exist");
    require(stream != nullptr, "the default stream cannot be captured", sdaaErrorStreamCaptureUnsupported);
    const auto use = Runtime::get().use_stream(stream);
    require(use.stream->capture == nullptr, "the stream is captured already", sdaaErrorIllegalState);
    Device::check(*use.stream);
    use.device->begin_capture(use.stream);
  });
}

sdaaError_t sdaaStreamEndCapture(sdaaStream_t stream, sdaaGraph_t* graph) {
  return call("sdaaStreamEndCapture", [&] {
    require(graph != nullptr, "a null pointer");
    *graph = nullptr;
    const auto use = Runtime::get().use_stream(stream);
    const auto capture = use.stream->capture;
    require(capture != nullptr, "the stream is not captured", sdaaErrorIllegalState);
    if (!capture->began_with(*use.stream)) {
      capture->invalidate();
      fail(sdaaErrorStreamCaptureUnmatched, "the capture began with another stream");
    }
    use.device->forget_capture(capture);
    *graph = reinterpret_cast<sdaaGraph_t>(Runtime::get().graphs.add(capture->end()));
  });
}

sdaaError_t sdaaStreamIsCapturing(sdaaStream_t stream, sdaaStreamCaptureStatus* status) {
  return call("sdaaStreamIsCapturing", [&] {
    require(status != nullptr, "a null pointer");
    const auto use = Runtime::get().use_stream(stream);
    const auto& capture = use.stream->capture;
    *status = capture == nullptr ? sdaaStreamCaptureStatusNone
              : capture->valid() ? sdaaStreamCaptureStatusActive
                                 : sdaaStreamCaptureStatusInvalidated;
  });
}

sdaaError_t sdaaGraphGetNodes(sdaaGraph_t graph, sdaaGraphNode_t* nodes, size_t* count) {
  return call("sdaaGraphGetNodes", [&] {
    require(count != nullptr, "a null pointer");
    const size_t all = find_graph(graph)->nodes.size();
    if (nodes != nullptr) {
      for (size_t i = 0; i < std::min(*count, all); ++i) nodes[i] = node_handle(graph, i);
    }
    *count = all;
  });
}

sdaaError_t sdaaGraphNodeGetType(sdaaGraphNode_t node, sdaaGraphNodeType* type) {
  return call("sdaaGraphNodeGetType", [&] {
    require(type != nullptr, "a null pointer");
    const auto handle = reinterpret_cast<uintptr_t>(node);
    require(handle >> 56 == kNodeKind, "no such node", sdaaErrorInvalidHandle);
    const auto graph =
        find_graph(reinterpret_cast<sdaaGraph_t>(uintptr_t{kGraphKind} << 56 | (handle & kGraphMask)));
    const size_t index = handle >> kNodeShift & 0xffff;
    require(index < graph->nodes.size(), "no such node", sdaaErrorInvalidHandle);
    *type = graph->nodes[index].type;
  });
}

sdaaError_t sdaaGraphDestroy(sdaaGraph_t graph) {
  return call("sdaaGraphDestroy", [&] {
    find_graph(graph);
    Runtime::get().graphs.remove(graph);
  });
}

sdaaError_t sdaaGraphInstantiate(sdaaGraphExec_t* exec, sdaaGraph_t graph, unsigned long long flags) {
  return call("sdaaGraphInstantiate", [&] {
    require(exec != nullptr, "a null pointer");
    require(flags == 0, "flags that do not exist");
    *exec =
        reinterpret_cast<sdaaGraphExec_t>(Runtime::get().graph_execs.add(instantiate(*find_graph(graph))));
  });
}

sdaaError_t sdaaGraphLaunch(sdaaGraphExec_t exec, sdaaStream_t stream) {
  return call("sdaaGraphLaunch", [&] {
    const auto found = Runtime::get().graph_execs.get(exec, "no such graph");
    auto use = Runtime::get().use_stream(stream);
    require(found->alive, "the graph was destroyed", sdaaErrorInvalidHandle);
    require(found->device == use.device, "graph and stream are of different devices", sdaaErrorInvalidHandle);
    Device::refuse_captured(*use.stream);
    launch_graph(*use.device, use.lock, *use.stream, *found);
  });
}

sdaaError_t sdaaGraphExecDestroy(sdaaGraphExec_t exec) {
  return call("sdaaGraphExecDestroy", [&] {
    const auto found = Runtime::get().graph_execs.get(exec, "no such graph");
    {
      Device::Lock lock = found->device->enter();
      require(found->alive, "the graph was destroyed", sdaaErrorInvalidHandle);
      destroy(*found->device, lock, *found);
    }
    Runtime::get().graph_execs.remove(exec);
  });
}
