// SPDX-License-Identifier: Apache-2.0
// Copies on the card by each of its engines, and which one it chooses.
#include <algorithm>
#include <array>

#include "firmware/runtime/costs.hpp"
#include "verif/host/runtime/engines.hpp"
#include "verif/host/runtime/tools.hpp"
#include "verif/kit/doctest_main.hpp"

using namespace swai;
using namespace swai::sdaa;
using command::Engine;
using runtime::set_of;

TEST_CASE("costs: straight lines between what was measured, and the engine that is through first") {
  runtime::Costs costs;
  costs.learn(Engine::kCores, {1'000, 1'100, 1'500, 3'000, 9'000});  // of 1, 4, 16, 64, 256 KiB
  costs.learn(Engine::kHost, {900, 1'600, 2'300, 5'000, 17'000});
  costs.learn(Engine::kProcessor, {200, 250, 400, 2'000, 8'000});  // of 64, 128, 256, 1024, 4096 bytes
  // Fractions are cut off.
  const auto takes = [&](Engine engine, uint64_t bytes, int64_t cycles) {
    CHECK(costs.at(bytes).by(engine) <= cycles);
    CHECK(costs.at(bytes).by(engine) + 1 + static_cast<int64_t>(bytes >> 16) >= cycles);
  };
  takes(Engine::kCores, 1 << 10, 1'000);
  takes(Engine::kCores, 2'560, 1'050);
  takes(Engine::kCores, 4 << 10, 1'100);
  takes(Engine::kCores, 10 << 10, 1'300);
  takes(Engine::kCores, 16 << 10, 1'500);
  takes(Engine::kCores, 64 << 10, 3'000);
  takes(Engine::kCores, 256 << 10, 9'000);
  takes(Engine::kCores, uint64_t{480} << 20, 9'000 + (int64_t{480} * 1024 - 256) * 6'000 / 192);
  takes(Engine::kProcessor, 0, 150);
  takes(Engine::kProcessor, 640, 1'200);
  takes(Engine::kProcessor, 8 << 10, 16'000);
  CHECK(costs.at(64).by(Engine::kRootComplex) > int64_t{1} << 30);
  constexpr uint32_t kAll = set_of(Engine::kCores) | set_of(Engine::kHost) | set_of(Engine::kProcessor);
  CHECK(costs.at(64).best_of(kAll).engine == Engine::kProcessor);
  CHECK(costs.at(1 << 10).best_of(kAll).engine == Engine::kHost);
  CHECK(costs.at(4 << 10).best_of(kAll).engine == Engine::kCores);
  CHECK(costs.at(256 << 10).best_of(set_of(Engine::kHost) | set_of(Engine::kProcessor)).engine ==
        Engine::kHost);
  CHECK(costs.cores_lead() == 4 << 10);
  costs.forget(set_of(Engine::kHost));
  CHECK(costs.cores_lead() == 1 << 10);
  costs.forget(set_of(Engine::kCores));
  CHECK(costs.cores_lead() == ~uint64_t{0});
  CHECK(costs.at(256 << 10).best_of(set_of(Engine::kCores)).engine == Engine::kCores);
}

TEST_CASE("engines: each copies what it is asked for, and nothing beside") {
  const Fakes fakes;
  std::mt19937_64 random(test_seed());
  constexpr size_t kRoom = 1 << 20;
  const auto data = random_bytes(random, kRoom);
  auto* from = static_cast<uint8_t*>(allocate(kRoom));
  auto* to = static_cast<uint8_t*>(allocate(kRoom));
  REQUIRE_OK(sdaaMemcpyHtoD(from, data.data(), kRoom));
  for (const Engine engine : kAllEngines) {
    CAPTURE(static_cast<unsigned>(engine));
    for (unsigned round = 0; round < 12; ++round) {
      const size_t unit = engine == Engine::kProcessor ? 64 : 1;
      const size_t bytes = (1 + random() % (round < 6 ? 6'000 : kRoom / 2)) / unit * unit + unit;
      const size_t at = random() % (kRoom - bytes + 1) / unit * unit;
      const size_t source = random() % (kRoom - bytes + 1);
      CAPTURE(bytes);
      REQUIRE_OK(sdaaMemset(to, 0xa5, kRoom));
      REQUIRE_OK(copy_by(engine, to + at, from + source, bytes));
      std::vector<uint8_t> expected(kRoom, 0xa5);
      std::copy_n(data.begin() + static_cast<ptrdiff_t>(source), bytes,
                  expected.begin() + static_cast<ptrdiff_t>(at));
      std::vector<uint8_t> there(kRoom);
      REQUIRE_OK(sdaaMemcpyDtoH(there.data(), to, kRoom));
      CHECK(there == expected);
    }
  }
}

TEST_CASE("engines: the last bytes are copied, whatever remains of the channels' parts") {
  const Fakes fakes;
  std::mt19937_64 random(test_seed());
  constexpr size_t kLines = 4 * 64;  // of four channels
  for (const Engine engine : {Engine::kHost, Engine::kRootComplex}) {
    CAPTURE(static_cast<unsigned>(engine));
    for (size_t rest = 0; rest < 5; ++rest) {
      const auto data = random_bytes(random, 500 * kLines + rest);
      void* const from = allocate(data.size());
      void* const to = allocate(data.size());
      REQUIRE_OK(sdaaMemcpyHtoD(from, data.data(), data.size()));
      REQUIRE_OK(sdaaMemset(to, 0xa5, data.size()));
      REQUIRE_OK(copy_by(engine, to, from, data.size()));
      std::vector<uint8_t> there(data.size());
      REQUIRE_OK(sdaaMemcpyDtoH(there.data(), to, there.size()));
      CHECK(there == data);
      REQUIRE_OK(sdaaFree(from));
      REQUIRE_OK(sdaaFree(to));
    }
  }
}

TEST_CASE("engines: a copy over the link takes many rings of descriptors, wherever these begin") {
  const Fakes fakes;
  std::mt19937_64 random(test_seed());
  constexpr size_t kRoom = 8 << 20;
  const auto data = random_bytes(random, kRoom);
  void* from = allocate(kRoom);
  void* to = allocate(kRoom);
  REQUIRE_OK(sdaaMemcpyHtoD(from, data.data(), kRoom));
  for (unsigned round = 0; round < 3; ++round) {
    for (const Engine engine : {Engine::kHost, Engine::kRootComplex}) {
      CAPTURE(static_cast<unsigned>(engine));
      std::vector<uint8_t> there(kRoom);
      REQUIRE_OK(sdaaMemset(to, 0, kRoom));
      REQUIRE_OK(copy_by(engine, to, from, kRoom));
      REQUIRE_OK(sdaaMemcpyDtoH(there.data(), to, kRoom));
      CHECK(there == data);
      // One descriptor in each of the channels.
      REQUIRE_OK(copy_by(Engine::kRootComplex, to, from, 64 << 10));
    }
  }
}

TEST_CASE("engines: copies over the host that run side by side do not meet in its buffer") {
  const Fakes fakes;
  std::mt19937_64 random(test_seed());
  constexpr size_t kBytes = 300'000;
  struct Copy {
    std::vector<uint8_t> data;
    void* from;
    void* to;
    sdaaStream_t stream;
  };
  std::vector<Copy> copies;
  for (unsigned i = 0; i < 3; ++i) {
    Copy& copy =
        copies.emplace_back(Copy{random_bytes(random, kBytes), allocate(kBytes), allocate(kBytes), nullptr});
    REQUIRE_OK(sdaaMemcpyHtoD(copy.from, copy.data.data(), kBytes));
    REQUIRE_OK(sdaaStreamCreateWithFlags(&copy.stream, sdaaStreamNonBlocking));
  }
  for (const Copy& copy : copies) {
    auto use = Runtime::get().use_stream(copy.stream);
    copy_on_card(use.writer(), bits(copy.to), bits(copy.from), {kBytes, 1, 0, 0}, Engine::kHost);
  }
  for (const Copy& copy : copies) {
    CHECK_OK(sdaaStreamSynchronize(copy.stream));
    std::vector<uint8_t> there(kBytes);
    REQUIRE_OK(sdaaMemcpyDtoH(there.data(), copy.to, kBytes));
    CHECK(there == copy.data);
  }
}

TEST_CASE("engines: what one cannot do is refused") {
  FakeOptions options;
  options.card_routes = false;
  const Fakes fakes(1, options);
  auto* from = static_cast<uint8_t*>(allocate(4096));
  auto* to = static_cast<uint8_t*>(allocate(4096));
  CHECK_OK(copy_by(Engine::kHost, to, from, 4096));
  CHECK_OK(copy_by(Engine::kBest, to, from, 4096));
  CHECK_ERROR(copy_by(Engine::kRootComplex, to, from, 4096), sdaaErrorInvalidDevicePointer);
  CHECK_ERROR(copy_by(Engine::kProcessor, to + 8, from, 64), sdaaErrorInvalidDevicePointer);
  CHECK_ERROR(copy_by(Engine::kProcessor, to, from, 63), sdaaErrorInvalidDevicePointer);
  CHECK_ERROR(copy_by(static_cast<Engine>(5), to, from, 64), sdaaErrorInvalidDevicePointer);
  CHECK_ERROR(copy_by(static_cast<Engine>(~0U), to, from, 64), sdaaErrorInvalidDevicePointer);
  void* processors = nullptr;
  REQUIRE_OK(sdaaMallocWithFlags(&processors, 4096, sdaaMallocProcessor, sdaaAnyGroup));
  CHECK_ERROR(copy_by(Engine::kCores, processors, from, 64), sdaaErrorInvalidDevicePointer);
  CHECK_OK(copy_by(Engine::kHost, processors, from, 4095));
  CHECK_OK(sdaaMemcpy2D(processors, 100, from, 60, 33, 20, sdaaMemcpyDeviceToDevice));
}

TEST_CASE("engines: while the cores compute another one is chosen, unless they are through sooner") {
  FakeOptions options;
  options.groups = 1;
  const Fakes fakes(1, options);
  constexpr uint64_t kSlowCycles = 100'000;
  constexpr size_t kLarge = 24 << 20;
  void* from = allocate(kLarge);
  void* to = allocate(kLarge);
  const sdaaFunction_t slow = swai::sdaa::kernel(load_fake_module(), "slow");
  sdaaStream_t stream = nullptr;
  REQUIRE_OK(sdaaStreamCreateWithFlags(&stream, sdaaStreamNonBlocking));
  const auto cycles_beside = [&](size_t bytes) {
    REQUIRE_OK(sdaaLaunchKernel(slow, nullptr, 0, stream));
    uint64_t before = 0;
    uint64_t after = 0;
    REQUIRE_OK(sdaaDeviceGetTime(&before));
    REQUIRE_OK(copy_by(Engine::kBest, to, from, bytes));
    REQUIRE_OK(sdaaDeviceGetTime(&after));
    REQUIRE_OK(sdaaStreamSynchronize(stream));
    return after - before;
  };
  cycles_beside(4096);  // now it is known how long the kernel takes
  CHECK(cycles_beside(4096) < kSlowCycles / 4);
  CHECK(cycles_beside(256 << 10) < kSlowCycles / 2);
  // By the link that would take longer than the kernel does.
  const uint64_t large = cycles_beside(kLarge);
  CHECK(large > kSlowCycles);
  CHECK(large < kSlowCycles + 10'000);
}
