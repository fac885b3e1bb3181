// SPDX-License-Identifier: Apache-2.0
// Captures and graphs.
#include <utility>

#include "host/runtime/call.hpp"
#include "host/runtime/graph_handles.hpp"

using namespace swai::sdaa;

namespace {

void instantiate_graph(sdaaGraphExec_t* exec, sdaaGraph_t graph, unsigned long long flags) {
  require(exec != nullptr, "a null pointer");
  require(flags == 0, "flags that do not exist");
  auto use = use_graph(graph);
  *exec =
      reinterpret_cast<sdaaGraphExec_t>(Runtime::get().graph_execs.add(instantiate(use.object, use.lock)));
}

}  // namespace

sdaaError_t sdaaStreamBeginCapture(sdaaStream_t stream, sdaaStreamCaptureMode mode) {
  return call("sdaaStreamBeginCapture", [&] {
    require(mode >= sdaaStreamCaptureModeGlobal && mode <= sdaaStreamCaptureModeRelaxed,
            "a mode that does not exist");
    require(stream != nullptr, "the default stream cannot be captured", sdaaErrorStreamCaptureUnsupported);
    auto use = Runtime::get().use_stream(stream);
    require(use.stream->capture == nullptr, "the stream is captured already", sdaaErrorIllegalState);
    use.writer().check();
    use.device->streams().begin_capture(use.stream);
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
    use.device->streams().forget_capture(capture);
    *graph = add_graph(*use.device, std::move(capture->end()->nodes));
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

sdaaError_t sdaaGraphDestroy(sdaaGraph_t graph) {
  return call("sdaaGraphDestroy", [&] {
    find_graph(graph);
    Runtime::get().graphs.remove(graph);
  });
}

sdaaError_t sdaaGraphInstantiate(sdaaGraphExec_t* exec, sdaaGraph_t graph, unsigned long long flags) {
  return call("sdaaGraphInstantiate", [&] { instantiate_graph(exec, graph, flags); });
}

sdaaError_t sdaaGraphInstantiateWithFlags(sdaaGraphExec_t* exec, sdaaGraph_t graph,
                                          unsigned long long flags) {
  return call("sdaaGraphInstantiateWithFlags", [&] { instantiate_graph(exec, graph, flags); });
}

sdaaError_t sdaaGraphLaunch(sdaaGraphExec_t exec, sdaaStream_t stream) {
  return call("sdaaGraphLaunch", [&] {
    const auto found = Runtime::get().graph_execs.get(exec, "no such graph");
    auto use = Runtime::get().use_stream(stream);
    require(found->alive, "the graph was destroyed", sdaaErrorInvalidHandle);
    require(found->device == use.device, "graph and stream are of different devices", sdaaErrorInvalidHandle);
    StreamWriter writer = use.writer();
    writer.refuse_capture();
    launch_graph(writer, *found);
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
