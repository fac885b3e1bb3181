// SPDX-License-Identifier: Apache-2.0
// Clients that do not keep to the protocol: each gets an error reply or is disconnected, and the next one
// finds a card in order.
#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <functional>

#include "sim/common/random.hpp"
#include "verif/host/transport/rig.hpp"
#include "verif/host/transport/samples.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::socket {
namespace {

RawBytes message(unsigned command, const RawBytes& payload, uint32_t flags = 0, int64_t bytes = -1) {
  return Pack()
      .u16(7)
      .u16(command)
      .u32(bytes < 0 ? 16 + payload.size() : static_cast<uint64_t>(bytes))
      .u32(flags)
      .u32(0)
      .raw(payload);
}

// The server is as before, and serves.
void check_sound(Rig& rig, size_t descriptors, size_t maps) {
  rig.settle();
  CHECK(!rig.server->has_client(0));
  CHECK(rig.card().mappings() == 0);
  CHECK(open_descriptors() == descriptors);
  CHECK(mapped_files() == maps);
  RawClient client(rig.connection(), rig.turner());
  client.hello();
  client.write64(0, 0, 99);
  CHECK(client.read64(0, 0) == 99);
  client.close();
  rig.settle();
}

// A client owes the answer to a request for its memory, and does something instead, for which it is let go.
void owe_an_answer(const ServerOptions& limits, const std::string& why,
                   const std::function<void(Rig&, RawClient&)>& instead) {
  ServerOptions options = limits;
  std::vector<std::string> log;
  options.log = [&](const std::string& line) { log.push_back(line); };
  Rig rig(1, options);
  rig.settle();
  const size_t descriptors = open_descriptors();
  const size_t maps = mapped_files();
  {
    RawClient client(rig.connection(), rig.turner());
    client.hello();
    client.map(0, 0x1000);
    client.write64(4, kFakeBytes, 0x100);
    client.write64(4, kFakeGo, 1);
    CHECK(client.receive().command == 11);
    instead(rig, client);
  }
  CHECK(!log.empty());
  CHECK(log.back().find(why) != std::string::npos);
  check_sound(rig, descriptors, maps);
}

}  // namespace

TEST_CASE("headers that cannot be") {
  Rig rig;
  for (const int64_t bytes : {0LL, 1LL, 15LL, 0x100021LL, 0x7fffffffLL, 0x80000000LL, 0xffffffffLL}) {
    RawClient client(rig.connection(), rig.turner());
    client.hello();
    client.send_raw(message(4, RawBytes(16), 0, bytes));
    const RawMessage reply = client.receive();
    CHECK((reply.is_error() && reply.error == EINVAL && reply.id == 7));
    CHECK(client.closed_by_server());
  }
  for (const uint32_t flags : {0x1U, 0x2U, 0xfU, 0x11U, 0x21U}) {  // nothing was asked that could be answered
    RawClient client(rig.connection(), rig.turner());
    client.hello();
    client.send_raw(message(4, RawBytes(16), flags));
    if ((flags & 0xf) == 1) {
      CHECK(client.closed_by_server());
    } else {
      CHECK(client.receive().error == EINVAL);
    }
    client.close();
  }
  RawClient client(rig.connection(), rig.turner());
  client.hello();
  for (const uint32_t flags : {0x20U, 0x40U, 0x80000000U}) {
    client.send_raw(message(4, Pack().u32(16).u32(0).u64(0), flags));
    CHECK(client.receive().error == EINVAL);
  }
  client.done(4, Pack().u32(16).u32(0).u64(0));
}

TEST_CASE("descriptors where none belong, and too many") {
  Rig rig;
  rig.settle();
  const size_t before = open_descriptors();
  {
    RawClient client(rig.connection(), rig.turner());
    client.hello();
    const size_t with_client = open_descriptors();
    EventFd event;
    const std::vector<int> many(17, event.fd());
    const std::vector<int> most(253, event.fd());
    client.refuse(4, Pack().u32(16).u32(0).u64(0), EINVAL, {event.fd()});
    client.refuse(9, region_access(0, 0, 4), EINVAL, {event.fd()});
    client.refuse(2, Pack().u32(32).u32(3).u64(0).u64(0).u64(0x1000), EINVAL, many);
    client.refuse(8, Pack().u32(20).u32(36).u32(2).u32(0).u32(32), EINVAL, most);
    client.refuse(77, {}, EINVAL, many);
    CHECK(open_descriptors() == with_client + 1);
    // In the middle of a message they count as well.
    client.send_raw(message(9, {}, 0, 32));
    client.send_raw(Pack().u64(0), {event.fd()});
    client.send_raw(Pack().u32(0).u32(4));
    CHECK(client.receive().error == EINVAL);
    CHECK(open_descriptors() == with_client + 1);
    RawClient other(rig.connection(), rig.turner());
    other.send_raw(message(1, Pack().u16(0).u16(1)), {event.fd()});
    CHECK(other.receive().error == EINVAL);
  }
  rig.settle();
  CHECK(open_descriptors() == before);
}

TEST_CASE("a stream that ends anywhere") {
  Rig rig;
  rig.settle();
  const size_t descriptors = open_descriptors();
  const size_t maps = mapped_files();
  const MemoryFile file(0x4000);
  const EventFd event;
  const auto samples = sample_messages();
  for (const Sample& sample : samples) {
    for (size_t end = 0; end <= sample.bytes.size(); end += 1 + end / 64) {
      RawClient client(rig.connection(), rig.turner());
      client.hello();
      client.map(0x10000, 0x4000, {file.fd()});
      std::vector<int> fds;
      if (sample.descriptors == Sample::kFile) fds = {file.fd()};
      if (sample.descriptors == Sample::kEvent) fds = {event.fd()};
      if (end != 0) client.send_raw(RawBytes(sample.bytes.begin(), sample.bytes.begin() + end), fds);
      for (uint64_t i = 0; i < end % 4; ++i) rig.server->turn(0);
    }
    rig.settle();
    CHECK(rig.card().mappings() == 0);
  }
  CHECK(open_descriptors() == descriptors + 2);
  CHECK(mapped_files() == maps + 1);
}

TEST_CASE("who does not say which version it speaks") {
  ServerOptions options;
  options.handshake_timeout = std::chrono::seconds(3);
  Rig rig(1, options);
  RawClient silent(rig.connection(), rig.turner());
  RawClient half(rig.connection(), rig.turner());
  half.send_raw(RawBytes(8));
  RawClient good(rig.connection(), rig.turner());
  CHECK(!good.hello().is_error());
  CHECK(silent.closed_by_server());
  CHECK(half.closed_by_server());
  CHECK(good.read64(0, 0) == 0);
}

TEST_CASE("however many say nothing, the newest is heard") {
  ServerOptions options;
  options.handshake_timeout = std::chrono::minutes(10);
  Rig rig(1, options);
  rig.listen();
  std::vector<std::unique_ptr<RawClient>> crowd;
  for (unsigned i = 0; i < 100; ++i) {
    crowd.push_back(std::make_unique<RawClient>(RawClient::connect_to(rig.path()), rig.turner()));
    rig.settle();
  }
  CHECK(crowd.front()->closed_by_server());
  CHECK(!crowd.back()->hello().is_error());
}

TEST_CASE("a client that owes an answer and does not give it") {
  ServerOptions options;
  options.answer_timeout = std::chrono::milliseconds(200);
  owe_an_answer(options, "does not answer",
                [](Rig&, RawClient& client) { CHECK(client.closed_by_server()); });
}

TEST_CASE("a client that owes an answer and floods the server with commands instead") {
  owe_an_answer({}, "commands without end", [](Rig&, RawClient& client) {
    const auto flood = [&] {
      for (unsigned i = 0; i < 100'000; ++i) client.send(9, region_access(0, 0, 4));
    };
    CHECK_THROWS_AS(flood(), std::runtime_error);
  });
}

TEST_CASE("a client that owes an answer and floods the server with descriptors instead") {
  owe_an_answer({}, "commands without end", [](Rig& rig, RawClient& client) {
    const EventFd event;
    const auto flood = [&] {
      for (unsigned i = 0; i < 100; ++i) {
        client.send(9, region_access(0, 0, 4), std::vector<int>(16, event.fd()));
        rig.server->turn(0);
      }
    };
    CHECK_THROWS_AS(flood(), std::runtime_error);
  });
}

TEST_CASE("a client that owes an answer and answers something else") {
  owe_an_answer({}, "nobody asked", [](Rig&, RawClient& client) {
    client.send_raw(Pack().u16(0xabc).u16(11).u32(16).u32(1).u32(0));
    CHECK(client.closed_by_server());
  });
}

TEST_CASE("a client that does not read is not served without end") {
  Rig rig(2);
  RawClient greedy(rig.connection(0), rig.turner());
  greedy.hello();
  unsigned sent = 0;
  const RawBytes request = message(9, region_access(0, 0, 0x10000));
  for (unsigned turns = 0; turns < 10'000; ++turns) {
    const ssize_t taken = ::send(greedy.fd(), request.data(), request.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    sent += taken == static_cast<ssize_t>(request.size()) ? 1 : 0;
    rig.server->turn(0);
  }
  // What lies in both buffers, and then no more.
  CHECK(sent < 1000);
  RawClient other(rig.connection(1), rig.turner());
  other.hello();
  CHECK(other.read64(0, 0) == 0);
  for (unsigned i = 0; i < 20; ++i) CHECK(greedy.receive().payload.size() == 16 + 0x10000);
}

TEST_CASE("10,000 random mutations") {
  Rig rig;
  rig.settle();
  const size_t descriptors = open_descriptors();
  const size_t maps = mapped_files();
  {
    verif::Random random(test_seed());
    const auto samples = sample_messages();
    const MemoryFile file(0x4000);
    const EventFd event;
    unsigned answered = 0;
    unsigned refused = 0;
    unsigned closed = 0;
    for (unsigned round = 0; round < 2500; ++round) {
      RawClient client(rig.connection(), rig.turner());
      if (random.chance(95)) client.hello();
      for (unsigned i = 0; i < 4; ++i) {
        const Sample& sample = samples[random.below(samples.size())];
        RawBytes bytes = sample.bytes;
        for (uint64_t change = random.below(4); change > 0; --change) mutate(bytes, random);
        if (bytes.empty()) continue;
        std::vector<int> fds;
        if (sample.descriptors == Sample::kFile || random.chance(2)) fds.push_back(file.fd());
        if (sample.descriptors == Sample::kEvent || random.chance(2)) fds.push_back(event.fd());
        if (random.chance(1)) fds.insert(fds.end(), random.below(100), event.fd());
        try {
          client.send_raw(bytes, fds);
        } catch (const std::runtime_error&) {
          ++closed;
          break;
        }
        for (uint64_t turns = random.below(6); turns > 0; --turns) rig.server->turn(0);
      }
      // What comes back is well formed, however little of it there is.
      for (unsigned turns = 0; turns < 8; ++turns) rig.server->turn(0);
      try {
        for (;;) {
          pollfd ready{client.fd(), POLLIN, 0};
          if (::poll(&ready, 1, 0) == 0) break;
          const RawMessage reply = client.receive();
          CHECK((reply.flags & ~0x31U) == 0);
          if (reply.is_error()) CHECK(reply.payload.empty());
          ++(reply.is_error() ? refused : answered);
        }
      } catch (const std::runtime_error&) {
        ++closed;
      }
    }
    // The mutations reach all three ends.
    CHECK(answered > 1000);
    CHECK(refused > 1000);
    CHECK(closed > 100);
    rig.settle();
  }
  check_sound(rig, descriptors, maps);
}

}  // namespace swai::socket
