// SPDX-License-Identifier: Apache-2.0
// DEVICE_SET_IRQS, spoken by the raw client.
#include <doctest/doctest.h>

#include <cerrno>

#include "verif/host/transport/rig.hpp"

namespace swai::socket {
namespace {

RawBytes set_irqs(uint64_t flags, uint64_t index, uint64_t start, uint64_t count, const RawBytes& data = {}) {
  return Pack().u32(20 + data.size()).u32(flags).u32(index).u32(start).u32(count).raw(data);
}

}  // namespace

TEST_CASE("interrupts: eventfds, triggers, masks") {
  Rig rig;
  RawClient client(rig.connection(), rig.turner());
  client.hello();
  EventFd a;
  EventFd b;
  client.done(8, set_irqs(4 | 32, 2, 5, 2), {a.fd(), b.fd()});
  client.done(8, set_irqs(1 | 32, 2, 5, 1));
  client.done(8, set_irqs(1 | 32, 2, 0, 32));
  client.done(8, set_irqs(2 | 32, 2, 5, 2, {0, 1}));
  CHECK(a.take() == 2);
  CHECK(b.take() == 2);

  EventFd masked;
  EventFd unmasked;
  client.done(8, set_irqs(4 | 8, 2, 5, 1), {masked.fd()});
  client.done(8, set_irqs(4 | 16, 2, 5, 1), {unmasked.fd()});
  client.done(8, set_irqs(1 | 8, 2, 5, 1));
  client.done(8, set_irqs(1 | 32, 2, 5, 2));
  client.done(8, set_irqs(1 | 32, 2, 5, 1));
  CHECK(a.take() == 0);
  CHECK(b.take() == 1);
  CHECK(masked.take() == 1);
  client.done(8, set_irqs(2 | 16, 2, 4, 2, {1, 1}));
  CHECK(a.take() == 1);
  CHECK(unmasked.take() == 1);

  // The card's own.
  client.write64(4, kFakeGo, 2 | 6 << 8);
  client.read(7, 0, 1);
  rig.settle();
  CHECK(b.take() == 1);
  EventFd fatal;
  client.done(8, set_irqs(4 | 32, 3, 0, 1), {fatal.fd()});
  client.write64(4, kFakeFatal, 1);
  client.read(7, 0, 1);
  CHECK(fatal.take() == 1);

  // Given back one by one, then all.
  client.done(8, set_irqs(4 | 32, 2, 6, 1));
  client.done(8, set_irqs(1 | 32, 2, 5, 2));
  CHECK(a.take() == 1);
  CHECK(b.take() == 0);
  client.done(8, set_irqs(1 | 32, 2, 0, 0));
  client.done(8, set_irqs(1 | 32, 0, 0, 0));
  client.done(8, set_irqs(1 | 32, 2, 5, 2));
  CHECK(a.take() == 0);
}

TEST_CASE("interrupts: what is refused") {
  Rig rig;
  RawClient client(rig.connection(), rig.turner());
  client.hello();
  EventFd event;
  const std::vector<int> one{event.fd()};
  const auto no = [&](const RawBytes& payload, const std::vector<int>& fds = {}) {
    client.refuse(8, payload, EINVAL, fds);
  };
  no({});
  no(Pack().u32(0).u32(0));
  no(Pack().u32(3).u32(33).u32(2).u32(0).u32(0));  // argsz
  no(set_irqs(33, 5, 0, 0));                       // index
  no(set_irqs(33, 0xffffffff, 0, 1));
  no(set_irqs(1 | 8 | 16, 2, 0, 1));  // two actions
  no(set_irqs(1, 2, 0, 1));           // none
  no(set_irqs(1 | 2 | 8, 2, 0, 1));   // two kinds of data
  no(set_irqs(32, 2, 0, 1));
  no(set_irqs(1 | 32 | 64, 2, 0, 1));
  no(set_irqs(33, 2, 31, 2));  // range
  no(set_irqs(33, 2, 32, 1));
  no(set_irqs(33, 2, 5, 0xffffffff));
  no(set_irqs(33, 2, 0xffffffff, 2));
  no(set_irqs(33, 0, 0, 1));
  no(set_irqs(1 | 8, 3, 0, 1));    // cannot be masked
  no(set_irqs(33, 2, 1, 0));       // count 0
  no(set_irqs(1 | 8, 2, 0, 0));    //
  no(set_irqs(34, 2, 0, 0));       //
  no(set_irqs(34, 2, 0, 2, {1}));  // data
  no(set_irqs(33, 2, 0, 1, {1}));
  no(set_irqs(34, 2, 0, 1, {1}), one);  // descriptors
  no(set_irqs(33, 2, 0, 1), one);
  no(set_irqs(36, 2, 0, 2), one);
  MemoryFile file(4096);
  no(set_irqs(36, 2, 0, 1), {file.fd()});  // not an eventfd
}

}  // namespace swai::socket
