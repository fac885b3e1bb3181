// SPDX-License-Identifier: Apache-2.0
// The protocol as the specification has it, spoken by the raw client.
#include <doctest/doctest.h>

#include <cerrno>

#include "verif/host/transport/rig.hpp"

namespace swai::socket {
namespace {

RawBytes query(uint64_t argsz, uint64_t index) { return Pack().u32(argsz).u32(0).u32(index).u32(0); }
RawBytes region_query(uint64_t argsz, uint64_t index) {
  return Pack().raw(query(argsz, index)).u64(0).u64(0);
}
RawBytes set_irqs(uint64_t flags, uint64_t index, uint64_t start, uint64_t count, const RawBytes& data = {}) {
  return Pack().u32(20 + data.size()).u32(flags).u32(index).u32(start).u32(count).raw(data);
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
          R"({"capabilities":{"max_msg_fds":16,"max_data_xfer_size":1048576,"max_dma_maps":7,)"
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
        RawBytes(Pack().u32(48).u32(11).u32(9).u32(32).u64(0x1000).u64(0)));
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
