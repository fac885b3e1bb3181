// SPDX-License-Identifier: Apache-2.0
// Unit tests of the serial line: what one end sends the other receives, whatever the divisor, phase and gaps.
#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "sim/card/uart_pins.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::card {
namespace {

using Bytes = std::vector<uint8_t>;

TEST_CASE("two ends of a line") {
  std::mt19937_64 random(test_seed());
  for (uint32_t divisor : {4U, 5U, 16U, 17U, 868U}) {
    CAPTURE(divisor);
    Bytes sent, received, sent_back, received_back;
    UartPins a(divisor, [&](uint8_t byte) { received_back.push_back(byte); });
    UartPins b(divisor, [&](uint8_t byte) { received.push_back(byte); });
    bool line_ab = true, line_ba = true;
    for (uint64_t now = 0; now < 3000ULL * divisor; ++now) {
      if (now < 2500ULL * divisor && random() % (20 * divisor) == 0) {
        const Bytes burst = {static_cast<uint8_t>(random()), static_cast<uint8_t>(random())};
        const bool forth = random() % 2 != 0;
        (forth ? a : b).push(burst);
        auto& log = forth ? sent : sent_back;
        log.insert(log.end(), burst.begin(), burst.end());
      }
      const bool next_ab = a.clock(now, line_ba);
      line_ba = b.clock(now, line_ab);
      line_ab = next_ab;
    }
    CHECK(sent.size() > 20);
    CHECK(received == sent);
    CHECK(received_back == sent_back);
    CHECK(a.quiet());
    CHECK(b.quiet());
    CHECK(a.unsent() == 0);
    CHECK(a.framing_errors() + b.framing_errors() == 0);
  }
}

TEST_CASE("a frame is ten bits of exactly the divisor") {
  UartPins line(8, [](uint8_t) {});
  line.push(Bytes{0x55, 0x0F});
  std::vector<bool> levels;
  for (uint64_t now = 0; now < 200; ++now) levels.push_back(line.clock(now, true));
  for (unsigned bit = 0; bit < 10; ++bit) {
    for (unsigned i = 0; i < 8; ++i)
      CHECK(levels[8 * bit + i] == (bit == 0 ? false : bit == 9 ? true : bit % 2 == 1));
  }
}

TEST_CASE("glitches and broken frames bring no byte") {
  Bytes received;
  UartPins line(16, [&](uint8_t byte) { received.push_back(byte); });
  uint64_t now = 0;
  auto hold = [&](bool level, unsigned clocks) {
    for (unsigned i = 0; i < clocks; ++i) line.clock(now++, level);
  };
  hold(true, 50);
  hold(false, 3);  // a glitch
  hold(true, 50);
  CHECK(line.quiet());
  hold(false, 400);  // a break
  CHECK(line.framing_errors() == 1);
  hold(true, 20);
  CHECK(line.quiet());
  CHECK(received.empty());
  hold(false, 16);  // and a good byte after it
  hold(true, 9 * 16);
  CHECK(received == Bytes{0xFF});
}

}  // namespace
}  // namespace swai::card
