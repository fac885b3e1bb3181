// SPDX-License-Identifier: Apache-2.0
// At the virtual card that the daemon shows a client: requests, registers, doorbells, slots, addresses.
#include <array>
#include <cerrno>
#include <cstring>

#include "card_regs.hpp"
#include "host/runtime/bars.hpp"
#include "verif/attack/attacker.hpp"

namespace swai::attack {
namespace {

using protocol::Operation;
using protocol::Status;

bool worked(std::optional<Status> status) { return status == Status::kOk; }

// Its own context may pass as a version, and the other words are its own to choose.
const Kind attach_again(Boundary::kDaemon, "attaches again, with words of its own", [](Attacker& attacker) {
  HostileClient& client = attacker.client();
  constexpr unsigned kTries = 8;
  bool taken = false;
  for (unsigned i = 0; i < kTries && !taken; ++i) {
    const uint64_t version = attacker.below(2) == 0 ? client.context() : protocol::kVersion;
    const uint64_t page = attacker.below(2) == 0 ? 0 : client.iova;
    taken = worked(client.request(Operation::kAttach, {version, page, attacker.below(4), 0, 0, 0}));
  }
  attacker.expect(!taken, "it was attached a second time");
  if (taken) attacker.leave();
});

const Kind words_of_attach(
    Boundary::kDaemon, "attaches with a window of its own choice", [](Attacker& attacker) {
      HostileClient& client = attacker.client();
      if (!worked(client.request(Operation::kDetach, {client.context()}))) return attacker.leave();
      // What it says of options and window must not count: it takes nobody's place and stays in its own
      // window.
      const auto reply = client.exchange(Operation::kAttach,
                                         {protocol::kVersion | uint64_t{protocol::kMinimumVersion} << 16, 0,
                                          ~uint64_t{0}, attacker.number(), ~uint64_t{0}, ~uint64_t{0}});
      const bool fed =
          reply && worked(reply->status) &&
          worked(client.request(Operation::kRoutes, {reply->values[0], client.iova, protocol::kRouteBytes}));
      attacker.expect(!fed, "it has the link alone, as if nobody shared the card");
      attacker.leave();
    });

const Kind forbidden_requests(
    Boundary::kDaemon, "asks for what only a card's owner may", [](Attacker& attacker) {
      HostileClient& client = attacker.client();
      const uint64_t own = client.context();
      attacker.expect(!worked(client.request(Operation::kQueueFeed, {own, client.queue, client.iova})),
                      "a queue is fed from host memory");
      attacker.expect(!worked(client.request(Operation::kRoutes, {own, client.iova, protocol::kRouteBytes})),
                      "the card copies to itself by its buffer");
      attacker.expect(!worked(client.request(static_cast<Operation>(14 + attacker.below(1000)), {own, 0, 0})),
                      "an operation that nobody knows");
    });

const Kind requests_of_others(Boundary::kDaemon, "asks in another one's name", [](Attacker& attacker) {
  const Known& other = attacker.known();
  constexpr std::array kOperations = {Operation::kDetach,     Operation::kAllocate,  Operation::kFree,
                                      Operation::kMemoryInfo, Operation::kQueueOpen, Operation::kQueueClose,
                                      Operation::kQueueReset, Operation::kResume};
  const Operation operation = kOperations[attacker.below(kOperations.size())];
  attacker.expect(
      !worked(attacker.client().request(operation, {other.context, other.pointer, attacker.number()})),
      "a request with another one's context was done");
});

const Kind things_of_others(
    Boundary::kDaemon, "names another one's memory and queues", [](Attacker& attacker) {
      HostileClient& client = attacker.client();
      const Known& other = attacker.known();
      const uint64_t own = client.context();
      const uint64_t inside = other.pointer + attacker.below(HostileClient::kBytes);
      attacker.expect(!worked(client.request(Operation::kFree, {own, other.pointer})),
                      "another one's memory was freed");
      attacker.expect(!worked(client.request(Operation::kPointerInfo, {own, inside})), "it was told about");
      if (other.queue != client.queue) {
        attacker.expect(!worked(client.request(Operation::kQueueReset, {own, other.queue})),
                        "its queue was reset");
        attacker.expect(!worked(client.request(Operation::kQueueClose, {own, other.queue})),
                        "its queue was closed");
      }
    });

const Kind copies_of_others(
    Boundary::kDaemon, "copies from and to another one's memory", [](Attacker& attacker) {
      HostileClient& client = attacker.client();
      client.fill(0xee);
      const bool to_host = attacker.below(2) == 0;
      attacker.expect(client.copy(attacker.known().pointer, client.iova, to_host) != Status::kOk,
                      "another one's memory on the card was copied");
      // The windows of the others lie above its own, and below.
      for (uint64_t distance = 1; distance <= 8; ++distance) {
        for (const uint64_t away : {distance << 40, ~uint64_t{0} - (distance << 40) + 1}) {
          attacker.expect(client.copy(client.pointer, away + attacker.known().iova, !to_host) != Status::kOk,
                          "a bus address beyond its window was reached");
        }
      }
    });

const Kind slots_of_others(
    Boundary::kDaemon, "writes and rings for queues that are not its own", [](Attacker& attacker) {
      HostileClient& client = attacker.client();
      const uint64_t slots = sdaa::kSram + client.connection.info().queue_offset;
      const uint64_t theirs = slots + uint64_t{attacker.known().queue} * protocol::kQueueBytes;
      if (attacker.known().queue != client.queue) {
        attacker.expect(client.refuses_write(sdaa::kMemoryBar, theirs + attacker.below(8) * 64, 64, 0xff),
                        "another one's slots were written");
        attacker.expect(client.refuses_read(sdaa::kMemoryBar, theirs, 64), "another one's slots were read");
        attacker.expect(client.refuses_write(sdaa::kControlBar, regs::pcie::doorbell::kOffset, 8,
                                             static_cast<uint8_t>(attacker.known().queue)),
                        "another one's doorbell was rung");
      }
      const uint64_t own = slots + uint64_t{client.queue} * protocol::kQueueBytes;
      attacker.expect(client.refuses_write(sdaa::kMemoryBar, own + protocol::kQueueBytes - 8, 16),
                      "what lies behind its own slots was written");
    });

const Kind random_memory(Boundary::kDaemon, "writes anywhere into the card's memory", [](Attacker& attacker) {
  HostileClient& client = attacker.client();
  const uint64_t queues = sdaa::kSram + client.connection.info().queue_offset;
  constexpr uint64_t kSramBytes = 256 << 10;
  const uint64_t offset = attacker.below(2) == 0 ? sdaa::kSram + attacker.below(kSramBytes) / 8 * 8
                                                 : attacker.number() % (uint64_t{64} << 30) / 8 * 8;
  const uint64_t own = queues + uint64_t{client.queue} * protocol::kQueueBytes;
  if (offset >= own && offset < own + protocol::kQueueBytes) return;
  attacker.expect(client.refuses_write(sdaa::kMemoryBar, offset, 8, 0xff), "memory of the card was written");
});

const Kind info_of_firmware(
    Boundary::kDaemon, "writes what the firmware tells about itself", [](Attacker& attacker) {
      HostileClient& client = attacker.client();
      const protocol::Info& info = client.connection.info();
      const uint64_t told = sdaa::kSram + info.queue_offset + uint64_t{info.queues} * protocol::kQueueBytes;
      for (const uint64_t offset : {told, sdaa::kSram + info.clients_offset, sdaa::kSram + info.log_offset})
        attacker.expect(client.refuses_write(sdaa::kMemoryBar, offset, 64, 0xff), "it was written");
    });

const Kind random_registers(Boundary::kDaemon, "writes and reads any register", [](Attacker& attacker) {
  HostileClient& client = attacker.client();
  const uint64_t offset = attacker.below(0x1000) / 8 * 8;
  const uint64_t own = sdaa::shared_word(protocol::word::kRequest);
  const bool is_own = offset >= own && offset < own + 15 * 8;
  if (is_own || offset == regs::pcie::doorbell::kOffset || offset == regs::pcie::reset_request::kOffset)
    return;
  attacker.expect(client.refuses_write(sdaa::kControlBar, offset, 8, 0xff), "a register was written");
  attacker.expect(client.refuses_write(link::Card::kConfig, attacker.below(64) * 4, 4),
                  "configuration was written");
});

const Kind reset_by_all(Boundary::kDaemon, "resets the card that others use", [](Attacker& attacker) {
  namespace request = regs::pcie::reset_request;
  const uint64_t word =
      request::kKey.put(request::kKeyGo) | request::kProcessor.put(1) | request::kGroups.mask();
  // As a client that is attached, and as one that is not.
  const auto reset = [&](link::Card& card) {
    try {
      card.write<uint64_t>(sdaa::kControlBar, request::kOffset,
                           attacker.below(4) == 0 ? attacker.number() : word);
    } catch (const link::Error& error) {
      return error.kind() != link::ErrorKind::kRefused;
    }
    return true;
  };
  attacker.expect(!reset(attacker.client().connection.card()), "the card was reset");
  attacker.expect(!reset(*link::Card::open(attacker.socket())),
                  "the card was reset by one that is not attached");
});

const Kind random_commands(Boundary::kDaemon, "sends any bytes as a command", [](Attacker& attacker) {
  for (unsigned i = 0; i < 16; ++i) {
    HostileClient& client = attacker.client();
    std::array<uint8_t, protocol::kSlotBytes> slot;
    for (uint8_t& byte : slot) byte = static_cast<uint8_t>(attacker.number());
    command::Header header = {client.next, static_cast<command::Type>(attacker.below(16)), 1, 0};
    if (attacker.below(4) == 0) header.slots = static_cast<uint8_t>(attacker.number());
    // A host function waits until the host says so, and a launch may take its time.
    if (header.type == command::Type::kHostCall) continue;
    std::memcpy(slot.data(), &header, sizeof header);
    if (client.command(slot) == Status::kInternal) attacker.leave();
  }
});

const Kind facilities(Boundary::kDaemon, "uses the simulator's test facilities", [](Attacker& attacker) {
  const auto command = static_cast<link::vendor::Command>(1 + attacker.below(8));
  HostileClient& client = attacker.client();
  bool done = true;
  try {
    client.connection.card().command(command, {uint64_t{1} << 36, 64, attacker.number(), 1});
  } catch (const link::Error& error) {
    done = error.kind() != link::ErrorKind::kRefused;
  }
  attacker.expect(!done, "a shared card was poisoned, traced or made to fail");
});

const Kind crowd(Boundary::kDaemon, "takes all places", [](Attacker& attacker) {
  std::vector<std::unique_ptr<HostileClient>> many;
  try {
    for (unsigned i = 0; i < 2 * protocol::kContexts; ++i)
      many.push_back(std::make_unique<HostileClient>(attacker.socket()));
  } catch (const link::Error&) {
  } catch (const sdaa::Failure&) {
  }
  // The bystander and who computes have two.
  attacker.expect(many.size() < protocol::kContexts - 2, "one program has all contexts");
});

const Kind hoard(Boundary::kDaemon, "takes all memory, and leaves", [](Attacker& attacker) {
  HostileClient& client = attacker.client();
  for (uint64_t bytes = uint64_t{1} << 34; bytes >= 1 << 20; bytes /= 2) {
    std::optional<Status> status = Status::kOk;
    while (status == Status::kOk || status == Status::kAgain)
      status = client.request(Operation::kAllocate, {client.context(), bytes, 0xff00});
  }
  attacker.leave();
  attacker.expect(attacker.finds_room(), "the memory is not given back");
});

// All memory that there is, or much of it: a client marks it and goes, and one that comes looks at it.
const Kind remains(Boundary::kDaemon, "reads what those before it have left", [](Attacker& attacker) {
  constexpr uint64_t kBlock = 2 << 20;
  constexpr unsigned kMost = 64;
  const uint64_t page = attacker.below(kBlock / HostileClient::kBytes) * HostileClient::kBytes;
  const auto for_each_block = [](HostileClient& client, auto use) {
    for (unsigned i = 0; i < kMost; ++i) {
      // Until it has been cleared.
      std::optional<sdaa::RequestWords::Reply> got;
      do {
        got = client.exchange(Operation::kAllocate, {client.context(), kBlock, 0xff00});
      } while (got && got->status == Status::kAgain);
      if (!got || got->status != Status::kOk) return;
      use(got->values[0]);
    }
  };
  attacker.leave_api();
  attacker.leave();
  HostileClient& before = attacker.client();
  before.fill(0xa5);
  for_each_block(before, [&](uint64_t pointer) { before.copy(pointer + page, before.iova, false); });
  attacker.leave();
  HostileClient& after = attacker.client();
  for_each_block(after, [&](uint64_t pointer) {
    const bool read = after.copy(pointer + page, after.iova, true) == Status::kOk;
    attacker.expect(!read || after.holds(0), "there was something");
  });
  attacker.leave();
});

}  // namespace
}  // namespace swai::attack
