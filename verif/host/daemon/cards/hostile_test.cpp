// SPDX-License-Identifier: Apache-2.0
// A client that knows everything about another one, and tries what it can with that.
#include <doctest/doctest.h>

#include <cerrno>

#include "card_regs.hpp"
#include "host/runtime/bars.hpp"
#include "verif/attack/hostile_client.hpp"
#include "verif/host/daemon/cards/rig.hpp"

namespace swai::serve {
namespace {

using namespace swai::sdaa;
using protocol::Operation;
using protocol::Status;

using Client = attack::HostileClient;

TEST_CASE("what another client has cannot be reached with its own names") {
  Rig rig;
  Client victim(rig.socket());
  Client hostile(rig.socket());
  const uint64_t other = victim.connection.client();
  REQUIRE(other != hostile.connection.client());
  victim.fill(0x11);
  REQUIRE(victim.copy(victim.pointer, victim.iova, false) == Status::kOk);

  SUBCASE("requests") {
    CHECK(hostile.request_as(other, Operation::kFree, {victim.pointer}) == Status::kNotAttached);
    CHECK(hostile.request_as(other, Operation::kDetach, {}) == Status::kNotAttached);
    CHECK(hostile.request_as(other, Operation::kQueueClose, {victim.queue}) == Status::kNotAttached);
    const uint64_t own = hostile.connection.client();
    CHECK(hostile.request_as(own, Operation::kFree, {victim.pointer}) == Status::kBadPointer);
    CHECK(hostile.request_as(own, Operation::kPointerInfo, {victim.pointer}) == Status::kBadPointer);
    CHECK(hostile.request_as(own, Operation::kQueueClose, {victim.queue}) == Status::kBadHandle);
    CHECK(hostile.request_as(own, Operation::kQueueReset, {victim.queue}) == Status::kBadHandle);
    CHECK(hostile.request_as(own, Operation::kQueueFeed, {hostile.queue, 0}) != Status::kOk);
  }
  SUBCASE("memory on the card") {
    CHECK(hostile.copy(victim.pointer, hostile.iova, true) == Status::kBadPointer);
    CHECK(hostile.copy(victim.pointer, hostile.iova, false) == Status::kBadPointer);
    CHECK(hostile.refuses_read(kMemoryBar, 0));
    CHECK(hostile.refuses_write(kMemoryBar, 0));
  }
  SUBCASE("memory of the host") {
    // Both have the same address; each gets its own memory.
    REQUIRE(hostile.iova == victim.iova);
    hostile.fill(0x22);
    REQUIRE(hostile.copy(hostile.pointer, hostile.iova, false) == Status::kOk);
    CHECK(victim.copy(victim.pointer, victim.iova, true) == Status::kOk);
    CHECK(victim.holds(0x11));
    CHECK(hostile.copy(hostile.pointer, hostile.iova, true) == Status::kOk);
    CHECK(hostile.holds(0x22));
    // The windows lie side by side.
    for (unsigned window = 0; window < 8; ++window)
      CHECK(hostile.copy(hostile.pointer, victim.iova + (uint64_t{window + 1} << 40), false) != Status::kOk);
    CHECK(hostile.copy(hostile.pointer, ~uint64_t{0} - Client::kBytes + 1, false) != Status::kOk);
  }
  SUBCASE("queues and registers") {
    const uint64_t slots = kSram + victim.connection.info().queue_offset;
    const uint64_t theirs = slots + uint64_t{victim.queue} * protocol::kQueueBytes;
    CHECK(hostile.refuses_write(kMemoryBar, theirs, 64));
    CHECK(hostile.refuses_read(kMemoryBar, theirs, 64));
    const uint64_t own = slots + uint64_t{hostile.queue} * protocol::kQueueBytes;
    CHECK(hostile.refuses_write(kMemoryBar, own + protocol::kQueueBytes - 8, 16));
    CHECK(!hostile.refuses_read(kMemoryBar, own, 64));
    CHECK(hostile.refuses_read(kMemoryBar, kSram));
    for (uint64_t offset = 0; offset < regs::pcie::shared::kOffset; offset += 8) {
      CAPTURE(offset);
      const bool harmless = offset == regs::pcie::boot_status::kOffset || offset == regs::pcie::card::kOffset;
      CHECK(hostile.refuses_read(kControlBar, offset) == !harmless);
    }
    CHECK(hostile.refuses_write(kControlBar, shared_word(protocol::word::kLife)));
    CHECK(hostile.refuses_write(kControlBar, shared_word(32)));
    CHECK(hostile.refuses_read(2, 0));
    CHECK(hostile.refuses_write(2, 0));
    CHECK(!hostile.refuses_read(kMemoryBar, kSram + regs::kSramBytes - 8, 16));
    CHECK(hostile.refuses_write(link::Card::kConfig, 4, 4));
    uint64_t number = victim.queue;
    CHECK_THROWS_AS(
        hostile.connection.card().write<uint64_t>(kControlBar, regs::pcie::doorbell::kOffset, number),
        link::Error);
    number = 30;
    CHECK_THROWS_AS(
        hostile.connection.card().write<uint64_t>(kControlBar, regs::pcie::doorbell::kOffset, number),
        link::Error);
    CHECK_THROWS_AS(
        hostile.connection.card().write<uint64_t>(kControlBar, regs::pcie::reset_request::kOffset, 1),
        link::Error);
  }
  CHECK(victim.copy(victim.pointer, victim.iova, true) == Status::kOk);
  CHECK(victim.holds(0x11));
}

TEST_CASE("requests without end are one at a time, and nobody waits longer for that") {
  Rig rig;
  Client busy(rig.socket());
  Client other(rig.socket());
  for (int i = 0; i < 1000; ++i) {
    busy.connection.set_word(protocol::word::kRequest, protocol::request(Operation::kQueueOpen, 5));
    busy.connection.ring(protocol::kRequestDoorbell);
  }
  CHECK(other.request_as(other.connection.client(), Operation::kFree, {other.pointer}) == Status::kOk);
}

TEST_CASE("the card is reset for who is alone and attached, with the key") {
  namespace reset = regs::pcie::reset_request;
  Rig rig;
  const uint64_t go = reset::kKey.put(reset::kKeyGo) | reset::kProcessor.put(1) | reset::kGroups.mask();
  const auto asked_by = [&](link::Card& card, uint64_t word) {
    try {
      card.write<uint64_t>(kControlBar, reset::kOffset, word);
      return 0;
    } catch (const link::Error& error) {
      return error.code();
    }
  };
  const auto looks = link::Card::open(rig.socket());
  CHECK(asked_by(*looks, go) == EACCES);
  Client one(rig.socket());
  CHECK(asked_by(*looks, go) == EBUSY);
  CHECK(asked_by(one.connection.card(), go + 1) == EINVAL);
  {
    Client two(rig.socket());
    CHECK(asked_by(one.connection.card(), go) == EBUSY);
  }
  CHECK(asked_by(one.connection.card(), go) == 0);
  Client after(rig.socket());
  CHECK(after.copy(after.pointer, after.iova, true) == Status::kOk);
}

}  // namespace
}  // namespace swai::serve
