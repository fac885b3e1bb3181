// SPDX-License-Identifier: Apache-2.0
// Captures and graphs, against a played card.
#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <string>

#include "verif/host/runtime/kernels.hpp"
#include "verif/host/runtime/tools.hpp"

using namespace swai;
using namespace swai::sdaa;

namespace {

void begin(sdaaStream_t stream) { REQUIRE_OK(sdaaStreamBeginCapture(stream, sdaaStreamCaptureModeGlobal)); }
sdaaGraph_t end(sdaaStream_t stream) {
  sdaaGraph_t graph = nullptr;
  REQUIRE_OK(sdaaStreamEndCapture(stream, &graph));
  return graph;
}
sdaaGraphExec_t make(sdaaGraph_t graph) {
  sdaaGraphExec_t exec = nullptr;
  REQUIRE_OK(sdaaGraphInstantiate(&exec, graph, 0));
  REQUIRE_OK(sdaaGraphDestroy(graph));
  return exec;
}
size_t count_nodes(sdaaGraph_t graph) {
  size_t count = 0;
  CHECK_OK(sdaaGraphGetNodes(graph, nullptr, &count));
  return count;
}
sdaaStreamCaptureStatus status_of(sdaaStream_t stream) {
  sdaaStreamCaptureStatus status = sdaaStreamCaptureStatusNone;
  CHECK_OK(sdaaStreamIsCapturing(stream, &status));
  return status;
}

// Numbers that go to the card, through a kernel, and back.
struct Numbers {
  static constexpr uint32_t kCount = 64;
  static constexpr size_t kBytes = kCount * sizeof(int32_t);
  void* x = allocate(kBytes);
  void* y = allocate(kBytes);
  int32_t* in = nullptr;
  int32_t* out = nullptr;
  AxpyIntArgs args = {global<int32_t>(y), global<const int32_t>(x), kCount, 2};

  Numbers() {
    void* memory = nullptr;
    REQUIRE_OK(sdaaMallocHost(&memory, 2 * kBytes));
    in = static_cast<int32_t*>(memory);
    out = in + kCount;
  }
};

}  // namespace

TEST_CASE(
    "a captured stream runs nothing; the graph does, as often as it is launched, with what is there then") {
  const Fakes fakes;
  const sdaaModule_t module = load_fake_module();
  const sdaaFunction_t axpy = kernel(module, "axpy_int");
  Numbers numbers;
  const sdaaStream_t stream = new_stream();
  std::fill_n(numbers.out, Numbers::kCount, -1);
  begin(stream);
  CHECK(status_of(stream) == sdaaStreamCaptureStatusActive);
  REQUIRE_OK(sdaaMemsetAsync(numbers.y, 0, Numbers::kBytes, stream));
  REQUIRE_OK(sdaaMemcpyAsync(numbers.x, numbers.in, Numbers::kBytes, sdaaMemcpyHostToDevice, stream));
  for (int i = 0; i < 40; ++i) REQUIRE_OK(sdaaLaunchKernel(axpy, &numbers.args, 0, stream));
  REQUIRE_OK(sdaaMemcpyAsync(numbers.x, numbers.y, Numbers::kBytes, sdaaMemcpyDeviceToDevice, stream));
  REQUIRE_OK(sdaaMemcpyAsync(numbers.out, numbers.x, Numbers::kBytes, sdaaMemcpyDeviceToHost, stream));
  const sdaaGraph_t graph = end(stream);
  CHECK(status_of(stream) == sdaaStreamCaptureStatusNone);
  REQUIRE_OK(sdaaStreamSynchronize(stream));
  CHECK(numbers.out[0] == -1);

  std::array<sdaaGraphNode_t, 50> nodes = {};
  size_t count = nodes.size();
  REQUIRE_OK(sdaaGraphGetNodes(graph, nodes.data(), &count));
  REQUIRE(count == 44);
  const auto type = [](sdaaGraphNode_t node) {
    sdaaGraphNodeType type = sdaaGraphNodeTypeKernel;
    CHECK_OK(sdaaGraphNodeGetType(node, &type));
    return type;
  };
  CHECK(type(nodes[0]) == sdaaGraphNodeTypeMemset);
  CHECK(type(nodes[1]) == sdaaGraphNodeTypeMemcpy);
  CHECK(type(nodes[2]) == sdaaGraphNodeTypeKernel);
  CHECK(type(nodes[43]) == sdaaGraphNodeTypeMemcpy);
  const sdaaGraphExec_t exec = make(graph);
  sdaaGraphNodeType ignored;
  CHECK_ERROR(sdaaGraphNodeGetType(nodes[0], &ignored), sdaaErrorInvalidHandle);
  CHECK_ERROR(sdaaGraphDestroy(graph), sdaaErrorInvalidHandle);

  // What the structure holds now does not matter any more.
  numbers.args.a = 1000;
  for (int32_t round = 1; round < 4; ++round) {
    std::iota(numbers.in, numbers.in + Numbers::kCount, round);
    REQUIRE_OK(sdaaGraphLaunch(exec, stream));
    REQUIRE_OK(sdaaStreamSynchronize(stream));
    for (uint32_t i = 0; i < Numbers::kCount; ++i) REQUIRE(numbers.out[i] == 80 * (round + int32_t(i)));
  }
  // Beside launches of other streams, and behind each other.
  const sdaaStream_t other = new_stream(sdaaStreamNonBlocking);
  for (int i = 0; i < 10; ++i) REQUIRE_OK(sdaaGraphLaunch(exec, i % 2 == 0 ? stream : other));
  CHECK_OK(sdaaGraphExecDestroy(exec));  // waits
  CHECK(numbers.out[1] == 80 * 4);
  CHECK_ERROR(sdaaGraphExecDestroy(exec), sdaaErrorInvalidHandle);
  CHECK_ERROR(sdaaGraphLaunch(exec, stream), sdaaErrorInvalidHandle);
  CHECK_OK(sdaaDeviceSynchronize());
}

TEST_CASE("other streams are captured when they wait for an event, and have to be waited for") {
  const Fakes fakes;
  const sdaaModule_t module = load_fake_module();
  const sdaaFunction_t axpy = kernel(module, "axpy_int");
  Numbers numbers;
  const sdaaStream_t first = new_stream(), second = new_stream();
  const sdaaEvent_t fork = new_event(), joined = new_event();
  const auto capture = [&] {
    begin(first);
    CHECK_OK(sdaaMemcpyAsync(numbers.x, numbers.in, Numbers::kBytes, sdaaMemcpyHostToDevice, first));
    CHECK_OK(sdaaEventRecord(fork, first));
    CHECK_OK(sdaaStreamWaitEvent(second, fork, 0));
    CHECK(status_of(second) == sdaaStreamCaptureStatusActive);
    CHECK_OK(sdaaMemsetAsync(numbers.y, 0, Numbers::kBytes, second));
    CHECK_OK(sdaaEventRecord(joined, second));
  };
  sdaaGraph_t graph = nullptr;
  capture();
  CHECK_ERROR(sdaaEventQuery(fork), sdaaErrorCapturedEvent);
  CHECK_ERROR(sdaaEventSynchronize(fork), sdaaErrorCapturedEvent);
  CHECK_ERROR(sdaaStreamEndCapture(first, &graph), sdaaErrorStreamCaptureUnjoined);
  CHECK(graph == nullptr);
  CHECK(status_of(second) == sdaaStreamCaptureStatusNone);
  CHECK_ERROR(sdaaStreamWaitEvent(second, fork, 0), sdaaErrorCapturedEvent);

  capture();
  CHECK_ERROR(sdaaStreamEndCapture(second, &graph), sdaaErrorStreamCaptureUnmatched);
  CHECK_ERROR(sdaaStreamEndCapture(first, &graph), sdaaErrorStreamCaptureInvalidated);

  capture();
  CHECK_OK(sdaaStreamWaitEvent(first, joined, 0));
  CHECK_OK(sdaaLaunchKernel(axpy, &numbers.args, 0, first));
  CHECK_OK(sdaaMemcpyAsync(numbers.out, numbers.y, Numbers::kBytes, sdaaMemcpyDeviceToHost, first));
  graph = end(first);
  CHECK(count_nodes(graph) == 4);
  const sdaaGraphExec_t exec = make(graph);
  std::iota(numbers.in, numbers.in + Numbers::kCount, 5);
  CHECK_OK(sdaaGraphLaunch(exec, second));
  CHECK_OK(sdaaStreamSynchronize(second));
  for (uint32_t i = 0; i < Numbers::kCount; ++i) CHECK(numbers.out[i] == 2 * int32_t(5 + i));
  // An event that was in a capture is one as any other when it is recorded again.
  CHECK_OK(sdaaEventRecord(fork, first));
  CHECK_OK(sdaaEventSynchronize(fork));

  const sdaaEvent_t foreign = new_event();
  begin(first);
  CHECK_OK(sdaaStreamWaitEvent(first, foreign, 0));  // never recorded
  CHECK_ERROR(sdaaStreamWaitEvent(first, joined, 0), sdaaErrorCapturedEvent);
  CHECK_OK(sdaaEventRecord(joined, second));
  CHECK_ERROR(sdaaStreamWaitEvent(first, joined, 0), sdaaErrorStreamCaptureIsolation);
  CHECK(status_of(first) == sdaaStreamCaptureStatusInvalidated);
  CHECK_ERROR(sdaaMemsetAsync(numbers.y, 0, 4, first), sdaaErrorStreamCaptureInvalidated);
  CHECK_ERROR(sdaaStreamEndCapture(first, &graph), sdaaErrorStreamCaptureInvalidated);
  begin(first);
  begin(second);
  CHECK_OK(sdaaEventRecord(fork, first));
  CHECK_ERROR(sdaaStreamWaitEvent(second, fork, 0), sdaaErrorStreamCaptureMerge);
  CHECK_ERROR(sdaaStreamEndCapture(first, &graph), sdaaErrorStreamCaptureInvalidated);
  CHECK_ERROR(sdaaStreamEndCapture(second, &graph), sdaaErrorStreamCaptureInvalidated);
}

TEST_CASE("what cannot be captured says so, and ends the capture") {
  const Fakes fakes;
  void* device = allocate(256);
  void* managed = nullptr;
  REQUIRE_OK(sdaaMallocWithFlags(&managed, 256, sdaaMallocProcessor, sdaaAnyGroup));
  std::vector<uint8_t> host(256);
  const sdaaStream_t stream = new_stream();
  sdaaGraph_t graph = nullptr;
  const std::vector<std::function<sdaaError_t()>> calls = {
      [&] { return sdaaMemcpyAsync(device, host.data(), 256, sdaaMemcpyHostToDevice, stream); },
      [&] { return sdaaMemcpyAsync(host.data(), device, 256, sdaaMemcpyDeviceToHost, stream); },
      [&] { return sdaaMemcpyAsync(host.data(), host.data() + 128, 64, sdaaMemcpyHostToHost, stream); },
      [&] { return sdaaMemsetAsync(managed, 0, 256, stream); },
      [&] {
        return sdaaLaunchHostFunc(
            stream, [](void*) {}, nullptr);
      },
      [&] {
        return sdaaStreamAddCallback(
            stream, [](sdaaStream_t, sdaaError_t, void*) {}, nullptr, 0);
      },
      [&] { return sdaaStreamSynchronize(stream); },
      [&] { return sdaaStreamQuery(stream); },
      [&] { return sdaaStreamReset(stream); },
      [&] { return sdaaStreamDestroy(stream); },
      [&] { return sdaaDeviceSynchronize(); },
  };
  for (size_t i = 0; i < calls.size(); ++i) {
    CAPTURE(i);
    begin(stream);
    CHECK_ERROR(calls[i](), sdaaErrorStreamCaptureUnsupported);
    CHECK(status_of(stream) == sdaaStreamCaptureStatusInvalidated);
    CHECK_ERROR(sdaaStreamEndCapture(stream, &graph), sdaaErrorStreamCaptureInvalidated);
  }
  begin(stream);
  CHECK_ERROR(sdaaMemset(device, 0, 256), sdaaErrorStreamCaptureImplicit);
  CHECK_ERROR(sdaaStreamEndCapture(stream, &graph), sdaaErrorStreamCaptureInvalidated);
  const sdaaStream_t loose = new_stream(sdaaStreamNonBlocking);
  begin(loose);
  CHECK_OK(sdaaMemset(device, 0, 256));
  const sdaaGraphExec_t empty = make(end(loose));
  CHECK_OK(sdaaGraphLaunch(empty, loose));
  CHECK_OK(sdaaGraphLaunch(empty, nullptr));
  CHECK_OK(sdaaDeviceSynchronize());
  begin(stream);
  CHECK_ERROR(sdaaGraphLaunch(empty, stream), sdaaErrorStreamCaptureUnsupported);
  CHECK_ERROR(sdaaStreamBeginCapture(stream, sdaaStreamCaptureModeGlobal), sdaaErrorIllegalState);
  CHECK_ERROR(sdaaStreamEndCapture(stream, nullptr), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaStreamEndCapture(stream, &graph), sdaaErrorStreamCaptureInvalidated);
  CHECK_ERROR(sdaaStreamEndCapture(stream, &graph), sdaaErrorIllegalState);
  CHECK_ERROR(sdaaStreamBeginCapture(nullptr, sdaaStreamCaptureModeGlobal),
              sdaaErrorStreamCaptureUnsupported);
  CHECK_ERROR(sdaaStreamBeginCapture(stream, static_cast<sdaaStreamCaptureMode>(3)), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaStreamIsCapturing(stream, nullptr), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaGraphGetNodes(graph, nullptr, nullptr), sdaaErrorInvalidValue);
  size_t count = 0;
  CHECK_ERROR(sdaaGraphGetNodes(nullptr, nullptr, &count), sdaaErrorInvalidHandle);
  CHECK_ERROR(sdaaGraphNodeGetType(nullptr, nullptr), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaGraphInstantiate(nullptr, graph, 0), sdaaErrorInvalidValue);
  sdaaGraphExec_t exec = nullptr;
  CHECK_ERROR(sdaaGraphInstantiate(&exec, nullptr, 0), sdaaErrorInvalidHandle);
  CHECK_ERROR(sdaaGraphInstantiate(&exec, nullptr, 1), sdaaErrorInvalidValue);
  CHECK_OK(sdaaDeviceReset());
  CHECK_ERROR(sdaaGraphLaunch(empty, nullptr), sdaaErrorInvalidHandle);
}

TEST_CASE("a node that fails fails the launch of the graph, and is named") {
  const Fakes fakes;
  const sdaaModule_t module = load_fake_module();
  Numbers numbers;
  const sdaaStream_t stream = new_stream();
  const auto fails = [&](const char* what, const std::string& name, sdaaError_t error, auto give) {
    CAPTURE(what);
    begin(stream);
    for (int i = 0; i < 3; ++i) CHECK_OK(sdaaLaunchKernel(kernel(module, "nothing"), nullptr, 0, stream));
    give();
    CHECK_OK(sdaaMemsetAsync(numbers.y, 0x55, Numbers::kBytes, stream));
    const sdaaGraphExec_t exec = make(end(stream));
    CHECK_OK(sdaaMemset(numbers.y, 0, Numbers::kBytes));
    CHECK_OK(sdaaGraphLaunch(exec, stream));
    CHECK_OK(sdaaLaunchKernel(kernel(module, "nothing"), nullptr, 0, stream));
    CHECK_ERROR(sdaaStreamSynchronize(stream), error);
    CHECK(std::string(sdaaGetLastErrorMessage()).find("node 3 of a graph: " + name) != std::string::npos);
    // Nothing behind it was done.
    int32_t first = -1;
    CHECK_OK(sdaaMemcpy(&first, numbers.y, sizeof first, sdaaMemcpyDeviceToHost));
    CHECK(first == 0);
    CHECK_OK(sdaaStreamReset(stream));
    CHECK_OK(sdaaGraphExecDestroy(exec));
    CHECK_OK(sdaaMemsetAsync(numbers.y, 0, 4, stream));
    CHECK_OK(sdaaStreamSynchronize(stream));
  };
  fails("kernel", "breakpoint, failed on core ", sdaaErrorAssert,
        [&] { CHECK_OK(sdaaLaunchKernel(kernel(module, "breakpoint"), nullptr, 0, stream)); });
  fails("time", "hang, ran too long", sdaaErrorLaunchTimeOut, [&] {
    const sdaaLaunchConfig_t config = {sizeof config, 0, 0, 1000, 0};
    CHECK_OK(sdaaLaunch(kernel(module, "hang"), &config, nullptr, 0, stream));
  });
  fails("fill", "", sdaaErrorInvalidDevicePointer, [&] {
    void* memory = allocate(4 << 20);
    CHECK_OK(sdaaMemsetAsync(memory, 0, 64, stream));
    CHECK_OK(sdaaFree(memory));
  });
  fails("copy", "", sdaaErrorTransferFailure, [&] {
    void* memory = nullptr;
    CHECK_OK(sdaaMallocHost(&memory, 4096));
    CHECK_OK(sdaaMemcpyAsync(numbers.x, memory, 64, sdaaMemcpyHostToDevice, stream));
    CHECK_OK(sdaaFreeHost(memory));
  });
}

TEST_CASE("graphs: long ones, and of commands that take several slots") {
  const Fakes fakes;
  const sdaaModule_t module = load_fake_module();
  const sdaaFunction_t many = kernel(module, "many_arguments");
  const sdaaStream_t stream = new_stream();
  constexpr uint32_t kNodes = 800;
  auto* sums = static_cast<uint32_t*>(allocate(kNodes * 64));
  begin(stream);
  for (uint32_t i = 0; i < kNodes; ++i) {
    const ManyArgs args = {global<uint32_t>(beyond(sums, i * uint64_t{64})), {i, 1}};
    CHECK_OK(sdaaLaunchKernel(many, &args, 0, stream));
  }
  const sdaaGraph_t graph = end(stream);
  CHECK(count_nodes(graph) == kNodes);
  const sdaaGraphExec_t exec = make(graph);
  CHECK_OK(sdaaGraphLaunch(exec, stream));
  std::vector<uint32_t> words(kNodes * 16);
  CHECK_OK(sdaaMemcpy(words.data(), sums, kNodes * 64, sdaaMemcpyDeviceToHost));
  for (uint32_t i = 0; i < kNodes; ++i) REQUIRE(words[i * 16] == i + 1);
  begin(stream);
  for (uint32_t i = 0; i <= (256 << 10) / 64; ++i) CHECK_OK(sdaaMemsetAsync(sums, 0, 4, stream));
  sdaaGraphExec_t none = nullptr;
  CHECK_ERROR(sdaaGraphInstantiate(&none, end(stream), 0), sdaaErrorNotSupported);
}
