// SPDX-License-Identifier: Apache-2.0
// Copies on the simulated card by each of its engines, and between two cards.
#include <algorithm>
#include <span>

#include "verif/host/runtime/engines.hpp"
#include "verif/host/runtime/tools.hpp"
#include "verif/kit/doctest_main.hpp"
#include "verif/system/rig.hpp"

using namespace swai;
using namespace swai::sdaa;
using command::Engine;

namespace {

void check_there(void* at, std::span<const uint8_t> expected) {
  std::vector<uint8_t> there(expected.size());
  REQUIRE_OK(sdaaMemcpyDtoH(there.data(), at, there.size()));
  CHECK(std::ranges::equal(there, expected));
}

// Whether what was there before is there still, but for these bytes.
void check_copied(void* to, const std::vector<uint8_t>& before, size_t at, std::span<const uint8_t> bytes) {
  std::vector<uint8_t> expected = before;
  std::ranges::copy(bytes, expected.begin() + static_cast<ptrdiff_t>(at));
  check_there(to, expected);
}

}  // namespace

TEST_CASE("on the card: each engine copies what it is asked for, and nothing beside") {
  const system::Rig rig;
  Runtime::get().use({[&] { return rig.open(); }});
  Runtime::current_number() = 0;
  std::mt19937_64 random(test_seed());
  constexpr size_t kAround = 500;
  // Memory with pages of the processor and without.
  for (const size_t room : {size_t{200'000}, size_t{1'200'000}}) {
    CAPTURE(room);
    const auto data = random_bytes(random, room);
    auto expected = random_bytes(random, room);
    auto* from = static_cast<uint8_t*>(allocate(room));
    auto* to = static_cast<uint8_t*>(allocate(room));
    REQUIRE_OK(sdaaMemcpyHtoD(from, data.data(), room));
    REQUIRE_OK(sdaaMemcpyHtoD(to, expected.data(), room));
    for (const Engine engine : kAllEngines) {
      CAPTURE(static_cast<unsigned>(engine));
      for (const size_t most : {200, 9'000, 150'000}) {
        const bool whole_lines = engine == Engine::kProcessor;
        if (whole_lines && most > 10'000) continue;
        const size_t unit = whole_lines ? 64 : 1;
        const size_t bytes = (most - random() % (most / 2)) / unit * unit;
        const size_t at = random() % (room - bytes) / unit * unit;
        const size_t source = random() % (room - bytes);
        CAPTURE(bytes);
        REQUIRE_OK(copy_by(engine, to + at, from + source, bytes));
        std::copy_n(data.begin() + static_cast<ptrdiff_t>(source), bytes,
                    expected.begin() + static_cast<ptrdiff_t>(at));
        // And what lies around it; the whole below, once.
        const size_t begin = at - std::min(at, kAround);
        const size_t end = std::min(at + bytes + kAround, room);
        check_there(to + begin, {expected.data() + begin, end - begin});
      }
    }
    check_there(to, expected);
    REQUIRE_OK(sdaaFree(from));
    REQUIRE_OK(sdaaFree(to));
  }
  Runtime::get().use({});
}

TEST_CASE("two cards in one host: copies from one to the other, directly") {
  const system::Rig rig({.cards = 2});
  Runtime::get().use({[&] { return rig.open(0); }, [&] { return rig.open(1); }});
  Runtime::current_number() = 0;
  std::mt19937_64 random(test_seed());
  constexpr size_t kBytes = 300'000;
  const auto data = random_bytes(random, kBytes);
  void* first = allocate(kBytes);
  REQUIRE_OK(sdaaMemcpyHtoD(first, data.data(), kBytes));
  REQUIRE_OK(sdaaSetDevice(1));
  const std::vector<uint8_t> before(kBytes, 0x77);
  auto* second = static_cast<uint8_t*>(allocate(kBytes));
  const auto copies = [&](auto copy) {
    REQUIRE_OK(sdaaMemcpyHtoD(second, before.data(), kBytes));
    uint64_t begin = 0;
    uint64_t end = 0;
    REQUIRE_OK(sdaaDeviceGetTime(&begin));
    CHECK_OK(copy());
    REQUIRE_OK(sdaaDeviceSynchronize());
    REQUIRE_OK(sdaaDeviceGetTime(&end));
    check_copied(second, before, 5, {data.data() + 3, kBytes - 10});
    return end - begin;
  };
  const auto whole = [&] { return sdaaMemcpyPeer(second + 5, 1, beyond(first, 3), 0, kBytes - 10); };
  const uint64_t by_host = copies(whole);
  int can = 0;
  CHECK_OK(sdaaDeviceCanAccessPeer(&can, 1, 0));
  CHECK(can == 1);
  CHECK_OK(sdaaDeviceCanAccessPeer(&can, 0, 1));
  CHECK(can == 1);
  CHECK_OK(sdaaDeviceCanAccessPeer(&can, 1, 1));
  CHECK(can == 0);
  REQUIRE_OK(sdaaDeviceEnablePeerAccess(0, 0));
  CHECK_ERROR(sdaaDeviceEnablePeerAccess(0, 0), sdaaErrorPeerAccessAlreadyEnabled);
  const uint64_t direct = copies(whole);
  MESSAGE("by the host " << by_host << ", directly " << direct);
  CHECK(direct < by_host);
  sdaaStream_t stream = nullptr;
  REQUIRE_OK(sdaaStreamCreate(&stream));
  copies([&] { return sdaaMemcpyPeerAsync(second + 5, 1, beyond(first, 3), 0, kBytes - 10, stream); });
  CHECK_ERROR(sdaaMemcpyPeer(second, 1, first, 0, kBytes + 1), sdaaErrorInvalidValue);
  REQUIRE_OK(sdaaDeviceDisablePeerAccess(0));
  CHECK_ERROR(sdaaDeviceDisablePeerAccess(0), sdaaErrorPeerAccessNotEnabled);
  copies(whole);
  Runtime::get().use({});
}
