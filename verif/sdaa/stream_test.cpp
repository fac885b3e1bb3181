// Modules, launches, streams, events, functions of the host, against a played card.
#include <atomic>
#include <cstring>
#include <fstream>
#include <numeric>

#include "verif/sdaa/kernels.hpp"
#include "verif/sdaa/tools.hpp"

using namespace swai;
using namespace swai::sdaa;

namespace {

sdaaStream_t new_stream(unsigned flags = sdaaStreamDefault) {
  sdaaStream_t stream = nullptr;
  REQUIRE_OK(sdaaStreamCreateWithFlags(&stream, flags));
  return stream;
}
sdaaEvent_t new_event() {
  sdaaEvent_t event = nullptr;
  REQUIRE_OK(sdaaEventCreate(&event));
  return event;
}
template <typename T>
cpe::GlobalPtr<T> global(const void* pointer) {
  return cpe::GlobalPtr<T>(bits(pointer));
}

}  // namespace

TEST_CASE("modules: from memory and file, kernels, what is refused") {
  const Fakes fakes;
  const auto file = fake_module(2'500'000);
  sdaaModule_t module = nullptr;
  CHECK_OK(sdaaModuleLoadBytes(&module, file.data(), file.size()));
  unsigned count = 0;
  CHECK_OK(sdaaModuleGetFunctionCount(&count, module));
  CHECK(count == 7);
  sdaaFunction_t function = nullptr;
  CHECK_ERROR(sdaaModuleGetFunction(&function, module, "not there"), sdaaErrorNotFound);
  CHECK_ERROR(sdaaModuleGetFunction(nullptr, module, "who"), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaModuleGetFunction(&function, module, nullptr), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaModuleGetFunction(&function, reinterpret_cast<sdaaModule_t>(12), "who"),
              sdaaErrorInvalidHandle);
  CHECK_OK(sdaaModuleGetFunction(&function, module, "many_arguments"));
  sdaaFuncAttributes attributes;
  CHECK_OK(sdaaFuncGetAttributes(&attributes, function));
  CHECK(std::string(attributes.name) == "many_arguments");
  CHECK(attributes.argumentBytes == sizeof(ManyArgs));
  CHECK_ERROR(sdaaFuncGetAttributes(nullptr, function), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaFuncGetAttributes(&attributes, nullptr), sdaaErrorInvalidHandle);
  CHECK_OK(sdaaModuleUnload(module));
  CHECK_ERROR(sdaaModuleUnload(module), sdaaErrorInvalidHandle);
  CHECK_ERROR(sdaaFuncGetAttributes(&attributes, function), sdaaErrorInvalidHandle);
  ManyArgs args = {};
  CHECK_ERROR(sdaaLaunchKernel(function, &args, 0, nullptr), sdaaErrorInvalidDeviceFunction);

  const auto small = fake_module();
  CHECK_OK(sdaaModuleLoadData(&module, small.data()));
  CHECK_OK(sdaaModuleUnload(module));
  const std::string path = "build/sdaa-test-module.elf";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(small.data()), static_cast<long>(small.size()));
  CHECK_OK(sdaaModuleLoad(&module, path.c_str()));
  CHECK_OK(sdaaModuleUnload(module));
  CHECK_ERROR(sdaaModuleLoad(&module, "/not/there"), sdaaErrorFileNotFound);
  CHECK(std::string(sdaaGetLastErrorMessage()).find("/not/there") != std::string::npos);
  CHECK_ERROR(sdaaModuleLoad(&module, "build"), sdaaErrorFileNotFound);
  CHECK_ERROR(sdaaModuleLoad(&module, nullptr), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaModuleLoad(nullptr, path.c_str()), sdaaErrorInvalidValue);
  const std::vector<uint8_t> garbage(1000, 3);
  CHECK_ERROR(sdaaModuleLoadBytes(&module, garbage.data(), garbage.size()), sdaaErrorInvalidKernelFile);
  CHECK_ERROR(sdaaModuleLoadData(&module, garbage.data()), sdaaErrorInvalidKernelFile);
  CHECK_ERROR(sdaaModuleLoadBytes(&module, small.data(), 100), sdaaErrorInvalidImage);
  CHECK_ERROR(sdaaModuleLoadBytes(&module, small.data(), 0), sdaaErrorInvalidValue);
}

TEST_CASE("as many modules as the card takes, and one more") {
  const Fakes fakes;
  std::vector<sdaaModule_t> all;
  for (unsigned i = 0; i < protocol::kModules; ++i) {
    const auto file = fake_module();
    sdaaModule_t module = nullptr;
    const sdaaError_t result = sdaaModuleLoadBytes(&module, file.data(), file.size());
    if (result == sdaaErrorOutOfMemory) break;
    REQUIRE_OK(result);
    all.push_back(module);
  }
  CHECK(all.size() > 20);
  const auto file = fake_module();
  sdaaModule_t module = nullptr;
  CHECK_ERROR(sdaaModuleLoadBytes(&module, file.data(), file.size()), sdaaErrorOutOfMemory);
  CHECK_OK(sdaaModuleUnload(all.back()));
  CHECK_OK(sdaaModuleLoadBytes(&module, file.data(), file.size()));
}

TEST_CASE("launches: arguments, masks, groups, local memory") {
  const Fakes fakes;
  const sdaaModule_t module = load_fake_module();
  constexpr uint32_t kCount = 4096;
  void* x = allocate(kCount * 4);
  void* y = allocate(kCount * 4);
  std::vector<int32_t> xs(kCount);
  std::iota(xs.begin(), xs.end(), -5);
  std::vector<int32_t> ys(kCount, 100);
  REQUIRE_OK(sdaaMemcpy(x, xs.data(), kCount * 4, sdaaMemcpyHostToDevice));
  REQUIRE_OK(sdaaMemcpy(y, ys.data(), kCount * 4, sdaaMemcpyHostToDevice));
  const sdaaFunction_t axpy = kernel(module, "axpy_int");
  const AxpyIntArgs args = {global<int32_t>(y), global<const int32_t>(x), kCount, -3};
  for (int i = 0; i < 100; ++i) REQUIRE_OK(sdaaLaunchKernel(axpy, &args, 0, nullptr));
  REQUIRE_OK(sdaaMemcpy(ys.data(), y, kCount * 4, sdaaMemcpyDeviceToHost));
  for (uint32_t i = 0; i < kCount; ++i) REQUIRE(ys[i] == 100 - 300 * xs[i]);

  CHECK_ERROR(sdaaLaunchKernel(axpy, nullptr, 0, nullptr), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaLaunchKernel(nullptr, &args, 0, nullptr), sdaaErrorInvalidDeviceFunction);
  CHECK_ERROR(sdaaLaunchKernel(axpy, &args, 1 << 20, nullptr), sdaaErrorLaunchOutOfResources);
  CHECK_OK(sdaaLaunchKernel(axpy, &args, 1000, nullptr));
  CHECK_ERROR(sdaaLaunch(axpy, nullptr, &args, sizeof args - 4, nullptr), sdaaErrorInvalidValue);
  CHECK_OK(sdaaLaunch(axpy, nullptr, &args, sizeof args, nullptr));
  sdaaLaunchConfig_t config = {sizeof config, 0x10, sdaaAnyGroup, 0, 0};
  CHECK_ERROR(sdaaLaunch(axpy, &config, &args, sizeof args, nullptr), sdaaErrorInvalidConfiguration);
  config = {sizeof config, 0, 2, 0, 0};
  CHECK_ERROR(sdaaLaunch(axpy, &config, &args, sizeof args, nullptr), sdaaErrorInvalidConfiguration);
  config = {sizeof config - 8, 0, 0, 0, 0};
  CHECK_ERROR(sdaaLaunch(axpy, &config, &args, sizeof args, nullptr), sdaaErrorInvalidValue);
  config = {sizeof config, 0x5, 1, 0, 0};
  REQUIRE_OK(sdaaMemset(y, 0xff, 256));
  const WhoArgs who = {global<uint32_t>(y)};
  REQUIRE_OK(sdaaLaunch(kernel(module, "who"), &config, &who, sizeof who, nullptr));
  REQUIRE_OK(sdaaMemcpy(ys.data(), y, 256, sdaaMemcpyDeviceToHost));
  CHECK(ys[0] == 0);
  CHECK(ys[16] == -1);
  CHECK(ys[32] == 2);
  CHECK_OK(sdaaDeviceSynchronize());
}

TEST_CASE("failed launches: the stream keeps the error until it is reset, others go on") {
  const Fakes fakes;
  const sdaaModule_t module = load_fake_module();
  const sdaaStream_t good = new_stream(sdaaStreamNonBlocking);
  const sdaaStream_t bad = new_stream(sdaaStreamNonBlocking);
  void* memory = allocate(64);
  ManyArgs many = {global<uint32_t>(memory), {1}};
  const sdaaFunction_t function = kernel(module, "many_arguments");
  struct Expected {
    const char* kernel;
    sdaaError_t error;
  };
  for (const auto& [name, error] :
       {Expected{"breakpoint", sdaaErrorAssert}, Expected{"hang", sdaaErrorLaunchTimeOut}}) {
    const sdaaLaunchConfig_t config = {sizeof config, 0, 0, 3000, 0};
    REQUIRE_OK(sdaaLaunch(kernel(module, name), &config, nullptr, 0, bad));
    for (int i = 0; i < 50; ++i) {
      REQUIRE_OK(sdaaLaunchKernel(function, &many, 0, good));
      if (const auto result = sdaaLaunchKernel(function, &many, 0, bad); result != sdaaSuccess)
        CHECK(result == error);
    }
    CHECK_ERROR(sdaaStreamSynchronize(bad), error);
    CHECK_ERROR(sdaaStreamSynchronize(bad), error);
    CHECK_ERROR(sdaaStreamQuery(bad), error);
    CHECK_OK(sdaaStreamSynchronize(good));
    CHECK_ERROR(sdaaDeviceSynchronize(), error);
    CHECK_ERROR(sdaaMemcpyAsync(memory, &many, 4, sdaaMemcpyHostToDevice, bad), error);
    CHECK_OK(sdaaStreamReset(bad));
    CHECK_OK(sdaaStreamSynchronize(bad));
    CHECK_OK(sdaaLaunchKernel(function, &many, 0, bad));
    CHECK_OK(sdaaDeviceSynchronize());
  }
  // Memory that nobody has.
  many.to = cpe::GlobalPtr<uint32_t>(uint64_t{5000} << 48);
  REQUIRE_OK(sdaaLaunchKernel(function, &many, 0, bad));
  CHECK_ERROR(sdaaStreamSynchronize(bad), sdaaErrorIllegalAddress);
  CHECK(std::string(sdaaGetLastErrorMessage()).find("no such segment") != std::string::npos);
  // The queue of a stream that failed is good for the next one.
  CHECK_OK(sdaaStreamDestroy(bad));
  CHECK_OK(sdaaDeviceSynchronize());
  many.to = global<uint32_t>(memory);
  for (int i = 0; i < 15; ++i) {
    const sdaaStream_t fresh = new_stream();
    REQUIRE_OK(sdaaLaunchKernel(function, &many, 0, fresh));
    REQUIRE_OK(sdaaStreamSynchronize(fresh));
    REQUIRE_OK(sdaaStreamDestroy(fresh));
  }
}

TEST_CASE("the default stream's failure is over with a reset of it or of the device") {
  const Fakes fakes;
  const sdaaModule_t module = load_fake_module();
  REQUIRE_OK(sdaaLaunchKernel(kernel(module, "breakpoint"), nullptr, 0, nullptr));
  CHECK_ERROR(sdaaDeviceSynchronize(), sdaaErrorAssert);
  CHECK_ERROR(sdaaMemset(allocate(64), 0, 64), sdaaErrorAssert);
  CHECK_OK(sdaaStreamReset(nullptr));
  CHECK_OK(sdaaMemset(allocate(64), 0, 64));
  REQUIRE_OK(sdaaLaunchKernel(kernel(module, "breakpoint"), nullptr, 0, nullptr));
  CHECK_ERROR(sdaaDeviceSynchronize(), sdaaErrorAssert);
  CHECK_OK(sdaaDeviceReset());
  CHECK_OK(sdaaDeviceSynchronize());
  CHECK_OK(sdaaMemset(allocate(64), 0, 64));
}

TEST_CASE("streams: handles, flags, more than the card has queues") {
  const Fakes fakes;
  sdaaStream_t stream = nullptr;
  CHECK_ERROR(sdaaStreamCreate(nullptr), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaStreamCreateWithFlags(&stream, 2), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaStreamDestroy(nullptr), sdaaErrorInvalidHandle);
  CHECK_ERROR(sdaaStreamSynchronize(reinterpret_cast<sdaaStream_t>(1)), sdaaErrorInvalidHandle);
  stream = new_stream(sdaaStreamNonBlocking);
  unsigned flags = 0;
  CHECK_OK(sdaaStreamGetFlags(stream, &flags));
  CHECK(flags == sdaaStreamNonBlocking);
  CHECK_ERROR(sdaaStreamGetFlags(stream, nullptr), sdaaErrorInvalidValue);
  CHECK_OK(sdaaStreamQuery(stream));
  CHECK_OK(sdaaStreamDestroy(stream));
  CHECK_ERROR(sdaaStreamDestroy(stream), sdaaErrorInvalidHandle);
  CHECK_ERROR(sdaaStreamQuery(stream), sdaaErrorInvalidHandle);
  CHECK_ERROR(sdaaMemsetAsync(allocate(64), 0, 64, stream), sdaaErrorInvalidHandle);

  const sdaaModule_t module = load_fake_module();
  std::vector<sdaaStream_t> all;
  std::vector<void*> places;
  for (uint32_t i = 0; i < 40; ++i) {
    all.push_back(new_stream());
    places.push_back(allocate(64));
    const ManyArgs args = {global<uint32_t>(places.back()), {i}};
    REQUIRE_OK(sdaaLaunchKernel(kernel(module, "many_arguments"), &args, 0, all.back()));
  }
  for (uint32_t i = 0; i < 40; ++i) {
    REQUIRE_OK(sdaaStreamSynchronize(all[i]));
    uint32_t sum = 99;
    REQUIRE_OK(sdaaMemcpy(&sum, places[i], 4, sdaaMemcpyDeviceToHost));
    CHECK(sum == i);
    REQUIRE_OK(sdaaStreamDestroy(all[i]));
  }
}

TEST_CASE("the default stream waits for the others and they wait for it, unless they are not to") {
  const Fakes fakes;
  const sdaaModule_t module = load_fake_module();
  const sdaaFunction_t slow = kernel(module, "slow");
  const sdaaFunction_t fast = kernel(module, "many_arguments");
  void* memory = allocate(64);
  const sdaaStream_t ordered = new_stream();
  const sdaaStream_t loose = new_stream(sdaaStreamNonBlocking);
  const auto value = [&] {
    uint32_t word = 0;
    CHECK_OK(sdaaMemcpyAsync(&word, memory, 4, sdaaMemcpyDeviceToHost, loose));
    CHECK_OK(sdaaStreamSynchronize(loose));
    return word;
  };
  ManyArgs args = {global<uint32_t>(memory), {1}};
  const sdaaLaunchConfig_t first_group = {sizeof first_group, 0, 0, 0, 0};
  const sdaaLaunchConfig_t second_group = {sizeof second_group, 0, 1, 0, 0};
  REQUIRE_OK(sdaaMemset(memory, 0, 64));

  REQUIRE_OK(sdaaLaunch(slow, &first_group, nullptr, 0, ordered));
  REQUIRE_OK(sdaaLaunch(fast, &second_group, &args, sizeof args, nullptr));
  CHECK(value() == 0);
  REQUIRE_OK(sdaaStreamSynchronize(nullptr));
  CHECK_OK(sdaaStreamQuery(ordered));
  CHECK(value() == 1);

  args.values[0] = 2;
  REQUIRE_OK(sdaaLaunch(slow, &first_group, nullptr, 0, nullptr));
  REQUIRE_OK(sdaaLaunch(fast, &second_group, &args, sizeof args, ordered));
  CHECK(value() == 1);
  REQUIRE_OK(sdaaStreamSynchronize(ordered));
  CHECK(value() == 2);

  args.values[0] = 3;
  REQUIRE_OK(sdaaLaunch(slow, &first_group, nullptr, 0, nullptr));
  REQUIRE_OK(sdaaLaunch(fast, &second_group, &args, sizeof args, loose));
  REQUIRE_OK(sdaaStreamSynchronize(loose));
  CHECK(value() == 3);
  CHECK_ERROR(sdaaStreamQuery(nullptr), sdaaErrorNotReady);
  CHECK(sdaaPeekAtLastError() == sdaaSuccess);
  REQUIRE_OK(sdaaDeviceSynchronize());
}

TEST_CASE("events: order between streams, time, queries, handles") {
  const Fakes fakes;
  const sdaaModule_t module = load_fake_module();
  const sdaaStream_t first = new_stream(sdaaStreamNonBlocking);
  const sdaaStream_t second = new_stream(sdaaStreamNonBlocking);
  const sdaaEvent_t begin = new_event();
  const sdaaEvent_t end = new_event();
  CHECK_OK(sdaaEventQuery(begin));
  CHECK_OK(sdaaEventSynchronize(begin));
  CHECK_OK(sdaaStreamWaitEvent(second, begin, 0));
  float milliseconds = 0;
  CHECK_ERROR(sdaaEventElapsedTime(&milliseconds, begin, end), sdaaErrorInvalidHandle);
  void* memory = allocate(64);
  REQUIRE_OK(sdaaMemset(memory, 0, 64));

  const sdaaLaunchConfig_t group = {sizeof group, 0, 0, 0, 0};
  const sdaaLaunchConfig_t other = {sizeof other, 0, 1, 0, 0};
  const ManyArgs args = {global<uint32_t>(memory), {5}};
  REQUIRE_OK(sdaaEventRecord(begin, first));
  REQUIRE_OK(sdaaLaunch(kernel(module, "slow"), &group, nullptr, 0, first));
  REQUIRE_OK(sdaaLaunch(kernel(module, "many_arguments"), &group, &args, sizeof args, first));
  REQUIRE_OK(sdaaEventRecord(end, first));
  REQUIRE_OK(sdaaStreamWaitEvent(second, end, 0));
  REQUIRE_OK(sdaaLaunch(kernel(module, "nothing"), &other, nullptr, 0, second));
  CHECK_ERROR(sdaaEventQuery(end), sdaaErrorNotReady);
  CHECK_ERROR(sdaaEventElapsedTime(&milliseconds, begin, end), sdaaErrorNotReady);
  uint32_t word = 0;
  REQUIRE_OK(sdaaMemcpyAsync(&word, memory, 4, sdaaMemcpyDeviceToHost, second));
  CHECK(word == 5);
  CHECK_OK(sdaaEventSynchronize(end));
  CHECK_OK(sdaaEventQuery(end));
  CHECK_OK(sdaaEventElapsedTime(&milliseconds, begin, end));
  CHECK(milliseconds >= 0.1f);
  CHECK(milliseconds < 0.2f);

  sdaaEvent_t untimed = nullptr;
  CHECK_OK(sdaaEventCreateWithFlags(&untimed, sdaaEventDisableTiming));
  CHECK_OK(sdaaEventRecord(untimed, nullptr));
  CHECK_ERROR(sdaaEventElapsedTime(&milliseconds, begin, untimed), sdaaErrorInvalidHandle);
  CHECK_ERROR(sdaaEventElapsedTime(nullptr, begin, end), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaEventCreate(nullptr), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaEventCreateWithFlags(&untimed, 64), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaEventRecord(nullptr, first), sdaaErrorInvalidHandle);
  CHECK_ERROR(sdaaStreamWaitEvent(first, nullptr, 0), sdaaErrorInvalidHandle);
  CHECK_ERROR(sdaaStreamWaitEvent(first, end, 1), sdaaErrorInvalidValue);
  CHECK_OK(sdaaEventDestroy(end));
  CHECK_ERROR(sdaaEventDestroy(end), sdaaErrorInvalidHandle);
  CHECK_ERROR(sdaaEventQuery(end), sdaaErrorInvalidHandle);
  CHECK_ERROR(sdaaEventRecord(end, first), sdaaErrorInvalidHandle);
  // Numbers of the card's events are used again, and what an earlier owner recorded does not count.
  for (int i = 0; i < 3; ++i) {
    std::vector<sdaaEvent_t> all;
    sdaaEvent_t event = nullptr;
    sdaaError_t result = sdaaSuccess;
    while ((result = sdaaEventCreate(&event)) == sdaaSuccess) all.push_back(event);
    CHECK(result == sdaaErrorOutOfMemory);
    CHECK(all.size() > 1000);
    REQUIRE_OK(sdaaLaunch(kernel(module, "slow"), &group, nullptr, 0, first));
    for (size_t one = 0; one < all.size(); one += 100) REQUIRE_OK(sdaaEventRecord(all[one], first));
    CHECK_ERROR(sdaaEventQuery(all[0]), sdaaErrorNotReady);
    REQUIRE_OK(sdaaStreamSynchronize(first));
    CHECK_OK(sdaaEventQuery(all[0]));
    for (const sdaaEvent_t one : all) REQUIRE_OK(sdaaEventDestroy(one));
  }
}

TEST_CASE("an event behind a failure tells of it") {
  const Fakes fakes;
  const sdaaModule_t module = load_fake_module();
  const sdaaStream_t bad = new_stream(sdaaStreamNonBlocking);
  const sdaaEvent_t event = new_event();
  REQUIRE_OK(sdaaLaunchKernel(kernel(module, "breakpoint"), nullptr, 0, bad));
  REQUIRE_OK(sdaaEventRecord(event, bad));
  CHECK_ERROR(sdaaEventSynchronize(event), sdaaErrorAssert);
  CHECK_ERROR(sdaaEventQuery(event), sdaaErrorAssert);
}

TEST_CASE("functions of the host: in order, not behind failures, without the device") {
  const Fakes fakes;
  const sdaaModule_t module = load_fake_module();
  const sdaaStream_t stream = new_stream(sdaaStreamNonBlocking);
  std::vector<int> order;
  struct Step {
    std::vector<int>* order;
    int number;
  };
  std::vector<Step> steps;
  for (int i = 0; i < 20; ++i) steps.push_back({&order, i});
  const auto note = [](void* user) {
    const auto* step = static_cast<Step*>(user);
    step->order->push_back(step->number);
  };
  for (Step& step : steps) REQUIRE_OK(sdaaLaunchHostFunc(stream, note, &step));
  REQUIRE_OK(sdaaStreamSynchronize(stream));
  REQUIRE(order.size() == 20);
  for (int i = 0; i < 20; ++i) CHECK(order[static_cast<size_t>(i)] == i);

  // Nobody waits: it comes all the same.
  std::atomic<bool> called = false;
  REQUIRE_OK(sdaaLaunchHostFunc(
      stream, [](void* user) { *static_cast<std::atomic<bool>*>(user) = true; }, &called));
  for (int i = 0; i < 500 && !called; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(called);

  sdaaError_t inside = sdaaSuccess;
  REQUIRE_OK(sdaaLaunchHostFunc(
      stream, [](void* user) { *static_cast<sdaaError_t*>(user) = sdaaDeviceSynchronize(); }, &inside));
  REQUIRE_OK(sdaaStreamSynchronize(stream));
  CHECK(inside == sdaaErrorNotPermitted);

  // Behind a failure functions are left out, callbacks hear of it.
  order.clear();
  sdaaError_t heard = sdaaSuccess;
  REQUIRE_OK(sdaaStreamAddCallback(
      stream, [](sdaaStream_t, sdaaError_t status, void* user) { *static_cast<sdaaError_t*>(user) = status; },
      &heard, 0));
  REQUIRE_OK(sdaaStreamSynchronize(stream));
  CHECK(heard == sdaaSuccess);
  std::atomic<sdaaError_t> bad = sdaaSuccess;
  REQUIRE_OK(sdaaLaunchKernel(kernel(module, "breakpoint"), nullptr, 0, stream));
  REQUIRE_OK(sdaaLaunchHostFunc(stream, note, &steps[0]));
  REQUIRE_OK(sdaaStreamAddCallback(
      stream,
      [](sdaaStream_t, sdaaError_t status, void* user) {
        *static_cast<std::atomic<sdaaError_t>*>(user) = status;
      },
      &bad, 0));
  CHECK_ERROR(sdaaStreamSynchronize(stream), sdaaErrorAssert);
  for (int i = 0; i < 500 && bad == sdaaSuccess; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(bad == sdaaErrorAssert);
  CHECK(order.empty());
  CHECK_ERROR(sdaaLaunchHostFunc(stream, nullptr, nullptr), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaStreamAddCallback(stream, nullptr, nullptr, 0), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaLaunchHostFunc(reinterpret_cast<sdaaStream_t>(3), note, nullptr), sdaaErrorInvalidHandle);
}

TEST_CASE("several devices: streams, events and kernels stay on theirs") {
  const Fakes fakes(2);
  const sdaaStream_t stream = new_stream();
  const sdaaEvent_t event = new_event();
  const sdaaModule_t module = load_fake_module();
  const sdaaFunction_t nothing = kernel(module, "nothing");
  REQUIRE_OK(sdaaSetDevice(1));
  const sdaaStream_t other = new_stream();
  CHECK_ERROR(sdaaEventRecord(event, other), sdaaErrorInvalidHandle);
  CHECK_ERROR(sdaaStreamWaitEvent(other, event, 0), sdaaErrorInvalidHandle);
  CHECK_ERROR(sdaaLaunchKernel(nothing, nullptr, 0, other), sdaaErrorInvalidHandle);
  CHECK_ERROR(sdaaLaunchKernel(nothing, nullptr, 0, nullptr), sdaaErrorInvalidHandle);
  CHECK_OK(sdaaLaunchKernel(nothing, nullptr, 0, stream));
  CHECK_OK(sdaaEventRecord(event, stream));
  CHECK_OK(sdaaStreamSynchronize(stream));
  // A reset of one leaves the other alone.
  CHECK_OK(sdaaDeviceReset());
  CHECK_ERROR(sdaaStreamSynchronize(other), sdaaErrorInvalidHandle);
  CHECK_OK(sdaaLaunchKernel(nothing, nullptr, 0, stream));
  CHECK_OK(sdaaStreamSynchronize(stream));
}

TEST_CASE("the same calls take the same time") {
  const auto session = [] {
    const Fakes fakes;
    const sdaaModule_t module = load_fake_module();
    const sdaaStream_t stream = new_stream();
    void* memory = allocate(100'000);
    std::vector<uint8_t> bytes(100'000, 1);
    for (int i = 0; i < 10; ++i) {
      REQUIRE_OK(sdaaMemcpyAsync(memory, bytes.data(), bytes.size(), sdaaMemcpyHostToDevice, stream));
      REQUIRE_OK(sdaaLaunchKernel(kernel(module, "slow"), nullptr, 0, stream));
      REQUIRE_OK(sdaaMemcpy(bytes.data(), memory, bytes.size(), sdaaMemcpyDeviceToHost));
    }
    uint64_t time = 0;
    REQUIRE_OK(sdaaDeviceGetTime(&time));
    return time;
  };
  CHECK(session() == session());
}
