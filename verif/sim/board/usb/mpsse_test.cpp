// SPDX-License-Identifier: Apache-2.0
// The serial engine against FTDI's application note AN_108: what goes over the pins for every data command,
// and how long it takes.
#include "sim/board/usb/mpsse.hpp"

#include <doctest/doctest.h>

#include <deque>
#include <random>
#include <vector>

#include "verif/kit/doctest_main.hpp"

namespace swai::usb {
namespace {

using Bytes = std::vector<uint8_t>;

// What is at the other end of the wires: it looks at one edge of the clock and speaks at one.
class Peer : public Circuit {
 public:
  bool listens_rising = true;  // else it looks at falling edges
  bool speaks_rising = false;  // it changes its output then
  uint16_t listens_to = 0x02;  // the pin
  std::vector<bool> heard;
  std::deque<bool> says;
  uint16_t others = 0;  // levels of the pins that the engine does not drive
  std::vector<Picoseconds> edges;
  std::vector<bool> tdi;  // at the same edges

  void drive(Picoseconds now, uint16_t levels, uint16_t outputs) override {
    const bool clock = (levels & outputs & 0x01) != 0;
    const bool edge = clock != clock_;
    if (edge) edges.push_back(now);
    if (edge && clock == listens_rising) {
      // What stood on the line before this very moment.
      heard.push_back((levels_ & listens_to) != 0);
      tdi.push_back((levels_ & 0x02) != 0);
    }
    if (edge && clock == speaks_rising && !says.empty()) says.pop_front();
    clock_ = clock;
    levels_ = levels;
    outputs_ = outputs;
  }
  uint16_t sense(Picoseconds /*now*/) override {
    const bool bit = says.empty() || says.front();
    const auto pins = static_cast<uint16_t>((levels_ & outputs_) | (others & ~outputs_));
    return static_cast<uint16_t>((pins & ~0x04) | (bit ? 0x04 : 0));
  }

 private:
  bool clock_ = false;
  uint16_t levels_ = 0;
  uint16_t outputs_ = 0;
};

struct Bench {
  Peer peer;
  Fifo from_host, to_host;
  Mpsse engine{peer, from_host, to_host};

  Bench() { engine.reset(0); }
  void send(const Bytes& bytes) {
    for (const uint8_t byte : bytes) from_host.push(byte);
  }
  Bytes receive() {
    Bytes all;
    while (!to_host.empty()) all.push_back(to_host.pop());
    return all;
  }
  Bytes run(const Bytes& bytes, Picoseconds time = 100 * kMillisecond) {
    send(bytes);
    engine.run(engine.now() + time);
    return receive();
  }
};

// A data command with random contents; what the peer should hear and say.
void check_shift(uint8_t opcode, bool idle_high, std::mt19937_64& random) {
  CAPTURE(static_cast<int>(opcode));
  CAPTURE(idle_high);
  const bool write = (opcode & 0x10) != 0, read = (opcode & 0x20) != 0, tms = (opcode & 0x40) != 0;
  const bool bits_only = (opcode & 0x02) != 0, lsb = (opcode & 0x08) != 0;
  const size_t units = bits_only ? 1 : 1 + random() % 40;
  const size_t width = bits_only ? 1 + random() % (tms ? 7 : 8) : 8;
  const size_t bits = units * width;

  Bench bench;
  const uint8_t idle = idle_high ? 0x01 : 0x00;
  bench.run({0x8A, 0x80, idle, 0x0B});
  // Data change at the edge that the command names, so the other one is where to look; reading is the
  // reverse.
  const bool write_rising = (opcode & 0x01) == 0, read_rising = (opcode & 0x04) == 0;
  bench.peer.listens_rising = !write_rising;
  bench.peer.speaks_rising = !read_rising;
  bench.peer.listens_to = tms ? 0x08 : 0x02;

  Bytes data;
  std::vector<bool> expect_heard;
  for (size_t i = 0; i < units; ++i) {
    const auto byte = static_cast<uint8_t>(random());
    data.push_back(byte);
    for (size_t bit = 0; bit < width; ++bit) expect_heard.push_back((byte >> (lsb ? bit : 7 - bit) & 1) != 0);
  }
  std::vector<bool> said;
  for (size_t i = 0; i < bits; ++i) said.push_back((random() & 1) != 0);
  bench.peer.says.assign(said.begin(), said.end());
  // A peer that speaks at the first edge of a pulse has said nothing before it.
  if (bench.peer.speaks_rising != idle_high) bench.peer.says.push_front(false);

  Bytes expect_read;
  for (size_t i = 0; i < units; ++i) {
    unsigned byte = 0;
    for (size_t bit = 0; bit < width; ++bit) {
      const unsigned one = said[i * width + bit] ? 1 : 0;
      byte = lsb ? (byte >> 1 | one << 7) : ((byte << 1 | one) & 0xFF);
    }
    expect_read.push_back(static_cast<uint8_t>(byte));
  }

  Bytes command = {opcode, static_cast<uint8_t>(bits_only ? width - 1 : units - 1)};
  if (!bits_only) command.push_back(0);
  if (write || tms) command.insert(command.end(), data.begin(), data.end());
  bench.peer.heard.clear();
  bench.peer.tdi.clear();
  bench.peer.edges.clear();
  const Bytes answer = bench.run(command);
  CHECK(bench.peer.edges.size() == 2 * bits);
  if (write || tms) CHECK(bench.peer.heard == expect_heard);
  if (tms)
    for (const bool level : bench.peer.tdi) CHECK(level == ((data[0] & 0x80) != 0));
  if (read) CHECK(answer == expect_read);
  if (!read) CHECK(answer.empty());
}

TEST_CASE("data commands: every bit order, edge and length, at both levels of rest") {
  std::mt19937_64 random(test_seed());
  for (unsigned opcode = 0x10; opcode < 0x40; ++opcode) {
    const bool write_edge_of_nothing = (opcode & 0x10) == 0 && (opcode & 0x01) != 0;
    const bool read_edge_of_nothing = (opcode & 0x20) == 0 && (opcode & 0x04) != 0;
    if (write_edge_of_nothing || read_edge_of_nothing) continue;
    for (const bool idle_high : {false, true})
      for (int i = 0; i < 5; ++i) check_shift(static_cast<uint8_t>(opcode), idle_high, random);
  }
  for (const uint8_t opcode : {0x4A, 0x4B, 0x6A, 0x6B, 0x6E, 0x6F})
    for (const bool idle_high : {false, true})
      for (int i = 0; i < 5; ++i) check_shift(opcode, idle_high, random);
}

TEST_CASE("the clock: 60 or 12 MHz, twice the divisor and one") {
  std::mt19937_64 random(test_seed());
  for (int i = 0; i < 50; ++i) {
    const bool slow = (random() & 1) != 0;
    const auto divisor = static_cast<uint16_t>(random() % 200);
    Bench bench;
    bench.run({slow ? uint8_t{0x8B} : uint8_t{0x8A}, 0x86, static_cast<uint8_t>(divisor), 0, 0x80, 0, 0x0B});
    bench.peer.edges.clear();
    bench.run({0x11, 1, 0, 0xA5, 0x5A});
    REQUIRE(bench.peer.edges.size() == 32);
    // 15.5 periods from the first edge to the last.
    const double period_ns = (slow ? 1e9 / 12e6 : 1e9 / 60e6) * 2 * (divisor + 1);
    const double measured =
        static_cast<double>(bench.peer.edges.back() - bench.peer.edges.front()) / kNanosecond;
    CHECK(measured == doctest::Approx(15.5 * period_ns).epsilon(1e-4));
    CHECK(bench.engine.clocks() == 16);
  }
}

TEST_CASE("the clock as it is after the mode was set") {
  Bench bench;
  bench.run({0x80, 0, 0x0B});
  bench.peer.edges.clear();
  bench.run({0x11, 0, 0, 0xFF});
  CHECK(bench.peer.edges.back() - bench.peer.edges.front() ==
        1'249'999 - 4);  // 7.5 periods of 6 MHz, in whole ps
}

TEST_CASE("pins: what is driven can be read back, the others read as they are") {
  std::mt19937_64 random(test_seed());
  for (int i = 0; i < 100; ++i) {
    Bench bench;
    bench.peer.others = static_cast<uint16_t>(random());
    const auto low = static_cast<uint8_t>(random()), low_out = static_cast<uint8_t>(random() & ~0x05);
    const auto high = static_cast<uint8_t>(random()), high_out = static_cast<uint8_t>(random());
    const Bytes answer = bench.run({0x80, low, low_out, 0x82, high, high_out, 0x81, 0x83});
    REQUIRE(answer.size() == 2);
    const auto expect_low = static_cast<uint8_t>((low & low_out) | (bench.peer.others & ~low_out));
    CHECK((answer[0] | 0x04) == (expect_low | 0x04));
    CHECK(answer[1] == static_cast<uint8_t>((high & high_out) | (bench.peer.others >> 8 & ~high_out)));
  }
}

TEST_CASE("loopback reads what is written, whatever the peer says") {
  Bench bench;
  bench.peer.says.assign(200, false);
  CHECK(bench.run({0x80, 0, 0x0B, 0x84, 0x31, 2, 0, 0xC3, 0x5A, 0x00}) == Bytes{0xC3, 0x5A, 0x00});
  CHECK(bench.run({0x85, 0x31, 2, 0, 0xC3, 0x5A, 0x00}) == Bytes{0, 0, 0});
}

TEST_CASE("bad commands are echoed behind FAh, and the next command counts") {
  std::mt19937_64 random(test_seed());
  const Bytes bad = {0x00, 0x0F, 0x40, 0x4E, 0x5A, 0x7F, 0x90, 0x98, 0x9E, 0xAA, 0xAB, 0xC0, 0xFF};
  for (const uint8_t opcode : bad) {
    Bench bench;
    CHECK(bench.run({opcode}) == Bytes{0xFA, opcode});
    CHECK(bench.run({0x84, 0x31, 0, 0, 0x77}) == Bytes{0x77});
  }
}

TEST_CASE("clocks without data") {
  Bench bench;
  bench.run({0x8A, 0x80, 0x02, 0x0B});
  bench.peer.edges.clear();
  bench.run({0x8E, 4});
  CHECK(bench.peer.edges.size() == 10);
  bench.peer.edges.clear();
  bench.run({0x8F, 2, 0});
  CHECK(bench.peer.edges.size() == 48);
}

TEST_CASE("waiting for a level on GPIOL1") {
  for (const bool high : {false, true}) {
    Bench bench;
    bench.peer.others = high ? 0x00 : 0x20;
    const uint8_t wait = high ? 0x88 : 0x89;
    CHECK(bench.run({0x80, 0, 0x0B, wait, 0x81}).empty());
    CHECK(!bench.engine.working());
    bench.peer.others ^= 0x20;
    CHECK(bench.run({}).size() == 1);

    // With the clock running, at most so many bytes.
    bench.peer.others ^= 0x20;
    bench.peer.edges.clear();
    CHECK(bench.run({high ? uint8_t{0x9C} : uint8_t{0x9D}, 1, 0, 0x81}).size() == 1);
    CHECK(bench.peer.edges.size() == 32);
    bench.peer.edges.clear();
    bench.run({high ? uint8_t{0x94} : uint8_t{0x95}}, kMillisecond);
    CHECK(bench.peer.edges.size() > 1000);
    CHECK(bench.engine.working());
    bench.peer.others ^= 0x20;
    bench.run({}, kMillisecond);
    CHECK(!bench.engine.working());
  }
}

TEST_CASE("a full buffer stops the engine, and nothing is lost") {
  std::mt19937_64 random(test_seed());
  Bench bench;
  bench.run({0x8A, 0x86, 0, 0, 0x80, 0, 0x0B, 0x84});
  const size_t total = 65'536;
  bench.send({0x31, 0xFF, 0xFF});
  Bytes sent, got;
  while (got.size() < total) {
    while (sent.size() < total && bench.from_host.room() != 0) {
      sent.push_back(static_cast<uint8_t>(random()));
      bench.from_host.push(sent.back());
    }
    bench.engine.run(bench.engine.now() + random() % (2 * kMillisecond));
    CHECK(bench.to_host.size() <= Fifo::kBytes);
    for (size_t i = random() % 5'000; i > 0 && !bench.to_host.empty(); --i)
      got.push_back(bench.to_host.pop());
  }
  CHECK(got == sent);
}

TEST_CASE("send immediate is told once") {
  Bench bench;
  bench.run({0x87});
  CHECK(bench.engine.take_flush());
  CHECK(!bench.engine.take_flush());
}

TEST_CASE("nothing is begun that would end too late") {
  Bench bench;
  bench.run({0x8A, 0x86, 99, 0, 0x80, 0, 0x0B});  // 300 kHz
  bench.peer.edges.clear();
  const Picoseconds begin = bench.engine.now();
  bench.send({0x11, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  bench.engine.run(begin + 60 * kMicrosecond);  // two bytes and a quarter
  CHECK(bench.peer.edges.size() == 32);
  CHECK(bench.engine.working());
  bench.engine.stop_at(begin + 90 * kMicrosecond);
  bench.engine.run(begin + kMillisecond);
  CHECK(bench.peer.edges.size() == 48);
}

}  // namespace
}  // namespace swai::usb
