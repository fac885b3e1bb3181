// SPDX-License-Identifier: Apache-2.0
// Clients that share the card.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "abi/kernel_arguments.hpp"
#include "abi/launch.hpp"
#include "sim/common/random.hpp"
#include "verif/kit/doctest_main.hpp"
#include "verif/system/rig.hpp"
#include "verif/system/runtime_client.hpp"

namespace swai::system {
namespace {

using protocol::Status;
using protocol::Usage;

constexpr uint64_t kWindows[] = {0x10'0000'0000, 0x20'0000'0000};

// A client with two queues and two modules, and something to be checked.
struct Sharer {
  RuntimeClient client;
  unsigned queue = 0;
  unsigned other = 0;
  RuntimeClient::Loaded copy = {};
  RuntimeClient::Loaded faults = {};
  uint64_t from = 0;
  uint64_t to = 0;
  std::vector<uint8_t> bytes = {};

  Sharer(link::Card& card, uint64_t window) : client(card, window) { come(); }
  void come() {
    client.attach();
    queue = client.open_queue();
    other = client.open_queue();
    copy = client.load(queue, "copy");
    faults = client.load(queue, "faults");
    from = client.allocate(4096);
    to = client.allocate(4096, Usage::kCpe);
  }
  void copy_on_card(unsigned on, uint64_t target, uint64_t source, uint32_t count) {
    const cpe::CopyArgs arguments = {cpe::GlobalPtr<void>(target), cpe::GlobalPtr<const void>(source), count,
                                     0};
    client.launch(on, copy.handle, copy.kernel("copy"), RuntimeClient::bytes_of(arguments));
  }
  // To the card, there by the CPEs, and back. Returns the last command.
  uint32_t begin(verif::Random& random) {
    bytes.resize(random.between(1, 4096));
    for (auto& byte : bytes) byte = static_cast<uint8_t>(random.next());
    std::ranges::copy(bytes, client.host());
    std::fill_n(client.host() + kBack, 4096, uint8_t{0});
    client.copy(queue, from, 0, bytes.size(), false);
    for (uint64_t launches = random.between(1, 12); launches != 0; --launches)
      copy_on_card(queue, to, from, static_cast<uint32_t>(bytes.size()));
    return client.copy(queue, to, kBack, bytes.size(), true);
  }
  void end(uint32_t last) {
    client.finish(queue, last);
    CHECK(std::equal(bytes.begin(), bytes.end(), client.host() + kBack));
  }
  // How many commands are complete of those that come now.
  auto count_completed() {
    return [this, first = client.next(queue), first_other = client.next(other)] {
      const auto since = [this](unsigned on, uint32_t from) {
        return std::max(static_cast<int32_t>(client.line(on).completed + 1 - from), 0);
      };
      return since(queue, first) + since(other, first_other);
    };
  }
  void launch_forever(unsigned on) {
    const cpe::FaultArgs forever = {cpe::GlobalPtr<void>(to), 0, 0};
    client.launch(on, faults.handle, faults.kernel("endless_loop"), RuntimeClient::bytes_of(forever));
  }
};

// Kernels that leave a secret in the cores, and that look for one.
struct Remains {
  static constexpr uint32_t kSecret = 0x7e57'5ec2;
  Sharer& sharer;
  unsigned cpes;
  RuntimeClient::Loaded module;
  uint64_t to;

  explicit Remains(Sharer& whose)
      : sharer(whose),
        cpes(whose.client.info.rows * whose.client.info.columns),
        module(whose.client.load(whose.queue, "remains")),
        to(whose.client.allocate(uint64_t{cpes} * cpe::kRemainsBytes, Usage::kCpe)) {}
  uint32_t launch(const char* kernel, uint32_t watchdog = 0) {
    const cpe::RemainsArgs arguments = {cpe::GlobalPtr<void>(to), kSecret, 0};
    return sharer.client.launch(sharer.queue, module.handle, module.kernel(kernel),
                                RuntimeClient::bytes_of(arguments), ~0u, watchdog);
  }
  // Words of local memory that are the secret, and of the rest what is not 0.
  unsigned found() {
    sharer.client.finish(sharer.queue,
                         sharer.client.copy(sharer.queue, to, 0, uint64_t{cpes} * cpe::kRemainsBytes, true));
    constexpr size_t kLocal = cpe::kRemainsLdm / sizeof(uint32_t);
    std::vector<uint32_t> has(cpe::kRemainsBytes / sizeof(uint32_t));
    int64_t words = 0;
    for (uint64_t cpe = 0; cpe < cpes; ++cpe) {
      std::memcpy(has.data(), sharer.client.host() + cpe * cpe::kRemainsBytes, cpe::kRemainsBytes);
      words += std::count(has.begin(), has.begin() + kLocal, kSecret);
      words += std::count_if(has.begin() + kLocal, has.end(), [](uint32_t word) { return word != 0; });
    }
    return static_cast<unsigned>(words);
  }
};

}  // namespace

TEST_CASE("runtime: two clients share the card: one dies again and again, the other does not notice") {
  const Rig rig;
  const auto card = rig.open();
  verif::Random random(test_seed());
  Sharer one(*card, kWindows[0]), two(*card, kWindows[1]);
  CHECK(one.client.context != two.client.context);

  // Both at once.
  for (int round = 0; round < 4; ++round) {
    const uint32_t first = one.begin(random), second = two.begin(random);
    one.end(first);
    two.end(second);
  }
  // What is the other's is out of reach: for kernels, copies, and on the bus.
  two.copy_on_card(two.other, two.to, one.from, 64);
  REQUIRE(two.client.wait(two.other, two.client.next(two.other) - 1));
  auto line = two.client.line(two.other);
  CHECK(line.status == Status::kKernelFault);
  CHECK(line.detail == static_cast<uint16_t>(launch::Cause::kOwner));
  two.client.reset_queue(two.other);
  REQUIRE(two.client.wait(two.other, two.client.copy(two.other, one.from, 0, 64, true)));
  CHECK(two.client.line(two.other).status == Status::kBadPointer);
  two.client.reset_queue(two.other);
  REQUIRE(
      two.client.wait(two.other, two.client.copy(two.other, two.from, RuntimeClient::kHostBytes, 64, true)));
  CHECK(two.client.line(two.other).status == Status::kBadRange);
  two.client.reset_queue(two.other);

  // Equal work, equal shares, though one has it in two queues: who is through first has hardly got ahead.
  const auto completed_of_one = one.count_completed();
  const auto completed_of_two = two.count_completed();
  constexpr int kRounds = 60;
  for (int i = 0; i < kRounds; ++i) {
    one.copy_on_card(i % 2 == 0 ? one.queue : one.other, one.to, one.from, 4096);
    two.copy_on_card(two.queue, two.to, two.from, 4096);
  }
  int done[] = {0, 0};
  for (int i = 0; i < 1000 && std::ranges::max(done) < kRounds; ++i) {
    card->run_until(0, 500);
    done[0] = completed_of_one();
    done[1] = completed_of_two();
  }
  MESSAGE("of ", kRounds, " launches each: done ", done[0], " and ", done[1]);
  CHECK(std::ranges::max(done) == kRounds);
  CHECK(std::ranges::min(done) * 10 >= kRounds * 9);
  one.client.finish(one.queue, one.client.next(one.queue) - 1);
  one.client.finish(one.other, one.client.next(one.other) - 1);
  two.client.finish(two.queue, two.client.next(two.queue) - 1);
  CHECK(one.client.usage().queues == 2);
  CHECK(one.client.usage().modules == 2);

  for (int round = 0; round < 4; ++round) {
    const uint32_t first = one.begin(random);
    for (int i = 0; i < 3; ++i) two.launch_forever(i % 2 == 0 ? two.queue : two.other);
    two.client.put(two.other, command::Type::kCopy,
                   command::Copy{{}, RuntimeClient::kHostAt, two.from, 4000, 100, 0, 1000, 0});
    card->run_until(0, random.below(4000));
    Status status = Status::kAgain;
    for (int i = 0; i < 100 && status == Status::kAgain; ++i) status = two.client.detach().status;
    CHECK(status == Status::kOk);
    one.end(first);
    two.come();
    const uint32_t third = one.begin(random), second = two.begin(random);
    two.end(second);
    one.end(third);
  }
}

TEST_CASE("runtime: what a kernel leaves in the cores no other client's kernel finds") {
  const Rig rig;
  const auto card = rig.open();
  Sharer one(*card, kWindows[0]), two(*card, kWindows[1]);
  Remains its(one), looks(two);
  // Its own client finds it.
  one.client.finish(one.queue, its.launch("leave"));
  one.client.finish(one.queue, its.launch("look"));
  CHECK(its.found() > its.cpes * cpe::kRemainsBytes / sizeof(uint32_t) / 2);

  its.launch("leave");
  one.client.finish(one.queue, its.launch("leave_shape"));
  two.client.finish(two.queue, looks.launch("look"));
  CHECK(looks.found() == 0);

  // The shortest watchdog is long enough to clear everything.
  one.client.finish(one.queue, its.launch("leave"));
  const uint32_t stopped = looks.launch("look", 1);
  REQUIRE(two.client.wait(two.queue, stopped));
  CHECK(two.client.line(two.queue).status == Status::kKernelTimeout);
  two.client.reset_queue(two.queue);
  two.client.finish(two.queue, looks.launch("look"));
  CHECK(looks.found() == 0);

  // A client dies while the other one's launch waits behind its own.
  its.launch("leave");
  one.launch_forever(one.queue);
  const uint32_t last = looks.launch("look");
  card->run_until(0, 200'000);
  for (Status status = Status::kAgain; status == Status::kAgain;) status = one.client.detach().status;
  two.client.finish(two.queue, last);
  CHECK(looks.found() == 0);
}

TEST_CASE("runtime: whatever kernels leave set in the cores, clearing memory writes what it is to") {
  const Rig rig;
  const auto card = rig.open();
  Sharer keeps(*card, kWindows[0]), one(*card, kWindows[1]);
  Remains leaves(one);
  // Blocks of one that keeps them, with something in the lines that cores begin with.
  constexpr uint64_t kBlock = 2 << 20;
  constexpr uint64_t kEach = 4096;
  std::vector<uint64_t> places;
  for (int i = 0; i < 2; ++i) places.push_back(keeps.client.allocate(kBlock, Usage::kCpe));
  for (uint64_t i = 0; i < kEach; ++i) keeps.client.host()[i] = static_cast<uint8_t>(1 + i % 251);
  for (const uint64_t place : places)
    keeps.client.finish(keeps.queue, keeps.client.copy(keeps.queue, place, 0, kEach, false));
  // All that is left, but for a block, is the other one's, who goes.
  const auto ask = [&](Sharer& sharer, uint64_t bytes) {
    return sharer.client.ask(protocol::Operation::kAllocate,
                             {sharer.client.context, bytes, protocol::AllocateFlags{Usage::kCpe, 0}.bits()});
  };
  const auto memory = one.client.ask(protocol::Operation::kMemoryInfo, {one.client.context, 0});
  REQUIRE(memory.ok());
  const uint64_t most = memory.values[2] / kBlock * kBlock - kBlock;
  REQUIRE(ask(one, most).ok());
  one.client.finish(one.queue, leaves.launch("leave_shape"));
  Status status = Status::kAgain;
  while (status == Status::kAgain) status = one.client.detach().status;
  CHECK(status == Status::kOk);
  // It goes step by step, and then what it had has to be cleared.
  bool waits = false;
  auto got = ask(keeps, 4 * kBlock);
  for (int i = 0; i < 1000 && !got.ok(); ++i) {
    waits |= got.status == Status::kAgain;
    card->run_until(0, 10'000);
    got = ask(keeps, 4 * kBlock);
  }
  CHECK(waits);
  CHECK(got.ok());
  for (const uint64_t place : places) {
    std::fill_n(keeps.client.host() + kBack, kEach, uint8_t{0});
    keeps.client.finish(keeps.queue, keeps.client.copy(keeps.queue, place, kBack, kEach, true));
    CHECK(std::equal(keeps.client.host(), keeps.client.host() + kEach, keeps.client.host() + kBack));
  }
}

}  // namespace swai::system
