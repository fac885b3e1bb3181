// SPDX-License-Identifier: Apache-2.0
// Time: when it passes and when it stands still, RUN_UNTIL, and that nothing else has a say in it.
#include <doctest/doctest.h>
#include <sys/resource.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "host/transport/card.hpp"
#include "verif/host/transport/rig.hpp"

namespace swai::socket {
namespace {

// The vendor region, from its page in docs/.
constexpr unsigned kVendor = 9;
constexpr uint64_t kMode = 0x40;
constexpr uint64_t kCycle = 0x48;
constexpr uint64_t kPending = 0x70;
constexpr uint64_t kRequest = 0x80;
constexpr uint64_t kRun = 0xa0;
constexpr uint64_t kInterrupt = 1;
constexpr uint64_t kLimit = 2;
constexpr uint64_t kAsleep = 3;

struct Ran {
  uint64_t cause;
  uint64_t vectors;
  uint64_t cycle;
};

Ran run_until(RawClient& client, uint64_t vectors, uint64_t limit, uint64_t flags = 1) {
  client.write(kVendor, kRequest, Pack().u64(vectors).u64(limit).u64(flags));
  const RawBytes result = client.read(kVendor, kRun, 24);
  return {number_at(result, 0, 8), number_at(result, 8, 8), number_at(result, 16, 8)};
}

RawBytes timer(uint64_t cycles) { return Pack().raw(region_access(kFakeTimer, 4, 8)).u64(cycles); }

void refuse_write(RawClient& client, uint64_t offset, const RawBytes& data, int error = EINVAL) {
  client.refuse(10, Pack().raw(region_access(offset, kVendor, data.size())).raw(data), error);
}

uint64_t cpu_microseconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1'000'000 +
         static_cast<uint64_t>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

}  // namespace

TEST_CASE("the vendor region says who the card is") {
  Rig rig(2);
  RawClient client(rig.connection(1), rig.turner());
  client.hello();
  const RawBytes words = client.read(kVendor, 0, 0x40);
  CHECK(std::string(words.begin(), words.begin() + 8) == "SWAVND01");
  CHECK(number_at(words, 8, 4) == 1);
  CHECK(number_at(words, 0x10, 4) == 1);
  CHECK(number_at(words, 0x14, 4) == 2);
  CHECK(number_at(words, 0x18, 8) == 32);
  CHECK(std::string(words.begin() + 0x20, words.begin() + 0x25) == std::string("fake\0", 5));
  CHECK(client.read(kVendor, 0, 0x1000).size() == 0x1000);
  client.refuse(9, region_access(4, kVendor, 8), EINVAL);
  client.refuse(9, region_access(0, kVendor, 4), EINVAL);
  client.refuse(9, region_access(0xff8, kVendor, 16), EINVAL);
  client.refuse(9, region_access(0xa0, kVendor, 12), EINVAL);
  const RawBytes word = Pack().u64(1);
  for (const uint64_t read_only :
       {0x0, 0x8, 0x48, 0x50, 0x68, 0x98, 0xa0, 0xa8, 0x128, 0x130, 0x138, 0xff8}) {
    refuse_write(client, read_only, word);
  }
  refuse_write(client, kMode, Pack().u64(2));
  refuse_write(client, 0x90, Pack().u64(2));
  refuse_write(client, kMode + 4, word);
  refuse_write(client, kMode, Pack().u32(1));
  // One bad word, and none is written.
  refuse_write(client, kRequest, Pack().u64(7).u64(8).u64(2));
  CHECK(client.read64(kVendor, kRequest) == 0);
}

TEST_CASE("deterministic time stands still outside reads and RUN_UNTIL") {
  Rig rig;
  RawClient client(rig.connection(), rig.turner());
  client.hello();
  client.write64(kVendor, kMode, 1);
  client.send(10, timer(5000), {}, 0x10);
  rig.settle();
  CHECK(client.read64(kVendor, kCycle) == 0);
  client.read(7, 0, 4);
  const uint64_t now = client.read64(kVendor, kCycle);
  CHECK(now >= kFakeReadCycles);
  CHECK(now < kFakeReadCycles + 100);
  rig.settle();
  CHECK(client.read64(kVendor, kCycle) == now);
  client.write64(0, 0, 1);
  client.map(0, 0x1000);
  rig.settle();
  CHECK(client.read64(kVendor, kCycle) == now);

  // Back in free time, the card's work goes on by itself, and then the clock stops.
  client.write64(kVendor, kMode, 0);
  rig.settle();
  CHECK(client.read64(kVendor, kPending) == 2);
  CHECK(client.read64(kVendor, kCycle) > 5000);
  const uint64_t end = client.read64(kVendor, kCycle);
  rig.settle();
  CHECK(client.read64(kVendor, kCycle) == end);
}

TEST_CASE("until its first access to the card, a client finds time standing still") {
  Rig rig;
  FakeDevice& card = rig.card();
  card.region_write(4, kFakeTimer, Pack().u64(100).operator RawBytes());
  RawClient client(rig.connection(), rig.turner());
  client.hello();
  client.map(0, 0x1000);
  client.done(5, Pack().u32(32).u32(0).u32(0).u32(0).u64(0).u64(0));
  rig.settle();
  CHECK(client.read64(kVendor, kCycle) == 0);
  client.read(7, 0, 1);
  rig.settle();
  CHECK(client.read64(kVendor, kCycle) > 0);
}

TEST_CASE("RUN_UNTIL: limits, interrupts, sleep") {
  Rig rig;
  RawClient client(rig.connection(), rig.turner());
  client.hello();
  client.write64(kVendor, kMode, 1);
  Ran ran = run_until(client, 2, 1000);
  CHECK(ran.cause == kAsleep);
  CHECK(ran.cycle == 0);
  CHECK(run_until(client, 2, 0).cause == kLimit);
  client.call(10, timer(5000));
  ran = run_until(client, 2, 1000);
  CHECK(ran.cause == kLimit);
  CHECK(ran.cycle == 1000);
  ran = run_until(client, 2, 1500, 0);
  CHECK(ran.cycle == 1500);
  ran = run_until(client, 2, 700, 0);  // in the past
  CHECK(ran.cause == kLimit);
  CHECK(ran.cycle == 1500);
  ran = run_until(client, 2, 0);
  CHECK(ran.cycle == 1500);
  ran = run_until(client, 2, ~uint64_t{0});
  CHECK(ran.cause == kInterrupt);
  CHECK(ran.vectors == 2);
  const uint64_t fired = ran.cycle;
  CHECK(fired > 5000);
  CHECK(client.read64(kVendor, kPending) == 0);
  CHECK(client.read64(kVendor, kRun) == kAsleep);                         // a run of its own
  CHECK(number_at(client.read(kVendor, kRun - 8, 16), 8, 8) == kAsleep);  // and this is its result
}

TEST_CASE("RUN_UNTIL: what has fired waits to be taken") {
  Rig rig;
  RawClient client(rig.connection(), rig.turner());
  client.hello();
  client.write64(kVendor, kMode, 1);
  client.call(10, timer(500));
  Ran ran = run_until(client, 0, 10000);  // nobody waits for it
  CHECK(ran.cause == kAsleep);
  CHECK(client.read64(kVendor, kPending) == 2);
  ran = run_until(client, 4, 10000);
  CHECK(ran.cause == kAsleep);
  ran = run_until(client, 6, 10000);
  CHECK(ran.cause == kInterrupt);
  CHECK(ran.vectors == 2);
  CHECK(client.read64(kVendor, kPending) == 0);
  client.done(8, Pack().u32(20).u32(33).u32(2).u32(3).u32(2));
  CHECK(client.read64(kVendor, kPending) == 0x18);
  client.write64(kVendor, kPending, 0x8);
  CHECK(client.read64(kVendor, kPending) == 0x10);
  client.done(13, {});
  CHECK(client.read64(kVendor, kPending) == 0);
  // An interrupt in the very cycle of the limit wins.
  client.call(10, timer(500));
  const uint64_t at = client.read64(kVendor, kCycle);
  ran = run_until(client, 2, 100000);
  const uint64_t latency = ran.cycle - at;
  client.done(13, {});
  client.call(10, timer(500));
  ran = run_until(client, 2, latency);
  CHECK(ran.cause == kInterrupt);
  client.done(13, {});
  client.call(10, timer(500));
  ran = run_until(client, 2, latency - 1);
  CHECK(ran.cause == kLimit);
}

TEST_CASE("a read that the card never answers ends when the card sleeps") {
  Rig rig;
  RawClient client(rig.connection(), rig.turner());
  client.hello();
  client.write64(0, 0, 5);
  rig.card().swallow_next_read();
  client.refuse(9, region_access(0, 0, 4), EIO);
  CHECK(client.read64(0, 0) == 0);  // the card was reset
}

TEST_CASE("commands of the vendor region") {
  Rig rig;
  RawClient client(rig.connection(), rig.turner());
  client.hello();
  client.write(kVendor, 0x100, Pack().u64(3).u64(4).u64(5).u64(6).u64(6));
  CHECK(client.read64(kVendor, 0x120) == 6);
  CHECK(client.read64(kVendor, 0x128) == 0);
  CHECK(client.read64(kVendor, 0x130) == 18);
  refuse_write(client, 0x120, Pack().u64(4), ENOTSUP);
  CHECK(client.read64(kVendor, 0x128) == ENOTSUP);
}

TEST_CASE("two deterministic clients share one clock") {
  Rig rig(2);
  link::Card a(link::open_in_process(rig.in_process(0)));
  link::Card b(link::open_in_process(rig.in_process(1)));
  CHECK(a.describe().cards == 2);
  CHECK(b.describe().card == 1);
  a.post<uint64_t>(4, kFakeTimer, 1000);
  b.post<uint64_t>(4, kFakeTimer, 3000);
  CHECK(a.run_until(2, 10'000).cause == link::vendor::Cause::kInterrupt);
  CHECK(b.cycle() == a.cycle());
  const auto ran = b.run_until(2, 10'000);
  CHECK(ran.cause == link::vendor::Cause::kInterrupt);
  CHECK(a.cycle() == ran.cycle);
  // A client in free time is held by a deterministic one, except inside its own reads.
  b.close();
  rig.settle();
  link::VfioUserOptions options;
  options.deterministic = false;
  link::Card free(link::open_in_process(rig.in_process(1), options));
  free.post<uint64_t>(4, kFakeTimer, 100'000);
  const uint64_t now = a.cycle();
  rig.settle();
  CHECK(a.cycle() == now);
  CHECK(free.read<uint16_t>(7, 0) == kFakeVendor);
  CHECK(a.cycle() > now);
  a.close();
  CHECK(free.wait_interrupt(2, link::Milliseconds(30'000)) == 2);
}

TEST_CASE("long runs are not chopped up") {
  Rig rig;
  link::Card card(link::open_in_process(rig.in_process()));
  card.post<uint64_t>(4, kFakeTimer, 1'000'000'000);
  CHECK(card.run_until(2, 2'000'000'000).vectors == 2);
  CHECK(rig.clock.runs() < 2000);
}

TEST_CASE("an idle card costs no time of the host") {
  Rig rig;
  rig.start();
  link::VfioUserOptions options;
  options.deterministic = false;
  const auto card = link::Card::open(rig.path(), options);
  card->post<uint64_t>(4, kFakeTimer, 1000);
  CHECK(card->wait_interrupt(2, link::Milliseconds(30'000)) == 2);
  const uint64_t before = cpu_microseconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  CHECK(cpu_microseconds() - before < 100'000);
}

}  // namespace swai::socket
