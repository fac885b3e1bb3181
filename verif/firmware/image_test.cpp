// SPDX-License-Identifier: Apache-2.0
// The image format: what is accepted, what is refused, and why.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <utility>

#include "abi/fault.hpp"
#include "host/lib/sha256.hpp"
#include "verif/firmware/fake_platform.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai {
namespace {

using image::Header;
using image::Refusal;
using image::Slot;

constexpr uint64_t kBase = boot::kImageMemory.memory_base;
constexpr uint64_t kEnd = boot::kImageMemory.memory_end;

flash::Bytes some_image(size_t payload_bytes = 1000) {
  std::mt19937_64 random(test_seed());
  return boot::random_image(random, image::make_version(1, 2, 3), payload_bytes);
}

// A good header with a change, and its checksum right again.
template <typename Change>
Refusal refusal_after(Change change) {
  Header header = flash::read_header(some_image());
  change(header);
  flash::seal(header);
  return image::check_header(header, boot::kImageMemory);
}

std::span<const uint8_t> text_bytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

std::string hex(std::span<const uint8_t> bytes) {
  std::string text;
  for (const uint8_t byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

TEST_CASE("crc32: the standard's check value") {
  CHECK(crc32(text_bytes("123456789")) == 0xCBF43926);
  CHECK(crc32(text_bytes("")) == 0);
}

TEST_CASE("sha256: FIPS examples and every padding") {
  CHECK(hex(sha256({})) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(hex(sha256(text_bytes("abc"))) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(hex(sha256(text_bytes("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"))) ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(hex(sha256(flash::Bytes(1'000'000, 'a'))) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  // Lengths around the places where the padding changes its shape, as Python's hashlib has them.
  CHECK(hex(sha256(flash::Bytes(55, 'x'))) ==
        "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072");
  CHECK(hex(sha256(flash::Bytes(56, 'x'))) ==
        "04c26261370ee7541549d16dee320c723e3fd14671e66a099afe0a377c16888e");
  CHECK(hex(sha256(flash::Bytes(64, 'x'))) ==
        "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c");
}

TEST_CASE("the layout of the header is what the documentation says") {
  CHECK(offsetof(Header, format) == 8);
  CHECK(offsetof(Header, image_version) == 16);
  CHECK(offsetof(Header, length) == 24);
  CHECK(offsetof(Header, load_address) == 32);
  CHECK(offsetof(Header, entry) == 40);
  CHECK(offsetof(Header, sha256) == 48);
  CHECK(offsetof(Header, identity) == 80);
  CHECK(offsetof(Header, reserved) == 208);
  CHECK(offsetof(Header, checksum) == 220);
  CHECK(offsetof(Header, state) == 224);
  const flash::Bytes bytes = some_image();
  CHECK(std::string_view(reinterpret_cast<const char*>(bytes.data()), 8) == "SWAI-IMG");
  CHECK(std::ranges::all_of(std::span(bytes).subspan(image::kStateOffset, sizeof(image::State)),
                            [](uint8_t byte) { return byte == 0xFF; }));
}

TEST_CASE("a packed image is accepted") { CHECK(flash::check(some_image()) == Refusal::kNone); }

TEST_CASE("every single flipped bit of the fixed part is refused") {
  const flash::Bytes good = some_image();
  for (size_t bit = 0; bit < image::kStateOffset * 8; ++bit) {
    flash::Bytes bad = good;
    bad[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    CAPTURE(bit);
    const Refusal refusal = flash::check(bad);
    CHECK(refusal != Refusal::kNone);
    if (bit < 64) CHECK(refusal == Refusal::kBadMagic);
    if (bit >= 64 && bit < 96) CHECK(refusal == Refusal::kUnknownFormat);
    if (bit >= 96) CHECK(refusal == Refusal::kBadChecksum);
  }
}

TEST_CASE("every pair of flipped bits of the fixed part is refused") {
  const Header good = flash::read_header(some_image());
  flash::Bytes bytes(sizeof(Header));
  flash::write_header(bytes, good);
  unsigned accepted = 0;
  auto flip = [&](size_t bit) { bytes[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8); };
  for (size_t first = 0; first < image::kStateOffset * 8; first += 7) {
    flip(first);
    for (size_t second = first + 1; second < image::kStateOffset * 8; ++second) {
      flip(second);
      if (image::check_header(flash::read_header(bytes), boot::kImageMemory) == Refusal::kNone) ++accepted;
      flip(second);
    }
    flip(first);
  }
  CHECK(accepted == 0);
}

TEST_CASE("no single bit of the state makes a fresh image refused") {
  const flash::Bytes good = some_image();
  for (size_t bit = image::kStateOffset * 8; bit < sizeof(Header) * 8; ++bit) {
    flash::Bytes other = good;
    other[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    CAPTURE(bit);
    CHECK(flash::check(other) == Refusal::kNone);
  }
}

TEST_CASE("every flipped bit of the payload is refused") {
  const flash::Bytes good = some_image(96);
  for (size_t bit = sizeof(Header) * 8; bit < good.size() * 8; ++bit) {
    flash::Bytes bad = good;
    bad[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    CAPTURE(bit);
    CHECK(flash::check(bad) == Refusal::kDigestMismatch);
  }
}

TEST_CASE("truncated at every length") {
  const flash::Bytes good = some_image(64);
  for (size_t length = 0; length < good.size(); ++length) {
    CAPTURE(length);
    CHECK(flash::check(std::span(good).first(length)) == Refusal::kTruncated);
  }
}

TEST_CASE("headers that are sealed but wrong") {
  CHECK(refusal_after([](Header&) {}) == Refusal::kNone);
  CHECK(refusal_after([](Header& h) { h.magic = ~uint64_t{0}; }) == Refusal::kErased);
  CHECK(refusal_after([](Header& h) { h.magic = 0; }) == Refusal::kBadMagic);
  CHECK(refusal_after([](Header& h) { h.format = 0; }) == Refusal::kUnknownFormat);
  CHECK(refusal_after([](Header& h) { h.format = 2; }) == Refusal::kUnknownFormat);
  CHECK(refusal_after([](Header& h) { h.header_bytes = 128; }) == Refusal::kBadHeader);
  CHECK(refusal_after([](Header& h) { h.reserved[11] = 1; }) == Refusal::kBadHeader);
  CHECK(refusal_after([](Header& h) { h.length = 0; }) == Refusal::kEmpty);
  CHECK(refusal_after([](Header& h) { h.length = 1001; }) == Refusal::kMisaligned);
  CHECK(refusal_after([](Header& h) { h.load_address += 4; }) == Refusal::kMisaligned);
  CHECK(refusal_after([](Header& h) { h.entry |= 1; }) == Refusal::kEntryOutside);
}

TEST_CASE("bounds of length, load address and entry, with no way around through overflow") {
  const uint64_t room = kEnd - kBase;
  CHECK(refusal_after([&](Header& h) { h.length = room; }) == Refusal::kNone);
  CHECK(refusal_after([&](Header& h) { h.length = room + 8; }) == Refusal::kOutsideMemory);
  CHECK(refusal_after([&](Header& h) { h.length = image::kMaxPayloadBytes; }) == Refusal::kOutsideMemory);
  CHECK(refusal_after([&](Header& h) { h.length = image::kMaxPayloadBytes + 8; }) == Refusal::kTooLong);
  for (unsigned bit = 20; bit < 64; ++bit) {
    CAPTURE(bit);
    CHECK(refusal_after([&](Header& h) { h.length |= uint64_t{1} << bit; }) == Refusal::kTooLong);
    CHECK(refusal_after([&](Header& h) { h.load_address ^= uint64_t{1} << bit; }) == Refusal::kOutsideMemory);
    CHECK(refusal_after([&](Header& h) { h.entry ^= uint64_t{1} << bit; }) == Refusal::kEntryOutside);
  }
  CHECK(refusal_after([](Header& h) { h.length = ~uint64_t{7}; }) == Refusal::kTooLong);
  // The end of the image would wrap around to a small address.
  CHECK(refusal_after([](Header& h) { h.load_address = ~uint64_t{7}; }) == Refusal::kOutsideMemory);
  CHECK(refusal_after([](Header& h) { h.load_address = -h.length; }) == Refusal::kOutsideMemory);
  CHECK(refusal_after([](Header& h) { h.load_address = 0; }) == Refusal::kOutsideMemory);

  auto at = [](uint64_t load, uint64_t length, uint64_t entry) {
    return refusal_after([&](Header& h) {
      h.load_address = load;
      h.length = length;
      h.entry = entry;
    });
  };
  CHECK(at(kEnd - 8, 8, kEnd - 8) == Refusal::kNone);
  CHECK(at(kEnd - 8, 16, kEnd - 8) == Refusal::kOutsideMemory);
  CHECK(at(kEnd, 8, kEnd) == Refusal::kOutsideMemory);
  CHECK(at(kBase - 8, 16, kBase) == Refusal::kOutsideMemory);
  CHECK(at(kBase, 16, kBase + 14) == Refusal::kNone);
  CHECK(at(kBase, 16, kBase + 16) == Refusal::kEntryOutside);
  CHECK(at(kBase + 8, 16, kBase) == Refusal::kEntryOutside);
}

TEST_CASE("state: attempts are unary, and fields count by their majority") {
  image::State state = {~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}};
  for (unsigned made = 0; made < image::kMaxAttempts; ++made) {
    CHECK(image::attempts_made(state) == made);
    CHECK(image::check_state(state) == Refusal::kNone);
    const uint64_t before = state.attempts;
    state.attempts = image::count_attempt(before);
    // Flash can do it: no bit was set.
    CHECK((state.attempts & ~before) == 0);
    CHECK(image::attempts_made(state) == made + 1);
  }
  CHECK(image::check_state(state) == Refusal::kAttemptsUsedUp);
  state.confirmed = 0;
  CHECK(image::check_state(state) == Refusal::kNone);
  state.revoked = 0;
  CHECK(image::check_state(state) == Refusal::kRevoked);

  std::mt19937_64 random(test_seed());
  for (unsigned bits = 0; bits <= 64; ++bits) {
    uint64_t field = ~uint64_t{0};
    while (image::cleared_bits(field) < bits) field &= ~(uint64_t{1} << random() % 64);
    state = {~uint64_t{0}, field, ~uint64_t{0}, ~uint64_t{0}};
    CHECK(image::is_confirmed(state) == (bits >= 32));
    state = {~uint64_t{0}, ~uint64_t{0}, field, ~uint64_t{0}};
    CHECK(image::is_revoked(state) == (bits >= 32));
  }
}

TEST_CASE("order of the slots") {
  auto header = [](uint64_t version, bool confirmed) {
    Header result = {};
    result.image_version = version;
    result.state.confirmed = confirmed ? 0 : ~uint64_t{0};
    return result;
  };
  CHECK(image::preferred(header(2, false), header(1, true)) == Slot::kA);
  CHECK(image::preferred(header(1, true), header(2, false)) == Slot::kB);
  CHECK(image::preferred(header(1, true), header(1, true)) == Slot::kA);
  CHECK(image::preferred(header(1, false), header(1, false)) == Slot::kA);
  CHECK(image::preferred(header(1, false), header(1, true)) == Slot::kB);
  CHECK(image::preferred(header(1, true), header(1, false)) == Slot::kA);
}

TEST_CASE("every refusal and fault has its own text") {
  std::vector<std::string> texts;
  for (unsigned i = 0; i <= 18; ++i) texts.emplace_back(text(static_cast<Refusal>(i)));
  for (unsigned i = 0; i <= 9; ++i) texts.emplace_back(text(static_cast<fault::Kind>(i)));
  std::ranges::sort(texts);
  CHECK(std::ranges::adjacent_find(texts) == texts.end());
  CHECK(std::ranges::count(texts, text(static_cast<Refusal>(255))) == 0);
  CHECK(std::ranges::count(texts, text(static_cast<fault::Kind>(255))) == 0);
  CHECK(std::string(fault::cause_text(13)) == "load page fault");
  CHECK(std::string(fault::cause_text(uint64_t{1} << 63 | 5)) == "interrupt");
  CHECK(std::string(fault::cause_text(uint64_t{1} << 40)) == "reserved");
}

TEST_CASE("a fault record is believed only when it is whole") {
  fault::Record record = {};
  record.magic = fault::Record::kMagic;
  record.format = fault::Record::kFormat;
  record.kind = fault::Kind::kException;
  record.checksum = fault::checksum(record);
  CHECK(fault::is_valid(record));
  record.reported = 1;
  CHECK(fault::is_valid(record));
  record.registers[31] = 1;
  CHECK_FALSE(fault::is_valid(record));
}

}  // namespace
}  // namespace swai
