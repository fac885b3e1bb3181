// SPDX-License-Identifier: Apache-2.0
// Deterministic time: a session is the same to the bit and the cycle, whatever happens to its messages on
// their way.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "sim/common/random.hpp"
#include "verif/host/transport/rig.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::socket {

namespace {

constexpr unsigned kVendor = 9;
constexpr uint64_t kMode = 0x40;
constexpr uint64_t kCycle = 0x48;
constexpr uint64_t kRequest = 0x80;
constexpr uint64_t kRun = 0xa0;

// A session with everything in it, as bytes: posted writes, reads, copies by messages and by file,
// interrupts, RUN_UNTIL.
std::vector<RawBytes> script(uint64_t seed) {
  verif::Random random(seed);
  std::vector<RawBytes> messages;
  unsigned id = 0;
  const auto add = [&](unsigned command, const RawBytes& payload, uint32_t flags = 0) {
    messages.push_back(Pack().u16(++id).u16(command).u32(16 + payload.size()).u32(flags).u32(0).raw(payload));
  };
  const auto word = [&](unsigned region, uint64_t offset, uint64_t value, uint32_t flags = 0) {
    add(10, Pack().raw(region_access(offset, region, 8)).u64(value), flags);
  };
  add(1, Pack().u16(0).u16(1));
  word(kVendor, kMode, 1);
  add(2, Pack().u32(32).u32(3).u64(0).u64(0).u64(0x4000));
  for (unsigned i = 0; i < 60; ++i) {
    switch (random.below(6)) {
      case 0:
        add(9, region_access(random.below(0xf000), 0, random.between(1, 0x1000)));
        break;
      case 1: {
        const uint64_t bytes = random.between(1, 0x2000);
        add(10, Pack().raw(region_access(random.below(0x8000), 0, bytes)).raw(RawBytes(bytes, uint8_t(i))),
            0x10);
        break;
      }
      case 2:
        word(4, kFakeTimer, random.between(1, 3000), 0x10);
        break;
      case 3:
        word(4, kFakeIova, random.below(0x3000));
        word(4, kFakeAt, random.below(0x3000), 0x10);
        word(4, kFakeBytes, random.below(0x1000), 0x10);
        word(4, kFakeGo, random.between(1, 2) | random.below(32) << 8, 0x10);
        break;
      default:
        add(10, Pack()
                    .raw(region_access(kRequest, kVendor, 24))
                    .u64(random.next())
                    .u64(random.below(5000))
                    .u64(1));
        add(9, region_access(kRun, kVendor, 24));
    }
  }
  add(13, {});
  add(9, region_access(kCycle, kVendor, 8));
  return messages;
}

// Plays it, cut as `pieces` says; answers the card's requests from a memory. Returns all that came back, and
// the card's own account.
std::string play(const std::vector<RawBytes>& messages, uint64_t seed, bool cut, bool threaded,
                 size_t cards = 1) {
  Rig rig(static_cast<unsigned>(cards));
  if (threaded) rig.start();
  const int fd = threaded ? RawClient::connect_to(rig.path()) : rig.connection();
  RawClient client(fd, threaded ? std::function<void()>() : rig.turner());
  verif::Random random(seed);
  RawBytes memory(0x4000);
  for (auto& byte : memory) byte = static_cast<uint8_t>(random.next());
  verif::Random chance(seed ^ (cut ? 1 : 2));
  std::string account;
  const auto put = [&](const RawBytes& bytes) { account.append(bytes.begin(), bytes.end()); };
  const auto pause = [&] {
    if (threaded && chance.chance(5))
      std::this_thread::sleep_for(std::chrono::microseconds(chance.below(800)));
    for (uint64_t i = chance.below(4); !threaded && i > 0; --i) rig.server->turn(0);
  };
  const auto send = [&](const RawBytes& bytes) {
    for (size_t at = 0; at < bytes.size();) {
      const size_t some = cut ? std::min<size_t>(bytes.size() - at, chance.between(1, 40)) : bytes.size();
      client.send_raw(RawBytes(bytes.begin() + at, bytes.begin() + at + some));
      if (cut) pause();
      at += some;
    }
  };
  for (const RawBytes& message : messages) {
    send(message);
    if ((number_at(message, 8, 4) & 0x10) != 0) continue;
    for (;;) {
      const RawMessage got = client.receive();
      put(Pack().u16(got.id).u16(got.command).u32(got.flags).u32(got.error).raw(got.payload));
      if ((got.flags & 0xf) == 1) break;
      const uint64_t at = number_at(got.payload, 0, 8);
      const uint64_t count = number_at(got.payload, 8, 8);
      RawBytes reply(got.payload.begin(), got.payload.begin() + 16);
      if (got.command == 12) {
        std::copy(got.payload.begin() + 16, got.payload.end(), memory.begin() + static_cast<ptrdiff_t>(at));
      } else {
        reply.insert(reply.end(), memory.begin() + at, memory.begin() + at + count);
      }
      if (cut) pause();
      send(Pack().u16(got.id).u16(got.command).u32(16 + reply.size()).u32(1).u32(0).raw(reply));
    }
  }
  put(memory);
  rig.stop();
  for (const std::string& line : rig.card().trace()) account += line + "\n";
  return account;
}

}  // namespace

TEST_CASE("a scripted session is the same to the bit, however it is cut and timed") {
  for (uint64_t seed = 8 * test_seed(); seed < 8 * test_seed() + 4; ++seed) {
    const auto messages = script(seed);
    const std::string once = play(messages, seed, false, false);
    CHECK(once.size() > 10'000);
    CHECK(play(messages, seed, false, false) == once);
    CHECK(play(messages, seed, true, false) == once);
    CHECK(play(messages, seed, true, true) == once);
    CHECK(play(messages, seed, false, true) == once);
    CHECK(play(messages, seed, false, false, 2) == once);  // a second card that nobody uses
  }
}

}  // namespace swai::socket
