// SPDX-License-Identifier: Apache-2.0
// The runtime library on the simulated card, with kernels as they are.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>
#include <thread>

#include "abi/kernel_arguments.hpp"
#include "host/runtime/runtime.hpp"
#include "host/runtime/scattered_memory.hpp"
#include "verif/host/runtime/kernels.hpp"
#include "verif/host/runtime/on_card.hpp"
#include "verif/host/runtime/rows_trip.hpp"
#include "verif/host/runtime/tools.hpp"
#include "verif/kit/doctest_main.hpp"

namespace {

using namespace swai;

using swai::sdaa::global;
using swai::sdaa::kernel;
using swai::sdaa::kModule;
using swai::sdaa::OnCard;

}  // namespace

TEST_CASE("on the card: a module, a launch, pinned and pageable copies, events") {
  const OnCard card;
  constexpr uint32_t kCount = 1008;
  constexpr size_t kBytes = kCount * sizeof(int32_t);

  sdaaDeviceProp_t properties;
  REQUIRE_OK(sdaaGetDeviceProperties(&properties, 0));
  CHECK(properties.groups == 1);
  CHECK(properties.multiProcessorCount == 4);

  void* x = nullptr;
  void* y = nullptr;
  REQUIRE_OK(sdaaMalloc(&x, kBytes));
  REQUIRE_OK(sdaaMalloc(&y, kBytes));
  std::vector<int32_t> from(kCount);
  std::iota(from.begin(), from.end(), 0);
  REQUIRE_OK(sdaaMemcpy(x, from.data(), kBytes, sdaaMemcpyHostToDevice));
  void* memory = nullptr;
  REQUIRE_OK(sdaaMallocHost(&memory, kBytes));
  auto* pinned = static_cast<int32_t*>(memory);
  std::fill_n(pinned, kCount, 1);

  sdaaModule_t module = nullptr;
  REQUIRE_OK(sdaaModuleLoad(&module, kModule));
  const sdaaFunction_t axpy = kernel(module, "axpy_int");

  sdaaStream_t stream = nullptr;
  sdaaEvent_t before = nullptr;
  sdaaEvent_t after = nullptr;
  REQUIRE_OK(sdaaStreamCreate(&stream));
  REQUIRE_OK(sdaaEventCreate(&before));
  REQUIRE_OK(sdaaEventCreate(&after));
  REQUIRE_OK(sdaaMemcpyAsync(y, pinned, kBytes, sdaaMemcpyHostToDevice, stream));
  const swai::sdaa::AxpyIntArgs args = {global<int32_t>(y), global<const int32_t>(x), kCount, 2};
  REQUIRE_OK(sdaaEventRecord(before, stream));
  REQUIRE_OK(sdaaLaunchKernel(axpy, &args, 0, stream));
  REQUIRE_OK(sdaaEventRecord(after, stream));
  CHECK_ERROR(sdaaStreamQuery(stream), sdaaErrorNotReady);
  REQUIRE_OK(sdaaStreamSynchronize(stream));
  std::memset(pinned, 0, kBytes);
  REQUIRE_OK(sdaaMemcpyAsync(pinned, y, kBytes, sdaaMemcpyDeviceToHost, stream));
  REQUIRE_OK(sdaaStreamSynchronize(stream));
  for (uint32_t i = 0; i < kCount; ++i) REQUIRE(pinned[i] == 2 * from[i] + 1);
  std::vector<int32_t> result(kCount);
  REQUIRE_OK(sdaaMemcpy(result.data(), y, kBytes, sdaaMemcpyDeviceToHost));
  CHECK(std::memcmp(result.data(), pinned, kBytes) == 0);
  float milliseconds = 0;
  REQUIRE_OK(sdaaEventElapsedTime(&milliseconds, before, after));
  CHECK(milliseconds > 0.0f);
  CHECK(milliseconds < 1.0f);

  REQUIRE_OK(sdaaStreamDestroy(stream));
  REQUIRE_OK(sdaaEventDestroy(before));
  REQUIRE_OK(sdaaEventDestroy(after));
  REQUIRE_OK(sdaaModuleUnload(module));
  REQUIRE_OK(sdaaFreeHost(memory));
  REQUIRE_OK(sdaaFree(x));
  REQUIRE_OK(sdaaFree(y));
}

TEST_CASE("on the card: long copies of two streams in rows, pinned and through buffers") {
  const OnCard card;
  std::mt19937_64 random(test_seed());
  sdaaStream_t streams[2] = {};
  for (sdaaStream_t& stream : streams) REQUIRE_OK(sdaaStreamCreateWithFlags(&stream, sdaaStreamNonBlocking));
  for (int round = 0; round < 4; ++round) {
    std::vector<swai::sdaa::RowsTrip> trips;
    for (int i = 0; i < 2; ++i) trips.emplace_back(random, size_t{1} << (17 + round));
    if (round % 2 == 1) {
      for (auto& trip : trips) REQUIRE_OK(sdaaHostRegister(trip.from.data(), trip.from.size(), 0));
      REQUIRE_OK(sdaaHostRegister(trips[0].to.data(), trips[0].to.size(), 0));
    }
    for (int i = 0; i < 2; ++i) trips[i].start(streams[i]);
    for (int i = 0; i < 2; ++i) trips[i].fetch(streams[i]);
    for (int i = 0; i < 2; ++i) {
      REQUIRE_OK(sdaaStreamSynchronize(streams[i]));
      trips[i].check();
      REQUIRE_OK(sdaaFree(trips[i].device));
    }
    if (round % 2 == 1) {
      for (auto& trip : trips) REQUIRE_OK(sdaaHostUnregister(trip.from.data()));
      REQUIRE_OK(sdaaHostUnregister(trips[0].to.data()));
    }
  }
}

TEST_CASE("on the card: a kernel of values finds each as it was given") {
  const OnCard card;
  sdaaModule_t module = nullptr;
  REQUIRE_OK(sdaaModuleLoad(&module, kModule));
  void* to = nullptr;
  REQUIRE_OK(sdaaMalloc(&to, sizeof(swai::sdaa::Values)));
  const swai::sdaa::Values given = {-(int64_t{1} << 40), 1e300, -0.5f, -30000, -128, 255};
  const void* args[] = {&given.least, &to,         &given.narrow, &given.single,
                        &given.most,  &given.wide, &given.real};
  REQUIRE_OK(sdaaLaunchKernel(kernel(module, "values"), args, 0, nullptr));
  swai::sdaa::Values found = {};
  REQUIRE_OK(sdaaMemcpy(&found, to, sizeof found, sdaaMemcpyDeviceToHost));
  CHECK(std::memcmp(&found, &given, sizeof given) == 0);
  sdaaFuncAttributes attributes;
  REQUIRE_OK(sdaaFuncGetAttributes(&attributes, kernel(module, "values")));
  CHECK(attributes.argumentBytes == 48);
}

TEST_CASE("on the card: a failed kernel stops its stream and no other one") {
  const OnCard card;
  sdaaModule_t faults = nullptr;
  sdaaModule_t module = nullptr;
  REQUIRE_OK(sdaaModuleLoad(&faults, "build/cpe-kernels/faults.elf"));
  REQUIRE_OK(sdaaModuleLoad(&module, kModule));
  sdaaStream_t good = nullptr;
  sdaaStream_t bad = nullptr;
  REQUIRE_OK(sdaaStreamCreate(&good));
  REQUIRE_OK(sdaaStreamCreate(&bad));
  void* memory = nullptr;
  REQUIRE_OK(sdaaMalloc(&memory, 256));
  REQUIRE_OK(sdaaMemset(memory, 0xff, 256));

  const cpe::FaultArgs culprit = {global<void>(memory), 2, 0};
  REQUIRE_OK(sdaaLaunchKernel(kernel(faults, "read_nowhere"), &culprit, 0, bad));
  const swai::sdaa::WhoArgs who = {global<uint32_t>(memory)};
  REQUIRE_OK(sdaaLaunchKernel(kernel(module, "who"), &who, 0, good));
  CHECK_ERROR(sdaaStreamSynchronize(bad), sdaaErrorIllegalAddress);
  CHECK(std::string(sdaaGetLastErrorMessage()).find("core 2 of group 0") != std::string::npos);
  CHECK_OK(sdaaStreamSynchronize(good));
  std::vector<uint32_t> numbers(64);
  REQUIRE_OK(sdaaMemcpyAsync(numbers.data(), memory, 256, sdaaMemcpyDeviceToHost, good));
  REQUIRE_OK(sdaaStreamSynchronize(good));
  for (uint32_t core = 0; core < 4; ++core) CHECK(numbers[core * 16] == core);

  // It stays so until it is reset.
  CHECK_ERROR(sdaaLaunchKernel(kernel(module, "who"), &who, 0, bad), sdaaErrorIllegalAddress);
  CHECK_ERROR(sdaaDeviceSynchronize(), sdaaErrorIllegalAddress);
  REQUIRE_OK(sdaaStreamReset(bad));
  CHECK_OK(sdaaLaunchKernel(kernel(module, "who"), &who, 0, bad));
  CHECK_OK(sdaaDeviceSynchronize());

  // One that does not end is stopped.
  const sdaaLaunchConfig_t config = {sizeof config, 0x3, sdaaAnyGroup, 5'000, 0};
  REQUIRE_OK(sdaaLaunch(kernel(module, "hang"), &config, nullptr, 0, bad));
  CHECK_ERROR(sdaaStreamSynchronize(bad), sdaaErrorLaunchTimeOut);
}

TEST_CASE(
    "on the card: launches that wait behind one that fails: those of its stream never run, others do, in "
    "their order") {
  const OnCard card;
  sdaaModule_t module = nullptr;
  REQUIRE_OK(sdaaModuleLoad(&module, kModule));
  constexpr uint32_t kCount = 16384;
  void* x = nullptr;
  void* sums = nullptr;
  REQUIRE_OK(sdaaMalloc(&x, kCount * sizeof(int32_t)));
  REQUIRE_OK(sdaaMalloc(&sums, 4 * 64));
  REQUIRE_OK(sdaaMemset(x, 0, kCount * sizeof(int32_t)));
  REQUIRE_OK(sdaaMemset(sums, 0, 4 * 64));
  sdaaStream_t failing = nullptr;
  sdaaStream_t good = nullptr;
  REQUIRE_OK(sdaaStreamCreateWithFlags(&failing, sdaaStreamNonBlocking));
  REQUIRE_OK(sdaaStreamCreateWithFlags(&good, sdaaStreamNonBlocking));
  const sdaaFunction_t axpy = kernel(module, "axpy_int");
  const sdaaFunction_t many = kernel(module, "many_arguments");
  const auto add = [&](sdaaStream_t stream, unsigned place, uint32_t value) {
    const swai::sdaa::ManyArgs args = {global<uint32_t>(swai::sdaa::beyond(sums, place * 64)), {value}};
    CHECK_OK(sdaaLaunchKernel(many, &args, 0, stream));
  };
  // Long enough that all the others wait in the group's queue.
  const swai::sdaa::AxpyIntArgs busy = {global<int32_t>(x), global<const int32_t>(x), kCount, 0};
  const swai::sdaa::AxpyIntArgs outside = {global<int32_t>(nullptr), global<const int32_t>(x), 64, 1};
  CHECK_OK(sdaaLaunchKernel(axpy, &busy, 0, failing));
  CHECK_OK(sdaaLaunchKernel(axpy, &outside, 0, failing));
  add(good, 0, 1);
  add(failing, 1, 2);
  add(good, 2, 3);
  add(good, 0, 4);
  CHECK_ERROR(sdaaStreamSynchronize(failing), sdaaErrorIllegalAddress);
  CHECK_OK(sdaaStreamSynchronize(good));
  REQUIRE_OK(sdaaStreamReset(failing));
  add(failing, 3, 5);
  CHECK_OK(sdaaStreamSynchronize(failing));
  std::vector<uint32_t> found(64);
  REQUIRE_OK(sdaaMemcpy(found.data(), sums, 4 * 64, sdaaMemcpyDeviceToHost));
  CHECK(found[0] == 4);
  CHECK(found[16] == 0);
  CHECK(found[32] == 3);
  CHECK(found[48] == 5);
}

TEST_CASE("on the card: as many allocations with a segment of their own as the table has to grow for") {
  const OnCard card;
  sdaaModule_t module = nullptr;
  REQUIRE_OK(sdaaModuleLoad(&module, kModule));
  const sdaaFunction_t many = kernel(module, "many_arguments");
  // The table begins with 256 entries.
  std::vector<void*> all(300);
  for (void*& one : all) REQUIRE_OK(sdaaMalloc(&one, 1 << 20));
  for (const size_t index : {size_t{0}, all.size() - 1}) {
    const swai::sdaa::ManyArgs args = {global<uint32_t>(all[index]), {7, static_cast<uint32_t>(index)}};
    CHECK_OK(sdaaLaunchKernel(many, &args, 0, nullptr));
    uint32_t found = 0;
    CHECK_OK(sdaaMemcpy(&found, all[index], sizeof found, sdaaMemcpyDeviceToHost));
    CHECK(found == 7 + index);
  }
  for (void* one : all) CHECK_OK(sdaaFree(one));
}

TEST_CASE(
    "on the card: a graph, whose arguments the cores read from the card's memory, as often as it is "
    "launched") {
  const OnCard card;
  constexpr uint32_t kCount = 1008;
  constexpr size_t kBytes = kCount * sizeof(int32_t);
  void* x = nullptr;
  void* y = nullptr;
  void* memory = nullptr;
  REQUIRE_OK(sdaaMalloc(&x, kBytes));
  REQUIRE_OK(sdaaMalloc(&y, kBytes));
  REQUIRE_OK(sdaaMallocHost(&memory, 3 * kBytes));
  auto* in = static_cast<int32_t*>(memory);
  int32_t* out = in;
  sdaaModule_t module = nullptr;
  REQUIRE_OK(sdaaModuleLoad(&module, kModule));
  sdaaStream_t stream = nullptr;
  REQUIRE_OK(sdaaStreamCreate(&stream));
  // The first one is gone when the second is made, with other results at another place.
  for (const int32_t factor : {3, 5}) {
    out += kCount;
    REQUIRE_OK(sdaaStreamBeginCapture(stream, sdaaStreamCaptureModeGlobal));
    REQUIRE_OK(sdaaMemcpyAsync(x, in, kBytes, sdaaMemcpyHostToDevice, stream));
    REQUIRE_OK(sdaaMemsetAsync(y, 0, kBytes, stream));
    for (int32_t i = 0; i < 4; ++i) {
      const swai::sdaa::AxpyIntArgs args = {global<int32_t>(y), global<const int32_t>(x), kCount, factor + i};
      REQUIRE_OK(sdaaLaunchKernel(kernel(module, "axpy_int"), &args, 0, stream));
    }
    REQUIRE_OK(sdaaMemcpyAsync(out, y, kBytes, sdaaMemcpyDeviceToHost, stream));
    sdaaGraph_t graph = nullptr;
    sdaaGraphExec_t exec = nullptr;
    REQUIRE_OK(sdaaStreamEndCapture(stream, &graph));
    REQUIRE_OK(sdaaGraphInstantiate(&exec, graph, 0));
    REQUIRE_OK(sdaaGraphDestroy(graph));
    for (int32_t round = 0; round < 3; ++round) {
      std::iota(in, in + kCount, round);
      REQUIRE_OK(sdaaGraphLaunch(exec, stream));
      REQUIRE_OK(sdaaStreamSynchronize(stream));
      for (uint32_t i = 0; i < kCount; ++i)
        REQUIRE(out[i] == (4 * factor + 6) * (static_cast<int32_t>(i) + round));
    }
    REQUIRE_OK(sdaaGraphExecDestroy(exec));
  }
}

TEST_CASE("on the card: long arguments, masks, host functions, a stream that waits for another one") {
  const OnCard card;
  sdaaModule_t module = nullptr;
  REQUIRE_OK(sdaaModuleLoad(&module, kModule));
  sdaaStream_t first = nullptr;
  sdaaStream_t second = nullptr;
  REQUIRE_OK(sdaaStreamCreateWithFlags(&first, sdaaStreamNonBlocking));
  REQUIRE_OK(sdaaStreamCreateWithFlags(&second, sdaaStreamNonBlocking));
  void* memory = nullptr;
  REQUIRE_OK(sdaaMalloc(&memory, 256));

  // Around the end of the queue several times.
  swai::sdaa::ManyArgs many = {global<uint32_t>(memory), {}};
  std::iota(std::begin(many.values), std::end(many.values), 7);
  for (int i = 0; i < 30; ++i)
    REQUIRE_OK(sdaaLaunchKernel(kernel(module, "many_arguments"), &many, 0, first));
  std::atomic<int> calls = 0;
  const auto count = [](void* user) { ++*static_cast<std::atomic<int>*>(user); };
  REQUIRE_OK(sdaaLaunchHostFunc(first, count, &calls));
  sdaaEvent_t event = nullptr;
  REQUIRE_OK(sdaaEventCreate(&event));
  REQUIRE_OK(sdaaEventRecord(event, first));
  REQUIRE_OK(sdaaStreamWaitEvent(second, event, 0));
  uint32_t sum = 0;
  REQUIRE_OK(sdaaMemcpyAsync(&sum, memory, 4, sdaaMemcpyDeviceToHost, second));
  CHECK(calls == 1);
  CHECK(sum == std::accumulate(std::begin(many.values), std::end(many.values), 0u));

  REQUIRE_OK(sdaaMemset(memory, 0xff, 256));
  const swai::sdaa::WhoArgs who = {global<uint32_t>(memory)};
  const sdaaLaunchConfig_t config = {sizeof config, 0xa, 0, 0, 0};
  REQUIRE_OK(sdaaLaunch(kernel(module, "who"), &config, &who, sizeof who, nullptr));
  std::vector<uint32_t> numbers(64);
  REQUIRE_OK(sdaaMemcpy(numbers.data(), memory, 256, sdaaMemcpyDeviceToHost));
  CHECK(numbers[0] == ~0u);
  CHECK(numbers[16] == 1);
  CHECK(numbers[32] == ~0u);
  CHECK(numbers[48] == 3);

  // Nobody waits in the library: the function comes all the same.
  REQUIRE_OK(sdaaLaunchHostFunc(first, count, &calls));
  for (int i = 0; i < 6000 && calls == 1; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(calls == 2);
}

TEST_CASE(
    "on the card: the GPU's way: commands that the card fetches from host memory, pages that it knows by a "
    "list") {
  const OnCard card;
  sdaaModule_t faults = nullptr;
  sdaaModule_t module = nullptr;
  REQUIRE_OK(sdaaModuleLoad(&faults, "build/cpe-kernels/faults.elf"));
  REQUIRE_OK(sdaaModuleLoad(&module, kModule));
  sdaaStream_t stream = nullptr;
  REQUIRE_OK(sdaaStreamCreateWithFlags(&stream, sdaaStreamNonBlocking));
  void* memory = nullptr;
  REQUIRE_OK(sdaaMalloc(&memory, 256));
  REQUIRE_OK(sdaaMemset(memory, 0xff, 256));
  swai::sdaa::feed_two_level(stream);

  // Around the end of the queue several times, in commands of one slot and of several.
  swai::sdaa::ManyArgs many = {global<uint32_t>(memory), {}};
  std::iota(std::begin(many.values), std::end(many.values), 7);
  const swai::sdaa::WhoArgs who = {global<uint32_t>(memory)};
  for (int i = 0; i < 30; ++i) {
    REQUIRE_OK(sdaaLaunchKernel(kernel(module, "who"), &who, 0, stream));
    REQUIRE_OK(sdaaLaunchKernel(kernel(module, "many_arguments"), &many, 0, stream));
  }
  std::vector<uint32_t> words(64);
  REQUIRE_OK(sdaaMemcpyAsync(words.data(), memory, 256, sdaaMemcpyDeviceToHost, stream));
  REQUIRE_OK(sdaaStreamSynchronize(stream));
  CHECK(words[0] == std::accumulate(std::begin(many.values), std::end(many.values), 0u));
  for (uint32_t core = 1; core < 4; ++core) CHECK(words[core * 16] == core);

  const cpe::FaultArgs culprit = {global<void>(memory), 2, 0};
  REQUIRE_OK(sdaaLaunchKernel(kernel(faults, "read_nowhere"), &culprit, 0, stream));
  CHECK_ERROR(sdaaStreamSynchronize(stream), sdaaErrorIllegalAddress);
  REQUIRE_OK(sdaaStreamReset(stream));
  CHECK_OK(sdaaLaunchKernel(kernel(module, "who"), &who, 0, stream));
  CHECK_OK(sdaaStreamSynchronize(stream));

  // Two lists, one after the other: what the processor has read of the first one does not count any more.
  constexpr uint32_t kPages = 100;
  constexpr size_t kBytes = kPages * swai::sdaa::ScatteredMemory::kPage;
  void* room = nullptr;
  REQUIRE_OK(sdaaMalloc(&room, kBytes));
  std::mt19937_64 random(test_seed());
  for (int round = 0; round < 2; ++round) {
    std::vector<uint32_t> frames(kPages);
    std::iota(frames.begin(), frames.end(), 0);
    std::shuffle(frames.begin() + 20, frames.end(), random);
    swai::sdaa::ScatteredMemory host(*swai::sdaa::Runtime::get().current(), frames);
    const auto sent = swai::sdaa::random_bytes(random, kBytes);
    host.set(0, sent);
    {
      auto use = swai::sdaa::Runtime::get().use_stream(nullptr);
      host.list(use.writer());
      host.to_card(use.writer(), swai::sdaa::bits(room), 0, kBytes);
    }
    std::vector<uint8_t> found(kBytes);
    REQUIRE_OK(sdaaMemcpy(found.data(), room, kBytes, sdaaMemcpyDeviceToHost));
    CHECK(found == sent);
    host.set(0, std::vector<uint8_t>(kBytes));
    {
      auto use = swai::sdaa::Runtime::get().use_stream(nullptr);
      host.to_host(use.writer(), swai::sdaa::bits(room) + 5000, 100, kBytes - 5000);
    }
    REQUIRE_OK(sdaaDeviceSynchronize());
    host.get(0, found);
    CHECK(std::equal(sent.begin() + 5000, sent.end(), found.begin() + 100));
  }
  CHECK_OK(sdaaDeviceReset());
}

TEST_CASE("on the card: a device that is reset begins anew, with events that count from the beginning") {
  const OnCard card;
  size_t before = 0;
  size_t total = 0;
  REQUIRE_OK(sdaaMemGetInfo(&before, &total));
  for (int round = 0; round < 3; ++round) {
    sdaaModule_t module = nullptr;
    REQUIRE_OK(sdaaModuleLoad(&module, kModule));
    sdaaStream_t first = nullptr;
    sdaaStream_t second = nullptr;
    sdaaEvent_t event = nullptr;
    void* memory = nullptr;
    REQUIRE_OK(sdaaStreamCreateWithFlags(&first, sdaaStreamNonBlocking));
    REQUIRE_OK(sdaaStreamCreateWithFlags(&second, sdaaStreamNonBlocking));
    REQUIRE_OK(sdaaEventCreate(&event));
    REQUIRE_OK(sdaaMalloc(&memory, 256));
    REQUIRE_OK(sdaaMemset(memory, 0, 256));
    // A stale count of the event would let the second stream overtake.
    const sdaaLaunchConfig_t config = {sizeof config, 0, 0, 20'000, 0};
    swai::sdaa::ManyArgs many = {global<uint32_t>(memory), {7}};
    std::vector<uint8_t> large(1 << 20);
    void* room = nullptr;
    REQUIRE_OK(sdaaMalloc(&room, large.size()));
    REQUIRE_OK(sdaaMemcpyAsync(room, large.data(), large.size(), sdaaMemcpyHostToDevice, first));
    REQUIRE_OK(sdaaLaunch(kernel(module, "many_arguments"), &config, &many, sizeof many, first));
    REQUIRE_OK(sdaaEventRecord(event, first));
    REQUIRE_OK(sdaaStreamWaitEvent(second, event, 0));
    uint32_t sum = 0;
    REQUIRE_OK(sdaaMemcpyAsync(&sum, memory, 4, sdaaMemcpyDeviceToHost, second));
    CHECK(sum == 7);
    REQUIRE_OK(sdaaDeviceReset());
    CHECK_ERROR(sdaaFree(memory), sdaaErrorInvalidDevicePointer);
    size_t now = 0;
    REQUIRE_OK(sdaaMemGetInfo(&now, &total));
    CHECK(now == before);
  }
}

TEST_CASE("on the card: a client that dies with copies and launches under way does not hurt the next one") {
  const system::Rig rig;
  link::Card* connection = nullptr;
  swai::sdaa::Runtime::get().use({[&] {
    auto card = rig.open();
    connection = card.get();
    return card;
  }});
  swai::sdaa::Runtime::current_number() = 0;
  for (int round = 0; round < 3; ++round) {
    size_t free = 0;
    size_t total = 0;
    REQUIRE_OK(sdaaMemGetInfo(&free, &total));
    CHECK(free == total);
    sdaaModule_t module = nullptr;
    REQUIRE_OK(sdaaModuleLoad(&module, kModule));
    void* room = nullptr;
    void* host = nullptr;
    REQUIRE_OK(sdaaMalloc(&room, 4 << 20));
    REQUIRE_OK(sdaaMallocHost(&host, 4 << 20));
    sdaaStream_t stream = nullptr;
    REQUIRE_OK(sdaaStreamCreateWithFlags(&stream, sdaaStreamNonBlocking));
    const sdaaLaunchConfig_t config = {sizeof config, 0, 0, 100'000, 0};
    REQUIRE_OK(sdaaLaunch(kernel(module, "hang"), &config, nullptr, 0, stream));
    REQUIRE_OK(sdaaMemcpyAsync(room, host, 4 << 20, sdaaMemcpyHostToDevice, nullptr));
    CHECK_ERROR(sdaaStreamQuery(nullptr), sdaaErrorNotReady);
    connection->close();
    CHECK_ERROR(sdaaDeviceSynchronize(), sdaaErrorDeviceLost);
    REQUIRE_OK(sdaaDeviceReset());
  }
  swai::sdaa::Runtime::get().use({});
}

TEST_CASE("on the card: two cards in one process") {
  const system::Rig cards({.cards = 2});
  swai::sdaa::Runtime::get().use({[&] { return cards.open(0); }, [&] { return cards.open(1); }});
  swai::sdaa::Runtime::current_number() = 0;
  std::vector<int32_t> data(50'000);
  std::iota(data.begin(), data.end(), 3);
  const size_t bytes = data.size() * sizeof data[0];
  void* first = nullptr;
  void* second = nullptr;
  REQUIRE_OK(sdaaMalloc(&first, bytes));
  REQUIRE_OK(sdaaMemcpy(first, data.data(), bytes, sdaaMemcpyHostToDevice));
  REQUIRE_OK(sdaaSetDevice(1));
  REQUIRE_OK(sdaaMalloc(&second, bytes));
  REQUIRE_OK(sdaaMemcpyPeer(second, 1, first, 0, bytes));
  std::vector<int32_t> back(data.size());
  REQUIRE_OK(sdaaMemcpy(back.data(), second, bytes, sdaaMemcpyDeviceToHost));
  CHECK(back == data);
  swai::sdaa::Runtime::get().use({});
}

TEST_CASE("on the card: eight threads, each with a stream") {
  const OnCard card;
  sdaaModule_t module = nullptr;
  REQUIRE_OK(sdaaModuleLoad(&module, kModule));
  const sdaaFunction_t axpy = kernel(module, "axpy_int");
  std::atomic<int> failures = 0;
  const auto work = [&](int32_t number) {
    constexpr uint32_t kCount = 512;
    std::vector<int32_t> data(kCount, number);
    const size_t bytes = kCount * sizeof(int32_t);
    sdaaStream_t stream = nullptr;
    void* x = nullptr;
    void* y = nullptr;
    bool good = sdaaStreamCreateWithFlags(&stream, sdaaStreamNonBlocking) == sdaaSuccess &&
                sdaaMalloc(&x, bytes) == sdaaSuccess && sdaaMalloc(&y, bytes) == sdaaSuccess;
    for (int round = 0; good && round < 5; ++round) {
      const swai::sdaa::AxpyIntArgs args = {global<int32_t>(y), global<const int32_t>(x), kCount, 2};
      std::vector<int32_t> result(kCount);
      good = sdaaMemcpyAsync(x, data.data(), bytes, sdaaMemcpyHostToDevice, stream) == sdaaSuccess &&
             sdaaMemcpyAsync(y, data.data(), bytes, sdaaMemcpyHostToDevice, stream) == sdaaSuccess &&
             sdaaLaunchKernel(axpy, &args, 0, stream) == sdaaSuccess &&
             sdaaMemcpyAsync(result.data(), y, bytes, sdaaMemcpyDeviceToHost, stream) == sdaaSuccess &&
             sdaaStreamSynchronize(stream) == sdaaSuccess &&
             std::ranges::all_of(result, [&](int32_t one) { return one == 3 * number; });
    }
    good = good && sdaaFree(x) == sdaaSuccess && sdaaFree(y) == sdaaSuccess &&
           sdaaStreamDestroy(stream) == sdaaSuccess;
    if (!good) ++failures;
  };
  std::vector<std::thread> threads;
  for (int32_t i = 0; i < 8; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
  CHECK(failures == 0);
  CHECK_OK(sdaaDeviceSynchronize());
}
