// SPDX-License-Identifier: Apache-2.0
// Packets: bits as the specification draws them, and strict decoding.
#include "sim/board/rootport/tlp.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "sim/board/rootport/pins.hpp"
#include "sim/common/random.hpp"
#include "verif/kit/doctest_main.hpp"

using namespace swai;
using namespace swai::rootport;

namespace {

// What is compared after a way through the bits.
bool same(const Tlp& a, const Tlp& b) {
  return encode(a) == encode(b) && a.kind == b.kind && a.length == b.length && a.address == b.address &&
         a.first_be == b.first_be && a.last_be == b.last_be && a.tag == b.tag && a.requester == b.requester;
}

TlpError decode_error(const TlpHeader& header) {
  Tlp tlp;
  return decode(header, {}, tlp);
}

std::vector<uint8_t> numbers(size_t count) {
  std::vector<uint8_t> out(count);
  std::iota(out.begin(), out.end(), uint8_t{1});
  return out;
}

Tlp random_request(verif::Random& random) {
  const unsigned start = static_cast<unsigned>(random.below(4096));
  uint64_t page = random.number() & ~uint64_t{0xFFF};
  const unsigned room = 4096 - start;
  const auto bytes = static_cast<unsigned>(1 + random.below(std::min(room, 253u)));
  const auto id = static_cast<uint16_t>(random.next());
  if (random.chance(50)) return memory_read(page + start, bytes, id, static_cast<uint8_t>(random.next()));
  return memory_write(page + start, numbers(bytes), id);
}

}  // namespace

TEST_CASE("headers are the bits of the specification") {
  Tlp read = memory_read(0x1234'5678'9ABC'DE01, 10, 0x0100, 0x5A);
  // Length 3: bytes 1..10; first enables 1110, last 0111.
  CHECK(encode(read) == TlpHeader{0x2000'0003, 0x0100'5A7E, 0x1234'5678, 0x9ABC'DE00});
  read = memory_read(0x9ABC'DE01, 2, 0x0100, 0x5A);
  CHECK(encode(read) == TlpHeader{0x0000'0001, 0x0100'5A06, 0x9ABC'DE00, 0});

  Tlp write = memory_write(0x8000'0100, numbers(256), 0x0200);
  write.poisoned = true;
  write.attributes = 3;
  CHECK(encode(write) == TlpHeader{0x4000'7040, 0x0200'00FF, 0x8000'0100, 0});
  write = memory_write(0x1'8000'0100, numbers(4), 0x0200);
  CHECK(encode(write) == TlpHeader{0x6000'0001, 0x0200'000F, 1, 0x8000'0100});

  Tlp config = memory_write(0x144, numbers(2), 0);
  config.kind = TlpKind::kConfigWrite;
  config.target = 0x0300;
  config.tag = 7;
  CHECK(encode(config) == TlpHeader{0x4400'0001, 0x0000'0703, 0x0300'0144, 0});
  config.kind = TlpKind::kConfigRead;
  CHECK(encode(config) == TlpHeader{0x0400'0001, 0x0000'0703, 0x0300'0144, 0});

  const Tlp cpl = completion(read, CplStatus::kUnsupported, 0x0400);
  CHECK(encode(cpl) == TlpHeader{0x0A00'0000, 0x0400'2002, 0x0100'5A01, 0});
  read = memory_read(0x7E, 200, 0x0100, 0x5A);
  const Tlp first = completion(read, 0, numbers(2), 0);
  CHECK(encode(first) == TlpHeader{0x4A00'0001, 0x0000'00C8, 0x0100'5A7E, 0});
  CHECK(first.data[2] == 1);
  CHECK(first.data[3] == 2);
  const Tlp rest = completion(read, 2, numbers(198), 0);
  CHECK(encode(rest) == TlpHeader{0x4A00'0032, 0x0000'00C6, 0x0100'5A00, 0});

  Tlp longest;
  longest.kind = TlpKind::kMemRead;
  longest.length = 1024;
  longest.first_be = longest.last_be = 0xF;
  CHECK(encode(longest)[0] == 0);
  CHECK(decode(encode(longest), {.max_read = 4096}, longest) == TlpError::kNone);
  CHECK(longest.length == 1024);
}

TEST_CASE("every packet comes back") {
  verif::Random random(test_seed());
  for (int i = 0; i < 20000; ++i) {
    Tlp tlp = random_request(random);
    tlp.poisoned = random.chance(10);
    tlp.traffic_class = static_cast<uint8_t>(random.below(8));
    tlp.attributes = static_cast<uint8_t>(random.below(8));
    Tlp back;
    REQUIRE(decode(encode(tlp), {}, back) == TlpError::kNone);
    REQUIRE(same(tlp, back));
    if (tlp.kind != TlpKind::kMemRead) continue;
    // Its answer, in two parts when a boundary lies inside.
    const uint64_t first = tlp.address + tlp.first_byte();
    const unsigned all = tlp.byte_span();
    const unsigned cut = std::min<unsigned>(all, 64 - first % 64);
    for (const Tlp& part : {completion(tlp, 0, numbers(cut), 9), completion(tlp, CplStatus::kAbort, 9)}) {
      REQUIRE(decode(encode(part), {}, back) == TlpError::kNone);
      REQUIRE(encode(part) == encode(back));
    }
    if (cut == all) continue;
    const Tlp rest = completion(tlp, cut, numbers(all - cut), 9);
    REQUIRE(decode(encode(rest), {}, back) == TlpError::kNone);
    REQUIRE(back.byte_count == all - cut);
  }
}

TEST_CASE("the error names what is wrong") {
  const TlpHeader read = encode(memory_read(0x1000, 64, 0x100, 1));
  const auto with = [](TlpHeader header, unsigned word, uint32_t set, uint32_t clear = 0) {
    header[word] = (header[word] & ~clear) | set;
    return header;
  };
  REQUIRE(decode_error(read) == TlpError::kNone);
  for (const uint32_t type :
       {0x01, 0x02, 0x21, 0x42, 0x05, 0x45, 0x30, 0x34, 0x74, 0x0B, 0x4B, 0x4C, 0x6D, 0x80}) {
    CHECK(decode_error(with(read, 0, type << 24, 0xFF00'0000)) == TlpError::kType);
  }
  for (const uint32_t bit : {0x0080'0000, 0x0008'0000, 0x0002'0000}) {
    CHECK(decode_error(with(read, 0, bit)) == TlpError::kReserved);
  }
  CHECK(decode_error(with(read, 2, 1)) == TlpError::kReserved);
  CHECK(decode_error(with(read, 3, 0x8000'0000)) == TlpError::kReserved);
  CHECK(decode_error(with(read, 0, 0x8000)) == TlpError::kDigest);
  CHECK(decode_error(with(read, 0, 0x1'0000)) == TlpError::kAddressType);
  CHECK(decode_error(with(read, 0, 0x0400)) == TlpError::kAddressType);
  CHECK(decode_error(with(read, 0, 129, 0x3FF)) == TlpError::kLengthRead);
  CHECK(decode_error(with(read, 0, 0, 0x3FF)) == TlpError::kLengthRead);
  CHECK(decode_error(with(read, 2, 0xFC4, ~0u)) == TlpError::kPage);
  CHECK(decode_error(with(read, 2, 0xFC0, ~0u)) == TlpError::kNone);
  CHECK(decode_error(with(read, 1, 0, 0xF)) == TlpError::kFirstEnable);
  CHECK(decode_error(with(read, 1, 0, 0xF0)) == TlpError::kLastEnable);
  CHECK(decode_error(with(read, 0, 1, 0x3FF)) == TlpError::kLastEnable);
  CHECK(decode_error(with(read, 1, 0x5, 0xF)) == TlpError::kEnableGap);
  CHECK(decode_error(with(read, 1, 0x50, 0xF0)) == TlpError::kEnableGap);
  CHECK(decode_error(with(read, 1, 0x70, 0xF0)) == TlpError::kNone);
  // Two doublewords: gaps only in an aligned quadword. One: any.
  const TlpHeader two = with(with(read, 0, 2, 0x3FF), 1, 0x59, 0xFF);
  CHECK(decode_error(two) == TlpError::kNone);
  CHECK(decode_error(with(two, 2, 4)) == TlpError::kEnableGap);
  const TlpHeader one = with(with(read, 0, 1, 0x3FF), 1, 0x09, 0xFF);
  CHECK(decode_error(one) == TlpError::kNone);
  CHECK(decode_error(with(one, 1, 0, 0xF)) == TlpError::kNone);

  CHECK(decode_error({0x2000'0001, 0x0F, 0, 0x1000}) == TlpError::kWideAddress);
  CHECK(decode_error({0x4000'0041, 0xFF, 0x1000, 0}) == TlpError::kLengthWrite);
  CHECK(decode_error({0x4000'0000, 0xFF, 0x1000, 0}) == TlpError::kLengthWrite);
  CHECK(decode_error({0x0400'0002, 0xFF, 0x0100'0000, 0}) == TlpError::kConfig);
  CHECK(decode_error({0x0410'0001, 0x0F, 0x0100'0000, 0}) == TlpError::kConfig);
  CHECK(decode_error({0x0400'1001, 0x0F, 0x0100'0000, 0}) == TlpError::kConfig);
  CHECK(decode_error({0x0400'0001, 0x1F, 0x0100'0000, 0}) == TlpError::kConfig);
  CHECK(decode_error({0x0400'0001, 0x0F, 0x0100'1000, 0}) == TlpError::kReserved);

  CHECK(decode_error({0x0A00'0000, 0x6004, 0, 0}) == TlpError::kStatus);
  CHECK(decode_error({0x4A00'0001, 0x2004, 0, 0}) == TlpError::kDataStatus);
  CHECK(decode_error({0x0A00'0001, 0x2004, 0, 0}) == TlpError::kReserved);
  CHECK(decode_error({0x0A00'0000, 0x3004, 0, 0}) == TlpError::kReserved);
  CHECK(decode_error({0x0A00'0000, 0x2004, 0x80, 0}) == TlpError::kReserved);
  CHECK(decode_error({0x4A00'0001, 0x0004, 0, 0}) == TlpError::kNone);
  CHECK(decode_error({0x4A00'0001, 0x0004, 1, 0}) == TlpError::kByteCount);  // ends at no boundary
  CHECK(decode_error({0x4A00'0001, 0x0004, 0x3D, 0}) == TlpError::kNone);    // ends at one
  CHECK(decode_error({0x4A00'0002, 0x0004, 0, 0}) == TlpError::kByteCount);  // longer than what is to come
  CHECK(decode_error({0x4A00'0010, 0x0000, 0, 0}) == TlpError::kNone);       // 64 of 4096
  CHECK(decode_error({0x4A00'0041, 0x0000, 0, 0}) == TlpError::kLengthWrite);
}

TEST_CASE("random bits are refused or mean what they say") {
  verif::Random random(test_seed());
  unsigned taken = 0;
  for (int i = 0; i < 500000; ++i) {
    TlpHeader header;
    for (uint32_t& word : header) word = static_cast<uint32_t>(random.next());
    if (random.chance(80)) {
      static constexpr uint32_t kTypes[] = {0x00, 0x20, 0x40, 0x60, 0x04, 0x44, 0x0A, 0x4A};
      header[0] = (header[0] & 0x7077) | kTypes[random.below(8)] << 24;
      if (random.chance(50)) header[3] = 0;
      if (random.chance(50)) header[2] &= ~0xF003u;
      if (random.chance(50)) header[1] |= 0xFF;
    }
    Tlp tlp;
    if (decode(header, {}, tlp) != TlpError::kNone) continue;
    ++taken;
    REQUIRE(encode(tlp) == header);
    REQUIRE(tlp.payload_bytes() <= kMaxPayload);
    REQUIRE(!tlp.text().empty());
    if (tlp.is_memory()) REQUIRE((tlp.address & 0xFFF) + tlp.first_byte() + tlp.byte_span() <= 4096);
  }
  CHECK(taken > 1000);
}

TEST_CASE("credits in one word") {
  const Credits credits{
      .posted_header = 0x12, .posted_data = 0x345, .nonposted_header = 0x67, .nonposted_data = 0x89A};
  CHECK(credits.pack() == 0x12'345'67'89A);
  CHECK(Credits::unpack(credits.pack()) == credits);
  Credits sum = credits;
  sum.add({.posted_header = 0xFF, .posted_data = 0xFFF, .nonposted_header = 1, .nonposted_data = 1});
  CHECK(sum.pack() == 0x11'344'68'89B);
  CHECK(enough(credits, credits));
  CHECK_FALSE(enough({.posted_header = 3}, {.posted_header = 4}));
  CHECK_FALSE(enough({.nonposted_data = 3}, {.nonposted_data = 4}));
  CHECK(enough({.posted_header = 3}, {.posted_header = 0xF0}));
  CHECK(enough({.posted_data = 3}, {.posted_data = 0xFF0}));
}
