// The protocol as the specification has it, spoken by the raw client.
#include <doctest/doctest.h>
#include <fcntl.h>

#include <cerrno>

#include "verif/socket/rig.hpp"

namespace swai::socket {
namespace {

RawBytes query(uint64_t argsz, uint64_t index) { return Pack().u32(argsz).u32(0).u32(index).u32(0); }
RawBytes region_query(uint64_t argsz, uint64_t index) {
  return Pack().raw(query(argsz, index)).u64(0).u64(0);
}
RawBytes set_irqs(uint64_t flags, uint64_t index, uint64_t start, uint64_t count, const RawBytes& data = {}) {
  return Pack().u32(20 + data.size()).u32(flags).u32(index).u32(start).u32(count).raw(data);
}
RawBytes dma_map(uint64_t flags, uint64_t offset, uint64_t iova, uint64_t bytes) {
  return Pack().u32(32).u32(flags).u64(offset).u64(iova).u64(bytes);
}
RawBytes dma_unmap(uint64_t flags, uint64_t iova, uint64_t bytes) {
  return Pack().u32(24).u32(flags).u64(iova).u64(bytes);
}
std::string json_of(const RawMessage& reply) { return {reply.payload.begin() + 4, reply.payload.end() - 1}; }

}  // namespace

TEST_CASE("negotiation answers what was proposed, and no more") {
  Rig rig;
  SUBCASE("everything") {
    RawClient client(rig.connection(), rig.turner());
    const RawMessage reply = client.hello(
        R"({"capabilities":{"max_msg_fds":8,"max_data_xfer_size":4096,"max_dma_maps":7,"pgsizes":4096,)"
        R"("write_multiple":true,"twin_socket":{"supported":true},"unheard_of":[1]}})");
    CHECK(!reply.is_error());
    CHECK(number_at(reply.payload, 0, 2) == 0);
    CHECK(number_at(reply.payload, 2, 2) == 1);
    CHECK(reply.payload.back() == 0);
    CHECK(json_of(reply) ==
          R"({"capabilities":{"max_msg_fds":64,"max_data_xfer_size":1048576,"max_dma_maps":7,)"
          R"("pgsizes":4096,"write_multiple":true}})");
  }
  SUBCASE("nothing") {
    RawClient client(rig.connection(), rig.turner());
    CHECK(json_of(client.hello("")) == R"({"capabilities":{}})");
  }
  SUBCASE("an older minor version") {
    RawClient client(rig.connection(), rig.turner());
    const RawBytes reply = client.done(1, Pack().u16(0).u16(0));
    CHECK(number_at(reply, 2, 2) == 0);
  }
  SUBCASE("a newer minor version") {
    RawClient client(rig.connection(), rig.turner());
    const RawBytes reply = client.done(1, Pack().u16(0).u16(77));
    CHECK(number_at(reply, 2, 2) == 1);
  }
}

TEST_CASE("negotiation refuses what cannot be") {
  Rig rig;
  const std::vector<RawBytes> bad = {
      Pack().u16(1).u16(0),                                                        // major
      Pack().u16(0),                                                               // short
      Pack().u16(0).u16(1).text("{}"),                                             // no NUL
      Pack().u16(0).u16(1).text("{").u8(0),                                        // no JSON
      Pack().u16(0).u16(1).text("[]").u8(0),                                       // no object
      Pack().u16(0).u16(1).text(R"({"capabilities":3})").u8(0),                    // wrong types
      Pack().u16(0).u16(1).text(R"({"capabilities":{"max_msg_fds":"x"}})").u8(0),  //
      Pack().u16(0).u16(1).text(R"({"capabilities":{"max_msg_fds":-1}})").u8(0),
      Pack().u16(0).u16(1).text(R"({"capabilities":{"write_multiple":1}})").u8(0),
      Pack().u16(0).u16(1).text(R"({"capabilities":{"max_data_xfer_size":0}})").u8(0),
      Pack().u16(0).u16(1).text(R"({"capabilities":{"pgsizes":512}})").u8(0),
      Pack().u16(0).u16(1).text(std::string(100'000, '[')).u8(0)};
  for (const RawBytes& payload : bad) {
    RawClient client(rig.connection(), rig.turner());
    client.refuse(1, payload, EINVAL);
    CHECK(client.closed_by_server());
  }
  RawClient client(rig.connection(), rig.turner());
  client.refuse(4, query(16, 0), EINVAL);  // not VERSION
  CHECK(client.closed_by_server());
  RawClient good(rig.connection(), rig.turner());
  CHECK(!good.hello().is_error());
  good.refuse(1, Pack().u16(0).u16(1), EINVAL);  // only once
}

TEST_CASE("information about the device, its regions and interrupts") {
  Rig rig;
  RawClient client(rig.connection(), rig.turner());
  client.hello();
  CHECK(client.done(4, query(16, 0)) == RawBytes(Pack().u32(16).u32(3).u32(10).u32(5)));

  const uint64_t sizes[9] = {0x10000, 0, 0x1000, 0, 0x1000, 0, 0x800, 0x1000, 0};
  for (unsigned i = 0; i < 9; ++i) {
    const uint64_t flags = sizes[i] == 0 ? 0 : i == 6 ? 1 : 3;
    CHECK(client.done(5, region_query(32, i)) ==
          RawBytes(Pack().u32(32).u32(flags).u32(i).u32(0).u64(sizes[i]).u64(0)));
  }
  // The vendor region names its type, if there is room for that.
  CHECK(client.done(5, region_query(32, 9)) ==
        RawBytes(Pack().u32(48).u32(11).u32(9).u32(0).u64(0x1000).u64(0)));
  CHECK(client.done(5, region_query(48, 9)) == RawBytes(Pack()
                                                            .u32(48)
                                                            .u32(11)
                                                            .u32(9)
                                                            .u32(32)
                                                            .u64(0x1000)
                                                            .u64(0)
                                                            .u16(2)
                                                            .u16(1)
                                                            .u32(0)
                                                            .u32(0x8000fa4e)
                                                            .u32(1)));
  // Some clients send as many bytes as they want back.
  client.done(5, Pack().raw(region_query(64, 0)).raw(RawBytes(32)));

  const uint64_t counts[5] = {0, 0, 32, 1, 1};
  for (unsigned i = 0; i < 5; ++i) {
    CHECK(client.done(7, query(16, i)) == RawBytes(Pack().u32(16).u32(i == 2 ? 3 : 1).u32(i).u32(counts[i])));
  }

  client.refuse(4, {}, EINVAL);
  client.refuse(4, Pack().u32(16).u32(0).u32(0), EINVAL);
  client.refuse(4, query(15, 0), EINVAL);
  client.refuse(4, Pack().u32(16).u32(1).u32(0).u32(0), EINVAL);
  client.refuse(5, query(16, 0), EINVAL);
  client.refuse(5, region_query(31, 0), EINVAL);
  client.refuse(5, region_query(32, 10), EINVAL);
  client.refuse(5, region_query(32, 0xffffffff), EINVAL);
  client.refuse(7, query(15, 0), EINVAL);
  client.refuse(7, query(16, 5), EINVAL);
}

TEST_CASE("what is known but not offered, and what is unknown") {
  Rig rig;
  RawClient client(rig.connection(), rig.turner());
  client.hello();
  client.refuse(6, query(16, 0), ENOTSUP);
  for (const unsigned command : {16, 17, 18}) client.refuse(command, query(16, 0), ENOTSUP);
  for (const unsigned command : {0, 11, 12, 14, 19, 255, 65535}) client.refuse(command, query(16, 0), EINVAL);
}

TEST_CASE("region accesses") {
  Rig rig;
  RawClient client(rig.connection(), rig.turner());
  client.hello();
  CHECK(client.read(7, 0, 4) == RawBytes(Pack().u16(kFakeVendor).u16(kFakeDeviceId)));
  for (unsigned bytes = 1; bytes <= 9; ++bytes) {
    RawBytes data;
    for (unsigned i = 0; i < bytes; ++i) data.push_back(static_cast<uint8_t>(16 * bytes + i));
    client.write(0, 0x100 * bytes + 3, data);
    CHECK(client.read(0, 0x100 * bytes + 3, bytes) == data);
  }
  const RawBytes all = client.read(0, 0, kFakeBar0Bytes);
  CHECK(number_at(all, 0x203, 2) == 0x2120);
  CHECK(client.read(6, 0x7ff, 1) == RawBytes{0xff});

  client.refuse(9, region_access(0, 0, 0), EINVAL);
  client.refuse(9, region_access(0, 1, 1), EINVAL);
  client.refuse(9, region_access(0, 10, 1), EINVAL);
  client.refuse(9, region_access(0, 0x80000000, 1), EINVAL);
  client.refuse(9, region_access(kFakeBar0Bytes, 0, 1), EINVAL);
  client.refuse(9, region_access(kFakeBar0Bytes - 3, 0, 4), EINVAL);
  client.refuse(9, region_access(~uint64_t{0}, 0, 1), EINVAL);
  client.refuse(9, region_access(~uint64_t{0} - 1, 0, 4), EINVAL);
  client.refuse(9, region_access(0, 0, 0xffffffff), EINVAL);
  client.refuse(9, Pack().raw(region_access(0, 0, 4)).u32(0), EINVAL);
  client.refuse(9, Pack().u64(0).u32(0), EINVAL);
  client.refuse(10, Pack().raw(region_access(0, 0, 4)).u16(0), EINVAL);
  client.refuse(10, Pack().raw(region_access(0, 0, 4)).u64(0), EINVAL);
  client.refuse(10, region_access(0, 0, 0), EINVAL);
  client.refuse(10, Pack().raw(region_access(0, 6, 4)).u32(0), EACCES);
  client.refuse(10, Pack().raw(region_access(1, 2, 4)).u32(0), EFAULT);  // the device's own refusal
}

TEST_CASE("writes without reply, and several in one message") {
  Rig rig;
  RawClient client(rig.connection(), rig.turner());
  client.hello();
  for (unsigned i = 0; i < 100; ++i) {
    client.send(10, Pack().raw(region_access(8 * i, 0, 8)).u64(i), {}, 0x10);
  }
  client.send(10, Pack().raw(region_access(0, 1, 8)).u64(0), {}, 0x10);  // refused, without a word
  CHECK(client.read64(0, 8 * 99) == 99);
  CHECK(client.read64(9, 0x50) == 101);
  CHECK(client.read64(9, 0x58) == 1);
  CHECK(client.read64(9, 0x60) == 101);
  CHECK(client.read64(9, 0x68) == EINVAL);

  const auto one = [](uint64_t offset, uint64_t region, uint64_t count, uint64_t data) {
    return RawBytes(Pack().u64(offset).u32(region).u32(count).u64(data));
  };
  CHECK(client.done(15, Pack().u64(2).raw(one(0, 0, 8, 7)).raw(one(16, 0, 3, 0x42424242))) ==
        RawBytes(Pack().u64(2)));
  CHECK(client.read64(0, 0) == 7);
  CHECK(client.read64(0, 16) == 0x424242);
  CHECK(client.done(15, Pack().u64(0)) == RawBytes(Pack().u64(0)));
  client.refuse(15, Pack().u64(1), EINVAL);
  client.refuse(15, Pack().u64(~uint64_t{0}).raw(one(0, 0, 8, 1)), EINVAL);
  client.refuse(15, Pack().u64(1).raw(one(0, 0, 9, 1)), EINVAL);
  client.refuse(15, Pack().u64(2).raw(one(0, 0, 8, 1)).raw(one(0x10000, 0, 8, 1)), EINVAL);
  client.refuse(15, Pack().u64(1).raw(one(0x40, 9, 8, 1)), EINVAL);
  client.refuse(15, {}, EINVAL);
  CHECK(client.read64(0, 0) == 7);

  RawClient other(rig.connection(), rig.turner());
  client.close();
  other.hello("");
  other.refuse(15, Pack().u64(1).raw(one(0, 0, 8, 7)), EINVAL);  // not agreed on
}

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

TEST_CASE("DMA through a file") {
  Rig rig;
  RawClient client(rig.connection(), rig.turner());
  client.hello();
  MemoryFile file(0x5000);
  client.map(0x100000, 0x3000, {file.fd()}, 0x1000);
  for (unsigned i = 0; i < 0x5000; ++i) file.data()[i] = static_cast<uint8_t>(i * 7 >> 3);
  client.write64(4, kFakeIova, 0x100ff9);
  client.write64(4, kFakeAt, 0x33);
  client.write64(4, kFakeBytes, 0x1234);
  client.write64(4, kFakeGo, 1);
  while (client.read64(4, kFakeDone) == 0) {
  }
  CHECK(client.read(0, 0x33, 0x1234) == RawBytes(file.data() + 0x1ff9, file.data() + 0x1ff9 + 0x1234));
  client.write(0, 0, {1, 2, 3, 4, 5});
  client.write64(4, kFakeIova, 0x102ffb);
  client.write64(4, kFakeAt, 0);
  client.write64(4, kFakeBytes, 5);
  client.write64(4, kFakeGo, 2);
  while (client.read64(4, kFakeDone) == 1) {
  }
  CHECK(RawBytes(file.data() + 0x3ffb, file.data() + 0x4000) == RawBytes{1, 2, 3, 4, 5});
  CHECK(client.read64(4, kFakeFaults) == 0);

  // Unmapped, it is out of reach.
  CHECK(client.done(3, dma_unmap(0, 0x100000, 0x3000)) == dma_unmap(0, 0x100000, 0x3000));
  CHECK(rig.card().mappings() == 0);
  client.write64(4, kFakeGo, 2);
  while (client.read64(4, kFakeDone) == 2) {
  }
  CHECK(client.read64(4, kFakeFaults) == 1);
}

TEST_CASE("DMA by messages") {
  Rig rig;
  RawClient client(rig.connection(), rig.turner());
  // The server keeps to what the client can take in one message.
  client.hello(R"({"capabilities":{"max_data_xfer_size":100}})");
  EventFd event;
  client.done(8, set_irqs(4 | 32, 2, 3, 1), {event.fd()});
  client.map(0x200000, 0x1000);
  client.write64(4, kFakeIova, 0x200080);
  client.write64(4, kFakeAt, 0x10);
  client.write64(4, kFakeBytes, 0x300);
  client.write64(4, kFakeGo, 1 | 3 << 8);
  RawBytes memory(0x1000);
  for (unsigned i = 0; i < memory.size(); ++i) memory[i] = static_cast<uint8_t>(i ^ i >> 4);
  // One byte after the other is asked for; meanwhile a command waits its turn.
  const unsigned waiting = client.send(9, region_access(0x10, 0, 0x300));
  uint64_t asked = 0;
  RawMessage message;
  while (asked < 0x300) {
    message = client.receive();
    REQUIRE((message.flags == 0 && message.command == 11));
    const uint64_t at = number_at(message.payload, 0, 8);
    const uint64_t count = number_at(message.payload, 8, 8);
    CHECK(count <= 100);
    asked += count;
    const RawBytes part(memory.begin() + at - 0x200000, memory.begin() + at - 0x200000 + count);
    CHECK(event.take() == 0);
    client.send_raw(
        Pack().u16(message.id).u16(11).u32(16 + 16 + count).u32(1).u32(0).raw(message.payload).raw(part));
  }
  message = client.receive();
  CHECK(message.id == waiting);
  while (client.read64(4, kFakeDone) == 0) {
  }
  CHECK(client.read(0, 0x10, 0x300) == RawBytes(memory.begin() + 0x80, memory.begin() + 0x380));
  CHECK(event.take() == 1);

  // To the client; it refuses one, and answers two with nonsense.
  client.write64(4, kFakeGo, 2 | 3 << 8);
  unsigned number = 0;
  for (uint64_t written = 0; written < 0x300;) {
    rig.settle();
    message = client.receive();
    REQUIRE(message.command == 12);
    const uint64_t count = number_at(message.payload, 8, 8);
    CHECK(message.payload.size() == 16 + count);
    CHECK(event.take() == 0);
    written += count;
    RawBytes head(message.payload.begin(), message.payload.begin() + 16);
    const bool refuse = number == 0;
    if (number == 1) head.push_back(0);
    if (number == 2) head.resize(12);  // as the specification draws it
    ++number;
    client.send_raw(Pack()
                        .u16(message.id)
                        .u16(12)
                        .u32(refuse ? 16 : 16 + head.size())
                        .u32(refuse ? 0x21 : 1)
                        .u32(refuse ? EIO : 0)
                        .raw(refuse ? RawBytes() : head));
  }
  while (client.read64(4, kFakeDone) == 1) {
  }
  CHECK(event.take() == 1);
  CHECK(client.read64(4, kFakeFaults) == 1);  // both lie in the first piece
}

TEST_CASE("DMA maps: what is refused") {
  Rig rig;
  RawClient client(rig.connection(), rig.turner());
  client.hello(R"({"capabilities":{"max_dma_maps":3,"max_msg_fds":8}})");
  MemoryFile file(0x4000);
  const std::vector<int> fd{file.fd()};
  const auto no = [&](const RawBytes& payload, int error, const std::vector<int>& fds = {}) {
    client.refuse(2, payload, error, fds);
  };
  no({}, EINVAL);
  no(Pack().raw(dma_map(3, 0, 0, 0x1000)).u8(0), EINVAL);
  no(Pack().u32(31).u32(3).u64(0).u64(0).u64(0x1000), EINVAL);
  no(dma_map(0, 0, 0, 0x1000), EINVAL);
  no(dma_map(4, 0, 0, 0x1000), EINVAL);
  no(dma_map(3, 0, 0, 0), EINVAL);
  no(dma_map(3, 0, 0x800, 0x1000), EINVAL);
  no(dma_map(3, 0, 0, 0x1001), EINVAL);
  no(dma_map(3, 0x1000, 0, 0x1000), EINVAL);  // an offset in no file
  no(dma_map(3, 0, 0xfffffffffffff000, 0x2000), EINVAL);
  no(dma_map(3, 0, 0xfffffffffffff000, 0x1000), ERANGE);  // the device's own limit
  no(dma_map(3, 0x800, 0, 0x1000), EINVAL, fd);
  no(dma_map(3, 0, 0, 0x5000), EINVAL, fd);  // past the end of the file
  no(dma_map(3, 0x4000, 0, 0x1000), EINVAL, fd);
  no(dma_map(3, 0xfffffffffffff000, 0, 0x1000), EINVAL, fd);
  no(dma_map(3, 0, 0, 0x1000), EINVAL, {file.fd(), file.fd()});
  EventFd event;
  no(dma_map(3, 0, 0, 0x1000), EINVAL, {event.fd()});
  const int read_only = ::open(("/proc/self/fd/" + std::to_string(file.fd())).c_str(), O_RDONLY);
  no(dma_map(3, 0, 0, 0x1000), EACCES, {read_only});
  client.map(0x800000, 0x1000, {read_only}, 0, 1);
  ::close(read_only);
  client.done(3, dma_unmap(0, 0x800000, 0x1000));

  client.map(0x10000, 0x4000, fd);
  for (const auto& [at, bytes] :
       {std::pair(0x10000, 0x4000), std::pair(0xf000, 0x2000), std::pair(0x13000, 0x1000),
        std::pair(0, 0x100000), std::pair(0x11000, 0x1000)}) {
    no(dma_map(3, 0, static_cast<uint64_t>(at), static_cast<uint64_t>(bytes)), EEXIST);
  }
  client.map(0xf000, 0x1000);
  client.map(0x14000, 0x1000, fd);
  no(dma_map(3, 0, 0x20000, 0x1000), ENOSPC);
  client.refuse(3, {}, EINVAL);
  client.refuse(3, Pack().u32(23).u32(0).u64(0x10000).u64(0x4000), EINVAL);
  client.refuse(3, dma_unmap(1, 0x10000, 0x4000), EINVAL);
  client.refuse(3, dma_unmap(0, 0x10000, 0x3000), ENOENT);
  client.refuse(3, dma_unmap(0, 0x11000, 0x3000), ENOENT);
  client.refuse(3, dma_unmap(2, 0x10000, 0x4000), EINVAL);
  client.done(3, dma_unmap(0, 0x10000, 0x4000));
  client.refuse(3, dma_unmap(0, 0x10000, 0x4000), ENOENT);
  CHECK(rig.card().mappings() == 2);
  client.done(3, dma_unmap(2, 0, 0));
  CHECK(rig.card().mappings() == 0);
}

TEST_CASE("a client that shrinks its file harms only itself") {
  Rig rig;
  RawClient client(rig.connection(), rig.turner());
  client.hello();
  MemoryFile file(0x2000);
  client.map(0, 0x2000, {file.fd()});
  file.shrink(0x1000);
  client.write64(4, kFakeIova, 0xf80);
  client.write64(4, kFakeBytes, 0x100);
  client.write64(4, kFakeGo, 1);
  while (client.read64(4, kFakeDone) == 0) {
  }
  client.write64(4, kFakeGo, 2);
  while (client.read64(4, kFakeDone) == 1) {
  }
  CHECK(client.read64(0, 0xf0) == 0);
}

TEST_CASE("reset keeps maps and eventfds, and empties the card") {
  Rig rig;
  RawClient client(rig.connection(), rig.turner());
  client.hello();
  EventFd event;
  client.done(8, set_irqs(4 | 32, 2, 0, 1), {event.fd()});
  client.map(0, 0x1000);
  client.write64(0, 0, 1234);
  CHECK(client.done(13, {}).empty());
  CHECK(client.read64(0, 0) == 0);
  CHECK(rig.card().mappings() == 1);
  client.done(8, set_irqs(1 | 32, 2, 0, 1));
  CHECK(event.take() == 1);
  client.refuse(13, {0}, EINVAL);
}

}  // namespace swai::socket
