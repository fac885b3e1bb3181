// SPDX-License-Identifier: Apache-2.0
// What CUDA's names give, on the card.
#include <numeric>

#include "verif/host/runtime/kernels.hpp"
#include "verif/host/runtime/on_card.hpp"
#include "verif/host/runtime/tools.hpp"

using namespace swai;
using namespace swai::sdaa;

TEST_CASE("on the card: memory in the order of a stream, filled with words, added up, fetched as a box") {
  const OnCard card;
  constexpr uint32_t kCount = 96;
  constexpr size_t kBytes = kCount * sizeof(int32_t);
  sdaaModule_t module = nullptr;
  REQUIRE_OK(sdaaModuleLoad(&module, "build/cpe-kernels/sdaa-tests.elf"));
  sdaaStream_t stream = nullptr;
  REQUIRE_OK(sdaaStreamCreate(&stream, sdaaStreamNonBlocking));
  int32_t* x = nullptr;
  REQUIRE_OK(sdaaMallocAsync(&x, kBytes, stream));
  int32_t* const before = x;
  for (int32_t round = 1; round < 3; ++round) {
    int32_t* y = nullptr;
    REQUIRE_OK(sdaaMallocAsync(&y, kBytes, stream));
    CHECK_OK(sdaaMemsetD32Async(x, 0x12345, kCount, stream));
    CHECK_OK(sdaaMemsetD16Async(y, 0x0203, 2 * kCount, stream));
    const AxpyIntArgs args = {global<int32_t>(y), global<const int32_t>(x), kCount, round};
    CHECK_OK(sdaaLaunchKernel(kernel(module, "axpy_int"), &args, 0, stream));
    int32_t found[kCount] = {};
    sdaaMemcpy3DParms box = {};
    box.srcPtr = make_sdaaPitchedPtr(y, 32, 32, 4);
    box.dstPtr = make_sdaaPitchedPtr(found, 32, 32, 4);
    box.extent = make_sdaaExtent(32, 4, 3);
    box.kind = sdaaMemcpyDeviceToHost;
    CHECK_OK(sdaaMemcpy3DAsync(&box, stream));
    // The kernel may still run: what comes next in the stream may have its memory all the same.
    CHECK_OK(sdaaFreeAsync(x, stream));
    CHECK_OK(sdaaFreeAsync(y, stream));
    CHECK_OK(sdaaMallocAsync(&x, kBytes, stream));
    CHECK(x == before);
    CHECK_OK(sdaaStreamSynchronize(stream));
    for (uint32_t i = 0; i < kCount; ++i) REQUIRE(found[i] == 0x02030203 + round * 0x12345);
  }
  CHECK_OK(sdaaFree(x));
  CHECK_OK(sdaaStreamDestroy(stream));
  CHECK_OK(sdaaModuleUnload(module));
}

TEST_CASE("on the card: a graph that is built node by node, changed, and launched again") {
  const OnCard card;
  constexpr uint32_t kCount = 64;
  constexpr size_t kBytes = kCount * sizeof(int32_t);
  sdaaModule_t module = nullptr;
  REQUIRE_OK(sdaaModuleLoad(&module, "build/cpe-kernels/sdaa-tests.elf"));
  int32_t* x = nullptr;
  int32_t* y = nullptr;
  int32_t* host = nullptr;
  REQUIRE_OK(sdaaMalloc(&x, kBytes));
  REQUIRE_OK(sdaaMalloc(&y, kBytes));
  REQUIRE_OK(sdaaMallocHost(&host, kBytes));
  sdaaGraph_t graph = nullptr;
  REQUIRE_OK(sdaaGraphCreate(&graph));
  sdaaGraphNode_t load = nullptr;
  sdaaGraphNode_t clear = nullptr;
  sdaaGraphNode_t add = nullptr;
  sdaaGraphNode_t fetch = nullptr;
  // The last one first: the order is that of the dependencies.
  REQUIRE_OK(sdaaGraphAddMemcpyNode1D(&fetch, graph, nullptr, 0, host, y, kBytes, sdaaMemcpyDeviceToHost));
  REQUIRE_OK(sdaaGraphAddMemcpyNode1D(&load, graph, nullptr, 0, x, host, kBytes, sdaaMemcpyHostToDevice));
  const sdaaMemsetParams ones = {y, 0, 0x01010101, 4, kCount, 1};
  REQUIRE_OK(sdaaGraphAddMemsetNode(&clear, graph, nullptr, 0, &ones));
  AxpyIntArgs args = {global<int32_t>(y), global<const int32_t>(x), kCount, 3};
  const sdaaKernelNodeParams launch = {kernel(module, "axpy_int"),      dim3(), dim3(), 0,
                                       reinterpret_cast<void**>(&args), nullptr};
  const sdaaGraphNode_t before[] = {load, clear};
  REQUIRE_OK(sdaaGraphAddKernelNode(&add, graph, before, 2, &launch));
  REQUIRE_OK(sdaaGraphAddDependencies(graph, &add, &fetch, 1));
  sdaaGraphExec_t exec = nullptr;
  REQUIRE_OK(sdaaGraphInstantiate(&exec, graph));
  for (int32_t a = 3; a < 5; ++a) {
    args.a = a;
    REQUIRE_OK(sdaaGraphExecKernelNodeSetParams(exec, add, &launch));
    std::iota(host, host + kCount, 0);
    REQUIRE_OK(sdaaGraphLaunch(exec, nullptr));
    REQUIRE_OK(sdaaDeviceSynchronize());
    for (uint32_t i = 0; i < kCount; ++i) REQUIRE(host[i] == 0x01010101 + a * int32_t(i));
  }
  REQUIRE_OK(sdaaGraphExecDestroy(exec));
  REQUIRE_OK(sdaaGraphDestroy(graph));
  REQUIRE_OK(sdaaModuleUnload(module));
  REQUIRE_OK(sdaaFreeHost(host));
  REQUIRE_OK(sdaaFree(x));
  REQUIRE_OK(sdaaFree(y));
}
