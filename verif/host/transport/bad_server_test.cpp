// SPDX-License-Identifier: Apache-2.0
// host/transport against servers that do not keep to the protocol: each call ends with an error, and memory
// stays what it is.
#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <functional>

#include "host/transport/card.hpp"
#include "verif/host/transport/raw_client.hpp"

namespace swai::socket {

using link::ErrorKind;

namespace {

// A minimal server: one region of 4 KiB, one interrupt. Tests replace its answers.
class Scripted {
 public:
  using Handler = std::function<bool(const RawMessage&)>;  // false: as usual

  Scripted() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) std::abort();
    client_ = ends[1];
    end_ = std::make_unique<RawClient>(ends[0], [] {});
  }

  Handler handler = [](const RawMessage&) { return false; };

  std::unique_ptr<link::Card> open() {
    link::VfioUserOptions options;
    options.deterministic = false;
    options.timeout = link::Milliseconds(100);
    return std::make_unique<link::Card>(
        link::open_in_process({link::Fd(std::exchange(client_, -1)), [this] { turn(); }}, options));
  }

  void send(unsigned id, unsigned command, uint32_t flags, const RawBytes& payload, int64_t bytes = -1) {
    end_->send_raw(Pack()
                       .u16(id)
                       .u16(command)
                       .u32(bytes < 0 ? 16 + payload.size() : static_cast<uint64_t>(bytes))
                       .u32(flags)
                       .u32(0)
                       .raw(payload));
  }
  void answer(const RawMessage& message, const RawBytes& payload) {
    send(message.id, message.command, 1, payload);
  }
  void close() { end_->close(); }

  std::vector<RawMessage> replies;  // to requests of the test

 private:
  void turn() {
    pollfd ready{end_->fd(), POLLIN, 0};
    while (end_->fd() >= 0 && ::poll(&ready, 1, 0) == 1) {
      RawMessage message;
      try {
        message = end_->receive();
      } catch (const std::runtime_error&) {
        end_->close();
        return;
      }
      if ((message.flags & 0xf) == 1) {
        replies.push_back(message);
      } else if (!handler(message)) {
        usual(message);
      }
    }
  }

  void usual(const RawMessage& message) {
    switch (message.command) {
      case 1:
        return answer(message, Pack().u16(0).u16(0));
      case 4:
        return answer(message, Pack().u32(16).u32(2).u32(1).u32(5));
      case 5:
        return answer(message, Pack().u32(32).u32(3).u32(0).u32(0).u64(0x1000).u64(0));
      case 7:
        return answer(message, Pack().u32(16).u32(1).u32(2).u32(1));
      case 9:
        return answer(message, Pack().raw(message.payload).raw(RawBytes(number_at(message.payload, 12, 4))));
      default:
        return answer(message, {});
    }
  }

  int client_;
  std::unique_ptr<RawClient> end_;
};

template <typename Call>
ErrorKind kind_of(const Call& call) {
  try {
    call();
  } catch (const link::Error& error) {
    return error.kind();
  }
  FAIL("no error");
  return ErrorKind::kBadArgument;
}

}  // namespace

TEST_CASE("servers that say nonsense when they are opened") {
  const std::vector<std::pair<unsigned, RawBytes>> nonsense = {
      {1, Pack().u16(0)},
      {1, Pack().u16(3).u16(0)},
      {1, Pack().u16(0).u16(0).text("{}")},
      {4, Pack().u32(16)},
      {4, Pack().u32(16).u32(0).u32(1).u32(5)},
      {4, Pack().u32(16).u32(2).u32(0xffffffff).u32(5)},
      {5, Pack().u32(32).u32(3).u32(0)},
  };
  for (const auto& [command, payload] : nonsense) {
    Scripted server;
    server.handler = [&, command = command, payload = payload](const RawMessage& message) {
      if (message.command != command) return false;
      server.answer(message, payload);
      return true;
    };
    CHECK(kind_of([&] { server.open(); }) == ErrorKind::kLost);
  }
}

TEST_CASE("answers that are wrong") {
  Scripted server;
  const auto card = server.open();
  CHECK(card->read<uint32_t>(0, 0) == 0);
  CHECK(!card->describe().has_vendor_region);
  CHECK(kind_of([&] { card->run_until(0, 1); }) == ErrorKind::kBadArgument);
  ErrorKind expected = ErrorKind::kLost;
  SUBCASE("too short, and said so") {
    expected = ErrorKind::kIncomplete;
    server.handler = [&](const RawMessage& message) {
      server.answer(message, Pack().u64(0).u32(0).u32(2).u16(0));
      return true;
    };
  }
  SUBCASE("too short") {
    server.handler = [&](const RawMessage& message) {
      server.answer(message, message.payload);
      return true;
    };
  }
  SUBCASE("too long") {
    server.handler = [&](const RawMessage& message) {
      server.answer(message, Pack().u64(0).u32(0).u32(400).raw(RawBytes(400)));
      return true;
    };
  }
  SUBCASE("to another message") {
    server.handler = [&](const RawMessage& message) {
      server.send(message.id + 1, message.command, 1, {});
      return true;
    };
  }
  SUBCASE("to another command") {
    server.handler = [&](const RawMessage& message) {
      server.send(message.id, 10, 1, message.payload);
      return true;
    };
  }
  SUBCASE("of an impossible length") {
    server.handler = [&](const RawMessage& message) {
      server.send(message.id, message.command, 1, {}, 0xffffffff);
      return true;
    };
  }
  SUBCASE("an error without a reason") {
    expected = ErrorKind::kRefused;
    server.handler = [&](const RawMessage& message) {
      server.send(message.id, message.command, 0x21, {});
      return true;
    };
  }
  SUBCASE("none") {
    expected = ErrorKind::kTimedOut;
    server.handler = [&](const RawMessage&) { return true; };
  }
  SUBCASE("the end") {
    server.handler = [&](const RawMessage&) {
      server.close();
      return true;
    };
  }
  CHECK(kind_of([&] { card->read<uint32_t>(0, 0); }) == expected);
  if (expected == ErrorKind::kLost) CHECK(kind_of([&] { card->reset(); }) == ErrorKind::kLost);
}

TEST_CASE("a server gets at no memory but what it was given") {
  Scripted server;
  const auto card = server.open();
  const auto read_only = card->pin(0x10000, 0x1000, link::Access::kRead, false);
  const auto write_only = card->pin(0x20000, 0x1000, link::Access::kWrite, false);
  read_only.data()[0xfff] = 7;
  const auto access = [](uint64_t address, uint64_t count) {
    return RawBytes(Pack().u64(address).u64(count));
  };
  const auto ask = [&](unsigned command, const RawBytes& payload) {
    server.replies.clear();
    server.send(77, command, 0, payload);
    card->read<uint32_t>(0, 0);
    for (unsigned i = 0; i < 100 && server.replies.empty(); ++i) card->read<uint32_t>(0, 0);
    REQUIRE(server.replies.size() == 1);
    CHECK(server.replies[0].id == 77);
    return server.replies[0];
  };
  CHECK(ask(11, access(0x10fff, 1)).payload == RawBytes(Pack().raw(access(0x10fff, 1)).u8(7)));
  CHECK(!ask(12, Pack().raw(access(0x20ffe, 2)).u16(0x605)).is_error());
  CHECK(write_only.data()[0xfff] == 6);
  const std::vector<std::pair<unsigned, RawBytes>> refused = {
      {11, access(0x10fff, 2)},
      {11, access(0xffff, 1)},
      {11, access(0x20000, 1)},                     // not to be read
      {12, Pack().raw(access(0x10000, 1)).u8(1)},   // not to be written
      {12, Pack().raw(access(0x20000, 2)).u8(1)},   // another length
      {12, Pack().raw(access(0x20fff, 2)).u16(1)},  //
      {11, access(0x10000, ~uint64_t{0})},          //
      {11, access(~uint64_t{0}, 0x10002)},          //
      {11, Pack().u64(0x10000)},                    //
      {13, access(0x10000, 1)},                     // not for us to do
  };
  for (const auto& [command, payload] : refused) CHECK(ask(command, payload).is_error());
  CHECK(read_only.data()[0] == 0);
  CHECK(write_only.data()[0] == 0);
}

}  // namespace swai::socket
