// SPDX-License-Identifier: Apache-2.0
// The SHA-256 engine through its registers: published vectors, random messages in random pieces, interrupted
// messages, and the time a block takes.

#include "verif/rtl/soc/sha256.hpp"

#include <algorithm>
#include <string_view>

#include "verif/rtl/soc/tests.hpp"

namespace swai::soc {
namespace {

namespace sha = regs::sha256;

using Digest = std::array<uint8_t, 32>;

struct Vector {
  std::string_view message;
  unsigned repeat;
  std::string_view digest;
};

// FIPS 180-4 examples and the usual ones for the empty string and the edges of a block's padding.
constexpr Vector kVectors[] = {
    {"", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrs"
     "tnopqrstu",
     1, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
    {"a", 10000, "27dd1f61b867b6a0f6e9d8a41c43231de52107e53ae424de8f847b821db4b711"},
};

std::string hex(const Digest& digest) {
  std::string text;
  for (const uint8_t byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

class Sha256Test {
 public:
  explicit Sha256Test(uint64_t seed) : devices_(seed) {}

  void vectors() {
    for (const auto& vector : kVectors) {
      std::vector<uint8_t> message;
      for (unsigned i = 0; i < vector.repeat; ++i)
        message.insert(message.end(), vector.message.begin(), vector.message.end());
      check(hex(sha256(message)) == vector.digest, "the reference model is wrong");
      start();
      append(message);
      check(hex(finish()) == vector.digest,
            fmt::format("digest of {} bytes from '{}'", message.size(), vector.message));
    }
  }

  void random_messages(uint64_t cycles) {
    auto& random = devices_.random();
    const uint64_t end = devices_.cycle() + cycles;
    while (devices_.cycle() < end) {
      devices_.no_gaps(random.chance(50));
      const auto message = random_message(random.chance(80) ? random.below(200) : random.below(2000));
      // After power-on and after every digest a new message needs its start; one that is under way may be
      // dropped.
      start();
      if (random.chance(20)) {
        append(random_message(random.below(150)));
        start();
      }
      append(message);
      devices_.expect(sha::length::kAddr, message.size(), "length");
      if (random.chance(10)) check_not_done();
      const Digest want = sha256(message);
      const Digest got = finish();
      check(got == want,
            fmt::format("digest of {} random bytes: {} instead of {}", message.size(), hex(got), hex(want)));

      if (random.chance(20)) {
        append(random_message(random.below(100)));
        devices_.write(sha::control::kAddr, sha::control::kFinish.put(1));
        check(digest() == want, "bytes after the end changed the digest");
        devices_.expect(sha::length::kAddr, message.size(), "length after bytes after the end");
      }
      if (random.chance(20)) {
        devices_.write(sha::control::kAddr, sha::control::kStart.put(1) | sha::control::kFinish.put(1));
        wait_done();
        check(digest() == sha256({}), "start and finish in one write");
      }
    }
  }

  // A block from its first word to the next block's first word; the words of a block follow each other at
  // once.
  void speed() {
    devices_.no_gaps(true);
    start();
    uint64_t first = 0;
    for (int block = 0; block < 10; ++block) {
      for (int word = 0; word < 8; ++word) {
        devices_.write(sha::data::kAddr, devices_.random().next());
        if (word != 0) continue;
        const uint64_t now = devices_.cycle();
        check(block == 0 || now - first <= 80, fmt::format("a block takes {} cycles", now - first));
        first = now;
      }
    }
  }

 private:
  void start() {
    devices_.write(sha::control::kAddr, sha::control::kStart.put(1), devices_.random().chance(50) ? 8 : 1);
  }

  void append(std::span<const uint8_t> bytes) {
    auto& random = devices_.random();
    const bool large = random.chance(50);
    for (size_t at = 0; at < bytes.size();) {
      unsigned size = large ? 8 : 1U << random.below(4);
      while (size > bytes.size() - at) size /= 2;
      // Any place in the register that is aligned for the size will do.
      const unsigned lane = size * static_cast<unsigned>(random.below(8 / size));
      uint64_t value = 0;
      for (unsigned i = 0; i < size; ++i) value |= uint64_t{bytes[at + i]} << (8 * i);
      devices_.write(sha::data::kAddr + lane, value, size);
      at += size;
    }
  }

  void wait_done() { devices_.poll(sha::status::kAddr, sha::status::kDone, 1, 300, "digest"); }

  void check_not_done() {
    devices_.steps(200);
    devices_.expect(sha::status::kAddr, 0, "status in a message");
    check(devices_.top().busy_o == 0, "the engine keeps the card awake in the middle of a message");
  }

  Digest finish() {
    devices_.write(sha::control::kAddr, sha::control::kFinish.put(1));
    wait_done();
    return digest();
  }

  Digest digest() {
    constexpr uint64_t kAddresses[] = {sha::digest0::kAddr, sha::digest1::kAddr, sha::digest2::kAddr,
                                       sha::digest3::kAddr};
    Digest bytes{};
    for (unsigned i = 0; i < 4; ++i) {
      const uint64_t word = devices_.read(kAddresses[i]);
      for (unsigned b = 0; b < 8; ++b) bytes[8 * i + b] = static_cast<uint8_t>(word >> (8 * b));
    }
    return bytes;
  }

  std::vector<uint8_t> random_message(uint64_t size) {
    std::vector<uint8_t> bytes(size);
    for (auto& byte : bytes) byte = static_cast<uint8_t>(devices_.random().next());
    return bytes;
  }

  Devices devices_;
};

}  // namespace

void test_sha256(uint64_t seed, uint64_t cycles) {
  Sha256Test test(seed);
  test.vectors();
  test.speed();
  test.random_messages(2 * cycles);
}

}  // namespace swai::soc
