// SPDX-License-Identifier: Apache-2.0
// Transfers on the wire: what they carry, the time that they take, and each fault.
#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <random>

#include "verif/kit/doctest_main.hpp"
#include "verif/sim/board/usb/port_bench.hpp"

namespace swai::usb {
namespace {

double microseconds(Picoseconds time) { return static_cast<double>(time) / kMicrosecond; }

TEST_CASE("descriptors, strings and requests that are refused") {
  PortBench bench;
  auto device = bench.control({0x80, 0x06, 0x0100, 0, 18});
  REQUIRE(device->status == 0);
  CHECK(device->data == Bytes{18, 1, 0, 2, 0, 0, 0, 64, 0x03, 0x04, 0x10, 0x60, 0, 7, 1, 2, 3, 1});
  CHECK(bench.control({0x80, 0x06, 0x0100, 0, 8})->data.size() == 8);
  const auto configuration = bench.control({0x80, 0x06, 0x0200, 0, 255})->data;
  REQUIRE(configuration.size() == 9 + 2 * (9 + 2 * 7));
  CHECK(configuration[2] == configuration.size());
  CHECK(configuration[4] == 2);
  CHECK(bench.control({0x80, 0x06, 0x0303, 0x0409, 255})->data == Bytes{4, 3, 'X', 0});
  CHECK(bench.control({0x80, 0x06, 0x0304, 0x0409, 255})->status == -EPIPE);
  CHECK(bench.control({0xC0, 0x77, 0, 1, 1})->status == -EPIPE);
  // A control endpoint does not stay halted.
  CHECK(bench.control({0xC0, 0x0A, 0, 1, 1})->data == Bytes{16});
}

TEST_CASE("the latency timer, by its default, as it is set, and when nothing is to be sent") {
  PortBench bench;
  bench.begin();
  for (const unsigned latency : {16U, 1U, 255U, 40U}) {
    CHECK(bench.control({0x40, 0x09, static_cast<uint16_t>(latency), 1, 0})->status == 0);
    CHECK(bench.control({0xC0, 0x0A, 0, 1, 1})->data == Bytes{static_cast<uint8_t>(latency)});
    bench.submit_in(512);
    CHECK(bench.wait()->data.size() == 2);
    const Picoseconds sent = bench.port().now();
    bench.out({0x81});
    bench.submit_in(512);
    const auto urb = bench.wait();
    CHECK(urb->data.size() == 3);
    const double waited = microseconds(bench.port().now() - sent);
    CHECK(waited > latency * 1000.0 - 130);
    CHECK(waited < latency * 1000.0 + 380);
  }
}

TEST_CASE("send immediate does not wait for the timer") {
  PortBench bench;
  bench.begin();
  bench.out({0x81, 0x87});
  const Picoseconds sent = bench.port().now();
  bench.submit_in(512);
  CHECK(bench.wait()->data.size() == 3);
  CHECK(microseconds(bench.port().now() - sent) == 250);
}

TEST_CASE("a transfer alone takes two microframes; those that wait follow each other at once") {
  PortBench bench;
  bench.begin();
  const Bytes nothing(512, 0x85);
  Picoseconds begin = bench.port().now();
  for (int i = 0; i < 10; ++i) bench.out(nothing);
  CHECK(microseconds(bench.port().now() - begin) == 10 * 250);

  begin = bench.port().now();
  for (int i = 0; i < 100; ++i) bench.submit_out(nothing);
  for (int i = 0; i < 100; ++i) REQUIRE(bench.wait()->status == 0);
  // 567 bytes at 480 Mbit/s are 9.45 us.
  CHECK(microseconds(bench.port().now() - begin) == doctest::Approx(100 * 9.45).epsilon(0.25));
}

TEST_CASE("time stands still until the host asks twice for what has not come") {
  PortBench bench;
  bench.begin();
  const Picoseconds begin = bench.port().now();
  bench.submit_out({0x85});
  CHECK(!bench.board->reap());
  CHECK(bench.port().now() == begin);
  bench.submit_out({0x85});
  CHECK(!bench.board->reap());
  CHECK(bench.port().now() == begin);
  CHECK(bench.board->reap());
  CHECK(bench.board->reap());  // it came with the first
  CHECK(microseconds(bench.port().now() - begin) == 250);
  CHECK(!bench.board->reap());
  CHECK(!bench.board->reap());
  CHECK(bench.port().waits_in_vain());
}

TEST_CASE("buffers are 4 KiB: a board that cannot go on takes no more") {
  PortBench bench;
  bench.begin();
  // Reads that nobody fetches fill one buffer, commands behind them the other.
  bench.out({0x20, 0xFF, 0xFF});
  const uint64_t id = bench.submit_out(Bytes(8192, 0x85));
  CHECK(!bench.wait());
  CHECK(bench.port().waits_in_vain());
  CHECK(bench.port().discard(id));
  const auto urb = bench.wait();
  CHECK(urb->status == -ENOENT);
  CHECK(urb->moved == 4096);
  CHECK(!bench.port().discard(id));
  CHECK(bench.in(65'536).size() == 65'536);
}

TEST_CASE(
    "a read keeps the clock busy when its transfers are queued, and the chip is read at what the clock "
    "allows") {
  std::mt19937_64 random(test_seed());
  PortBench bench;
  for (auto& cell : bench.store.cells()) cell = static_cast<uint8_t>(random());
  bench.begin();
  const size_t bytes = 65'536;
  bench.submit_out(PortBench::command(PortBench::head(0x03, 0), bytes));
  Bytes got;
  for (int i = 0; i < 6; ++i) bench.submit_in(16'384);
  while (got.size() < bytes) {
    const auto urb = bench.wait();
    REQUIRE(urb);
    if ((urb->endpoint & 0x80) != 0) {
      PortBench::payload(got, urb->data);
      bench.submit_in(16'384);
    }
  }
  CHECK(std::equal(got.begin(), got.end(), bench.store.cells().begin()));
  const double clock_allows = static_cast<double>(bytes) * 8 / 30e6;
  const double took = static_cast<double>(bench.board->reading().length()) / 1e12;
  CHECK(took > clock_allows);
  CHECK(took < clock_allows * 1.1);
}

TEST_CASE("a packet that is larger than what the host left room for is an overflow") {
  PortBench bench;
  bench.begin();
  bench.out({0x81, 0x81, 0x81, 0x87});
  bench.submit_in(4);
  CHECK(bench.wait()->status == -EOVERFLOW);
}

TEST_CASE("dropping what is in the buffers") {
  PortBench bench;
  bench.begin();
  bench.out({0x81, 0x81});
  CHECK(bench.control({0x40, 0x00, 2, 1, 0})->status == 0);
  bench.submit_in(512);
  CHECK(bench.wait()->data.size() == 2);
  // Whatever a mode leaves behind.
  bench.out({0x81});
  CHECK(bench.control({0x40, 0x0B, 0x0000, 1, 0})->status == 0);
  bench.out({0x81, 0x81});
  CHECK(bench.control({0x40, 0x00, 0, 1, 0})->status == 0);
  bench.submit_in(512);
  CHECK(bench.wait()->data.size() == 2);
}

// Endings of transfers that a fault can have, seen from the host.
TEST_CASE("stall: a bulk endpoint stays halted until that is cleared, a control endpoint does not") {
  PortBench bench({"stall=transfer:3", "stall=transfer:5"});
  bench.begin();  // transfers 1 and 2
  bench.submit_out({0x85});
  CHECK(bench.wait()->status == -EPIPE);
  bench.submit_out({0x85});
  CHECK(bench.wait()->status == -EPIPE);
  bench.port().clear_halt(kOut);
  CHECK(bench.control({0xC0, 0x0A, 0, 1, 1})->status == -EPIPE);
  CHECK(bench.control({0xC0, 0x0A, 0, 1, 1})->status == 0);
  bench.out({0x85});
  CHECK(bench.port().happened().size() == 2);
}

TEST_CASE("error, timeout, nak") {
  PortBench bench({"error=transfer:3", "timeout=transfer:4", "nak=transfer:5:7"});
  bench.begin();
  bench.submit_out({0x85});
  CHECK(bench.wait()->status == -EPROTO);
  const uint64_t stuck = bench.submit_out({0x85});
  CHECK(!bench.wait());
  CHECK(bench.port().discard(stuck));
  CHECK(bench.wait()->status == -ENOENT);
  const Picoseconds begin = bench.port().now();
  bench.out({0x85});
  CHECK(microseconds(bench.port().now() - begin) == doctest::Approx(7'250));
  CHECK(bench.port().happened().size() == 3);
}

TEST_CASE("short: what is not taken is not there, what is not given comes later") {
  PortBench bench({"short=transfer:3:5", "short=transfer:5:4"});
  bench.begin();
  bench.submit_out({0x81, 0x81, 0x81, 0x81, 0x81, 0x81, 0x81});
  CHECK(bench.wait()->moved == 5);
  bench.out({0x87});
  bench.submit_in(512);
  const auto urb = bench.wait();
  CHECK(urb->status == 0);
  CHECK(urb->data.size() == 2 + 4);
  CHECK(bench.in(1).size() == 1);
}

TEST_CASE("unplug: everything under way ends, and nothing begins any more") {
  for (const uint64_t bytes : {0, 512, 700, 1024, 5000}) {
    PortBench bench({"unplug=transfer:4:" + std::to_string(bytes)});
    bench.begin();
    int gone = 0;
    bench.port().detached = [&] { ++gone; };
    bench.submit_in(512);                 // 3
    bench.submit_out(Bytes(1024, 0x85));  // 4
    bench.submit_out(Bytes(1024, 0x85));  // 5
    int ended = 0;
    while (const auto urb = bench.wait()) {
      CHECK(urb->status == -ESHUTDOWN);
      if (urb->number == 4) CHECK(urb->moved == std::min<uint64_t>(bytes, 1024));
      ++ended;
    }
    CHECK(ended == 3);
    CHECK(gone == 1);
    CHECK(!bench.port().attached());
    CHECK(bench.submit_out({0x85}) == 0);
    CHECK(bench.port().happened().size() == 1);
  }
}

// The same faults, the same seed: the same story.
TEST_CASE("a run is the same every time") {
  std::mt19937_64 random(test_seed());
  size_t ended = 0;
  for (int round = 0; round < 20; ++round) {
    const uint64_t seed = random();
    auto story = [&] {
      PortBench bench({"random=30"}, 1000, shipped("ft2232h"), seed);
      std::mt19937_64 traffic(seed);
      std::vector<std::tuple<uint64_t, int, size_t, Picoseconds>> all;
      bench.control({0x40, 0x0B, 0x0200, 1, 0});
      for (int i = 0; i < 60; ++i) {
        if (traffic() % 2 != 0) bench.submit_out(Bytes(1 + traffic() % 3000, 0x81));
        if (traffic() % 2 != 0) bench.submit_in(512 * (1 + traffic() % 8));
        if (const auto urb = bench.wait())
          all.emplace_back(urb->number, urb->status, urb->moved, bench.port().now());
      }
      return all;
    };
    const auto first = story();
    ended += first.size();
    CHECK(first == story());
  }
  CHECK(ended > 200);
}

}  // namespace
}  // namespace swai::usb
