// SPDX-License-Identifier: Apache-2.0
// What devices and kernels are by CUDA's names, and what a card cannot have. Against a played card.
#include <algorithm>
#include <array>
#include <cstring>

#include "abi/module.hpp"
#include "verif/host/runtime/tools.hpp"

using namespace swai;
using namespace swai::sdaa;

namespace {

int attribute(sdaaDeviceAttr which) {
  int value = -1;
  CHECK_OK(sdaaDeviceGetAttribute(&value, which, 0));
  return value;
}

}  // namespace

TEST_CASE("devices: attributes are the properties, by CUDA's numbers") {
  const Fakes fakes(2);
  sdaaDeviceProp_t properties;
  REQUIRE_OK(sdaaGetDeviceProperties(&properties, 0));
  CHECK(sdaaDevAttrMultiProcessorCount == 16);
  CHECK(attribute(sdaaDevAttrMultiProcessorCount) == properties.multiProcessorCount);
  CHECK(attribute(sdaaDevAttrMaxBlockDimY) == properties.maxThreadsDim[1]);
  CHECK(attribute(sdaaDevAttrMaxGridDimX) == properties.maxGridSize[0]);
  CHECK(attribute(sdaaDevAttrMaxSharedMemoryPerBlock) == int{module::kLdmBytes});
  CHECK(attribute(sdaaDevAttrClockRate) == 1'000'000);
  CHECK(attribute(sdaaDevAttrComputeCapabilityMajor) == module::kCardAbi);
  CHECK(attribute(sdaaDevAttrUnifiedAddressing) == 1);
  CHECK(attribute(sdaaDevAttrMemoryPoolsSupported) == 1);
  for (const auto absent : {sdaaDevAttrManagedMemory, sdaaDevAttrCanMapHostMemory, sdaaDevAttrIpcEventSupport,
                            sdaaDevAttrStreamPrioritiesSupported, sdaaDevAttrTextureAlignment})
    CHECK(attribute(absent) == 0);
  int value = 0;
  CHECK_ERROR(sdaaDeviceGetAttribute(&value, static_cast<sdaaDeviceAttr>(127), 0), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaDeviceGetAttribute(nullptr, sdaaDevAttrWarpSize, 0), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaDeviceGetAttribute(&value, sdaaDevAttrWarpSize, 2), sdaaErrorInvalidDevice);

  sdaaDeviceProp_t wish = {};
  int chosen = -1;
  CHECK_OK(sdaaChooseDevice(&chosen, &wish));
  CHECK(chosen == 0);
  CHECK_ERROR(sdaaChooseDevice(&chosen, nullptr), sdaaErrorInvalidValue);
  CHECK_OK(sdaaDeviceGet(&chosen, 1));
  CHECK(chosen == 1);
  CHECK_ERROR(sdaaDeviceGet(&chosen, 2), sdaaErrorInvalidDevice);
  char name[8];
  CHECK_OK(sdaaDeviceGetName(name, sizeof name, 0));
  CHECK(std::string(name) == "SWAI fa");
  CHECK_ERROR(sdaaDeviceGetName(name, 0, 0), sdaaErrorInvalidValue);
  size_t bytes = 0;
  CHECK_OK(sdaaDeviceTotalMem(&bytes, 0));
  CHECK(bytes == properties.totalGlobalMem);
  int minor = -1;
  CHECK_OK(sdaaDeviceComputeCapability(&value, &minor, 0));
  CHECK(value == properties.major);
  CHECK(minor == properties.minor);
}

TEST_CASE("devices: the one that has most of what is wished for is chosen") {
  FakeOptions large;
  large.groups = 4;
  Fakes::use({[] { return std::make_unique<link::Card>(make_fake_card()); },
              [large] { return std::make_unique<link::Card>(make_fake_card(large)); }});
  sdaaDeviceProp_t wish = {};
  wish.multiProcessorCount = 16;
  int chosen = -1;
  CHECK_OK(sdaaChooseDevice(&chosen, &wish));
  CHECK(chosen == 1);
  wish.multiProcessorCount = 8;
  CHECK_OK(sdaaChooseDevice(&chosen, &wish));
  CHECK(chosen == 0);
  Fakes::use({});
}

TEST_CASE("devices: choices that are kept, and those that change nothing") {
  const Fakes fakes;
  unsigned flags = 99;
  CHECK_OK(sdaaGetDeviceFlags(&flags));
  CHECK(flags == sdaaDeviceScheduleAuto);
  CHECK_OK(sdaaSetDeviceFlags(sdaaDeviceScheduleBlockingSync));
  CHECK_OK(sdaaGetDeviceFlags(&flags));
  CHECK(flags == sdaaDeviceScheduleBlockingSync);
  CHECK_OK(sdaaInitDevice(0, sdaaDeviceScheduleSpin, 0));
  CHECK_OK(sdaaGetDeviceFlags(&flags));
  CHECK(flags == sdaaDeviceScheduleBlockingSync);
  CHECK_OK(sdaaInitDevice(0, sdaaDeviceScheduleSpin, 1));
  CHECK_OK(sdaaGetDeviceFlags(&flags));
  CHECK(flags == sdaaDeviceScheduleSpin);
  CHECK_ERROR(sdaaSetDeviceFlags(sdaaDeviceScheduleSpin | sdaaDeviceScheduleYield), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaSetDeviceFlags(sdaaDeviceMapHost), sdaaErrorNotSupported);
  CHECK_ERROR(sdaaInitDevice(1, 0, 0), sdaaErrorInvalidDevice);
  CHECK_ERROR(sdaaInitDevice(0, 0, 2), sdaaErrorInvalidValue);

  sdaaFuncCache cache = sdaaFuncCachePreferL1;
  CHECK_OK(sdaaDeviceSetCacheConfig(sdaaFuncCachePreferL1));
  CHECK_OK(sdaaDeviceGetCacheConfig(&cache));
  CHECK(cache == sdaaFuncCachePreferNone);
  sdaaSharedMemConfig banks = sdaaSharedMemBankSizeFourByte;
  CHECK_OK(sdaaDeviceSetSharedMemConfig(sdaaSharedMemBankSizeEightByte));
  CHECK_OK(sdaaDeviceGetSharedMemConfig(&banks));
  CHECK(banks == sdaaSharedMemBankSizeDefault);
  CHECK_ERROR(sdaaDeviceSetSharedMemConfig(static_cast<sdaaSharedMemConfig>(3)), sdaaErrorInvalidValue);
  int least = -1;
  int greatest = -1;
  CHECK_OK(sdaaDeviceGetStreamPriorityRange(&least, &greatest));
  CHECK(least == 0);
  CHECK(greatest == 0);
  size_t value = 0;
  CHECK_ERROR(sdaaDeviceGetLimit(&value, sdaaLimitStackSize), sdaaErrorUnsupportedLimit);
  CHECK_ERROR(sdaaDeviceSetLimit(sdaaLimitMallocHeapSize, 1 << 20), sdaaErrorUnsupportedLimit);
}

TEST_CASE("devices: what peers can do") {
  const Fakes fakes(2);
  int value = -1;
  CHECK_OK(sdaaDeviceGetP2PAttribute(&value, sdaaDevP2PAttrNativeAtomicSupported, 0, 1));
  CHECK(value == 0);
  int reached = -1;
  CHECK_OK(sdaaDeviceCanAccessPeer(&reached, 0, 1));
  CHECK_OK(sdaaDeviceGetP2PAttribute(&value, sdaaDevP2PAttrAccessSupported, 0, 1));
  CHECK(value == reached);
  CHECK_ERROR(sdaaDeviceGetP2PAttribute(&value, sdaaDevP2PAttrAccessSupported, 0, 0), sdaaErrorInvalidDevice);
  CHECK_ERROR(sdaaDeviceGetP2PAttribute(&value, static_cast<sdaaDeviceP2PAttr>(5), 0, 1),
              sdaaErrorInvalidValue);
}

TEST_CASE("kernels: attributes, parameters, how many blocks a core runs") {
  const Fakes fakes;
  const sdaaModule_t module = load_fake_module();
  const sdaaFunction_t axpy = kernel(module, "axpy_int");
  sdaaFuncAttributes attributes;
  REQUIRE_OK(sdaaFuncGetAttributes(&attributes, axpy));
  CHECK(attributes.sharedSizeBytes == attributes.localSizeBytes);
  const size_t room = module::kLdmBytes - attributes.localSizeBytes;
  CHECK(attributes.maxDynamicSharedSizeBytes == static_cast<int>(room));
  int value = -1;
  CHECK_OK(sdaaFuncGetAttribute(&value, sdaaFunctionAttributeMaxDynamicSharedSizeBytes, axpy));
  CHECK(value == static_cast<int>(room));
  CHECK_ERROR(sdaaFuncGetAttribute(&value, static_cast<sdaaFunctionAttribute>(15), axpy),
              sdaaErrorInvalidValue);
  CHECK_OK(sdaaFuncSetAttribute(axpy, sdaaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(room)));
  CHECK_ERROR(
      sdaaFuncSetAttribute(axpy, sdaaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(room) + 1),
      sdaaErrorInvalidValue);
  CHECK(std::string(sdaaGetLastErrorMessage()).find("axpy_int") != std::string::npos);
  CHECK_OK(sdaaFuncSetAttribute(axpy, sdaaFuncAttributePreferredSharedMemoryCarveout, 50));
  CHECK_ERROR(sdaaFuncSetAttribute(axpy, sdaaFuncAttributePreferredSharedMemoryCarveout, 101),
              sdaaErrorInvalidValue);
  CHECK_OK(sdaaFuncSetCacheConfig(axpy, sdaaFuncCachePreferShared));
  CHECK_OK(sdaaFuncSetSharedMemConfig(axpy, sdaaSharedMemBankSizeFourByte));
  CHECK_ERROR(sdaaFuncSetCacheConfig(nullptr, sdaaFuncCachePreferShared), sdaaErrorInvalidDeviceFunction);
  const char* name = nullptr;
  CHECK_OK(sdaaFuncGetName(&name, axpy));
  CHECK(std::string(name) == "axpy_int");
  sdaaModule_t found = nullptr;
  CHECK_OK(sdaaFuncGetModule(&found, axpy));
  CHECK(found == module);
  size_t offset = 0;
  size_t bytes = 0;
  CHECK_ERROR(sdaaFuncGetParamInfo(axpy, 0, &offset, &bytes), sdaaErrorInvalidValue);

  CHECK_OK(sdaaOccupancyMaxActiveBlocksPerMultiprocessor(&value, axpy, 1, room));
  CHECK(value == 1);
  CHECK_OK(sdaaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&value, axpy, 1, room + 1,
                                                                  sdaaOccupancyDefault));
  CHECK(value == 0);
  CHECK_ERROR(sdaaOccupancyMaxActiveBlocksPerMultiprocessor(&value, axpy, 0, 0), sdaaErrorInvalidValue);
  CHECK_OK(sdaaOccupancyAvailableDynamicSMemPerBlock(&bytes, axpy, 1, 1));
  CHECK(bytes == room);
  CHECK_ERROR(sdaaOccupancyAvailableDynamicSMemPerBlock(&bytes, axpy, 2, 1), sdaaErrorInvalidValue);
  int blocks = 0;
  int threads = 0;
  CHECK_OK(sdaaOccupancyMaxPotentialBlockSize(&blocks, &threads, axpy));
  CHECK(blocks == 4);
  CHECK(threads == attributes.maxThreadsPerBlock);
  CHECK_ERROR(sdaaOccupancyMaxPotentialBlockSize(&blocks, &threads, axpy, room + 1),
              sdaaErrorLaunchOutOfResources);
}

TEST_CASE("kernels: how many threads a block may have, and whether a core runs it then") {
  const Fakes fakes;
  const sdaaModule_t module = load_fake_module();
  const auto most_threads = [&](sdaaFunction_t function) {
    sdaaFuncAttributes attributes;
    REQUIRE_OK(sdaaFuncGetAttributes(&attributes, function));
    return attributes.maxThreadsPerBlock;
  };
  const auto active = [](sdaaFunction_t function, int threads, size_t shared) {
    int blocks = -1;
    REQUIRE_OK(sdaaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads, shared));
    return blocks;
  };
  const auto potential = [](sdaaFunction_t function, size_t shared, int limit) {
    int blocks = -1;
    int threads = -1;
    REQUIRE_OK(sdaaOccupancyMaxPotentialBlockSize(&blocks, &threads, function, shared, limit));
    CHECK(blocks == 4);
    return threads;
  };
  const auto shared_beside = [](sdaaFunction_t function, int threads) {
    size_t bytes = 0;
    REQUIRE_OK(sdaaOccupancyAvailableDynamicSMemPerBlock(&bytes, function, 1, threads));
    return bytes;
  };
  size_t bytes = 0;

  // Every core runs it once.
  const sdaaFunction_t once = kernel(module, "nothing");
  CHECK(most_threads(once) == 1);
  CHECK(active(once, 2, 0) == 0);
  CHECK_ERROR(sdaaOccupancyAvailableDynamicSMemPerBlock(&bytes, once, 1, 2), sdaaErrorInvalidValue);

  // A core runs its threads in turn, on one stack.
  const sdaaFunction_t alone = kernel(module, "in_threads");
  CHECK(most_threads(alone) == 1024);
  CHECK(active(alone, 1024, module::kLdmBytes / 2) == 1);
  CHECK(active(alone, 1025, 0) == 0);
  CHECK(potential(alone, 0, 0) == 1024);
  CHECK(potential(alone, 1000, 96) == 96);
  CHECK(shared_beside(alone, 1024) == shared_beside(alone, 1));

  // Each has a stack of its own, in the memory that a launch shares, too.
  const sdaaFunction_t meeting = kernel(module, "meeting_threads");
  CHECK(most_threads(meeting) == 400);
  CHECK(active(meeting, 400, 0) == 1);
  CHECK(active(meeting, 401, 0) == 0);
  CHECK(active(meeting, 399, 65) == 1);
  CHECK(active(meeting, 400, 65) == 0);
  CHECK(potential(meeting, 65, 0) == 399);
  CHECK(shared_beside(meeting, 400) == 0);
  CHECK(shared_beside(meeting, 200) == 32'000);
  int most = 0;
  REQUIRE_OK(sdaaFuncGetAttribute(&most, sdaaFunctionAttributeMaxDynamicSharedSizeBytes, meeting));
  CHECK(static_cast<size_t>(most) == shared_beside(meeting, 1));
  CHECK_OK(::sdaa::launch(meeting, 1, 1, static_cast<size_t>(most), nullptr));
  CHECK_ERROR(::sdaa::launch(meeting, 1, 1, static_cast<size_t>(most) + 1, nullptr),
              sdaaErrorLaunchOutOfResources);
  CHECK_ERROR(sdaaFuncSetAttribute(meeting, sdaaFuncAttributeMaxDynamicSharedMemorySize, most + 1),
              sdaaErrorInvalidValue);
  int blocks = 0;
  CHECK_ERROR(sdaaOccupancyMaxPotentialBlockSize(&blocks, &most, meeting, 64'000),
              sdaaErrorLaunchOutOfResources);
  CHECK_OK(sdaaDeviceSynchronize());
}

TEST_CASE("modules: as libraries, all of their kernels, options that nobody knows") {
  const Fakes fakes;
  const auto file = fake_module();
  sdaaLibrary_t library = nullptr;
  REQUIRE_OK(sdaaLibraryLoadData(&library, file.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  CHECK_ERROR(sdaaLibraryLoadData(&library, file.data(), nullptr, nullptr, 1, nullptr, nullptr, 0),
              sdaaErrorNotSupported);
  CHECK_ERROR(sdaaLibraryLoadFromFile(&library, "/nowhere/no.elf", nullptr, nullptr, 0, nullptr, nullptr, 0),
              sdaaErrorFileNotFound);
  sdaaModule_t module = nullptr;
  CHECK_OK(sdaaModuleLoadDataEx(&module, file.data(), 0, nullptr, nullptr));
  CHECK_ERROR(sdaaModuleLoadDataEx(&module, file.data(), 1, nullptr, nullptr), sdaaErrorNotSupported);
  unsigned count = 0;
  CHECK_OK(sdaaLibraryGetKernelCount(&count, library));
  std::array<sdaaKernel_t, 20> kernels = {};
  REQUIRE(count < kernels.size());
  CHECK_OK(sdaaLibraryEnumerateKernels(kernels.data(), 20, library));
  CHECK(std::ranges::count(kernels, nullptr) == 20 - count);
  CHECK_OK(sdaaModuleEnumerateFunctions(kernels.data(), 1, module));
  CHECK_OK(sdaaLaunchKernel(kernels[0], nullptr, 0, nullptr));
  sdaaKernel_t who = nullptr;
  CHECK_OK(sdaaLibraryGetKernel(&who, library, "who"));
  CHECK_ERROR(sdaaLibraryGetKernel(&who, library, "nobody"), sdaaErrorNotFound);
  CHECK_OK(sdaaLibraryUnload(library));
  CHECK_ERROR(sdaaLibraryGetKernelCount(&count, library), sdaaErrorInvalidHandle);
  CHECK_ERROR(sdaaLibraryUnload(library), sdaaErrorInvalidHandle);
}

TEST_CASE("streams and events: priorities, devices, numbers, flags") {
  const Fakes fakes(2);
  sdaaStream_t stream = nullptr;
  REQUIRE_OK(sdaaStreamCreateWithPriority(&stream, sdaaStreamNonBlocking, -5));
  int value = -1;
  CHECK_OK(sdaaStreamGetPriority(stream, &value));
  CHECK(value == 0);
  unsigned flags = 0;
  CHECK_OK(sdaaStreamGetFlags(stream, &flags));
  CHECK(flags == sdaaStreamNonBlocking);
  CHECK_OK(sdaaSetDevice(1));
  CHECK_OK(sdaaStreamGetDevice(stream, &value));
  CHECK(value == 0);
  CHECK_OK(sdaaStreamGetDevice(sdaaStreamLegacy, &value));
  CHECK(value == 1);
  unsigned long long first = 0;
  unsigned long long second = 0;
  CHECK_OK(sdaaStreamGetId(stream, &first));
  CHECK_OK(sdaaStreamGetId(nullptr, &second));
  CHECK(first != second);
  CHECK_OK(sdaaSetDevice(0));
  CHECK_OK(sdaaStreamGetId(nullptr, &first));
  CHECK(first != second);
  CHECK_ERROR(sdaaStreamGetPriority(stream, nullptr), sdaaErrorInvalidValue);

  sdaaEvent_t event = new_event();
  CHECK_OK(sdaaEventRecord(event));
  CHECK_OK(sdaaEventRecordWithFlags(event, stream, sdaaEventRecordDefault));
  CHECK_OK(sdaaStreamWaitEvent(nullptr, event));
  CHECK_ERROR(sdaaEventRecordWithFlags(event, stream, sdaaEventRecordExternal), sdaaErrorNotSupported);
  CHECK_ERROR(sdaaEventRecordWithFlags(event, stream, 2), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaEventCreateWithFlags(&event, sdaaEventInterprocess | sdaaEventDisableTiming),
              sdaaErrorNotSupported);
}

TEST_CASE("what a card cannot do is not played, and says why") {
  const Fakes fakes;
  void* pointer = nullptr;
  float* numbers = nullptr;
  const auto refused = [](sdaaError_t error, const char* why) {
    CHECK_ERROR(error, sdaaErrorNotSupported);
    CHECK(std::string(sdaaGetLastErrorMessage()).find(why) != std::string::npos);
  };
  refused(sdaaMallocManaged(&numbers, 64), "copy");
  refused(sdaaMemAdvise(numbers, 64, sdaaMemAdviseSetReadMostly, 0), "copy");
  refused(sdaaMemPrefetchAsync(numbers, 64, 0), "copy");
  refused(sdaaHostGetDevicePointer(&numbers, nullptr), "host");
  sdaaIpcMemHandle_t memory = {};
  sdaaIpcEventHandle_t event = {};
  sdaaEvent_t opened = nullptr;
  refused(sdaaIpcGetMemHandle(&memory, pointer), "clients");
  refused(sdaaIpcOpenMemHandle(&pointer, memory, sdaaIpcMemLazyEnablePeerAccess), "clients");
  refused(sdaaIpcCloseMemHandle(pointer), "clients");
  refused(sdaaIpcGetEventHandle(&event, nullptr), "clients");
  refused(sdaaIpcOpenEventHandle(&opened, event), "clients");
  char name[20];
  int device = 0;
  refused(sdaaDeviceGetPCIBusId(name, sizeof name, 0), "bus");
  refused(sdaaDeviceGetByPCIBusId(&device, "0000:01:00.0"), "bus");
}

TEST_CASE("errors: the driver's way to name them, and CUDA's other names") {
  const char* text = nullptr;
  CHECK(sdaaDrvGetErrorName(sdaaErrorMemoryAllocation, &text) == sdaaSuccess);
  CHECK(std::string(text) == "sdaaErrorOutOfMemory");
  CHECK(sdaaDrvGetErrorString(sdaaSuccess, &text) == sdaaSuccess);
  CHECK(std::string(text) == "no error");
  CHECK(sdaaDrvGetErrorName(static_cast<sdaaError_t>(77), &text) == sdaaErrorInvalidValue);
  CHECK(sdaaDrvGetErrorString(static_cast<sdaaError_t>(77), &text) == sdaaErrorInvalidValue);
  CHECK(sdaaDrvGetErrorName(sdaaSuccess, nullptr) == sdaaErrorInvalidValue);
}
