// SPDX-License-Identifier: Apache-2.0
// Streams, events, functions of the host, against a played card.
#include <atomic>

#include "host/transport/vendor_region.hpp"
#include "verif/host/runtime/kernels.hpp"
#include "verif/host/runtime/tools.hpp"

using namespace swai;
using namespace swai::sdaa;

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
  for (int i = 0; i < 6000 && !called; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
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

TEST_CASE("a machine on which the card is slow is no timeout, time that stands still is") {
  Limits limits = Fakes::limits();
  limits.real = std::chrono::seconds(1);
  std::atomic<bool> slow = false;
  FakeOptions options;
  options.on_run = [&](uint64_t) {
    if (slow) std::this_thread::sleep_for(limits.real / 2);
  };
  const Fakes fakes;
  Fakes::use({[options] { return std::make_unique<link::Card>(make_fake_card(options)); }}, false, limits);
  const sdaaModule_t module = load_fake_module();
  const sdaaStream_t stream = new_stream();
  const auto begin = std::chrono::steady_clock::now();
  REQUIRE_OK(sdaaLaunchKernel(kernel(module, "slow"), nullptr, 0, stream));
  slow = true;
  CHECK_OK(sdaaStreamSynchronize(stream));
  slow = false;
  CHECK(std::chrono::steady_clock::now() - begin > limits.real);

  // The card has nothing to do before the function ends.
  std::atomic<bool> may_end = false;
  REQUIRE_OK(sdaaLaunchHostFunc(
      stream,
      [](void* user) {
        while (!*static_cast<std::atomic<bool>*>(user))
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
      },
      &may_end));
  CHECK_ERROR(sdaaStreamSynchronize(stream), sdaaErrorTimedOut);
  CHECK(std::string(sdaaGetLastErrorMessage()).find("stood still") != std::string::npos);
  may_end = true;
  CHECK_OK(sdaaStreamSynchronize(stream));
}

// A card in RTL takes long for a slice, in which other threads wait; the fast tier takes a moment.
TEST_CASE("the slices of time in which a thread waits grow on the fast tier, while nothing happens") {
  std::vector<uint64_t> slices;
  FakeOptions options;
  options.on_run = [&](uint64_t cycles) { slices.push_back(cycles); };
  SUBCASE("RTL") {}
  SUBCASE("fast tier") { options.configuration += link::vendor::kFastTier; }
  const bool fast = options.configuration != FakeOptions{}.configuration;
  const Fakes fakes(1, options);
  const sdaaModule_t module = load_fake_module();
  const sdaaStream_t stream = new_stream();
  for (unsigned times = 0; times < 2; ++times) {
    CHECK_OK(sdaaLaunchKernel(kernel(module, "slow"), nullptr, 0, stream));
    slices.clear();
    CHECK_OK(sdaaStreamSynchronize(stream));
    REQUIRE(slices.size() >= 3);
    CHECK(slices.front() == 20'000);
    CHECK(slices.back() == (fast ? 80'000 : 20'000));
    // One that something ended early comes again.
    for (size_t i = 1; i < slices.size(); ++i)
      CHECK((slices[i] == slices[i - 1] || (fast && slices[i] == 2 * slices[i - 1])));
  }
}
