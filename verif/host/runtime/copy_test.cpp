// SPDX-License-Identifier: Apache-2.0
// Copies of memory that goes through the library's own buffers, against a played card: more of them than
// there are buffers, in the midst of failures, on the host's time or not.
#include "host/runtime/copy.hpp"

#include <algorithm>

#include "verif/host/runtime/rows_trip.hpp"
#include "verif/host/runtime/tools.hpp"
#include "verif/kit/doctest_main.hpp"

using namespace swai;
using namespace swai::sdaa;

namespace {

constexpr size_t kPool = Staging::kBuffers * HostMemory::kBufferBytes;
constexpr Staging kTimed = {.timed = true};
constexpr Staging kAlone = {1, 2, false, true};  // the baseline of measurements

void set_staging(const Staging& staging) {
  const auto device = Runtime::get().current();
  const Device::Lock lock = device->enter();
  device->set_staging(staging);
}
uint64_t now() {
  uint64_t time = 0;
  REQUIRE_OK(sdaaDeviceGetTime(&time));
  return time;
}
template <typename Do>
uint64_t time_of(Do action) {
  const uint64_t before = now();
  action();
  return now() - before;
}

}  // namespace

TEST_CASE(
    "long copies through buffers: streams side by side, random rows, with and without the host's time") {
  const Fakes fakes;
  std::mt19937_64 random(test_seed());
  for (const Staging& staging : {Staging{}, kTimed, kAlone}) {
    set_staging(staging);
    std::vector<sdaaStream_t> streams;
    std::vector<RowsTrip> trips;
    for (int i = 0; i < 4; ++i) {
      streams.push_back(new_stream(sdaaStreamNonBlocking));
      trips.emplace_back(random, size_t{1} << (10 + random() % 12));
    }
    for (size_t i = 0; i < trips.size(); ++i) trips[i].start(streams[i]);
    for (size_t i = 0; i < trips.size(); ++i) trips[i].fetch(streams[i]);
    for (size_t i = 0; i < trips.size(); ++i) {
      trips[i].check();
      REQUIRE_OK(sdaaFree(trips[i].device));
      REQUIRE_OK(sdaaStreamDestroy(streams[i]));
    }
  }
}

TEST_CASE("copies that need more buffers than there are, behind a kernel that keeps them") {
  const Fakes fakes;
  std::mt19937_64 random(test_seed());
  const sdaaFunction_t slow = kernel(load_fake_module(), "slow");
  constexpr size_t kBytes = kPool * 3 / 4;
  const auto data = random_bytes(random, kBytes);
  std::vector<uint8_t> back(kBytes);
  sdaaStream_t streams[] = {new_stream(sdaaStreamNonBlocking), new_stream(sdaaStreamNonBlocking)};
  void* memory[] = {allocate(kBytes), allocate(kBytes)};
  for (int i = 0; i < 2; ++i) {
    REQUIRE_OK(sdaaLaunchKernel(slow, nullptr, 0, streams[i]));
    REQUIRE_OK(sdaaMemcpyAsync(memory[i], data.data(), kBytes, sdaaMemcpyHostToDevice, streams[i]));
  }
  for (int i = 0; i < 2; ++i) {
    REQUIRE_OK(sdaaMemcpyAsync(back.data(), memory[i], kBytes, sdaaMemcpyDeviceToHost, streams[i]));
    REQUIRE(back == data);
  }
}

TEST_CASE(
    "a failure in the midst of a copy through buffers: the stream's alone, and every buffer comes back") {
  const Fakes fakes;
  std::mt19937_64 random(test_seed());
  const sdaaFunction_t breakpoint = kernel(load_fake_module(), "breakpoint");
  constexpr size_t kBytes = kPool + kPool / 2;
  const auto data = random_bytes(random, kBytes);
  std::vector<uint8_t> back(kBytes);
  void* memory = allocate(kBytes);
  void* other_memory = allocate(kBytes);
  const sdaaStream_t stream = new_stream(sdaaStreamNonBlocking);
  const sdaaStream_t other = new_stream(sdaaStreamNonBlocking);
  for (const Staging& staging : {Staging{}, kTimed}) {
    set_staging(staging);
    // The kernel fails while the first pieces lie behind it.
    REQUIRE_OK(sdaaLaunchKernel(breakpoint, nullptr, 0, stream));
    CHECK_ERROR(sdaaMemcpyAsync(memory, data.data(), kBytes, sdaaMemcpyHostToDevice, stream),
                sdaaErrorAssert);
    REQUIRE_OK(sdaaStreamReset(stream));
    REQUIRE_OK(sdaaLaunchKernel(breakpoint, nullptr, 0, stream));
    CHECK_ERROR(sdaaMemcpyAsync(back.data(), memory, kBytes, sdaaMemcpyDeviceToHost, stream),
                sdaaErrorAssert);
    REQUIRE_OK(sdaaStreamReset(stream));
    REQUIRE_OK(sdaaMemcpyAsync(other_memory, data.data(), kBytes, sdaaMemcpyHostToDevice, other));
    REQUIRE_OK(sdaaMemcpyAsync(back.data(), other_memory, kBytes, sdaaMemcpyDeviceToHost, other));
    REQUIRE(back == data);
    std::ranges::fill(back, uint8_t{0});
  }
}

TEST_CASE("buffers that the card does not reach any more: the copies fail, and a reset makes new ones") {
  const Fakes fakes;
  constexpr size_t kBytes = 3 << 20;
  std::vector<uint8_t> data(kBytes, 7);
  const sdaaStream_t stream = new_stream(sdaaStreamNonBlocking);
  void* memory = allocate(kBytes);
  REQUIRE_OK(sdaaMemcpyAsync(memory, data.data(), kBytes, sdaaMemcpyHostToDevice, stream));
  REQUIRE_OK(sdaaStreamSynchronize(stream));
  {
    const auto device = Runtime::get().current();
    const Device::Lock lock = device->enter();
    // The second block of them.
    const uint64_t iova =
        device->host_memory().take_buffer(Staging::kBuffers)->iova + HostMemory::kBlockBytes + 4096;
    device->connection().card().backend().unmap(iova, HostMemory::kBlockBytes);
  }
  CHECK_ERROR(sdaaMemcpyAsync(data.data(), memory, kBytes, sdaaMemcpyDeviceToHost, stream),
              sdaaErrorTransferFailure);
  CHECK_OK(sdaaDeviceReset());
  memory = allocate(kBytes);
  REQUIRE_OK(sdaaMemset(memory, 9, kBytes));
  REQUIRE_OK(sdaaMemcpy(data.data(), memory, kBytes, sdaaMemcpyDeviceToHost));
  CHECK(std::ranges::count(data, 9) == static_cast<long>(kBytes));
}

TEST_CASE("the host's time: none by default, as the constants say in measurements, the same every time") {
  constexpr size_t kBytes = 4 << 20;
  const std::vector<uint8_t> data(kBytes, 1);
  const auto session = [&](const Staging& staging) {
    const Fakes fakes;
    set_staging(staging);
    void* memory = allocate(kBytes);
    std::vector<uint8_t> back(kBytes);
    const uint64_t up =
        time_of([&] { CHECK_OK(sdaaMemcpy(memory, data.data(), kBytes, sdaaMemcpyDefault)); });
    const uint64_t down =
        time_of([&] { CHECK_OK(sdaaMemcpy(back.data(), memory, kBytes, sdaaMemcpyDefault)); });
    CHECK(back == data);
    return std::pair(up, down);
  };
  {
    // A card whose time begins anew does not wait for the time of the one before.
    const Fakes fakes;
    set_staging(kTimed);
    void* memory = allocate(kBytes);
    const auto copy = [&] { CHECK_OK(sdaaMemcpy(memory, data.data(), kBytes, sdaaMemcpyDefault)); };
    for (int i = 0; i < 5; ++i) copy();
    Runtime::get().current()->connection().card().close();
    CHECK_OK(sdaaDeviceReset());
    memory = allocate(kBytes);
    CHECK(time_of(copy) < 2 * kBytes / host_costs::kTogether);
  }
  const auto none = session({});
  const auto timed = session(kTimed);
  const auto alone = session(kAlone);
  CHECK(session({}) == none);
  CHECK(session(kTimed) == timed);
  CHECK(session(kAlone) == alone);
  const auto [up, down] = timed;
  CHECK(std::min(up, down) > kBytes / host_costs::kTogether);
  CHECK(std::max(up, down) < 2 * kBytes / host_costs::kTogether);
  CHECK(std::min(alone.first, alone.second) > kBytes / host_costs::kThread);
  // The played card's channels do not share a link.
  CHECK(none.first < kBytes / host_costs::kTogether);
}
