// SPDX-License-Identifier: Apache-2.0
// host/transport: every backend, the Card class, its errors.
#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <numeric>

#include "host/transport/card.hpp"
#include "host/transport/fault_backend.hpp"
#include "sim/common/random.hpp"
#include "verif/host/transport/rig.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::socket {

using link::Card;
using link::ErrorKind;
namespace vendor = link::vendor;

namespace {

constexpr unsigned kBar = 4;
constexpr uint64_t kNever = uint64_t{1} << 40;

// The error that a call ends with; none: -1.
template <typename Call>
int kind_of(const Call& call, std::string* what = nullptr, int* code = nullptr) {
  try {
    call();
  } catch (const link::Error& error) {
    if (what != nullptr) *what = error.what();
    if (code != nullptr) *code = error.code();
    return static_cast<int>(error.kind());
  }
  return -1;
}
constexpr int operator+(ErrorKind kind) { return static_cast<int>(kind); }

void copy(Card& card, uint64_t direction, uint64_t iova, uint64_t at, uint64_t bytes, unsigned vector) {
  card.post<uint64_t>(kBar, kFakeIova, iova);
  card.post<uint64_t>(kBar, kFakeAt, at);
  card.post<uint64_t>(kBar, kFakeBytes, bytes);
  card.post<uint64_t>(kBar, kFakeGo, direction | uint64_t{vector} << 8);
}

// What a program does with a card, on any backend and in both kinds of time.
void tour(Card& card, uint64_t seed) {
  verif::Random random(seed);
  CHECK(card.describe().vectors == 32);
  CHECK(card.describe().configuration == "fake");
  CHECK(card.read<uint16_t>(Card::kConfig, 0) == kFakeVendor);
  CHECK(card.read<uint16_t>(Card::kConfig, 2) == kFakeDeviceId);
  card.interrupts();
  for (const bool shared : {true, false}) {
    link::PinnedMemory memory = card.pin(0x40000000, 0x8000, link::Access::kBoth, shared);
    for (auto& byte : memory.bytes()) byte = static_cast<uint8_t>(random.next());
    const std::vector<uint8_t> before(memory.bytes().begin(), memory.bytes().end());
    for (unsigned round = 0; round < 8; ++round) {
      const uint64_t bytes = random.between(1, 0x2000);
      const uint64_t from = random.below(0x4000 - bytes);
      const uint64_t to = 0x4000 + random.below(0x4000 - bytes);
      const uint64_t at = random.below(kFakeBar0Bytes - bytes);
      copy(card, 1, memory.iova() + from, at, bytes, 7);
      CHECK(card.wait_interrupt(1 << 7, link::Milliseconds(30'000)) == 1 << 7);
      copy(card, 2, memory.iova() + to, at, bytes, 9);
      CHECK(card.wait_interrupt(1 << 9, link::Milliseconds(30'000)) == 1 << 9);
      CHECK(std::equal(before.begin() + static_cast<ptrdiff_t>(from),
                       before.begin() + static_cast<ptrdiff_t>(from + bytes), memory.data() + to));
      std::vector<uint8_t> block(bytes);
      card.read_block(0, at, block);
      CHECK(std::equal(block.begin(), block.end(), memory.data() + to));
      std::reverse(block.begin(), block.end());
      card.write_block(0, at, block);
      std::vector<uint8_t> again(bytes);
      card.read_block(0, at, again);
      CHECK(block == again);
    }
    CHECK(card.read<uint64_t>(kBar, kFakeFaults) == 0);
    memory.release();
  }
  card.check_posted();
  copy(card, 1, 0x40000000, 0, 16, 3);
  CHECK(card.wait_interrupt(1 << 3, link::Milliseconds(30'000)) == 1 << 3);
  CHECK(card.read<uint64_t>(kBar, kFakeFaults) == 1);
  card.reset();
  CHECK(card.read<uint64_t>(kBar, kFakeFaults) == 0);
}

}  // namespace

TEST_CASE("the tour, over a socket, in deterministic and in free time") {
  for (const bool deterministic : {true, false}) {
    Rig rig;
    rig.start();
    link::VfioUserOptions options;
    options.deterministic = deterministic;
    const auto card = Card::open(rig.path(), options);
    CHECK(card->describe().deterministic == deterministic);
    tour(*card, test_seed());
  }
}

TEST_CASE("the tour, within one process, and with faults that only delay") {
  Rig rig;
  Card card(link::open_in_process(rig.in_process()));
  tour(card, test_seed());
  card.close();
  link::FaultPlan plan;
  plan.per_mille[static_cast<unsigned>(link::InjectedFault::kDelay)] = 200;
  plan.delay = link::Milliseconds(1);
  unsigned delays = 0;
  plan.on_fault = [&](link::InjectedFault, const char*) { ++delays; };
  Card slow(link::inject_faults(link::open_in_process(rig.in_process()), plan));
  tour(slow, test_seed());
  CHECK(delays > 10);
}

TEST_CASE("errors say what, why and what to do") {
  Rig rig;
  std::string what;
  int code = 0;
  link::VfioUserOptions options;
  options.connect_timeout = link::Milliseconds(50);
  CHECK(kind_of([&] { Card::open(rig.path(), options); }, &what, &code) == +ErrorKind::kNoConnection);
  CHECK(code == ENOENT);
  CHECK(what.find("start the card") != std::string::npos);
  CHECK(kind_of([&] { Card::open(std::string(200, 'x'), options); }) == +ErrorKind::kBadArgument);
  rig.start();
  const auto card = Card::open(rig.path(), options);
  CHECK(kind_of([&] { Card::open(rig.path(), options); }, &what, &code) == +ErrorKind::kNoConnection);
  CHECK(code == EBUSY);
  CHECK(what.find("has a client already") != std::string::npos);

  CHECK(kind_of([&] { card->read<uint32_t>(0, kFakeBar0Bytes - 3); }) == +ErrorKind::kBadArgument);
  CHECK(kind_of([&] { card->read<uint32_t>(1, 0); }) == +ErrorKind::kBadArgument);
  CHECK(kind_of([&] { card->read<uint32_t>(99, 0); }) == +ErrorKind::kBadArgument);
  CHECK(kind_of([&] { card->write<uint32_t>(0, ~uint64_t{0}, 1); }) == +ErrorKind::kBadArgument);
  CHECK(kind_of([&] { card->write<uint32_t>(2, 1, 1); }, &what, &code) == +ErrorKind::kRefused);
  CHECK(code == EFAULT);
  CHECK(kind_of([&] { card->pin(0x1001, 4096); }) == +ErrorKind::kBadArgument);
  CHECK(kind_of([&] { card->pin(0x1000, 0); }) == +ErrorKind::kBadArgument);
  auto memory = card->pin(0x1000, 0x1000);
  CHECK(kind_of([&] { card->pin(0x1000, 0x1000); }, &what, &code) == +ErrorKind::kRefused);
  CHECK(code == EEXIST);

  card->post<uint32_t>(2, 4, 1);
  card->check_posted();
  card->post<uint32_t>(2, 1, 1);
  card->post<uint32_t>(2, 3, 1);
  CHECK(kind_of([&] { card->check_posted(); }, &what, &code) == +ErrorKind::kRefused);
  CHECK(code == EFAULT);
  CHECK(what.find("2 of 4 writes") != std::string::npos);
  card->check_posted();
  CHECK(kind_of([&] { card->command(vendor::Command::kInject); }, &what, &code) == +ErrorKind::kRefused);
  CHECK(code == ENOTSUP);
  CHECK(card->command(vendor::Command::kStatistic, {1, 2, 3, 4}) == 10);

  // The server dies.
  rig.stop();
  rig.server.reset();
  CHECK(kind_of([&] { card->read<uint32_t>(0, 0); }, &what) == +ErrorKind::kLost);
  CHECK(kind_of([&] { card->run_until(0, 1); }) == +ErrorKind::kLost);
  CHECK(kind_of([&] { card->post<uint32_t>(0, 0, 1); }) == +ErrorKind::kLost);
  CHECK(what.find("open it again") != std::string::npos);
}

TEST_CASE("a server that does not answer: timed out, and the late answer is no harm") {
  Rig rig;
  bool asleep = false;
  link::InProcess server{link::Fd(rig.connection()), [&] {
                           if (!asleep) rig.server->turn(0);
                         }};
  link::VfioUserOptions options;
  options.timeout = link::Milliseconds(20);
  options.run_timeout = link::Milliseconds(20);
  Card card(link::open_in_process(std::move(server), options));
  card.write<uint64_t>(0, 0, 42);
  asleep = true;
  CHECK(kind_of([&] { card.read<uint64_t>(0, 8); }) == +ErrorKind::kTimedOut);
  CHECK(kind_of([&] { card.run_until(0, 10); }) == +ErrorKind::kTimedOut);
  CHECK(kind_of([&] { card.reset(); }) == +ErrorKind::kTimedOut);
  asleep = false;
  CHECK(card.read<uint64_t>(0, 0) == 0);  // the reset has come
  card.write<uint64_t>(0, 0, 43);
  CHECK(card.read<uint64_t>(0, 0) == 43);
}

TEST_CASE("injected faults do what their list says, and the same for the same seed") {
  Rig rig;
  const auto session = [&](link::InjectedFault fault, std::vector<int>& outcomes) {
    link::FaultPlan plan;
    plan.seed = test_seed();
    plan.per_mille[static_cast<unsigned>(fault)] = 300;
    plan.spare_calls = 3;
    Card card(link::inject_faults(link::open_in_process(rig.in_process()), plan));
    for (uint64_t i = 0; i < 60; ++i) {
      std::vector<uint8_t> data(16, 0xee);
      std::string what;
      const int kind = i % 2 == 0 ? kind_of([&] { card.write<uint64_t>(0, 8 * i, i); }, &what)
                                  : kind_of([&] { card.read_block(6, 32, data); }, &what);
      outcomes.push_back(kind);
      if (kind == -1 && i % 2 == 1) CHECK((data.front() == 32 && data.back() == 47));
      if (kind == +ErrorKind::kIncomplete) CHECK((data.front() == 32 && data.back() == 0xee));
      if (kind != -1)
        CHECK(what.find(kind == +ErrorKind::kLost && i > 0 ? "" : "injected") != std::string::npos);
    }
  };
  using link::InjectedFault;
  const std::pair<InjectedFault, ErrorKind> kinds[] = {{InjectedFault::kDropBefore, ErrorKind::kLost},
                                                       {InjectedFault::kDropAfter, ErrorKind::kLost},
                                                       {InjectedFault::kRefuse, ErrorKind::kRefused},
                                                       {InjectedFault::kTimeOut, ErrorKind::kTimedOut},
                                                       {InjectedFault::kShortRead, ErrorKind::kIncomplete}};
  for (const auto& [fault, kind] : kinds) {
    std::vector<int> first;
    std::vector<int> second;
    session(fault, first);
    session(fault, second);
    CHECK(first == second);
    CHECK(std::count(first.begin(), first.end(), +kind) > 3);
    CHECK(std::count(first.begin(), first.end(), -1) + std::count(first.begin(), first.end(), +kind) == 60);
    const auto bad = std::find(first.begin(), first.end(), +kind);
    CHECK(bad - first.begin() >= 3);
    if (kind == ErrorKind::kLost) CHECK(std::count(bad, first.end(), +kind) == first.end() - bad);
  }
}

TEST_CASE("large blocks travel in pieces, and posts wait for a slow server") {
  Rig rig;
  rig.start();
  const auto card = Card::open(rig.path());
  std::vector<uint8_t> block(kFakeBar0Bytes);
  std::iota(block.begin(), block.end(), uint8_t{0});
  for (unsigned i = 0; i < 300; ++i) card->post_block(0, 0, block);  // far more than any buffer holds
  card->check_posted();
  std::vector<uint8_t> back(kFakeBar0Bytes);
  card->read_block(0, 0, back);
  CHECK(back == block);
  CHECK(card->run_until(0, kNever).cause == vendor::Cause::kAsleep);
}

}  // namespace swai::socket
