// SPDX-License-Identifier: Apache-2.0
// At the socket itself: messages, descriptors, memory, silence; with a client that shares no code with ours.
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>

#include "verif/attack/attacker.hpp"
#include "verif/host/transport/raw_client.hpp"
#include "verif/host/transport/samples.hpp"

namespace swai::attack {
namespace {

using socket::Pack;
using socket::RawBytes;
using socket::RawClient;

constexpr unsigned kMap = 2;
constexpr unsigned kSetIrqs = 8;
constexpr unsigned kRead = 9;
constexpr uint64_t kPage = 4096;
constexpr int kMomentMs = 50;
constexpr const char* kHello =
    R"({"capabilities":{"max_msg_fds":8,"max_data_xfer_size":1048576,"max_dma_maps":65535,"write_multiple":true}})";

// A descriptor that is given back.
struct Held {
  explicit Held(int number) : fd(number) {}
  ~Held() { ::close(fd); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  const int fd;
};

int memory_file(uint64_t bytes) {
  const int fd = ::memfd_create("attack", MFD_CLOEXEC);
  return ::ftruncate(fd, static_cast<off_t>(bytes)) == 0 ? fd : -1;
}

// Whether the server takes what comes next. It does not before its answers are read.
bool is_heard(const RawClient& client) {
  pollfd ready = {client.fd(), POLLOUT, 0};
  return ::poll(&ready, 1, kMomentMs) == 1 && (ready.revents & POLLOUT) != 0;
}

// The steps of these kinds: what comes of a connection that is thrown away is nobody's business.
std::function<void(Attacker&)> raw(std::function<void(Attacker&, RawClient&)> step) {
  return [step](Attacker& attacker) {
    try {
      RawClient client(RawClient::connect_to(attacker.socket()), {});
      step(attacker, client);
    } catch (const std::runtime_error&) {
    }
  };
}

// Good messages with some changes. Most have their length right: behind one that has not, the next ones are
// only the rest of it.
const Kind mutations(Boundary::kSocket, "sends messages that are not right", [](Attacker& attacker) {
  verif::Random random(attacker.number());
  const auto samples = socket::sample_messages();
  const auto send_some = raw([&](Attacker&, RawClient& client) {
    if (attacker.below(8) != 0) client.hello();
    for (unsigned i = 0; i < 16; ++i) {
      RawBytes bytes = samples[attacker.below(static_cast<unsigned>(samples.size()))].bytes;
      for (unsigned change = attacker.below(4); change > 0; --change) socket::mutate(bytes, random);
      if (bytes.size() >= 16 && attacker.below(4) != 0)
        std::ranges::copy(RawBytes(Pack().u32(bytes.size())), bytes.begin() + 4);
      if (!bytes.empty()) client.send_raw(bytes);
    }
    // The end of the connection would make void what has not been looked at.
    pollfd answers = {client.fd(), POLLIN, 0};
    (void)::poll(&answers, 1, kMomentMs);
  });
  for (unsigned i = 0; i < 32; ++i) send_some(attacker);
});

// Each of them has a place, and gives it back.
const Kind half_messages(Boundary::kSocket, "ends in the midst of a message", [](Attacker& attacker) {
  const auto end_in_the_midst = raw([](Attacker& one, RawClient& client) {
    if (one.below(4) != 0) client.hello();
    client.send_raw(Pack()
                        .u16(1)
                        .u16(kRead)
                        .u32(16 + 64 + one.below(1 << 20))
                        .u32(0)
                        .u32(0)
                        .raw(RawBytes(one.below(64))));
  });
  for (unsigned i = 0; i < 16; ++i) end_in_the_midst(attacker);
  attacker.leave();
  attacker.expect(attacker.finds_room(), "those that have gone keep all others out");
});

const Kind silent(Boundary::kSocket, "opens connections and says nothing", [](Attacker& attacker) {
  std::vector<std::unique_ptr<RawClient>> many;
  try {
    for (unsigned i = 0; i < 20; ++i)
      many.push_back(
          std::make_unique<RawClient>(RawClient::connect_to(attacker.socket()), std::function<void()>()));
  } catch (const std::runtime_error&) {
  }
  attacker.client();
});

const Kind many_maps(
    Boundary::kSocket, "maps without end", raw([](Attacker& attacker, RawClient& client) {
      client.hello(kHello);
      const Held file(memory_file(kPage));
      constexpr unsigned kMany = 2000;
      unsigned made = 0;
      while (
          made < kMany &&
          !client.call(kMap, Pack().u32(32).u32(3).u64(0).u64(made * kPage).u64(kPage), {file.fd}).is_error())
        ++made;
      attacker.expect(made < kMany, "one client may map what the whole process may");
    }));

const Kind large_maps(
    Boundary::kSocket, "maps more than there can be", raw([](Attacker& attacker, RawClient& client) {
      client.hello(kHello);
      constexpr uint64_t kBytes = uint64_t{1} << 39;
      const Held file(memory_file(kBytes));
      attacker.expect(
          client.call(kMap, Pack().u32(32).u32(3).u64(0).u64(0).u64(kBytes), {file.fd}).is_error(),
          "half a terabyte was mapped");
    }));

const Kind shrunk_files(Boundary::kSocket, "shrinks a file that it has shared", [](Attacker& attacker) {
  HostileClient& client = attacker.client();
  constexpr uint64_t kBytes = 64 * kPage;
  const Held file(memory_file(kBytes));
  // It is not touched on this side.
  static std::array<uint8_t, kBytes> stands_for_it;
  link::DmaMapping mapping;
  mapping.iova = client.connection.take_iova(kBytes);
  mapping.memory = stands_for_it;
  mapping.fd = file.fd;
  client.connection.card().backend().map(mapping);
  (void)!::ftruncate(file.fd, 0);
  (void)client.copy(client.pointer, mapping.iova, attacker.below(2) == 0);
  client.connection.card().backend().unmap(mapping.iova, kBytes);
  client.connection.give_back_iova(mapping.iova, kBytes);
});

const Kind many_events(Boundary::kSocket, "hands over descriptors without end",
                       raw([](Attacker& attacker, RawClient& client) {
                         client.hello(kHello);
                         const Held event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
                         unsigned held = 0;
                         for (const uint32_t action : {32u, 8u, 16u}) {  // trigger, mask, unmask
                           for (unsigned start = 0; start < 32; start += 8) {
                             const RawBytes request = Pack().u32(20).u32(4 | action).u32(2).u32(start).u32(8);
                             held += client.call(kSetIrqs, request, std::vector<int>(8, event.fd)).is_error()
                                         ? 0
                                         : 8;
                           }
                         }
                         attacker.expect(held <= 34, "it holds more descriptors than there are interrupts");
                       }));

// Who does not read is not heard: what it asks for takes no memory of the server's.
const Kind unread_replies(Boundary::kSocket, "asks for much and leaves without reading",
                          raw([](Attacker& attacker, RawClient& client) {
                            client.hello(kHello);
                            constexpr unsigned kMany = 4000;
                            constexpr unsigned kConfig = 7;
                            unsigned asked = 0;
                            for (; asked < kMany && is_heard(client); ++asked)
                              client.send(kRead, socket::region_access(0, kConfig, kPage));
                            attacker.expect(
                                asked < kMany,
                                "the server keeps answers without end for who does not read them");
                          }));

const Kind long_reads(
    Boundary::kSocket, "reads as much as it can at once", raw([](Attacker& attacker, RawClient& client) {
      client.hello(kHello);
      // Behind its SRAM nothing is, but reading that takes as long.
      attacker.expect(client.call(kRead, socket::region_access(uint64_t{65} << 30, 0, 1 << 20)).is_error(),
                      "a megabyte of the card was read in one piece");
    }));

// Without a word, as a program that is killed.
const Kind come_and_go(Boundary::kSocket, "comes and goes", [](Attacker& attacker) {
  for (unsigned i = 0; i < protocol::kContexts; ++i) {
    attacker.client().connection.card().close();
    attacker.leave();
  }
});

}  // namespace
}  // namespace swai::attack
