// SPDX-License-Identifier: Apache-2.0
// Copies of host memory whose pages the card knows by a list: the baseline for pinned memory. Against a
// played card.
#include <numeric>

#include "host/runtime/scattered_memory.hpp"
#include "verif/host/runtime/tools.hpp"
#include "verif/kit/doctest_main.hpp"

using namespace swai;
using namespace swai::sdaa;

namespace {

constexpr uint64_t kPage = ScatteredMemory::kPage;

// What the test does with a stream of its own; its failure is what the stream says then.
class OnStream {
 public:
  OnStream() { REQUIRE_OK(sdaaStreamCreateWithFlags(&handle_, sdaaStreamNonBlocking)); }
  template <typename Action>
  sdaaError_t after(Action action) {
    {
      auto use = Runtime::get().use_stream(handle_);
      action(use.writer());
    }
    const sdaaError_t error = sdaaStreamSynchronize(handle_);
    REQUIRE_OK(sdaaStreamReset(handle_));
    return error;
  }

 private:
  sdaaStream_t handle_ = nullptr;
};

// Pages in any order; some follow each other.
std::vector<uint32_t> shuffled(std::mt19937_64& random, uint32_t pages) {
  std::vector<uint32_t> frames(pages);
  std::iota(frames.begin(), frames.end(), 0);
  for (uint32_t i = 0; i < pages / 3; ++i) std::swap(frames[random() % pages], frames[random() % pages]);
  return frames;
}

}  // namespace

TEST_CASE("a list of pages: copies of any part of scattered memory, both ways") {
  const Fakes fakes;
  std::mt19937_64 random(test_seed());
  constexpr uint64_t kBytes = 700 * kPage;
  void* device = allocate(kBytes);
  OnStream stream;
  for (int round = 0; round < 3; ++round) {
    ScatteredMemory host(*Runtime::get().current(), shuffled(random, 700));
    auto expected = random_bytes(random, kBytes);
    host.set(0, expected);
    CHECK_OK(stream.after([&](StreamWriter use) {
      host.list(use);
      host.to_card(use, bits(device), 0, kBytes);
    }));
    std::vector<uint8_t> found(kBytes);
    REQUIRE_OK(sdaaMemcpy(found.data(), device, kBytes, sdaaMemcpyDeviceToHost));
    REQUIRE(found == expected);
    for (int i = 0; i < 10; ++i) {
      const uint64_t bytes = 1 + random() % (i == 0 ? kBytes : 5 * kPage);
      const uint64_t to = random() % (kBytes - bytes + 1);
      const uint64_t from = random() % (kBytes - bytes + 1);
      CHECK_OK(stream.after([&](StreamWriter use) { host.to_host(use, bits(device) + from, to, bytes); }));
      std::copy_n(found.begin() + static_cast<long>(from), bytes, expected.begin() + static_cast<long>(to));
      std::vector<uint8_t> now(kBytes);
      host.get(0, now);
      REQUIRE(now == expected);
    }
  }
}

TEST_CASE("a list of pages: what is refused") {
  const Fakes fakes;
  void* device = allocate(8 * kPage);
  OnStream stream;
  const auto use_of = [&](auto action) { return stream.after(action); };
  const auto current = Runtime::get().current();
  const auto copy = [&](ScatteredMemory& host, uint64_t at, uint64_t bytes) {
    return use_of([&](StreamWriter use) { host.to_card(use, bits(device), at, bytes); });
  };
  const auto list = [&](uint64_t host, uint64_t pages) {
    return use_of([&](StreamWriter use) {
      command::PageList command = {};
      command.host = host;
      command.pages = pages;
      use.submit(command::Type::kPageList, command);
    });
  };
  {
    ScatteredMemory host(*current, {2, 0, 3, 1});
    CHECK_ERROR(copy(host, 0, 1), sdaaErrorInvalidValue);  // the card knows no list
    CHECK_OK(use_of([&](StreamWriter use) { host.list(use); }));
    CHECK_OK(copy(host, 4 * kPage - 1, 1));
    CHECK_ERROR(copy(host, 4 * kPage - 1, 2), sdaaErrorInvalidValue);
    CHECK_ERROR(copy(host, 4 * kPage, 1), sdaaErrorInvalidValue);
    CHECK_ERROR(copy(host, ~uint64_t{0}, 1), sdaaErrorInvalidValue);
    CHECK_ERROR(use_of([&](StreamWriter use) {
                  command::Copy rows = {};
                  rows.device = bits(device);
                  rows.bytes = 64;
                  rows.rows = 2;
                  rows.host_pitch = rows.device_pitch = 64;
                  use.submit(command::Type::kCopy, rows, {}, command::kPaged);
                }),
                sdaaErrorInvalidValue);
    CHECK_ERROR(list(0x1000, 0), sdaaErrorInvalidValue);
    CHECK_ERROR(list(0x1000, command::kMaxListedPages + 1), sdaaErrorInvalidValue);
    CHECK_ERROR(list(~uint64_t{0} - 7, 2), sdaaErrorInvalidValue);
    CHECK_OK(copy(host, 0, kPage));
    CHECK_ERROR(list(0x7777'0000'0000, 4), sdaaErrorTransferFailure);
  }
  // A list of pages that are not there any more: the IOMMU says no.
  std::optional<ScatteredMemory> gone(std::in_place, *current, std::vector<uint32_t>{1, 0});
  CHECK_OK(use_of([&](StreamWriter use) { gone->list(use); }));
  gone.reset();
  CHECK_ERROR(use_of([&](StreamWriter use) {
                command::Copy command = {};
                command.device = bits(device);
                command.bytes = 2 * kPage;
                command.rows = 1;
                use.submit(command::Type::kCopy, command, {}, command::kPaged);
              }),
              sdaaErrorTransferFailure);
}

TEST_CASE("a list of pages is its client's") {
  const Fakes fakes;
  const auto copy_a_page = [](bool with_list) {
    void* device = allocate(kPage);
    ScatteredMemory host(*Runtime::get().current(), {1, 0});
    OnStream stream;
    return stream.after([&](StreamWriter use) {
      if (with_list) host.list(use);
      host.to_card(use, bits(device), 0, kPage);
    });
  };
  CHECK_OK(copy_a_page(true));
  REQUIRE_OK(sdaaDeviceReset());
  CHECK_ERROR(copy_a_page(false), sdaaErrorInvalidValue);
}
