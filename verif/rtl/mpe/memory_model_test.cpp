// SPDX-License-Identifier: Apache-2.0
// The memory model against a plain array: lanes and strobes, atomics, order of responses, and the law of the
// bus.
#include "sim/common/memory_model.hpp"

#include <doctest/doctest.h>

#include <deque>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "verif/kit/doctest_main.hpp"

namespace swai::mpe {
namespace {

using common::kMbusIds;
using common::kMbusLineBytes;
using common::MbusOp;
using common::MbusRequest;
using common::MbusResponse;
using common::MemoryModel;

constexpr uint64_t kBase = 0x8000'0000;
using Line = std::array<uint8_t, kMbusLineBytes>;

uint64_t lanes(const MbusResponse& response, uint64_t addr, unsigned bytes) {
  uint64_t value = 0;
  std::memcpy(&value, &response.data[addr % kMbusLineBytes], bytes);
  return value;
}

struct Fixture {
  MbusResponse access(MbusOp op, uint64_t addr, unsigned size, uint64_t operand = 0, uint64_t strobes = 0) {
    Line data{};
    for (unsigned i = 0; i < 8 && addr % kMbusLineBytes + i < kMbusLineBytes; ++i) {
      data[addr % kMbusLineBytes + i] = static_cast<uint8_t>(operand >> (8 * i));
    }
    MbusResponse response;
    model.access({.op = op,
                  .id = 1,
                  .size = static_cast<uint8_t>(size),
                  .addr = addr,
                  .strb = strobes << (addr % kMbusLineBytes),
                  .data = data.data()},
                 response);
    return response;
  }
  void write(uint64_t addr, unsigned bytes, uint64_t value) {
    const auto response = access(MbusOp::kWrite, addr, 0, value, (uint64_t{1} << bytes) - 1);
    CHECK(!response.err);
  }
  uint64_t read(uint64_t addr, unsigned size) {
    const auto response = access(MbusOp::kRead, addr, size);
    CHECK(!response.err);
    return lanes(response, addr, 1U << size);
  }

  std::string console;
  MemoryModel model{{.console = [this](uint8_t byte) { console += static_cast<char>(byte); }}};
};

TEST_CASE_FIXTURE(Fixture, "memory model: reads and strobed writes") {
  write(kBase + 0x7c, 4, 0x01234567);
  write(kBase + 0x7d, 1, 0xff);
  CHECK(read(kBase + 0x78, 3) == 0x0123'ff67'0000'0000);
  CHECK(access(MbusOp::kRead, 0, 3).err);
  CHECK(access(MbusOp::kRead, kBase + model.ram().bytes(), 6).err);
  CHECK(access(MbusOp::kWrite, 0x1000'2000, 0, 1, 1).err);
  CHECK_THROWS(access(MbusOp::kRead, kBase + 4, 3));
  CHECK_THROWS(access(MbusOp::kAdd, kBase, 4));
}

TEST_CASE_FIXTURE(Fixture, "memory model: atomics") {
  struct Case {
    MbusOp op;
    unsigned size;
    uint64_t memory, operand, result;
  };
  const std::vector<Case> cases = {
      {MbusOp::kSwap, 3, 1, 2, 2},
      {MbusOp::kAdd, 2, 0xffff'ffff, 2, 1},
      {MbusOp::kAdd, 3, 0xffff'ffff, 2, 0x1'0000'0001},
      {MbusOp::kXor, 3, 0xf0, 0xff, 0x0f},
      {MbusOp::kAnd, 3, 0xf0, 0x3c, 0x30},
      {MbusOp::kOr, 3, 0xf0, 0x0f, 0xff},
      {MbusOp::kMin, 2, 0x8000'0000, 1, 0x8000'0000},
      {MbusOp::kMin, 3, 0x8000'0000, 1, 1},
      {MbusOp::kMax, 2, 0x8000'0000, 1, 1},
      {MbusOp::kMinu, 2, 0x8000'0000, 1, 1},
      {MbusOp::kMaxu, 2, 0x8000'0000, 1, 0x8000'0000},
      {MbusOp::kMax, 3, ~uint64_t{0}, 0, 0},
      {MbusOp::kMaxu, 3, ~uint64_t{0}, 0, ~uint64_t{0}},
  };
  for (const auto& c : cases) {
    const uint64_t addr = kBase + 0x1000 + (c.size == 2 ? 4 : 0);
    write(kBase + 0x1000, 8, 0x5555'5555'5555'5555);
    write(addr, 1U << c.size, c.memory);
    const auto response = access(c.op, addr, c.size, c.operand);
    CHECK(lanes(response, addr, 1U << c.size) == c.memory);
    CHECK(read(addr, c.size) == c.result);
    if (c.size == 2) CHECK(read(kBase + 0x1000, 2) == 0x5555'5555);
  }
}

TEST_CASE_FIXTURE(Fixture, "memory model: load reserved, store conditional") {
  const auto sc = [this](uint64_t addr, uint64_t value) {
    return lanes(access(MbusOp::kSc, addr, 3, value), addr, 8);
  };
  CHECK(sc(kBase + 8, 1) == 1);
  access(MbusOp::kLr, kBase, 3);
  CHECK(sc(kBase + 8, 7) == 0);  // the same line
  CHECK(read(kBase + 8, 3) == 7);
  CHECK(sc(kBase + 8, 8) == 1);
  access(MbusOp::kLr, kBase, 3);
  CHECK(sc(kBase + 64, 9) == 1);
  CHECK(sc(kBase, 9) == 1);
  CHECK(read(kBase + 64, 3) == 0);
}

TEST_CASE_FIXTURE(Fixture, "memory model: devices") {
  write(MemoryModel::kConsoleBase, 1, 'h');
  write(MemoryModel::kConsoleBase, 1, 'i');
  write(MemoryModel::kConsoleBase + 3, 1, 'x');
  CHECK(console == "hi");
  CHECK(read(MemoryModel::kConsoleBase + 5, 0) == 0x60);
  auto& clint = model.clint();
  CHECK(clint.never_fires());
  write(MemoryModel::kClintBase + 0x4000, 4, 5);
  write(MemoryModel::kClintBase + 0x4004, 4, 0);
  CHECK(!clint.timer_interrupt());
  clint.set_time(5);
  CHECK(clint.timer_interrupt());
  CHECK(read(MemoryModel::kClintBase + 0xbff8, 3) == 5);
  write(MemoryModel::kClintBase, 4, 0xff);
  CHECK(clint.software_interrupt());
  CHECK(read(MemoryModel::kClintBase, 2) == 1);
  CHECK(access(MbusOp::kAdd, MemoryModel::kClintBase, 2, 1).err);
}

// A random master that checks every answer against an array and against the order in which it asked.
TEST_CASE("memory model: random traffic with stalls") {
  std::mt19937_64 random(test_seed());
  for (unsigned run = 0; run < 40; ++run) {
    const bool stalls = run % 4 != 0;
    const unsigned latency = stalls ? 1 : 1 + static_cast<unsigned>(random() % 5);
    MemoryModel model({.ram_bytes = 4096, .latency = latency});
    model.reset(stalls ? std::optional<uint64_t>(random()) : std::nullopt);
    std::vector<uint8_t> memory(4096);
    struct Expected {
      uint64_t cycle, addr, value;
      bool check;
    };
    std::array<std::deque<Expected>, kMbusIds> waiting;
    std::optional<MbusRequest> offer;
    Line data{};
    unsigned answered = 0;
    unsigned passed_others = 0;
    for (uint64_t cycle = 0; cycle < 20'000; ++cycle) {
      if (!offer && random() % 3 != 0) {
        offer = MbusRequest{.op = random() % 2 ? MbusOp::kWrite : MbusOp::kRead,
                            .id = static_cast<uint8_t>(random() % kMbusIds),
                            .size = 3,
                            .addr = kBase + 8 * (random() % 512),
                            .data = data.data()};
        offer->strb = uint64_t{random() & 0xff} << (offer->addr % kMbusLineBytes);
        for (auto& byte : data) byte = static_cast<uint8_t>(random());
      }
      const bool taken = offer && model.ready();
      if (taken) {
        const uint64_t at = offer->addr - kBase;
        uint64_t value = 0;
        std::memcpy(&value, &memory[at], 8);
        waiting[offer->id].push_back({cycle, offer->addr, value, offer->op == MbusOp::kRead});
        for (unsigned i = 0; i < 8 && offer->op == MbusOp::kWrite; ++i) {
          const unsigned lane = static_cast<unsigned>(at % kMbusLineBytes) + i;
          if ((offer->strb >> lane) & 1) memory[at + i] = data[lane];
        }
      }
      const MbusResponse* response = model.clock(offer ? &*offer : nullptr);
      if (taken) offer.reset();
      if (response == nullptr) continue;
      REQUIRE(!waiting[response->id].empty());
      const Expected expected = waiting[response->id].front();
      waiting[response->id].pop_front();
      ++answered;
      CHECK(!response->err);
      if (!stalls) CHECK(cycle - expected.cycle == latency - 1);
      if (expected.check) CHECK(lanes(*response, expected.addr, 8) == expected.value);
      for (const auto& queue : waiting)
        passed_others += !queue.empty() && queue.front().cycle < expected.cycle;
    }
    CHECK(answered > 1000);
    CHECK((passed_others != 0) == stalls);
  }
}

TEST_CASE("memory model: an offer that changes while it waits is caught") {
  MemoryModel model({.ram_bytes = 4096});
  model.reset(1);
  Line data{};
  const MbusRequest first{.op = MbusOp::kWrite, .id = 2, .addr = kBase, .strb = 1, .data = data.data()};
  while (model.ready()) model.clock(nullptr);
  model.clock(&first);
  SUBCASE("withdrawn") { CHECK_THROWS(model.clock(nullptr)); }
  SUBCASE("other address") {
    MbusRequest second = first;
    second.addr += 64;
    CHECK_THROWS(model.clock(&second));
  }
  SUBCASE("other data") {
    data[0] = 1;
    CHECK_THROWS(model.clock(&first));
  }
  SUBCASE("unchanged where it counts") {
    data[1] = 1;
    CHECK_NOTHROW(model.clock(&first));
  }
}

}  // namespace
}  // namespace swai::mpe
