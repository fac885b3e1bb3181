// SPDX-License-Identifier: Apache-2.0
// The kernel's runtime side on the card, spoken to word by word.
#include <doctest/doctest.h>

#include <algorithm>

#include "abi/kernel_arguments.hpp"
#include "abi/launch.hpp"
#include "abi/two_level.hpp"
#include "sim/common/random.hpp"
#include "verif/kit/doctest_main.hpp"
#include "verif/system/rig.hpp"
#include "verif/system/runtime_client.hpp"

namespace swai::system {
namespace {

using protocol::Operation;
using protocol::Status;
using protocol::Usage;

struct OnCard {
  SharedRig rig;
  std::unique_ptr<link::Card> card = rig->open();
  std::optional<RuntimeClient> client;
  OnCard() {
    client.emplace(*card);
    client->attach();
  }
  void leave() {
    client.reset();
    card.reset();
  }
  // Another client on the same card.
  RuntimeClient& again() {
    leave();
    card = rig->open();
    client.emplace(*card);
    client->attach();
    return *client;
  }
};

// Random bytes in host memory from `offset` on.
std::vector<uint8_t> draw(RuntimeClient& client, verif::Random& random, uint64_t offset, size_t bytes) {
  std::vector<uint8_t> drawn(bytes);
  for (auto& byte : drawn) byte = static_cast<uint8_t>(random.next());
  std::ranges::copy(drawn, client.host() + offset);
  return drawn;
}
bool holds(RuntimeClient& client, uint64_t offset, const std::vector<uint8_t>& bytes) {
  return std::equal(bytes.begin(), bytes.end(), client.host() + offset);
}
uint64_t free_memory(RuntimeClient& client) {
  const auto reply = client.ask(Operation::kMemoryInfo, {client.context, 0});
  REQUIRE(reply.ok());
  return reply.values[0];
}
template <typename T>
cpe::GlobalPtr<T> global(uint64_t pointer) {
  return cpe::GlobalPtr<T>(pointer);
}

// A copy there, by the CPEs, and back.
void prove(RuntimeClient& client, unsigned queue, const RuntimeClient::Loaded& copy, verif::Random& random) {
  const auto bytes = draw(client, random, 0, 1 + random.below(3000));
  const uint64_t from = client.allocate(4096), to = client.allocate(4096, Usage::kCpe);
  client.copy(queue, from, 0, bytes.size(), false);
  const cpe::CopyArgs arguments = {global<void>(to), global<const void>(from),
                                   static_cast<uint32_t>(bytes.size()), 0};
  client.launch(queue, copy.handle, copy.kernel("copy"), RuntimeClient::bytes_of(arguments));
  std::fill_n(client.host() + kBack, 4096, uint8_t{0});
  client.finish(queue, client.copy(queue, to, kBack, bytes.size(), true));
  CHECK(holds(client, kBack, bytes));
  CHECK(client.release(from) == Status::kOk);
  CHECK(client.release(to) == Status::kOk);
}

}  // namespace

TEST_CASE("runtime: handshake, requests and their errors") {
  OnCard on;
  RuntimeClient& client = *on.client;
  CHECK(client.info.groups == 1);
  CHECK(client.info.queues == protocol::kQueues);
  const uint64_t context = client.context;
  CHECK(context != 0);
  CHECK(client.ask(Operation::kAttach, {0x7fff0000u | 0x7fff, 0, 0}).status == Status::kVersion);
  CHECK(client.ask(Operation::kAllocate, {context + 1, 64, 0}).status == Status::kNotAttached);
  CHECK(client.ask(static_cast<Operation>(77), {context}).status == Status::kBadOperation);
  CHECK(client.ask(Operation::kAllocate, {context, 0, 0}).status == Status::kBadOperation);
  CHECK(client.ask(Operation::kAllocate, {context, 64, 3}).status == Status::kBadOperation);
  CHECK(client.ask(Operation::kAllocate, {context, uint64_t{1} << 50, 0}).status == Status::kNoMemory);
  CHECK(client.ask(Operation::kFree, {context, 0}).status == Status::kBadPointer);
  CHECK(client.ask(Operation::kQueueReset, {context, 3}).status == Status::kBadHandle);
  CHECK(client.ask(Operation::kModuleInfo, {context, 0}).status == Status::kBadHandle);

  const uint64_t before = free_memory(client);
  for (const Usage usage : {Usage::kCpe, Usage::kMpe, Usage::kShared}) {
    for (const uint64_t bytes : {64ull, 5000ull, 1ull << 20, 5ull << 20}) {
      const uint64_t pointer = client.allocate(bytes, usage);
      const auto found = client.ask(Operation::kPointerInfo, {context, pointer + bytes - 1});
      CHECK(found.ok());
      CHECK(found.values[2] == static_cast<uint64_t>(usage));
      CHECK(client.release(pointer) == Status::kOk);
      CHECK(client.release(pointer) == Status::kBadPointer);
    }
  }
  CHECK(free_memory(client) == before);
  client.allocate(64);
  client.allocate(64);
  MESSAGE("small allocation, as the host sees it: ", client.last_latency, " cycles");
  client.allocate(4 << 20);
  MESSAGE("large allocation: ", client.last_latency, " cycles");
  for (unsigned i = 0; i < protocol::kQueues; ++i) client.open_queue();
  CHECK(client.ask(Operation::kQueueOpen, {context}).status == Status::kNoQueue);
  CHECK(client.detach().ok());
  CHECK(client.ask(Operation::kAllocate, {context, 64, 0}).status == Status::kNotAttached);
  client.attach();
  CHECK(free_memory(client) == before);
}

TEST_CASE("runtime: copies, fills, launches, events") {
  OnCard on;
  RuntimeClient& client = *on.client;
  verif::Random random(test_seed());
  const unsigned queue = client.open_queue(), other = client.open_queue();
  const uint64_t before = free_memory(client);
  const auto copy = client.load(queue, "copy");
  for (int i = 0; i < 3; ++i) prove(client, queue, copy, random);

  // Rows, to the card and back.
  const uint64_t memory = client.allocate(64 << 10);
  const auto bytes = draw(client, random, 0, 40 * 100);
  client.put(queue, command::Type::kCopy,
             command::Copy{{}, RuntimeClient::kHostAt, memory, 100, 40, 0, 100, 256});
  std::fill_n(client.host() + kBack, bytes.size(), uint8_t{0});
  client.finish(queue,
                client.put(queue, command::Type::kCopy,
                           command::Copy{{}, RuntimeClient::kHostAt + kBack, memory, 100, 40, 1, 100, 256}));
  CHECK(holds(client, kBack, bytes));

  // On the card.
  client.put(queue, command::Type::kFill, command::Fill{{}, memory, 64, 40, 0x5a, 256});
  client.put(queue, command::Type::kCopyDevice,
             command::CopyDevice{{}, memory + (32 << 10), memory, 100, 40, command::Engine::kBest, 128, 256});
  client.finish(queue, client.copy(queue, memory + (32 << 10), kBack, 40 * 128, true));
  bool same = true;
  for (unsigned row = 0; row < 40; ++row) {
    for (unsigned i = 0; i < 100; ++i)
      same = same && client.host()[kBack + row * 128 + i] == (i < 64 ? 0x5a : bytes[row * 100 + i]);
  }
  CHECK(same);

  // An event holds the other queue.
  const uint32_t waits = client.put(other, command::Type::kEventWait, command::Event{{}, 7, 0, 2});
  client.put(queue, command::Type::kEventRecord, command::Event{{}, 7, 0, 0});
  CHECK_FALSE(client.wait(other, waits, 20'000));
  client.put(queue, command::Type::kEventRecord, command::Event{{}, 7, 0, 0});
  client.finish(other, waits);
  CHECK(client.event(7).count == 2);

  // A host function.
  const uint32_t call = client.put(other, command::Type::kHostCall, command::Header{});
  const uint32_t behind = client.put(other, command::Type::kMarker, command::Header{});
  CHECK_FALSE(client.wait(other, behind, 20'000));
  CHECK(client.line(other).waits == 1);
  CHECK(client.line(other).waiting == call);
  CHECK(client.ask(Operation::kResume, {client.context, other, call}).ok());
  client.finish(other, behind);

  // Many launches, more than the group's queue takes and than the queue has slots.
  const cpe::CopyArgs arguments = {global<void>(memory), global<const void>(memory + 8192), 64, 0};
  uint32_t last = 0;
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 30; ++i) {
      last = client.launch(i % 2 == 0 ? queue : other, copy.handle, copy.kernel("copy"),
                           RuntimeClient::bytes_of(arguments), i % 3 == 0 ? 1 : ~0u);
    }
    client.finish(other, last);
    client.finish(queue, client.next(queue) - 1);
  }
  CHECK(client.telemetry(protocol::Tag::kLaunches) >= 150);

  client.finish(queue,
                client.put(queue, command::Type::kModuleUnload, command::ModuleUnload{{}, copy.handle, 0}));
  CHECK(client.release(memory) == Status::kOk);
  CHECK(free_memory(client) == before);
}

TEST_CASE("runtime: failures stay in their queue") {
  OnCard on;
  RuntimeClient& client = *on.client;
  verif::Random random(test_seed());
  const unsigned good = client.open_queue(), bad = client.open_queue();
  const auto copy = client.load(good, "copy");
  const auto faults = client.load(good, "faults");
  const uint64_t memory = client.allocate(4096);
  const auto failed = [&](uint32_t sequence, Status status) {
    REQUIRE(client.wait(bad, client.put(bad, command::Type::kMarker, command::Header{})));
    const auto line = client.line(bad);
    INFO("wanted ", protocol::text(status), ", got ", protocol::text(line.status));
    CHECK(line.status == status);
    CHECK(line.failed == sequence);
    prove(client, good, copy, random);
    client.reset_queue(bad);
    prove(client, bad, copy, random);
    return line;
  };
  const auto fault = [&](const char* kernel, uint32_t culprit, uint32_t watchdog = 0) {
    const cpe::FaultArgs arguments = {global<void>(memory), culprit, 0};
    return client.launch(bad, faults.handle, faults.kernel(kernel), RuntimeClient::bytes_of(arguments), ~0u,
                         watchdog);
  };
  auto line = failed(fault("read_nowhere", 2), Status::kKernelFault);
  CHECK(line.detail == static_cast<uint16_t>(launch::Cause::kVacant));
  CHECK(line.detail_cpe == 2);
  CHECK(line.detail_pc != 0);
  line = failed(fault("endless_loop", 1, 20'000), Status::kKernelTimeout);
  CHECK(line.detail == static_cast<uint16_t>(launch::Cause::kWatchdog));
  CHECK(line.detail_cpe == 1);

  failed(client.copy(bad, 0x1234'0000'0000'0000, 0, 64, false), Status::kBadPointer);
  failed(client.copy(bad, memory, 0, 1 << 22, false), Status::kBadRange);
  failed(client.copy(bad, memory, RuntimeClient::kHostBytes * 64, 64, false), Status::kTransfer);
  // The same launch again, whose module is gone by then.
  const auto empty = client.load(bad, "empty");
  const auto start = [&] { return client.launch(bad, empty.handle, empty.kernel("empty"), {}); };
  start();
  client.finish(bad, start());
  client.finish(bad,
                client.put(bad, command::Type::kModuleUnload, command::ModuleUnload{{}, empty.handle, 0}));
  failed(start(), Status::kBadHandle);

  // Rows on the host that leave the address space, though the first one does not.
  failed(client.put(bad, command::Type::kCopy,
                    command::Copy{{}, RuntimeClient::kHostAt, memory, 64, 3, 0, uint64_t{1} << 63, 64}),
         Status::kBadRange);
  failed(
      client.put(bad, command::Type::kCopy,
                 command::Copy{{}, RuntimeClient::kHostAt, memory, 64, 2, 0, 0 - RuntimeClient::kHostAt, 64}),
      Status::kBadRange);
  failed(client.launch(bad, 63, 0, {}), Status::kBadHandle);
  failed(client.launch(bad, copy.handle, 0, {}), Status::kBadArguments);
  failed(client.launch(bad, copy.handle, 0, std::vector<uint8_t>(24), 1U << 31), Status::kBadMask);
  failed(client.put(bad, command::Type::kEventRecord, command::Event{{}, 5000, 0, 0}), Status::kBadHandle);
  failed(client.put(bad, command::Type::kModuleLoad, command::ModuleLoad{{}, memory, 4096}),
         Status::kModuleRefused);
  failed(client.put(bad, static_cast<command::Type>(99), command::Header{}), Status::kBadCommand);

  // Who waits for an event of a queue that has failed goes on.
  client.put(bad, static_cast<command::Type>(99), command::Header{});
  client.put(bad, command::Type::kEventRecord, command::Event{{}, 9, 0, 0});
  client.finish(good, client.put(good, command::Type::kEventWait, command::Event{{}, 9, 0, 1}));
}

TEST_CASE("runtime: what a queue that is fed from host memory cannot fetch") {
  OnCard on;
  RuntimeClient& client = *on.client;
  constexpr uint64_t kNowhere = 0x7'0000'0000;
  const unsigned queue = client.open_queue();
  CHECK(client.ask(Operation::kQueueFeed, {client.context, 11, RuntimeClient::kHostAt}).status ==
        Status::kBadHandle);
  const auto feed = [&](uint64_t ring, const two_level::Entry& entry) {
    REQUIRE(client.ask(Operation::kQueueFeed, {client.context, queue, ring}).ok());
    std::memcpy(client.host(), &entry, sizeof entry);
    client.write_word(two_level::kPutWord, 1);
    client.ring(two_level::kDoorbell);
  };
  // A ring, a buffer and the rest of a buffer that are not there; numbers of slots that cannot be.
  const uint64_t host = RuntimeClient::kHostAt;
  const std::array<std::pair<uint64_t, two_level::Entry>, 5> bad = {
      {{kNowhere, {}},
       {host, {kNowhere, 1, 0}},
       {host, {host + RuntimeClient::kHostBytes - protocol::kSlotBytes, 2, 0}},
       {host, {host, 0, 0}},
       {host, {host, command::kMaxSlots + 1, 0}}}};
  for (const auto& [ring, entry] : bad) {
    feed(ring, entry);
    // Not counted from the status page, which need not have heard of a reset yet.
    REQUIRE(client.wait(queue, client.next(queue)));
    CHECK(client.line(queue).status == Status::kBadCommand);
    CHECK(client.word(two_level::kGetWord) == 1);
    client.reset_queue(queue);
  }
}

TEST_CASE("runtime: garbage in the slots and words") {
  OnCard on;
  RuntimeClient& client = *on.client;
  verif::Random random(test_seed());
  const unsigned good = client.open_queue(), bad = client.open_queue();
  const auto copy = client.load(good, "copy");
  for (int round = 0; round < 20; ++round) {
    // All slots: some with the sequence number that is expected there.
    for (unsigned slot = 0; slot < protocol::kSlots; ++slot) {
      std::array<uint64_t, 8> words;
      for (auto& word : words) word = random.chance(50) ? random.next() : random.below(256);
      if (random.chance(80)) {
        const uint32_t sequence = client.next(bad) + (slot - client.next(bad)) % protocol::kSlots;
        const command::Header header = {sequence, static_cast<command::Type>(random.below(14)),
                                        static_cast<uint8_t>(random.below(4)), 0};
        std::memcpy(words.data(), &header, sizeof header);
      }
      client.card().post_block(kMemoryBar, client.slot_at(bad, slot), RuntimeClient::bytes_of(words));
    }
    for (unsigned i = 0; i < protocol::kQueues; ++i) client.ring(i);
    std::array<uint64_t, protocol::word::kArgumentCount> words;
    for (auto& word : words) word = random.next();
    if (random.chance(50)) words[0] = client.context;
    uint64_t request = random.next();
    if (random.chance(70)) request = (request & 0xffff'ffff) | (3 + random.below(10)) << 32;
    client.ask_raw(request | 1, words);
    prove(client, good, copy, random);
    // A host function may have been begun, or an event waited for: another queue takes its place then.
    const auto reset = client.ask(Operation::kQueueReset, {client.context, bad});
    if (!reset.ok()) {
      client.ask(Operation::kQueueClose, {client.context, bad});
      client.card().run_until(0, 20'000);
      CHECK(client.open_queue() == bad);
    } else {
      client.next(bad) = static_cast<uint32_t>(reset.values[0]);
    }
  }
  CHECK(client.telemetry(protocol::Tag::kBadSlots) > 0);
}

TEST_CASE("runtime: clients that leave, and one that dies with work under way") {
  OnCard on;
  verif::Random random(test_seed());
  const uint64_t before = free_memory(*on.client);
  for (int round = 0; round < 6; ++round) {
    RuntimeClient& client = *on.client;
    CHECK(free_memory(client) == before);
    const unsigned queue = client.open_queue(), other = client.open_queue();
    const auto copy = client.load(queue, "copy");
    const auto faults = client.load(queue, "faults");
    prove(client, queue, copy, random);
    for (int i = 0; i < 20; ++i)
      client.allocate(1 + random.below(3 << 20), static_cast<Usage>(random.below(3)));
    const uint64_t memory = client.allocate(1 << 20);
    const cpe::FaultArgs forever = {global<void>(memory), 0, 0};
    if (round % 2 == 0) {
      for (int i = 0; i < 4; ++i)
        client.launch(queue, faults.handle, faults.kernel("endless_loop"), RuntimeClient::bytes_of(forever));
    }
    client.put(other, command::Type::kCopy,
               command::Copy{{}, RuntimeClient::kHostAt, memory, 1000, 1000, 0, 1000, 1000});
    client.card().run_until(0, random.below(3000));
    // Leaves and comes back; leaves and ends its connection; dies.
    if (round < 4) CHECK(client.detach().ok());
    if (round < 2) {
      client.attach();
    } else {
      on.again();
    }
  }
}

}  // namespace swai::system
