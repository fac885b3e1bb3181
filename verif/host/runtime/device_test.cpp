// SPDX-License-Identifier: Apache-2.0
// Devices and errors, against a played card.
#include <cstring>

#include "host/runtime/bars.hpp"
#include "host/runtime/host_software_time.hpp"
#include "host/runtime/include/sdaa/simulation.h"
#include "host/transport/fault_backend.hpp"
#include "verif/host/runtime/tools.hpp"

using namespace swai;
using namespace swai::sdaa;

TEST_CASE("errors have HIP's numbers, a name and a text") {
  CHECK(sdaaErrorInvalidValue == 1);
  CHECK(sdaaErrorOutOfMemory == 2);
  CHECK(sdaaErrorNotReady == 600);
  CHECK(sdaaErrorIllegalAddress == 700);
  CHECK(sdaaErrorLaunchFailure == 719);
  CHECK(std::string(sdaaGetErrorName(sdaaErrorLaunchTimeOut)) == "sdaaErrorLaunchTimeOut");
  CHECK(std::string(sdaaGetErrorString(sdaaSuccess)) == "no error");
  for (int code = 0; code < 2048; ++code) {
    CHECK(sdaaGetErrorName(static_cast<sdaaError_t>(code)) != nullptr);
    CHECK(sdaaGetErrorString(static_cast<sdaaError_t>(code)) != nullptr);
  }
  CHECK(std::string(sdaaGetErrorName(static_cast<sdaaError_t>(77))) == "sdaaErrorUnknown");
}

TEST_CASE("no card: the error says how to get one") {
  Fakes::use({});
  int count = 7;
  CHECK_ERROR(sdaaGetDeviceCount(&count), sdaaErrorNoDevice);
  CHECK(count == 0);
  CHECK(std::string(sdaaGetLastErrorMessage()).find("SWAI_CARD") != std::string::npos);
  CHECK(std::string(sdaaGetLastErrorMessage()).find("swai serve") != std::string::npos);
  CHECK_ERROR(sdaaInit(0), sdaaErrorNoDevice);
  void* pointer = nullptr;
  CHECK_ERROR(sdaaMalloc(&pointer, 64), sdaaErrorNoDevice);
  CHECK_ERROR(sdaaDeviceSynchronize(), sdaaErrorNoDevice);
  CHECK_ERROR(sdaaSetDevice(0), sdaaErrorNoDevice);
}

TEST_CASE("the last error is the thread's, Peek leaves it, Get takes it, success does not touch it") {
  const Fakes fakes;
  CHECK(sdaaPeekAtLastError() == sdaaSuccess);
  CHECK_ERROR(sdaaFree(reinterpret_cast<void*>(uint64_t{99} << 48)), sdaaErrorInvalidDevicePointer);
  CHECK_OK(sdaaDeviceSynchronize());
  CHECK(sdaaPeekAtLastError() == sdaaErrorInvalidDevicePointer);
  std::thread([] { CHECK(sdaaPeekAtLastError() == sdaaSuccess); }).join();
  CHECK(sdaaGetLastError() == sdaaErrorInvalidDevicePointer);
  CHECK(sdaaGetLastError() == sdaaSuccess);
}

TEST_CASE("devices: count, choice per thread, properties, versions, null pointers") {
  const Fakes fakes(2);
  int number = -1;
  REQUIRE_OK(sdaaInit(0));
  CHECK_ERROR(sdaaInit(1), sdaaErrorInvalidValue);
  REQUIRE_OK(sdaaGetDeviceCount(&number));
  CHECK(number == 2);
  REQUIRE_OK(sdaaSetDevice(1));
  REQUIRE_OK(sdaaGetDevice(&number));
  CHECK(number == 1);
  std::thread([] {
    int other = -1;
    CHECK_OK(sdaaGetDevice(&other));
    CHECK(other == 0);
  }).join();
  CHECK_ERROR(sdaaSetDevice(2), sdaaErrorInvalidDevice);
  CHECK_ERROR(sdaaSetDevice(-1), sdaaErrorInvalidDevice);
  CHECK_OK(sdaaGetDevice(&number));
  CHECK(number == 1);
  sdaaDeviceProp_t properties;
  REQUIRE_OK(sdaaGetDeviceProperties(&properties, 1));
  CHECK(properties.groups == 2);
  CHECK(properties.rows == 2);
  CHECK(properties.multiProcessorCount == 8);
  CHECK(properties.totalGlobalMem == 136 << 20);
  CHECK(std::string(properties.name) == "SWAI fake");
  CHECK_ERROR(sdaaGetDeviceProperties(&properties, 2), sdaaErrorInvalidDevice);
  CHECK_ERROR(sdaaGetDeviceProperties(nullptr, 0), sdaaErrorInvalidValue);
  CHECK_OK(sdaaDriverGetVersion(&number));
  CHECK(number == SDAA_VERSION);
  CHECK_OK(sdaaRuntimeGetVersion(&number));
  CHECK(number == SDAA_VERSION);
  uint64_t time = 0;
  CHECK_OK(sdaaDeviceGetTime(&time));
  CHECK(time > 100'000);
  const uint64_t before = time;
  CHECK_OK(let_device_time_pass(4'900));
  CHECK_OK(sdaaDeviceGetTime(&time));
  CHECK(time >= before + 4'900);
  CHECK(time < before + 6'000);
  CHECK_ERROR(let_device_time_pass(~uint64_t{0}), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaGetDevice(nullptr), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaGetDeviceCount(nullptr), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaDriverGetVersion(nullptr), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaRuntimeGetVersion(nullptr), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaDeviceGetTime(nullptr), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaDeviceGetWork(nullptr), sdaaErrorInvalidValue);
}

TEST_CASE("a firmware that does not serve, or speaks another version") {
  FakeOptions options;
  SUBCASE("silent") {
    options.serves = false;
    const Fakes fakes(1, options);
    CHECK_ERROR(sdaaDeviceSynchronize(), sdaaErrorTimedOut);
  }
  SUBCASE("too new") {
    options.version = 9;
    options.minimum_version = 8;
    const Fakes fakes(1, options);
    CHECK_ERROR(sdaaDeviceSynchronize(), sdaaErrorInsufficientDriver);
    CHECK(std::string(sdaaGetLastErrorMessage()).find("8 to 9") != std::string::npos);
  }
  SUBCASE("newer, but it speaks ours") {
    options.version = 9;
    const Fakes fakes(1, options);
    CHECK_OK(sdaaDeviceSynchronize());
  }
}

TEST_CASE("a card that cannot be opened can be tried again") {
  int tries = 0;
  Fakes::use({[&tries]() -> std::unique_ptr<link::Card> {
    if (++tries == 1) throw link::Error(link::ErrorKind::kNoConnection, "there is no such socket");
    return std::make_unique<link::Card>(make_fake_card());
  }});
  CHECK_ERROR(sdaaDeviceSynchronize(), sdaaErrorNoDevice);
  CHECK(std::string(sdaaGetLastErrorMessage()).find("no such socket") != std::string::npos);
  CHECK_OK(sdaaDeviceSynchronize());
  Fakes::use({});
}

namespace {

// Into all slots of the card, behind the library's back.
void overwrite_slots(link::Card& card, uint64_t offset) {
  const uint64_t queues = kSram + Runtime::get().current()->info().queue_offset;
  for (uint64_t slot = 0; slot < uint64_t{protocol::kQueues} * protocol::kSlots; ++slot)
    card.post<uint64_t>(kMemoryBar, queues + slot * protocol::kSlotBytes + offset, 0x1234'5678'9abc'def0);
}

}  // namespace

TEST_CASE("commands that are overwritten before the card has read them: who waits or asks hears of it") {
  link::Card* card = nullptr;
  Fakes::use({[&card] {
    auto fresh = std::make_unique<link::Card>(make_fake_card());
    card = fresh.get();
    return fresh;
  }});
  const sdaaStream_t stream = new_stream(sdaaStreamNonBlocking), other = new_stream(sdaaStreamNonBlocking);
  const sdaaEvent_t event = new_event();
  void* memory = allocate(64);
  uint8_t byte = 7;
  const auto told = [](sdaaError_t error) {
    INFO(what(error));
    CHECK(error == sdaaErrorTransferFailure);
    CHECK(std::string(sdaaGetLastErrorMessage()).find("is not what was written there") != std::string::npos);
  };
  SUBCASE("its header") {
    REQUIRE_OK(sdaaMemsetAsync(memory, 1, 64, stream));
    overwrite_slots(*card, 0);
    told(sdaaStreamSynchronize(stream));
  }
  SUBCASE("what it waits for") {
    REQUIRE_OK(sdaaEventRecord(event, other));
    REQUIRE_OK(sdaaStreamWaitEvent(stream, event, 0));
    overwrite_slots(*card, sizeof(command::Event) - sizeof(uint64_t));
    told(sdaaStreamSynchronize(stream));
  }
  SUBCASE("what another stream waits for") {
    REQUIRE_OK(sdaaEventRecord(event, other));
    overwrite_slots(*card, 0);
    REQUIRE_OK(sdaaStreamWaitEvent(stream, event, 0));
    told(sdaaStreamSynchronize(stream));
  }
  SUBCASE("by who only asks") {
    REQUIRE_OK(sdaaMemsetAsync(memory, 1, 64, stream));
    overwrite_slots(*card, 0);
    sdaaError_t error = sdaaErrorNotReady;
    for (int i = 0; i < 10'000 && error == sdaaErrorNotReady; ++i) error = sdaaStreamQuery(stream);
    told(error);
  }
  // A reset is enough.
  REQUIRE_OK(sdaaDeviceReset());
  memory = allocate(64);
  REQUIRE_OK(sdaaMemset(memory, 9, 64));
  REQUIRE_OK(sdaaMemcpy(&byte, memory, 1, sdaaMemcpyDeviceToHost));
  CHECK(byte == 9);
  Fakes::use({});
}

TEST_CASE("a lost card: every call says so, a reset opens it anew, handles are dead") {
  link::Card* card = nullptr;
  Fakes::use({[&card] {
    auto fresh = std::make_unique<link::Card>(make_fake_card());
    card = fresh.get();
    return fresh;
  }});
  void* memory = allocate(100);
  sdaaStream_t stream = nullptr;
  sdaaEvent_t event = nullptr;
  REQUIRE_OK(sdaaStreamCreate(&stream));
  REQUIRE_OK(sdaaEventCreate(&event));
  const sdaaModule_t module = load_fake_module();
  const sdaaFunction_t function = kernel(module, "nothing");
  void* host = nullptr;
  REQUIRE_OK(sdaaMallocHost(&host, 100));
  card->close();
  uint8_t byte = 0;
  CHECK_ERROR(sdaaMemcpy(memory, &byte, 1, sdaaMemcpyHostToDevice), sdaaErrorDeviceLost);
  CHECK_ERROR(sdaaMalloc(&memory, 64), sdaaErrorDeviceLost);
  CHECK_ERROR(sdaaLaunchKernel(function, nullptr, 0, stream), sdaaErrorDeviceLost);
  void* more = nullptr;
  CHECK(sdaaMallocHost(&more, 64) != sdaaSuccess);
  REQUIRE_OK(sdaaDeviceReset());
  CHECK_OK(sdaaDeviceSynchronize());
  CHECK_ERROR(sdaaStreamSynchronize(stream), sdaaErrorInvalidHandle);
  CHECK_ERROR(sdaaEventSynchronize(event), sdaaErrorInvalidHandle);
  CHECK_ERROR(sdaaLaunchKernel(function, nullptr, 0, nullptr), sdaaErrorInvalidDeviceFunction);
  CHECK_ERROR(sdaaModuleUnload(module), sdaaErrorInvalidHandle);
  CHECK_ERROR(sdaaFreeHost(host), sdaaErrorInvalidValue);
  Fakes::use({});
}

TEST_CASE("a connection that breaks at any call: an error, never a crash; a reset mends it") {
  for (uint64_t spare = 0; spare < 300; spare += 7) {
    bool broken = false;
    Fakes::use({[&] {
      auto backend = make_fake_card();
      if (!broken) {
        link::FaultPlan plan;
        plan.per_mille[static_cast<unsigned>(link::InjectedFault::kDropAfter)] = 1000;
        plan.spare_calls = spare;
        plan.on_fault = [&](link::InjectedFault, const char*) { broken = true; };
        backend = link::inject_faults(std::move(backend), plan);
      }
      return std::make_unique<link::Card>(std::move(backend));
    }});
    sdaaError_t last = sdaaSuccess;
    for (int round = 0; round < 20 && last == sdaaSuccess; ++round) {
      void* memory = nullptr;
      last = sdaaMalloc(&memory, 1000);
      std::vector<uint8_t> bytes(1000, 3);
      if (last == sdaaSuccess) last = sdaaMemcpy(memory, bytes.data(), 1000, sdaaMemcpyHostToDevice);
      if (last == sdaaSuccess) last = sdaaMemset(memory, 0, 1000);
      if (last == sdaaSuccess) last = sdaaFree(memory);
    }
    CHECK(broken);
    CHECK_ERROR(last, sdaaErrorDeviceLost);
    CHECK_OK(sdaaDeviceReset());
    CHECK_OK(sdaaDeviceSynchronize());
  }
  Fakes::use({});
}

TEST_CASE("the profiler hears the beginning and end of every call") {
  const Fakes fakes;
  struct Heard {
    std::vector<std::string> names;
    std::vector<sdaaProfilerPhase> phases;
    sdaaError_t last = sdaaSuccess;
  } heard;
  const auto listen = [](const sdaaProfilerRecord_t* record, void* user) {
    auto& to = *static_cast<Heard*>(user);
    to.names.emplace_back(record->function);
    to.phases.push_back(record->phase);
    to.last = record->result;
  };
  CHECK_OK(sdaaProfilerSetCallback(nullptr, nullptr));
  // As in CUDA, where programs begin and end the profiled part whether somebody profiles or not.
  CHECK_OK(sdaaProfilerStart());
  CHECK_OK(sdaaProfilerStop());
  CHECK_OK(sdaaProfilerStop());
  CHECK_OK(sdaaProfilerSetCallback(listen, &heard));
  CHECK_OK(sdaaProfilerStart());
  CHECK_OK(sdaaProfilerStart());
  heard = {};
  CHECK_ERROR(sdaaMalloc(nullptr, 1), sdaaErrorInvalidValue);
  CHECK(heard.names == std::vector<std::string>{"sdaaMalloc", "sdaaMalloc"});
  CHECK(heard.phases == std::vector{sdaaProfilerEnter, sdaaProfilerExit});
  CHECK(heard.last == sdaaErrorInvalidValue);
  CHECK_OK(sdaaProfilerStop());
  heard = {};
  CHECK_OK(sdaaDeviceSynchronize());
  CHECK(heard.names.empty());
  CHECK_OK(sdaaProfilerSetCallback(nullptr, nullptr));
}
