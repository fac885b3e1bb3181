// SPDX-License-Identifier: Apache-2.0
// Many threads on one and two devices, against a played card.
#include <atomic>
#include <cstring>
#include <thread>

#include "verif/host/runtime/kernels.hpp"
#include "verif/host/runtime/tools.hpp"
#include "verif/kit/doctest_main.hpp"

using namespace swai;
using namespace swai::sdaa;

namespace {

constexpr unsigned kThreads = 8;

// Everything a program does, on its own stream and memory. Returns what failed first.
// A reset would take pinned memory away under it.
sdaaError_t work(uint64_t seed, sdaaFunction_t axpy, int rounds, bool pinned = true) {
  std::mt19937_64 random(seed);
#define TRY(call)                             \
  do {                                        \
    const sdaaError_t result = (call);        \
    if (result != sdaaSuccess) return result; \
  } while (false)
  sdaaStream_t stream = nullptr;
  sdaaEvent_t event = nullptr;
  TRY(sdaaStreamCreateWithFlags(&stream, random() % 2 == 0 ? sdaaStreamDefault : sdaaStreamNonBlocking));
  TRY(sdaaEventCreate(&event));
  for (int round = 0; round < rounds; ++round) {
    // Now and then as much as several threads of the library copy together.
    const uint32_t most = random() % 4 == 0 ? 8000 : 500;
    const uint32_t count = 16 * (1 + static_cast<uint32_t>(random() % most));
    const size_t bytes = count * sizeof(int32_t);
    void* x = nullptr;
    void* y = nullptr;
    void* host = nullptr;
    std::vector<uint8_t> pageable(bytes);
    TRY(sdaaMalloc(&x, bytes));
    TRY(sdaaMalloc(&y, bytes));
    if (pinned) TRY(sdaaMallocHost(&host, bytes));
    uint8_t* const to = pinned ? static_cast<uint8_t*>(host) : pageable.data();
    std::vector<int32_t> from(count);
    for (int32_t& one : from) one = static_cast<int32_t>(random() % 1000);
    TRY(sdaaMemcpyAsync(x, from.data(), bytes, sdaaMemcpyHostToDevice, stream));
    TRY(sdaaMemsetAsync(y, 0, bytes, stream));
    const AxpyIntArgs args = {cpe::GlobalPtr<int32_t>(bits(y)), cpe::GlobalPtr<const int32_t>(bits(x)), count,
                              3};
    TRY(sdaaLaunchKernel(axpy, &args, 0, stream));
    TRY(sdaaLaunchKernel(axpy, &args, 0, stream));
    TRY(sdaaEventRecord(event, stream));
    TRY(sdaaMemcpyAsync(to, y, bytes, sdaaMemcpyDeviceToHost, stream));
    if (random() % 4 == 0) {
      sdaaError_t state = sdaaSuccess;
      while ((state = sdaaStreamQuery(stream)) == sdaaErrorNotReady) {
      }
      TRY(state);
    } else if (random() % 4 == 0) {
      TRY(sdaaDeviceSynchronize());
    } else {
      TRY(sdaaEventSynchronize(event));
      TRY(sdaaStreamSynchronize(stream));
    }
    for (uint32_t i = 0; i < count; ++i) {
      int32_t value;
      std::memcpy(&value, to + i * sizeof value, sizeof value);
      if (value != 6 * from[i]) return sdaaErrorUnknown;
    }
    TRY(sdaaFree(x));
    TRY(sdaaFree(y));
    TRY(sdaaFreeHost(host));
  }
  TRY(sdaaEventDestroy(event));
  TRY(sdaaStreamDestroy(stream));
#undef TRY
  return sdaaSuccess;
}

void run_threads(unsigned devices, int rounds) {
  std::vector<sdaaFunction_t> functions;
  for (unsigned i = 0; i < devices; ++i) {
    REQUIRE_OK(sdaaSetDevice(static_cast<int>(i)));
    functions.push_back(kernel(load_fake_module(), "axpy_int"));
  }
  std::vector<sdaaError_t> results(kThreads, sdaaErrorUnknown);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      const unsigned device = i % devices;
      sdaaSetDevice(static_cast<int>(device));
      results[i] = work(test_seed() * 100 + i, functions[device], rounds);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const sdaaError_t result : results) CHECK(result == sdaaSuccess);
}

}  // namespace

TEST_CASE("eight threads on one device") {
  const Fakes fakes;
  run_threads(1, 15);
}

TEST_CASE("eight threads on two devices") {
  const Fakes fakes(2);
  run_threads(2, 15);
}

TEST_CASE("eight threads on one stream") {
  const Fakes fakes;
  const sdaaFunction_t function = kernel(load_fake_module(), "many_arguments");
  void* memory = allocate(64);
  std::atomic<int> failures = 0;
  std::atomic<int> calls = 0;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      const ManyArgs args = {cpe::GlobalPtr<uint32_t>(bits(memory)), {1, 2}};
      for (int round = 0; round < 40; ++round) {
        if (sdaaLaunchKernel(function, &args, 0, nullptr) != sdaaSuccess) ++failures;
        if (round % 10 == 0 &&
            sdaaLaunchHostFunc(
                nullptr, [](void* user) { ++*static_cast<std::atomic<int>*>(user); }, &calls) != sdaaSuccess)
          ++failures;
      }
      if (sdaaStreamSynchronize(nullptr) != sdaaSuccess) ++failures;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(failures == 0);
  CHECK(calls == 4 * kThreads);
}

TEST_CASE("a device that is reset under its users: errors, no crash, and it works again") {
  const Fakes fakes;
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      uint64_t seed = i;
      while (!stop) {
        const auto file = fake_module();
        sdaaModule_t module = nullptr;
        sdaaFunction_t function = nullptr;
        if (sdaaModuleLoadBytes(&module, file.data(), file.size()) != sdaaSuccess) continue;
        if (sdaaModuleGetFunction(&function, module, "axpy_int") != sdaaSuccess) continue;
        work(++seed, function, 2, false);
      }
    });
  }
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK_OK(sdaaDeviceReset());
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  CHECK_OK(sdaaDeviceReset());
  CHECK_OK(sdaaDeviceSynchronize());
}
