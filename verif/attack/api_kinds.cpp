// SPDX-License-Identifier: Apache-2.0
// Through the runtime library: pointers, sizes, handles and orders of calls that no honest program has.
#include <array>
#include <limits>

#include "abi/segment.hpp"
#include "host/runtime/error.hpp"
#include "verif/attack/attacker.hpp"

namespace swai::attack {
namespace {

constexpr size_t kAll = std::numeric_limits<size_t>::max();
constexpr uint8_t kMark = 0xee;

bool worked(sdaaError_t result) { return result == sdaaSuccess; }

const Kind copies(Boundary::kApi, "copies through another one's pointers", [](Attacker& attacker) {
  ApiClient& api = attacker.api();
  const size_t bytes = 1 + attacker.below(ApiClient::kBytes);
  void* const theirs = pointer_of(attacker.known().pointer + ApiClient::kBytes - bytes);
  void* const own = pointer_of(api.memory());
  std::vector<uint8_t> host(bytes, kMark);
  attacker.expect(!worked(sdaaMemcpy(host.data(), theirs, bytes, sdaaMemcpyDeviceToHost)),
                  "another one's memory was read");
  attacker.expect(std::vector<uint8_t>(bytes, kMark) == host, "bytes of another one came to the host");
  attacker.expect(!worked(sdaaMemcpy(theirs, host.data(), bytes, sdaaMemcpyHostToDevice)),
                  "another one's memory was written");
  api.fill(kMark);
  attacker.expect(!worked(sdaaMemcpy(own, theirs, bytes, sdaaMemcpyDeviceToDevice)),
                  "another one's memory was copied on the card");
  attacker.expect(!worked(sdaaMemcpy(theirs, own, bytes, sdaaMemcpyDeviceToDevice)),
                  "another one's memory was overwritten on the card");
  attacker.expect(api.holds(kMark), "bytes of another one came to its own memory");
  attacker.expect(!worked(sdaaMemset(theirs, 0xff, bytes)), "another one's memory was filled");
});

// Any number that a pointer can be, others' among them. Some may be its own: what counts is what the others
// have then.
const Kind wild_pointers(Boundary::kApi, "copies and frees through wild pointers", [](Attacker& attacker) {
  attacker.api();
  std::array<uint8_t, 64> host = {};
  for (unsigned i = 0; i < 8; ++i) {
    const bool theirs = i == 0 || attacker.below(4) == 0;
    const auto number =
        static_cast<uint16_t>(attacker.below(4) == 0 ? 0xfff0 + attacker.below(16) : attacker.below(128));
    const uint64_t offset =
        attacker.below(2) == 0 ? attacker.number() % (uint64_t{1} << 48) : attacker.below(8 << 20);
    void* const wild = pointer_of(theirs ? attacker.known().pointer + attacker.below(ApiClient::kBytes - 64)
                                         : segment::pointer(number, offset));
    const size_t bytes = theirs ? host.size() : 1 + attacker.below(1 << 20);
    const bool read = worked(sdaaMemcpy(host.data(), wild, host.size(), sdaaMemcpyDeviceToHost));
    const bool filled = worked(sdaaMemset(wild, 0xff, bytes));
    const bool freed = worked(sdaaFree(wild));
    attacker.expect(!theirs || !(read || filled || freed), "another one's memory was in reach");
  }
  // It may have hit what it has itself.
  attacker.leave_api();
});

const Kind frees(Boundary::kApi, "frees what it does not have", [](Attacker& attacker) {
  ApiClient& api = attacker.api();
  int local = 0;
  attacker.expect(!worked(sdaaFree(pointer_of(attacker.known().pointer))), "another one's memory was freed");
  attacker.expect(!worked(sdaaFree(pointer_of(api.memory() + 64))), "the middle of an allocation was freed");
  attacker.expect(!worked(sdaaFree(&local)), "memory of the host was freed");
  void* pointer = nullptr;
  if (!worked(sdaaMalloc(&pointer, 1 + attacker.below(4 << 20)))) return;
  attacker.expect(worked(sdaaFree(pointer)) && !worked(sdaaFree(pointer)), "memory was freed twice");
});

const Kind sizes(Boundary::kApi, "asks for sizes that wrap", [](Attacker& attacker) {
  ApiClient& api = attacker.api();
  void* const own = pointer_of(api.memory());
  void* pointer = nullptr;
  size_t pitch = 0;
  attacker.expect(!worked(sdaaMallocPitch(&pointer, &pitch, (size_t{1} << 62) + 256, 4)), "rows wrapped");
  for (const size_t bytes : {kAll, kAll - 63, size_t{1} << 63, size_t{1} << 48}) {
    attacker.expect(!worked(sdaaMalloc(&pointer, bytes)), "there was more memory than there can be");
    attacker.expect(!worked(sdaaMemset(own, 0xff, bytes)), "more was filled than there is");
    attacker.expect(!worked(sdaaMemset2D(own, bytes, 0xff, 64, 2)), "rows beyond its memory were filled");
    attacker.expect(!worked(sdaaMemset2D(own, 64, 0xff, 64, bytes / 64 + 1)), "more rows were filled");
    attacker.expect(!worked(sdaaMemcpy2D(own, bytes, own, 64, 64, 2, sdaaMemcpyDeviceToDevice)),
                    "rows beyond its memory were copied");
  }
});

const Kind dead_handles(Boundary::kApi, "uses handles that are gone", [](Attacker& attacker) {
  attacker.api();
  sdaaStream_t stream = nullptr;
  sdaaEvent_t event = nullptr;
  if (!worked(sdaaStreamCreate(&stream)) || !worked(sdaaEventCreate(&event))) return attacker.leave_api();
  (void)sdaaStreamDestroy(stream);
  (void)sdaaEventDestroy(event);
  attacker.expect(!worked(sdaaStreamSynchronize(stream)) && !worked(sdaaStreamDestroy(stream)) &&
                      !worked(sdaaEventSynchronize(event)) && !worked(sdaaEventRecord(event, nullptr)),
                  "a handle worked that is gone");
  const uintptr_t number = attacker.number();
  attacker.expect(
      !worked(sdaaStreamQuery(reinterpret_cast<sdaaStream_t>(number))) &&
          !worked(sdaaEventQuery(reinterpret_cast<sdaaEvent_t>(number))) &&
          !worked(sdaaModuleUnload(reinterpret_cast<sdaaModule_t>(number))) &&
          !worked(sdaaLaunch(reinterpret_cast<sdaaFunction_t>(number), nullptr, nullptr, 0, nullptr)),
      "a number was a handle");
});

const Kind hoards(Boundary::kApi, "takes streams, events and memory without end", [](Attacker& attacker) {
  // More often than there are places.
  for (unsigned round = 0; round < protocol::kContexts; ++round) {
    attacker.api();
    constexpr unsigned kMany = 50;
    for (unsigned i = 0; i < kMany; ++i) {
      sdaaEvent_t event = nullptr;
      sdaaStream_t stream = nullptr;
      void* pointer = nullptr;
      if (!worked(sdaaEventCreate(&event)) || !worked(sdaaStreamCreate(&stream))) break;
      (void)sdaaEventRecord(event, stream);
      if (!worked(sdaaMalloc(&pointer, 1 + attacker.number() % (256 << 10)))) break;
    }
    attacker.leave_api();
  }
  attacker.expect(attacker.finds_room(), "what it had is not given back");
});

const Kind half_done(Boundary::kApi, "leaves captures, waits and copies half done", [](Attacker& attacker) {
  ApiClient& api = attacker.api();
  sdaaEvent_t event = nullptr;
  if (!worked(sdaaEventCreate(&event))) return attacker.leave_api();
  void* const own = pointer_of(api.memory());
  void* const theirs = pointer_of(attacker.known().pointer);
  api.fill(kMark);
  for (unsigned i = 0; i < 8; ++i) {
    switch (attacker.below(5)) {
      case 0:
        (void)sdaaStreamBeginCapture(api.stream(), sdaaStreamCaptureModeThreadLocal);
        break;
      case 1:
        (void)sdaaMemsetAsync(own, 0xff, ApiClient::kBytes, api.stream());
        break;
      case 2:
        attacker.expect(!worked(sdaaMemcpyAsync(own, theirs, 64, sdaaMemcpyDeviceToDevice, api.stream())) &&
                            !worked(sdaaMemcpyAsync(theirs, own, 64, sdaaMemcpyDeviceToDevice, api.stream())),
                        "a copy of another one's memory was begun");
        break;
      case 3:
        (void)sdaaEventRecord(event, api.stream());
        break;
      default:
        (void)sdaaStreamWaitEvent(api.stream(), event, 0);
    }
  }
  attacker.leave_api();
});

// What a graph holds is checked when it runs, not only when it was captured.
const Kind graphs(Boundary::kApi, "captures another one's memory in a graph", [](Attacker& attacker) {
  ApiClient& api = attacker.api();
  api.fill(kMark);
  void* const own = pointer_of(api.memory());
  void* const theirs = pointer_of(attacker.known().pointer);
  const bool reads = attacker.below(2) == 0;
  if (!worked(sdaaStreamBeginCapture(api.stream(), sdaaStreamCaptureModeThreadLocal)))
    return attacker.leave_api();
  const bool captured = worked(sdaaMemcpyAsync(reads ? own : theirs, reads ? theirs : own, 64,
                                               sdaaMemcpyDeviceToDevice, api.stream()));
  sdaaGraph_t graph = nullptr;
  sdaaGraphExec_t exec = nullptr;
  if (worked(sdaaStreamEndCapture(api.stream(), &graph)) && worked(sdaaGraphInstantiate(&exec, graph, 0))) {
    const bool launched = worked(sdaaGraphLaunch(exec, api.stream()));
    const bool ended_well = worked(api.finish()) && launched;
    attacker.expect(!(captured && ended_well), "a graph with another one's memory has run");
  }
  attacker.expect(api.holds(kMark), "a graph has read another one's memory");
  if (exec != nullptr) (void)sdaaGraphExecDestroy(exec);
  if (graph != nullptr) (void)sdaaGraphDestroy(graph);
});

const Kind host_memory(Boundary::kApi, "registers host memory that it does not have", [](Attacker& attacker) {
  attacker.api();
  constexpr uint64_t kFree = uint64_t{1} << 45;  // nothing is there
  for (const uint64_t at : {uint64_t{0}, kFree, ~uint64_t{4095}}) {
    for (const size_t bytes : {size_t{4096}, size_t{1} << 40, kAll}) {
      attacker.expect(!worked(sdaaHostRegister(pointer_of(at), bytes, 0)), "nothing was registered");
    }
  }
});

}  // namespace
}  // namespace swai::attack
