// SPDX-License-Identifier: Apache-2.0
// Functions of CUDA that a card cannot have. They are there so that programs compile, and say why they do
// nothing; programs ask the device's attributes before, or should.
#include "host/runtime/call.hpp"

using namespace swai::sdaa;

namespace {

sdaaError_t absent(const char* name, const char* why) {
  return call(name, [why] { fail(sdaaErrorNotSupported, why); });
}

constexpr const char* kManaged =
    "the card's memory is behind a link that no load of the host goes over, and kernels reach no memory of "
    "the "
    "host: copy";
constexpr const char* kProcesses =
    "the card's hardware keeps clients apart: no process has what is another one's";
constexpr const char* kBus = "a card behind a socket has no place on a bus of this host";

}  // namespace

sdaaError_t sdaaMallocManaged(void**, size_t, unsigned int) { return absent("sdaaMallocManaged", kManaged); }
sdaaError_t sdaaMemAdvise(const void*, size_t, sdaaMemoryAdvise, int) {
  return absent("sdaaMemAdvise", kManaged);
}
sdaaError_t sdaaMemPrefetchAsync(const void*, size_t, int, sdaaStream_t) {
  return absent("sdaaMemPrefetchAsync", kManaged);
}
sdaaError_t sdaaHostGetDevicePointer(void**, void*, unsigned int) {
  return absent("sdaaHostGetDevicePointer", "kernels reach no memory of the host");
}

sdaaError_t sdaaIpcGetMemHandle(sdaaIpcMemHandle_t*, void*) {
  return absent("sdaaIpcGetMemHandle", kProcesses);
}
sdaaError_t sdaaIpcOpenMemHandle(void**, sdaaIpcMemHandle_t, unsigned int) {
  return absent("sdaaIpcOpenMemHandle", kProcesses);
}
sdaaError_t sdaaIpcCloseMemHandle(void*) { return absent("sdaaIpcCloseMemHandle", kProcesses); }
sdaaError_t sdaaIpcGetEventHandle(sdaaIpcEventHandle_t*, sdaaEvent_t) {
  return absent("sdaaIpcGetEventHandle", kProcesses);
}
sdaaError_t sdaaIpcOpenEventHandle(sdaaEvent_t*, sdaaIpcEventHandle_t) {
  return absent("sdaaIpcOpenEventHandle", kProcesses);
}

sdaaError_t sdaaGraphAddHostNode(sdaaGraphNode_t*, sdaaGraph_t, const sdaaGraphNode_t*, size_t,
                                 const sdaaHostNodeParams*) {
  return absent("sdaaGraphAddHostNode", "nothing passes between host and card while a graph runs");
}

sdaaError_t sdaaDeviceGetPCIBusId(char*, int, int) { return absent("sdaaDeviceGetPCIBusId", kBus); }
sdaaError_t sdaaDeviceGetByPCIBusId(int*, const char*) { return absent("sdaaDeviceGetByPCIBusId", kBus); }
