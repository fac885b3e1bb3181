// At the socket itself: messages, descriptors, memory, silence; with a client that shares no code with ours.
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <memory>

#include "verif/attack/attacker.hpp"
#include "verif/socket/raw_client.hpp"
#include "verif/socket/samples.hpp"

namespace swai::attack {
namespace {

using socket::Pack;
using socket::RawBytes;
using socket::RawClient;

constexpr unsigned kMap = 2;
constexpr unsigned kSetIrqs = 8;
constexpr unsigned kRead = 9;
constexpr uint64_t kPage = 4096;
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

const Kind mutations(Boundary::kSocket, "sends messages that are not right",
                     raw([](Attacker& attacker, RawClient& client) {
                       if (attacker.below(8) != 0) client.hello();
                       verif::Random random(attacker.number());
                       const auto samples = socket::sample_messages();
                       for (unsigned i = 0; i < 8; ++i) {
                         RawBytes bytes =
                             samples[attacker.below(static_cast<unsigned>(samples.size()))].bytes;
                         for (unsigned change = attacker.below(4); change > 0; --change)
                           socket::mutate(bytes, random);
                         if (!bytes.empty()) client.send_raw(bytes);
                       }
                     }));

const Kind half_messages(Boundary::kSocket, "ends in the midst of a message",
                         raw([](Attacker& attacker, RawClient& client) {
                           if (attacker.below(2) == 0) client.hello();
                           client.send_raw(Pack()
                                               .u16(1)
                                               .u16(kRead)
                                               .u32(16 + attacker.below(1 << 20))
                                               .u32(0)
                                               .u32(0)
                                               .raw(RawBytes(attacker.below(64))));
                         }));

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

const Kind shrunk_files(Boundary::kSocket, "shrinks a file that it has shared",
                        raw([](Attacker&, RawClient& client) {
                          client.hello(kHello);
                          const Held file(memory_file(64 * kPage));
                          client.call(kMap, Pack().u32(32).u32(3).u64(0).u64(0).u64(64 * kPage), {file.fd});
                          (void)!::ftruncate(file.fd, 0);
                        }));

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

const Kind unread_replies(Boundary::kSocket, "asks for much and leaves without reading",
                          raw([](Attacker&, RawClient& client) {
                            client.hello(kHello);
                            for (unsigned i = 0; i < 100; ++i)
                              client.send(kRead, socket::region_access(0x2000, 4, 8));
                          }));

const Kind long_reads(
    Boundary::kSocket, "reads as much as it can at once", raw([](Attacker& attacker, RawClient& client) {
      client.hello(kHello);
      attacker.expect(client.call(kRead, socket::region_access(uint64_t{64} << 30, 0, 1 << 20)).is_error(),
                      "a megabyte of the card was read in one piece");
    }));

const Kind come_and_go(Boundary::kSocket, "comes and goes", [](Attacker& attacker) {
  attacker.leave();
  attacker.client();
  attacker.leave();
});

}  // namespace
}  // namespace swai::attack
