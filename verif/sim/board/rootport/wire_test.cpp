// SPDX-License-Identifier: Apache-2.0
// The wire alone: rates, delays, beats, framing, order among waiting packets.
#include "sim/board/rootport/wire.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "sim/board/rootport/outbox.hpp"
#include "sim/common/random.hpp"
#include "verif/kit/doctest_main.hpp"

using namespace swai;
using namespace swai::rootport;

namespace {

using Beat = std::array<uint32_t, kBeatWords>;

std::vector<uint8_t> numbers(size_t count) {
  std::vector<uint8_t> out(count);
  std::iota(out.begin(), out.end(), uint8_t{1});
  return out;
}

std::vector<Beat> beats_of(const Tlp& tlp) {
  const unsigned count = std::max(1u, (tlp.payload_bytes() + 63) / 64);
  std::vector<Beat> beats(count, Beat{});
  const TlpHeader header = encode(tlp);
  for (unsigned i = 0; i < 4; ++i) beats[0][kBeatHeaderWord + 3 - i] = header[i];
  for (unsigned i = 0; i < tlp.payload_bytes(); ++i) {
    beats[i / 64][i % 64 / 4] |= uint32_t{tlp.data[i]} << i % 4 * 8;
  }
  beats.front()[kBeatFlagsWord] |= kBeatSop;
  beats.back()[kBeatFlagsWord] |= kBeatEop;
  return beats;
}

constexpr Credits kPlenty = {
    .posted_header = 128, .posted_data = 2048, .nonposted_header = 128, .nonposted_data = 2048};

// Gives all beats as early as the wire takes them, from `cycle` on; returns the cycle after the last one.
uint64_t give(UpWire& wire, uint64_t cycle, const Tlp& tlp) {
  for (const Beat& beat : beats_of(tlp)) {
    while (!wire.ready(cycle)) ++cycle;
    wire.take(cycle++, beat.data());
  }
  return cycle;
}

}  // namespace

TEST_CASE("to the root: a packet arrives a delay after its last byte") {
  UpWire wire({}, {});
  wire.grant(kPlenty);
  give(wire, 1000, memory_read(0x1000, 64, 0, 3));  // 12 + 8 bytes: one cycle
  CHECK(wire.next_arrival() == 1001 + 250);
  CHECK(wire.front().error == TlpError::kNone);
  CHECK(wire.front().tlp.tag == 3);
  wire.pop();
  const Tlp write = memory_write(0x1'0000'0000, numbers(256), 0);  // 16 + 256 + 8 = 280 bytes: 8.75 cycles
  give(wire, 2000, write);
  CHECK(wire.next_arrival() == 2009 + 250);
  CHECK(std::equal(write.payload().begin(), write.payload().end(), wire.front().tlp.data.begin()));
  wire.pop();
  CHECK(wire.idle());
}

TEST_CASE("to the root: bytes are counted exactly across packets") {
  verif::Random random(test_seed());
  for (const uint32_t rate : {1u, 16u, 32u}) {
    UpWire wire({.bytes_per_cycle = rate, .delay = 7, .overhead = 8, .buffer = 64}, {});
    wire.grant(kPlenty);
    uint64_t cycle = 100;
    uint64_t bytes = 100 * rate;
    for (int i = 0; i < 500; ++i) {
      // Shorter ones would leave gaps: the pins take one beat per cycle.
      const auto size = static_cast<unsigned>(4 * (4 + random.below(61)));
      const Tlp tlp = memory_write(random.chance(50) ? 0x1000 : 0x1'0000'1000, numbers(size), 0);
      cycle = give(wire, cycle, tlp);
      bytes += tlp.header_bytes() + size + 8;
      REQUIRE(wire.next_arrival() == (bytes + rate - 1) / rate + 7);
      wire.pop();
    }
  }
}

TEST_CASE("to the root: a card that pauses cannot send what it has not given") {
  UpWire wire({}, {});
  const auto beats = beats_of(memory_write(0x1000, numbers(256), 0));
  for (unsigned i = 0; i < 4; ++i) wire.take(100 * i, beats[i].data());
  CHECK(wire.next_arrival() == 300 + 2 + 250);
}

TEST_CASE("to the root: broken framing") {
  UpWire wire({}, {});
  wire.grant(kPlenty);
  const auto good = beats_of(memory_write(0x1000, numbers(256), 0));
  const auto take_error = [&] {
    REQUIRE(!wire.idle());
    const TlpError error = wire.front().error;
    CHECK(wire.next_arrival() != kNever);
    wire.pop();
    return error;
  };
  uint64_t cycle = 1;
  // Cut short by an end, by another start; too long; beats without a start.
  Beat short_one = good[0];
  short_one[kBeatFlagsWord] |= kBeatEop;
  wire.take(cycle++, short_one.data());
  CHECK(take_error() == TlpError::kFraming);
  wire.take(cycle++, good[0].data());
  wire.take(cycle++, good[1].data());
  give(wire, cycle++, memory_read(0x1000, 4, 0, 0));
  CHECK(take_error() == TlpError::kFraming);
  CHECK(take_error() == TlpError::kNone);
  wire.take(cycle++, good[0].data());
  for (int i = 0; i < 4; ++i) wire.take(cycle++, good[1].data());
  CHECK(wire.next_arrival() == kNever);
  wire.take(cycle++, good[3].data());
  CHECK(take_error() == TlpError::kFraming);
  wire.take(cycle++, good[1].data());
  wire.take(cycle++, good[3].data());
  CHECK(take_error() == TlpError::kFraming);
  // More than any payload.
  Beat huge = good[0];
  huge[kBeatHeaderWord + 3] &= ~0x3FFu;
  wire.take(cycle++, huge.data());
  for (int i = 0; i < 62; ++i) wire.take(cycle++, good[1].data());
  wire.take(cycle++, good[3].data());
  CHECK(wire.front().credits == Credits{.posted_header = 1, .posted_data = 256});
  CHECK(take_error() == TlpError::kLengthWrite);
  give(wire, cycle, memory_read(0x1000, 4, 0, 0));
  CHECK(take_error() == TlpError::kNone);
  CHECK(wire.idle());
}

TEST_CASE("to the root: random beats") {
  verif::Random random(test_seed());
  UpWire wire({}, {});
  unsigned good = 0;
  for (uint64_t cycle = 0; cycle < 100000; ++cycle) {
    Beat beat;
    for (uint32_t& word : beat) word = static_cast<uint32_t>(random.next());
    if (random.chance(70)) beat[kBeatHeaderWord + 3] &= 0x6000'7013;
    if (random.chance(70)) beat[kBeatHeaderWord] = 0;
    wire.take(cycle, beat.data());
    while (!wire.idle() && wire.next_arrival() != kNever) {
      good += wire.front().error == TlpError::kNone;
      wire.pop();
    }
  }
  CHECK(good > 0);
}

TEST_CASE("to the root: who sends without credits is noticed") {
  UpWire wire({}, {});
  wire.grant({.posted_header = 2, .posted_data = 17, .nonposted_header = 1});
  const auto over = [&](const Tlp& tlp) {
    give(wire, 0, tlp);
    const bool result = wire.front().over_credits;
    wire.pop();
    return result;
  };
  CHECK_FALSE(over(memory_write(0x1000, numbers(256), 0)));
  CHECK_FALSE(over(memory_write(0x1000, numbers(4), 0)));
  CHECK_FALSE(over(memory_read(0x1000, 4, 0, 0)));
  CHECK_FALSE(over(completion(memory_read(0x1000, 4, 0, 0), 0, numbers(4), 0)));
  CHECK(over(memory_read(0x1000, 4, 0, 0)));
}

TEST_CASE("to the card: beats in consecutive cycles, the last one with the packet's end") {
  DownWire wire({});
  PinStore pins;
  verif::Random random(test_seed());
  struct Sent {
    Tlp tlp;
    uint64_t arrival;
  };
  std::vector<Sent> sent;
  uint64_t bytes = 0;
  uint64_t cycle = 0;
  for (int i = 0; i < 300; ++i) {
    cycle = std::max(cycle, wire.free_cycle()) + (random.chance(20) ? random.below(20) : 0);
    const Tlp tlp = random.chance(30) ? memory_read(0x1000, 4, 0, static_cast<uint8_t>(i))
                                      : memory_write(0x1'0000'0000, numbers(1 + random.below(256)), 0);
    wire.send(cycle, tlp);
    bytes = std::max(bytes, cycle * 32) + tlp.header_bytes() + tlp.payload_bytes() + 8;
    sent.push_back({tlp, (bytes + 31) / 32 + 250});
  }
  size_t next = 0;
  std::vector<Beat> got;
  uint64_t last_eop = 0;
  for (uint64_t now = 0; !wire.idle(); ++now) {
    if (now >= wire.next()) wire.drive(now, pins.pins());
    if (pins.rx_valid == 0) {
      REQUIRE(got.empty());
      continue;
    }
    Beat beat;
    std::copy_n(pins.rx_beat, kBeatWords, beat.begin());
    got.push_back(beat);
    if ((beat[kBeatFlagsWord] & kBeatEop) == 0) continue;
    const auto want = beats_of(sent[next].tlp);
    REQUIRE(got.size() == want.size());
    REQUIRE(got[0][kBeatHeaderWord + 3] == want[0][kBeatHeaderWord + 3]);
    for (size_t i = 0; i < want.size(); ++i) REQUIRE(got[i][kBeatFlagsWord] == want[i][kBeatFlagsWord]);
    // Packets shorter than a cycle's worth of wire wait for the pins.
    REQUIRE(now == std::max(sent[next].arrival, last_eop + want.size()));
    last_eop = now;
    got.clear();
    ++next;
  }
  CHECK(wire.idle());
}

TEST_CASE("the outbox keeps PCIe's order and to credits") {
  Outbox box;
  const Tlp write = memory_write(0x1000, numbers(32), 0);
  const Tlp read = memory_read(0x1000, 4, 0, 0);
  const Tlp answer = completion(read, 0, numbers(4), 0);
  const auto kind = [&] {
    return box.next() == nullptr ? 'x' : "rw..ca"[static_cast<size_t>(box.next()->tlp.kind)];
  };
  const auto take = [&] {
    const char c = kind();
    if (c != 'x') box.pop();
    return c;
  };
  box.push(read);
  box.push(write);
  box.push(answer);
  CHECK(take() == 'x');  // the answer must not overtake the write, which has no credits
  box.set_limit({.posted_header = 1, .posted_data = 1});
  CHECK(take() == 'x');
  box.set_limit({.posted_header = 1, .posted_data = 2});
  CHECK(take() == 'w');  // overtakes the read, which has no credits
  CHECK(take() == 'a');  // so does the answer
  CHECK(take() == 'x');
  box.set_limit({.posted_header = 1, .posted_data = 2, .nonposted_header = 2});
  CHECK(take() == 'r');
  box.push(answer);
  box.push(write);
  box.push(read);
  CHECK(take() == 'a');
  CHECK(take() == 'x');  // the read must not overtake the write
  box.set_limit({.posted_header = 2, .posted_data = 4, .nonposted_header = 2});
  CHECK(take() == 'w');
  CHECK(take() == 'r');
  CHECK(box.empty());
  box.push(write);
  size_t lost = 0;
  CHECK(box.clear([&](const Outbox::Entry&) { ++lost; }) == 1);
  CHECK(lost == 1);
  CHECK(box.empty());
}

TEST_CASE("a queue that grows") {
  Ring<int> ring;
  int in = 0;
  int out = 0;
  verif::Random random(test_seed());
  for (int i = 0; i < 10000; ++i) {
    if (random.chance(51)) {
      ring.push() = in++;
    } else if (!ring.empty()) {
      REQUIRE(ring.front() == out++);
      ring.pop();
    }
    REQUIRE(ring.size() == static_cast<size_t>(in - out));
    if (!ring.empty()) REQUIRE(ring.back() == in - 1);
  }
}
