// A client that knows everything about another one, and tries what it can with that.
#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "card_regs.hpp"
#include "host/sdaa/bars.hpp"
#include "verif/serve/rig.hpp"

namespace swai::serve {
namespace {

using namespace swai::sdaa;
using protocol::Operation;
using protocol::Status;

// A client with a queue, memory with something in it, and memory of the host that the card reaches.
struct Client {
  explicit Client(const Rig& rig) : connection(link::Card::open(rig.socket()), Limits{}) {
    const auto opened = connection.ask(Operation::kQueueOpen, {});
    queue = static_cast<unsigned>(opened[0]);
    next = static_cast<uint32_t>(opened[1]);
    const auto given = connection.ask(Operation::kAllocate, {kBytes, 0xff00});
    pointer = given[0];
    iova = connection.take_iova(kBytes);
    pinned.emplace(connection.card().pin(iova, kBytes));
  }

  // What becomes of a copy between the card's memory and a bus address, as this client.
  Status copy(uint64_t device, uint64_t host, bool to_host) {
    command::Copy command = {};
    command.header = {next, command::Type::kCopy, 1, 0};
    command.host = host;
    command.device = device;
    command.bytes = kBytes;
    command.rows = 1;
    command.to_host = to_host ? 1 : 0;
    std::array<uint8_t, protocol::kSlotBytes> slot = {};
    std::memcpy(slot.data(), &command, sizeof command);
    connection.write_slots(queue, next, slot);
    connection.ring(queue);
    for (int i = 0; i < 1000 && connection.queue(queue).completed != next; ++i)
      connection.let_time_pass(10'000);
    const protocol::QueueStatus line = connection.queue(queue);
    REQUIRE(line.completed == next++);
    if (line.status == Status::kOk) return line.status;
    next = static_cast<uint32_t>(connection.ask(Operation::kQueueReset, {queue})[0]);
    return line.status;
  }
  void fill(uint8_t value) { std::ranges::fill(pinned->bytes(), value); }
  bool holds(uint8_t value) const {
    return std::ranges::all_of(pinned->bytes(), [value](uint8_t byte) { return byte == value; });
  }
  Status request_as(uint64_t context, Operation operation, std::vector<uint64_t> arguments) {
    arguments.insert(arguments.begin(), context);
    RequestWords words(connection.card());
    words.send(operation, arguments);
    for (;;) {
      if (const auto reply = words.look()) return reply->status;
    }
  }
  bool refuses_read(unsigned bar, uint64_t offset, size_t bytes = 8) {
    std::vector<uint8_t> data(bytes);
    try {
      connection.card().read_block(bar, offset, data);
    } catch (const link::Error& error) {
      return error.kind() == link::ErrorKind::kRefused && error.code() == EACCES;
    }
    return false;
  }
  bool refuses_write(unsigned bar, uint64_t offset, size_t bytes = 8) {
    const std::vector<uint8_t> data(bytes);
    try {
      connection.card().write_block(bar, offset, data);
    } catch (const link::Error& error) {
      return error.kind() == link::ErrorKind::kRefused && error.code() == EACCES;
    }
    return false;
  }

  static constexpr uint64_t kBytes = 4096;
  Connection connection;
  unsigned queue = 0;
  uint32_t next = 0;
  uint64_t pointer = 0;
  uint64_t iova = 0;
  std::optional<link::PinnedMemory> pinned;
};

TEST_CASE("what another client has cannot be reached with its own names") {
  Rig rig;
  Client victim(rig);
  Client hostile(rig);
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
      if (offset == regs::pcie::boot_status::kOffset || offset == regs::pcie::card::kOffset) continue;
      CAPTURE(offset);
      CHECK(hostile.refuses_read(kControlBar, offset));
    }
    CHECK(hostile.refuses_write(kControlBar, shared_word(protocol::word::kLife)));
    CHECK(hostile.refuses_write(kControlBar, shared_word(32)));
    CHECK(hostile.refuses_write(2, 0));
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
  Client busy(rig);
  Client other(rig);
  for (int i = 0; i < 1000; ++i) {
    busy.connection.set_word(protocol::word::kRequest, protocol::request(Operation::kQueueOpen, 5));
    busy.connection.ring(protocol::kRequestDoorbell);
  }
  CHECK(other.request_as(other.connection.client(), Operation::kFree, {other.pointer}) == Status::kOk);
}

}  // namespace
}  // namespace swai::serve
