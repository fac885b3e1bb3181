// SPDX-License-Identifier: Apache-2.0
// Graphs that are built node by node, against a played card.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>

#include "verif/host/runtime/kernels.hpp"
#include "verif/host/runtime/tools.hpp"

using namespace swai;
using namespace swai::sdaa;

namespace {

// y = 2 * x + y, as the nodes of a graph: to the card, fill, kernel, back.
struct Axpy {
  static constexpr uint32_t kCount = 64;
  static constexpr size_t kBytes = kCount * sizeof(int32_t);

  sdaaModule_t module = load_fake_module();
  int32_t* x = nullptr;
  int32_t* y = nullptr;
  int32_t* in = nullptr;
  int32_t* out = nullptr;
  sdaaGraph_t graph = nullptr;
  sdaaGraphNode_t load = nullptr;
  sdaaGraphNode_t clear = nullptr;
  sdaaGraphNode_t add = nullptr;
  sdaaGraphNode_t fetch = nullptr;

  Axpy() {
    REQUIRE_OK(sdaaMalloc(&x, kBytes));
    REQUIRE_OK(sdaaMalloc(&y, kBytes));
    REQUIRE_OK(sdaaMallocHost(&in, 2 * kBytes));
    out = in + kCount;
    std::iota(in, in + kCount, 0);
    REQUIRE_OK(sdaaGraphCreate(&graph));
    REQUIRE_OK(sdaaGraphAddMemcpyNode1D(&load, graph, nullptr, 0, x, in, kBytes, sdaaMemcpyHostToDevice));
    const sdaaMemsetParams zero = fill(0);
    REQUIRE_OK(sdaaGraphAddMemsetNode(&clear, graph, nullptr, 0, &zero));
    AxpyIntArgs args = arguments(2);
    const sdaaKernelNodeParams launch = kernel_params(args);
    const std::array<sdaaGraphNode_t, 2> before = {load, clear};
    REQUIRE_OK(sdaaGraphAddKernelNode(&add, graph, before.data(), 2, &launch));
    REQUIRE_OK(sdaaGraphAddMemcpyNode1D(&fetch, graph, &add, 1, out, y, kBytes, sdaaMemcpyDefault));
  }

  AxpyIntArgs arguments(int32_t a) const { return {global<int32_t>(y), global<const int32_t>(x), kCount, a}; }
  sdaaKernelNodeParams kernel_params(AxpyIntArgs& args) const {
    return {kernel(module, "axpy_int"), dim3(), dim3(), 0, reinterpret_cast<void**>(&args), nullptr};
  }
  sdaaMemsetParams fill(unsigned value) const { return {y, 0, value, 4, kCount, 1}; }

  void check(sdaaGraphExec_t exec, int32_t a, int32_t begin = 0) {
    std::fill_n(out, kCount, -1);
    REQUIRE_OK(sdaaGraphLaunch(exec, nullptr));
    REQUIRE_OK(sdaaDeviceSynchronize());
    for (uint32_t i = 0; i < kCount; ++i) REQUIRE(out[i] == a * int32_t(i) + begin);
  }
};

sdaaGraphExec_t instance(sdaaGraph_t graph) {
  sdaaGraphExec_t exec = nullptr;
  REQUIRE_OK(sdaaGraphInstantiate(&exec, graph));
  return exec;
}

using Nodes = std::vector<sdaaGraphNode_t>;
template <typename Get>
Nodes list(Get get) {
  size_t count = 0;
  CHECK_OK(get(nullptr, &count));
  Nodes nodes(count + 1);
  size_t room = nodes.size();
  CHECK_OK(get(nodes.data(), &room));
  CHECK(room == count);
  CHECK(nodes[count] == nullptr);
  nodes.resize(count);
  return nodes;
}
Nodes nodes_of(sdaaGraph_t graph) {
  return list([&](sdaaGraphNode_t* to, size_t* count) { return sdaaGraphGetNodes(graph, to, count); });
}
Nodes roots_of(sdaaGraph_t graph) {
  return list([&](sdaaGraphNode_t* to, size_t* count) { return sdaaGraphGetRootNodes(graph, to, count); });
}
Nodes before(sdaaGraphNode_t node) {
  return list(
      [&](sdaaGraphNode_t* to, size_t* count) { return sdaaGraphNodeGetDependencies(node, to, count); });
}
Nodes behind(sdaaGraphNode_t node) {
  return list(
      [&](sdaaGraphNode_t* to, size_t* count) { return sdaaGraphNodeGetDependentNodes(node, to, count); });
}

}  // namespace

TEST_CASE("built graphs: nodes run behind what they depend on, and can be asked for") {
  const Fakes fakes;
  Axpy axpy;
  CHECK(nodes_of(axpy.graph) == Nodes{axpy.load, axpy.clear, axpy.add, axpy.fetch});
  CHECK(roots_of(axpy.graph) == Nodes{axpy.load, axpy.clear});
  CHECK(before(axpy.add) == Nodes{axpy.load, axpy.clear});
  CHECK(behind(axpy.add) == Nodes{axpy.fetch});
  std::array<sdaaGraphNode_t, 4> from = {};
  std::array<sdaaGraphNode_t, 4> to = {};
  size_t count = 4;
  CHECK_OK(sdaaGraphGetEdges(axpy.graph, from.data(), to.data(), &count));
  CHECK(count == 3);
  CHECK(from[2] == axpy.add);
  CHECK(to[2] == axpy.fetch);
  sdaaGraphNodeType type = sdaaGraphNodeTypeKernel;
  CHECK_OK(sdaaGraphNodeGetType(axpy.fetch, &type));
  CHECK(type == sdaaGraphNodeTypeMemcpy);
  const sdaaGraphExec_t exec = instance(axpy.graph);
  CHECK_OK(sdaaGraphUpload(exec, nullptr));
  axpy.check(exec, 2);
  axpy.check(exec, 2);

  // The order is that of the dependencies, not that in which nodes were added.
  sdaaGraphNode_t late = nullptr;
  const sdaaMemsetParams ones = axpy.fill(0x01010101);
  CHECK_OK(sdaaGraphAddMemsetNode(&late, axpy.graph, &axpy.clear, 1, &ones));
  CHECK_OK(sdaaGraphAddDependencies(axpy.graph, &late, &axpy.add, 1));
  CHECK(behind(late) == Nodes{axpy.add});
  axpy.check(instance(axpy.graph), 2, 0x01010101);
  // An instance is not changed with its graph.
  axpy.check(exec, 2);
  // In a circle nothing can begin.
  CHECK_OK(sdaaGraphAddDependencies(axpy.graph, &axpy.add, &axpy.clear, 1));
  sdaaGraphExec_t none = nullptr;
  CHECK_ERROR(sdaaGraphInstantiate(&none, axpy.graph), sdaaErrorInvalidValue);
  CHECK_OK(sdaaGraphRemoveDependencies(axpy.graph, &axpy.add, &axpy.clear, 1));
  CHECK_ERROR(sdaaGraphRemoveDependencies(axpy.graph, &axpy.add, &axpy.clear, 1), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaGraphAddDependencies(axpy.graph, &axpy.add, &axpy.add, 1), sdaaErrorInvalidValue);

  // A node that is gone is waited for by nobody.
  CHECK_OK(sdaaGraphDestroyNode(late));
  CHECK_ERROR(sdaaGraphDestroyNode(late), sdaaErrorInvalidHandle);
  CHECK(before(axpy.add) == Nodes{axpy.load, axpy.clear});
  CHECK(nodes_of(axpy.graph).size() == 4);
  axpy.check(instance(axpy.graph), 2);
  CHECK_OK(sdaaGraphExecDestroy(exec));
}

TEST_CASE("built graphs: a copy of a graph, empty nodes, copies of boxes") {
  const Fakes fakes;
  Axpy axpy;
  sdaaGraph_t clone = nullptr;
  CHECK_OK(sdaaGraphClone(&clone, axpy.graph));
  CHECK_OK(sdaaGraphDestroyNode(axpy.add));
  CHECK(nodes_of(clone).size() == 4);
  axpy.check(instance(clone), 2);
  CHECK_OK(sdaaGraphDestroy(axpy.graph));
  CHECK_ERROR(sdaaGraphDestroyNode(axpy.fetch), sdaaErrorInvalidHandle);
  axpy.check(instance(clone), 2);

  sdaaGraph_t graph = nullptr;
  REQUIRE_OK(sdaaGraphCreate(&graph));
  sdaaGraphNode_t begin = nullptr;
  CHECK_OK(sdaaGraphAddEmptyNode(&begin, graph, nullptr, 0));
  axpy.in[0] = 7;
  sdaaMemcpy3DParms box = {};
  box.srcPtr = make_sdaaPitchedPtr(axpy.in, 32, 32, 4);
  box.dstPtr = make_sdaaPitchedPtr(axpy.x, 32, 32, 4);
  box.extent = make_sdaaExtent(32, 4, 2);
  box.kind = sdaaMemcpyHostToDevice;
  sdaaGraphNode_t there = nullptr;
  CHECK_OK(sdaaGraphAddMemcpyNode(&there, graph, &begin, 1, &box));
  std::swap(box.srcPtr, box.dstPtr);
  box.dstPtr.ptr = axpy.out;
  box.kind = sdaaMemcpyDeviceToHost;
  sdaaGraphNode_t back = nullptr;
  CHECK_OK(sdaaGraphAddMemcpyNode(&back, graph, &there, 1, &box));
  CHECK(nodes_of(graph) == Nodes{begin, there, back});
  CHECK_OK(sdaaGraphLaunch(instance(graph), nullptr));
  CHECK_OK(sdaaDeviceSynchronize());
  CHECK(std::equal(axpy.in, axpy.in + Axpy::kCount, axpy.out));
}

TEST_CASE("built graphs: other parameters, of a graph and of an instance") {
  const Fakes fakes;
  Axpy axpy;
  const sdaaGraphExec_t exec = instance(axpy.graph);
  AxpyIntArgs args = axpy.arguments(5);
  const sdaaKernelNodeParams launch = axpy.kernel_params(args);
  CHECK_OK(sdaaGraphKernelNodeSetParams(axpy.add, &launch));
  axpy.check(exec, 2);
  axpy.check(instance(axpy.graph), 5);
  args.a = 6;
  CHECK_OK(sdaaGraphExecKernelNodeSetParams(exec, axpy.add, &launch));
  axpy.check(exec, 6);
  const sdaaMemsetParams ones = axpy.fill(0x01010101);
  CHECK_OK(sdaaGraphExecMemsetNodeSetParams(exec, axpy.clear, &ones));
  axpy.check(exec, 6, 0x01010101);
  CHECK_OK(sdaaGraphMemsetNodeSetParams(axpy.clear, &ones));
  // The wrong kind of node, a node of another graph.
  CHECK_ERROR(sdaaGraphMemsetNodeSetParams(axpy.add, &ones), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaGraphExecMemsetNodeSetParams(exec, axpy.add, &ones), sdaaErrorInvalidValue);
  sdaaGraph_t clone = nullptr;
  CHECK_OK(sdaaGraphClone(&clone, axpy.graph));
  CHECK_ERROR(sdaaGraphExecMemsetNodeSetParams(exec, nodes_of(clone)[1], &ones), sdaaErrorInvalidValue);
  // Half of it.
  const size_t half = Axpy::kBytes / 2;
  CHECK_OK(sdaaGraphExecMemcpyNodeSetParams1D(exec, axpy.fetch, axpy.out, axpy.y, half, sdaaMemcpyDefault));
  std::fill_n(axpy.out, Axpy::kCount, -1);
  CHECK_OK(sdaaGraphLaunch(exec, nullptr));
  CHECK_OK(sdaaDeviceSynchronize());
  CHECK(axpy.out[Axpy::kCount / 2 - 1] != -1);
  CHECK(axpy.out[Axpy::kCount / 2] == -1);
  CHECK_OK(sdaaGraphMemcpyNodeSetParams1D(axpy.fetch, axpy.out, axpy.y, half, sdaaMemcpyDefault));
  sdaaMemcpy3DParms box = {};
  box.srcPtr = make_sdaaPitchedPtr(axpy.y, Axpy::kBytes, Axpy::kBytes, 1);
  box.dstPtr = make_sdaaPitchedPtr(axpy.out, Axpy::kBytes, Axpy::kBytes, 1);
  box.extent = make_sdaaExtent(Axpy::kBytes, 1, 1);
  box.kind = sdaaMemcpyDeviceToHost;
  CHECK_OK(sdaaGraphMemcpyNodeSetParams(axpy.fetch, &box));
  CHECK_OK(sdaaGraphExecMemcpyNodeSetParams(exec, axpy.fetch, &box));
  axpy.check(exec, 6, 0x01010101);
}

TEST_CASE("built graphs: an instance takes over a graph of the same nodes, and no other one") {
  const Fakes fakes;
  Axpy first;
  Axpy second;
  const sdaaGraphExec_t exec = instance(first.graph);
  sdaaGraphExecUpdateResult result = sdaaGraphExecUpdateError;
  sdaaGraphNode_t differs = first.add;
  CHECK_OK(sdaaGraphExecUpdate(exec, second.graph, &differs, &result));
  CHECK(result == sdaaGraphExecUpdateSuccess);
  CHECK(differs == nullptr);
  second.check(exec, 2);
  // Another dependency, another type, another node.
  CHECK_OK(sdaaGraphAddDependencies(second.graph, &second.load, &second.clear, 1));
  CHECK_ERROR(sdaaGraphExecUpdate(exec, second.graph, &differs, &result), sdaaErrorGraphExecUpdateFailure);
  CHECK(result == sdaaGraphExecUpdateErrorTopologyChanged);
  CHECK(differs == second.clear);
  sdaaGraphNode_t more = nullptr;
  CHECK_OK(sdaaGraphAddEmptyNode(&more, first.graph, nullptr, 0));
  sdaaGraphExecUpdateResultInfo info = {};
  CHECK_ERROR(sdaaGraphExecUpdate(exec, first.graph, &info), sdaaErrorGraphExecUpdateFailure);
  CHECK(info.result == sdaaGraphExecUpdateErrorTopologyChanged);
  CHECK_OK(sdaaGraphDestroyNode(first.fetch));
  CHECK_ERROR(sdaaGraphExecUpdate(exec, first.graph, nullptr, &result), sdaaErrorGraphExecUpdateFailure);
  CHECK(result == sdaaGraphExecUpdateErrorNodeTypeChanged);
  second.check(exec, 2);
}

TEST_CASE("built graphs: a picture, a failure by number, and what is refused") {
  const Fakes fakes;
  Axpy axpy;
  const auto path =
      std::filesystem::temp_directory_path() / ("swai-graph-" + std::to_string(::getpid()) + ".dot");
  CHECK_OK(sdaaGraphDebugDotPrint(axpy.graph, path.c_str()));
  std::ifstream file(path);
  std::filesystem::remove(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  CHECK(text.find("node2 [label=\"2: kernel axpy_int\"];") != std::string::npos);
  CHECK(text.find("node2 -> node3;") != std::string::npos);
  CHECK_ERROR(sdaaGraphDebugDotPrint(axpy.graph, "/nowhere/at/all"), sdaaErrorOperatingSystem);

  sdaaGraphNode_t fails = nullptr;
  const sdaaKernelNodeParams bad = {kernel(axpy.module, "breakpoint"), dim3(), dim3(), 0, nullptr, nullptr};
  CHECK_OK(sdaaGraphAddKernelNode(&fails, axpy.graph, &axpy.fetch, 1, &bad));
  const sdaaStream_t stream = new_stream();
  CHECK_OK(sdaaGraphLaunch(instance(axpy.graph), stream));
  CHECK_ERROR(sdaaStreamSynchronize(stream), sdaaErrorAssert);
  CHECK(std::string(sdaaGetLastErrorMessage()).find("node 4 of a graph: breakpoint") != std::string::npos);
  CHECK_OK(sdaaStreamReset(stream));

  sdaaGraphNode_t node = nullptr;
  std::vector<uint8_t> pageable(64);
  CHECK_ERROR(sdaaGraphAddMemcpyNode1D(&node, axpy.graph, nullptr, 0, axpy.x, pageable.data(), 64,
                                       sdaaMemcpyHostToDevice),
              sdaaErrorStreamCaptureUnsupported);
  const std::array<sdaaGraphNode_t, 2> twice = {axpy.add, axpy.add};
  CHECK_ERROR(sdaaGraphAddEmptyNode(&node, axpy.graph, twice.data(), 2), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaGraphAddEmptyNode(nullptr, axpy.graph, nullptr, 0), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaGraphAddEmptyNode(&node, axpy.graph, nullptr, 1), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaGraphAddEmptyNode(&node, nullptr, nullptr, 0), sdaaErrorInvalidHandle);
  sdaaGraph_t other = nullptr;
  CHECK_OK(sdaaGraphCreate(&other));
  CHECK_ERROR(sdaaGraphAddEmptyNode(&node, other, &axpy.add, 1), sdaaErrorInvalidValue);
  sdaaMemsetParams odd = axpy.fill(0);
  odd.elementSize = 3;
  CHECK_ERROR(sdaaGraphAddMemsetNode(&node, axpy.graph, nullptr, 0, &odd), sdaaErrorInvalidValue);
  // Its bytes differ, so that it would come from the host.
  const sdaaMemsetParams mixed = axpy.fill(1);
  CHECK_ERROR(sdaaGraphAddMemsetNode(&node, axpy.graph, nullptr, 0, &mixed),
              sdaaErrorStreamCaptureUnsupported);
  sdaaKernelNodeParams nobody = bad;
  nobody.func = nullptr;
  CHECK_ERROR(sdaaGraphAddKernelNode(&node, axpy.graph, nullptr, 0, &nobody), sdaaErrorInvalidDeviceFunction);
  const sdaaHostNodeParams host = {[](void*) {}, nullptr};
  CHECK_ERROR(sdaaGraphAddHostNode(&node, axpy.graph, nullptr, 0, &host), sdaaErrorNotSupported);
  CHECK_ERROR(sdaaGraphCreate(&other, 1), sdaaErrorInvalidValue);
  CHECK_OK(sdaaDeviceReset());
  CHECK_ERROR(sdaaGraphDestroyNode(axpy.add), sdaaErrorInvalidHandle);
}
