// SPDX-License-Identifier: Apache-2.0
// DMA_MAP and DMA_UNMAP, and what the card then does with the memory, spoken by the raw client.
#include <doctest/doctest.h>
#include <fcntl.h>

#include <cerrno>

#include "verif/host/transport/rig.hpp"

namespace swai::socket {
namespace {

RawBytes set_irqs(uint64_t flags, uint64_t index, uint64_t start, uint64_t count, const RawBytes& data = {}) {
  return Pack().u32(20 + data.size()).u32(flags).u32(index).u32(start).u32(count).raw(data);
}
RawBytes dma_map(uint64_t flags, uint64_t offset, uint64_t iova, uint64_t bytes) {
  return Pack().u32(32).u32(flags).u64(offset).u64(iova).u64(bytes);
}
RawBytes dma_unmap(uint64_t flags, uint64_t iova, uint64_t bytes) {
  return Pack().u32(24).u32(flags).u64(iova).u64(bytes);
}

}  // namespace

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

TEST_CASE("an interrupt does not overtake what the card wrote before it") {
  Rig rig;
  RawClient client(rig.connection(), rig.turner());
  client.hello();
  client.write64(9, 0x40, 1);
  EventFd event;
  client.done(8, set_irqs(4 | 32, 2, 3, 1), {event.fd()});
  client.map(0x200000, 0x1000);
  client.write64(4, kFakeIova, 0x200000);
  client.write64(4, kFakeBytes, 64);
  client.write64(4, kFakeGo, 3 | 3 << 8);
  client.write(9, 0x80, Pack().u64(8).u64(100'000).u64(1));
  const unsigned run = client.send(9, region_access(0xa0, 9, 24));
  const RawMessage write = client.receive();
  CHECK(write.command == 12);
  rig.settle();
  CHECK(event.take() == 0);
  const RawBytes head(write.payload.begin(), write.payload.begin() + 16);
  client.send_raw(Pack().u16(write.id).u16(12).u32(32).u32(1).u32(0).raw(head));
  const RawMessage reply = client.receive();
  CHECK(reply.id == run);
  CHECK(number_at(reply.payload, 16, 8) == 1);
  CHECK(number_at(reply.payload, 24, 8) == 8);
  CHECK(event.take() == 1);
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

}  // namespace swai::socket
