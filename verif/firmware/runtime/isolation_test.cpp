// SPDX-License-Identifier: Apache-2.0
// Clients that share the card: how they come and go, what they cannot reach, and what one cannot spoil.
#include <doctest/doctest.h>

#include <memory>

#include "verif/firmware/runtime/guest.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::runtime {
namespace {

TEST_CASE("attaching: windows, places, queues, contexts, what is told of each") {
  verif::Random random(test_seed());
  Played played;
  const uint64_t free = played.free_memory();
  const auto attach = [&](uint64_t page, uint64_t options, uint64_t base, uint64_t bytes) {
    return played.ask(Operation::kAttach, {protocol::kVersion, page, options, base, bytes});
  };
  CHECK(attach(0, protocol::kShared, 0x1000, sizeof(protocol::StatusPage) - 1).status == Status::kBadRange);
  CHECK(attach(64, protocol::kShared, 0x1000, sizeof(protocol::StatusPage)).status == Status::kBadRange);
  CHECK(attach(0, protocol::kShared, ~uint64_t{0}, 1 << 20).status == Status::kBadRange);
  CHECK(attach(~uint64_t{0}, protocol::kShared, 0, 1 << 20).status == Status::kBadRange);

  std::array<std::unique_ptr<Guest>, protocol::kContexts> guests;
  for (unsigned i = 0; i < guests.size(); ++i) {
    guests[i] = std::make_unique<Guest>(played, window_of(i));
    REQUIRE(guests[i]->status == Status::kOk);
    for (unsigned k = 0; k < i; ++k) CHECK(guests[k]->context != guests[i]->context);
  }
  CHECK(Guest(played, window_of(8)).status == Status::kNoContext);
  // Greedy ones do not take what others have not asked for yet.
  unsigned queues = 0;
  for (auto& guest : guests) {
    while (guest->open(random)) ++queues;
    CHECK(guest->lanes.size() <= protocol::kSharedQueues);
    CHECK_FALSE(guest->lanes.empty());
  }
  CHECK(queues == protocol::kQueues);

  Guest& one = *guests[2];
  Guest::Lane& lane = one.lanes.front();
  one.load();
  one.copy(lane, lane.pointers[0], Guest::kAreas, 100, false);
  one.launch(lane, Guest::kSlow);
  one.finish(lane, one.copy(lane, lane.pointers[0], Guest::kAreas, 60, true));
  const protocol::ClientUsage usage = played.runtime().usage(one.context % protocol::kContexts);
  CHECK(usage.context == one.context);
  CHECK(usage.attached == protocol::Attached::kYes);
  CHECK(usage.queues == one.lanes.size());
  CHECK(usage.allocations == 2 * one.lanes.size() + 1);
  CHECK(usage.memory >= usage.allocations * 256 - 256);
  CHECK(usage.modules == 1);
  CHECK(usage.commands >= 5);
  CHECK(usage.launches >= 2);
  CHECK(usage.busy >= 100'000);
  CHECK(usage.busy < 110'000);
  CHECK(usage.bytes_to_card == 100 + sdaa::fake_module().size());
  CHECK(usage.bytes_to_host == 60);
  // The others did not.
  CHECK(played.runtime().usage(guests[1]->context % protocol::kContexts).bytes_to_card == 0);

  // Who asks once more is told the same, who has gone is not there.
  CHECK(one.detach() == Status::kOk);
  CHECK(one.ask(Operation::kAllocate, {64, 0}).status == Status::kNotAttached);
  played.run(100);
  CHECK(one.detach() == Status::kOk);
  CHECK(played.runtime().usage(one.context % protocol::kContexts).launches == usage.launches);
  const uint64_t gone = one.context;
  guests[2] = std::make_unique<Guest>(played, window_of(2));
  CHECK(guests[2]->status == Status::kOk);
  CHECK(played.ask(Operation::kDetach, {gone}).status == Status::kNotAttached);
  // Alone on the link: all others are dead.
  CHECK(attach(0, 0, 0, 0).status == Status::kNoContext);
  for (auto& guest : guests) CHECK(guest->ask(Operation::kQueueOpen, {}).status == Status::kNotAttached);
  check_nothing_left(played, free);
}

TEST_CASE("completions and copies survive channels that fail and then take long to begin anew") {
  verif::Random random(test_seed());
  Played played;
  Guest one(played, window_of(0)), two(played, window_of(1));
  REQUIRE(one.open(random));
  REQUIRE(two.open(random));
  Guest::Lane& hers = one.lanes.front();
  Guest::Lane& his = two.lanes.front();
  played.run(100);
  // The end of his window is not there.
  played.processor().mappings[window_of(1)].bytes = Guest::kHostBytes - 4096;
  for (const uint64_t looks : {uint64_t{0}, uint64_t{150}, uint64_t{1000}}) {
    INFO(looks << " looks in vain");
    played.processor().failed_looks = looks;
    one.unmap();
    const uint32_t lost = one.put(hers, command::Type::kMarker, command::Header{});
    two.finish(his, two.put(his, command::Type::kMarker, command::Header{}));
    two.finish(his, two.put(his, command::Type::kMarker, command::Header{}));
    // Of all seven channels.
    for (int i = 0; i < 8; ++i) {
      two.fails(his, two.copy(his, his.pointers[0], Guest::kHostBytes - 64, 64, false), Status::kTransfer);
      two.finish(his, two.copy(his, his.pointers[0], Guest::kAreas, 64, true));
    }
    one.map();
    one.finish(hers, one.put(hers, command::Type::kMarker, command::Header{}));
    CHECK(one.complete(hers, lost));
  }
}

TEST_CASE("who keeps the link vouches for all who attach") {
  Played played;
  constexpr uint64_t kKey = 0x1234'5678'9abc'def0;
  const auto attach = [&](uint64_t version, uint64_t options, uint64_t base, uint64_t bytes, uint64_t key) {
    return played.ask(Operation::kAttach, {version, 0, options, base, bytes, key});
  };
  const auto keeper = attach(protocol::kVersion, 0, 0, 0, kKey);
  REQUIRE(keeper.ok());
  CHECK(played.ask(Operation::kDetach, {keeper.values[0]}).ok());
  played.run(100);
  const auto one = attach(protocol::kVersion, protocol::kShared, window_of(0), Guest::kHostBytes, kKey);
  const auto two = attach(protocol::kVersion, protocol::kShared, window_of(1), Guest::kHostBytes, kKey);
  REQUIRE(one.ok());
  REQUIRE(two.ok());
  // What a client says once more, its context in front, which passes as a version: the link for itself, or
  // another one's window.
  for (const uint64_t version : {one.values[0], uint64_t{protocol::kVersion}}) {
    for (const uint64_t key : {uint64_t{0}, kKey + 1}) {
      for (const uint64_t options : {uint64_t{0}, uint64_t{protocol::kShared}}) {
        const auto reply =
            attach(version | protocol::kVersion, options, window_of(1), Guest::kHostBytes, key);
        CHECK(reply.status == Status::kNotAttached);
      }
    }
  }
  for (const auto& client : {one, two}) CHECK(played.ask(Operation::kQueueOpen, {client.values[0]}).ok());
  // Behind a reset of the function the link is another one's.
  played.processor().cut_off();
  CHECK(attach(protocol::kVersion, 0, 0, 0, 0).status == Status::kNoContext);
  played.run(100);
  const auto next = attach(protocol::kVersion, 0, 0, 0, 0);
  CHECK(next.ok());
  CHECK(played.ask(Operation::kDetach, {next.values[0]}).ok());
  played.run(100);
  CHECK(attach(protocol::kVersion, protocol::kShared, window_of(0), Guest::kHostBytes, 0).ok());
}

TEST_CASE("what one client has, another cannot name") {
  verif::Random random(test_seed());
  Played played;
  const auto victim = make_guest(played, random, 0), thief = make_guest(played, random, 1);
  Guest::Lane& theirs = victim->lanes.front();
  Guest::Lane& lane = thief->lanes.front();
  const uint64_t pointer = theirs.pointers[0], own = lane.pointers[0];
  std::fill_n(theirs.bytes[0].begin(), Guest::kBytes, uint8_t{0x77});
  victim->finish(theirs, victim->put(theirs, command::Type::kFill,
                                     command::Fill{{}, pointer, Guest::kBytes, 1, 0x77, 0}));

  thief->fails(lane, thief->copy(lane, pointer, Guest::kAreas, 64, true), Status::kBadPointer);
  thief->fails(lane, thief->copy(lane, own, Guest::kHostBytes - 63, 64, true), Status::kBadRange);
  thief->fails(lane, thief->copy(lane, own, Guest::kHostBytes, 64, false), Status::kBadRange);
  thief->fails(lane, thief->copy(lane, own, window_of(0) - window_of(1), 64, false), Status::kBadRange);
  // The last of several rows.
  thief->fails(lane,
               thief->put(lane, command::Type::kCopy,
                          command::Copy{{}, Guest::kHostBytes - 2 * 64, own, 32, 3, 1, 64, 32}),
               Status::kBadRange);
  thief->finish(lane, thief->put(lane, command::Type::kCopy,
                                 command::Copy{{}, Guest::kHostBytes - 2 * 64, own, 64, 2, 1, 64, 64}));
  thief->fails(lane, thief->put(lane, command::Type::kFill, command::Fill{{}, pointer, 64, 1, 0, 0}),
               Status::kBadPointer);
  thief->fails(lane,
               thief->put(lane, command::Type::kCopyDevice,
                          command::CopyDevice{{}, own, pointer, 64, 1, command::Engine::kBest, 0, 0}),
               Status::kBadPointer);
  thief->fails(lane, thief->axpy(lane, own, pointer, 1), Status::kKernelFault);
  const uint16_t module = thief->module;
  thief->module = victim->module;
  thief->fails(lane, thief->launch(lane, Guest::kNothing), Status::kBadHandle);
  thief->module = module;
  thief->fails(lane,
               thief->put(lane, command::Type::kModuleUnload, command::ModuleUnload{{}, victim->module, 0}),
               Status::kBadHandle);
  // Where its own memory fails it hears its own names.
  thief->unmap();
  played.processor().mappings[window_of(1)] = {const_cast<uint8_t*>(thief->host().data()), Guest::kAreas,
                                               true, true};
  thief->fails(lane, thief->copy(lane, own, Guest::kAreas + 128, 64, false), Status::kTransfer);
  thief->map();

  // Events of the same number.
  for (int i = 0; i < 3; ++i) thief->put(lane, command::Type::kEventRecord, command::Event{{}, 9, 0, 0});
  const uint32_t waits = victim->put(theirs, command::Type::kEventWait, command::Event{{}, 9, 0, 1});
  played.run(100);
  CHECK_FALSE(victim->complete(theirs, waits));
  CHECK(victim->event(9).count == 0);
  CHECK(thief->event(9).count == 3);
  // A queue of one that left is empty for the next one, though its slots were full.
  const unsigned number = theirs.number;
  for (int i = 0; i < 40; ++i) victim->copy(theirs, pointer, Guest::kAreas, 64, true);
  CHECK(victim->detach() == Status::kOk);
  played.run(200);
  Guest next(played, window_of(2));
  REQUIRE(next.open(random));
  REQUIRE(next.lanes.front().number == number);
  played.run(200);
  CHECK(next.line(next.lanes.front()).completed + 1 == next.lanes.front().next);
  CHECK(thief->event(9).count == 3);
}

// Commands that lie in memory of the card, as host memory has them at `area`.
template <typename Command>
void add(Guest& guest, uint64_t area, command::Type type, Command command, uint16_t flags = 0) {
  command.header = {77, type, 1, flags};
  std::memcpy(guest.area(area), &command, sizeof command);
}

// An oracle of the played card: firmware that looks whose memory it is never comes so far.
TEST_CASE("the played engine does not copy between a client's window and another one's memory") {
  Played played;
  Guest one(played, window_of(0)), other(played, window_of(1));
  const auto physical = [](Guest& guest, uint64_t pointer) {
    const auto reply = guest.ask(Operation::kPointerInfo, {pointer});
    REQUIRE(reply.ok());
    return reply.values[3];
  };
  const auto copy = [&](uint64_t card) {
    played.processor().check_transfer(
        {.host = window_of(0), .card = card, .length = 64, .flags = 0, .tag = 0, .reserved = 0});
  };
  for (const auto usage : {protocol::Usage::kCpe, protocol::Usage::kMpe, protocol::Usage::kShared}) {
    CAPTURE(static_cast<unsigned>(usage));
    const uint64_t theirs = physical(other, other.allocate(4096, usage));
    CHECK_NOTHROW(copy(physical(one, one.allocate(4096, usage))));
    CHECK_THROWS_AS(copy(theirs), std::runtime_error);
    // Its last byte is.
    CHECK_THROWS_AS(copy(theirs - 63), std::runtime_error);
  }
}

TEST_CASE("graphs: of memory that is another's, was freed or is no graph; what a client changes is checked") {
  verif::Random random(test_seed());
  Played played;
  const auto victim = make_guest(played, random, 0), thief = make_guest(played, random, 1);
  Guest::Lane& lane = thief->lanes.front();
  const uint64_t theirs = victim->allocate(4096, protocol::Usage::kShared);
  const uint64_t own = lane.pointers[0], graph = thief->allocate(4096, protocol::Usage::kShared);
  const auto run = [&](uint64_t commands, uint64_t bytes) {
    return thief->put(lane, command::Type::kGraph, command::Graph{{}, commands, bytes});
  };
  const auto write = [&](uint32_t slots) {
    thief->finish(lane, thief->copy(lane, graph, Guest::kAreas, slots * protocol::kSlotBytes, false));
  };
  const command::Fill fill = {{}, own, 64, 2, 0x33, 64};
  add(*thief, Guest::kAreas, command::Type::kFill, fill);
  add(*thief, Guest::kAreas + 64, command::Type::kCopy,
      command::Copy{{}, Guest::kAreas, own, 64, 1, 1, 0, 0});
  write(2);
  thief->finish(lane, run(graph, 128));
  CHECK(*thief->area(Guest::kAreas) == 0x33);

  // Not all of it, or not where commands can lie.
  thief->fails(lane, run(theirs, 128), Status::kBadPointer);
  thief->fails(lane, run(graph, 0), Status::kBadRange);
  thief->fails(lane, run(graph, 96), Status::kBadRange);
  thief->fails(lane, run(graph + 8, 64), Status::kBadRange);
  thief->fails(lane, run(graph, command::kMaxGraphBytes + 64), Status::kBadRange);
  thief->fails(lane, run(~uint64_t{63}, 64), Status::kBadRange);
  const uint64_t large = thief->allocate(2 << 20, protocol::Usage::kShared);
  thief->fails(lane, run(large + (2 << 20) - 64, 128), Status::kBadRange);
  CHECK(thief->ask(Operation::kFree, {large}).ok());
  thief->fails(lane, run(large, 64), Status::kBadPointer);
  const uint64_t cores = thief->allocate(2 << 20, protocol::Usage::kCpe);
  thief->fails(lane, run(cores, 64), Status::kBadPointer);

  // Commands that another one could not give, either.
  const auto refused = [&](auto type, auto command, Status status, uint16_t flags = 0) {
    add(*thief, Guest::kAreas, type, command, flags);
    write(1);
    thief->fails(lane, run(graph, 64), status);
  };
  refused(command::Type::kFill, command::Fill{{}, theirs, 64, 1, 0, 0}, Status::kBadPointer);
  refused(command::Type::kCopy, command::Copy{{}, Guest::kAreas, theirs, 64, 1, 1, 0, 0},
          Status::kBadPointer);
  refused(command::Type::kCopy, command::Copy{{}, Guest::kHostBytes, own, 64, 1, 1, 0, 0}, Status::kBadRange);
  refused(command::Type::kCopy, command::Copy{{}, 0, own, 64, 1, 0, 0, 0}, Status::kBadOperation,
          command::kPaged);
  refused(command::Type::kCopyDevice,
          command::CopyDevice{{}, own, theirs, 64, 1, command::Engine::kBest, 0, 0}, Status::kBadPointer);
  refused(command::Type::kLaunch, command::Launch{{}, victim->module, 0, 0, 0xff, 0, ~0U, 0},
          Status::kBadHandle);
  refused(command::Type::kLaunch, command::Launch{{}, thief->module, Guest::kAxpyInt, 8, 0, 0, ~0U, 0},
          Status::kBadArguments);
  refused(command::Type::kLaunch, command::Launch{{}, thief->module, 0, 0, 9, 0, ~0U, 0},
          Status::kBadOperation);
  refused(command::Type::kLaunch, command::Launch{{}, thief->module, Guest::kBreakpoint, 0, 0, 0, ~0U, 0},
          Status::kKernelFault);
  refused(command::Type::kGraph, command::Graph{{}, graph, 64}, Status::kBadCommand);
  refused(command::Type::kMarker, command::Graph{}, Status::kBadCommand);
  refused(command::Type::kEventWait, command::Event{{}, 1, 0, 9}, Status::kBadCommand);
  refused(command::Type::kModuleUnload, command::ModuleUnload{{}, thief->module, 0}, Status::kBadCommand);
  CHECK(thief->line(lane).node == 77);  // as the client calls it
  auto* header = reinterpret_cast<command::Header*>(thief->area(Guest::kAreas));
  for (const uint8_t slots : {0, 2, 17, 255}) {
    add(*thief, Guest::kAreas, command::Type::kFill, fill);
    header->slots = slots;
    write(1);
    thief->fails(lane, run(graph, 64), Status::kBadCommand);
  }

  // Freed, or changed, between two of its launches.
  for (const bool frees : {false, true}) {
    const uint64_t slow = thief->allocate(2 << 20, protocol::Usage::kShared);
    for (unsigned i = 0; i < 20; ++i)
      add(*thief, Guest::kAreas + i * 64, command::Type::kLaunch,
          command::Launch{{}, thief->module, Guest::kSlow, 0, 0, 0, ~0U, 0});
    thief->finish(lane, thief->copy(lane, slow, Guest::kAreas, 20 * 64, false));
    const uint32_t sequence = run(slow, 20 * 64);
    played.run(2);
    CHECK_FALSE(thief->complete(lane, sequence));
    if (frees) {
      CHECK(thief->ask(Operation::kFree, {slow}).ok());
      CHECK(victim->allocate(2 << 20, protocol::Usage::kShared) != 0);
      thief->fails(lane, sequence, Status::kBadPointer);
    } else {
      played.processor().zero(thief->ask(Operation::kPointerInfo, {slow}).values[3], 20 * 64);
      thief->fails(lane, sequence, Status::kBadCommand);
    }
  }
  // The host's slot, while its graph runs: nothing of the client's hangs, and the queue goes on.
  for (unsigned i = 0; i < 9; ++i)
    add(*thief, Guest::kAreas + i * 64, command::Type::kLaunch,
        command::Launch{{}, thief->module, Guest::kSlow, 0, 0, 0, ~0U, 0});
  write(9);
  run(graph, 9 * 64);
  played.run(2);
  --lane.next;
  thief->finish(lane, thief->put(lane, command::Type::kMarker, command::Graph{}));
  add(*thief, Guest::kAreas, command::Type::kFill, fill);
  write(1);
  thief->finish(lane, run(graph, 64));
  // One that leaves with a graph under way.
  for (unsigned i = 0; i < 9; ++i)
    add(*thief, Guest::kAreas + i * 64, command::Type::kLaunch,
        command::Launch{{}, thief->module, Guest::kHang, 0, 0, 0, ~0U, 0});
  write(9);
  run(graph, 9 * 64);
  played.run(2);
  CHECK(thief->detach() == Status::kOk);
  played.run(100);
  Guest::Lane& good = victim->lanes.front();
  victim->finish(good, victim->launch(good, Guest::kNothing));
}

TEST_CASE("a client whose status page is gone costs the others nothing") {
  verif::Random random(test_seed());
  Played played;
  const auto good = make_guest(played, random, 0), bad = make_guest(played, random, 1);
  bad->unmap();
  for (int i = 0; i < 3000; ++i) {
    Guest::Lane& lane = bad->lanes[random.below(bad->lanes.size())];
    if (i % 40 == 0) {
      const auto reply = bad->ask(Operation::kQueueReset, {lane.number});
      if (reply.ok()) lane.next = static_cast<uint32_t>(reply.values[0]);
    }
    bad->put(lane, random.chance(50) ? command::Type::kEventRecord : command::Type::kMarker,
             command::Event{{}, 3, 0, 0});
    good->work(random);
    played.run(random.below(6));
    good->check();
  }
  for (const Guest::Lane& lane : good->lanes) {
    for (int looks = 0; looks < 1000 && !lane.jobs.empty(); ++looks) {
      played.run(1);
      good->check();
    }
    CHECK(lane.jobs.empty());
  }
  CHECK(good->checked() > 500);
}

}  // namespace
}  // namespace swai::runtime
