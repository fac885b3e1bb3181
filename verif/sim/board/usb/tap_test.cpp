// SPDX-License-Identifier: Apache-2.0
// The ECP5's port: IEEE 1149.1's state machine, the registers that flashing needs, and the way through to the
// flash.
#include <doctest/doctest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "sim/board/usb/ecp5_tap.hpp"
#include "sim/card/flash_store.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::usb {
namespace {

using State = Ecp5Tap::State;
using Bytes = std::vector<uint8_t>;

constexpr uint32_t kId = 0x81113043;

struct Bench {
  card::FlashStore store = card::FlashStore::in_memory(1 << 20);
  Nor flash{store, {.chip = {.times = card::FlashTimes{}.faster(1000)}}};
  Ecp5Tap tap{kId, flash};
  Picoseconds now = 0;

  // One period of TCK; what TDO was at the rising edge.
  bool clock(bool tms, bool tdi = true) {
    now += 50 * kNanosecond;
    tap.drive(now, false, tms, tdi);
    now += 50 * kNanosecond;
    const bool tdo = tap.tdo(now);
    tap.drive(now, true, tms, tdi);
    return tdo;
  }
  void settle() { tap.drive(now += 50 * kNanosecond, false, true, true); }
  void moves(const std::string& tms) {
    for (const char level : tms) clock(level == '1');
  }
  void reset() { moves("111110"); }
  // From Run-Test/Idle and back.
  std::vector<bool> shift(const std::string& way_in, const std::vector<bool>& bits) {
    moves(way_in);
    std::vector<bool> out;
    for (size_t i = 0; i < bits.size(); ++i) out.push_back(clock(i + 1 == bits.size(), bits[i]));
    moves("10");
    return out;
  }
  static std::vector<bool> to_bits(uint64_t value, size_t count) {
    std::vector<bool> bits;
    for (size_t i = 0; i < count; ++i) bits.push_back((value >> i & 1) != 0);
    return bits;
  }
  static uint64_t to_number(const std::vector<bool>& bits) {
    uint64_t value = 0;
    for (size_t i = 0; i < bits.size(); ++i) value |= uint64_t{bits[i]} << i;
    return value;
  }
  uint64_t ir(uint8_t instruction) { return to_number(shift("1100", to_bits(instruction, 8))); }
  uint64_t dr(uint64_t value, size_t count) { return to_number(shift("100", to_bits(value, count))); }
  void open() {
    ir(0x3A);
    dr(0x68FE, 16);
  }
  // Bytes through the port, the most significant bit first, as SPI has them.
  Bytes spi(const Bytes& out) {
    std::vector<bool> bits;
    for (const uint8_t byte : out)
      for (int i = 7; i >= 0; --i) bits.push_back((byte >> i & 1) != 0);
    const std::vector<bool> in = shift("100", bits);
    Bytes all(out.size());
    for (size_t i = 0; i < in.size(); ++i)
      all[i / 8] = static_cast<uint8_t>(all[i / 8] << 1 | (in[i] ? 1 : 0));
    return all;
  }
  uint32_t status() {
    ir(0x3C);
    return static_cast<uint32_t>(dr(0, 32));
  }
};

TEST_CASE("the state machine is IEEE 1149.1's") {
  // Each state's successors for TMS 0 and 1, as the standard's figure has them.
  const std::map<State, std::pair<State, State>> figure = {
      {State::kReset, {State::kIdle, State::kReset}},
      {State::kIdle, {State::kIdle, State::kSelectDr}},
      {State::kSelectDr, {State::kCaptureDr, State::kSelectIr}},
      {State::kCaptureDr, {State::kShiftDr, State::kExit1Dr}},
      {State::kShiftDr, {State::kShiftDr, State::kExit1Dr}},
      {State::kExit1Dr, {State::kPauseDr, State::kUpdateDr}},
      {State::kPauseDr, {State::kPauseDr, State::kExit2Dr}},
      {State::kExit2Dr, {State::kShiftDr, State::kUpdateDr}},
      {State::kUpdateDr, {State::kIdle, State::kSelectDr}},
      {State::kSelectIr, {State::kCaptureIr, State::kReset}},
      {State::kCaptureIr, {State::kShiftIr, State::kExit1Ir}},
      {State::kShiftIr, {State::kShiftIr, State::kExit1Ir}},
      {State::kExit1Ir, {State::kPauseIr, State::kUpdateIr}},
      {State::kPauseIr, {State::kPauseIr, State::kExit2Ir}},
      {State::kExit2Ir, {State::kShiftIr, State::kUpdateIr}},
      {State::kUpdateIr, {State::kIdle, State::kSelectDr}}};
  std::mt19937_64 random(test_seed());
  Bench bench;
  State expected = State::kReset;
  for (int i = 0; i < 10'000; ++i) {
    const bool tms = (random() & 1) != 0;
    bench.clock(tms, (random() & 1) != 0);
    expected = tms ? figure.at(expected).second : figure.at(expected).first;
    REQUIRE(bench.tap.state() == expected);
    if (random() % 100 == 0) {
      bench.moves("11111");
      expected = State::kReset;
      REQUIRE(bench.tap.state() == expected);
    }
  }
}

TEST_CASE("after a reset the data register is the IDCODE") {
  Bench bench;
  bench.reset();
  CHECK(bench.dr(0, 32) == kId);
  CHECK(bench.ir(0xFF) == 0x01);
  bench.reset();
  // What goes in comes out behind it.
  CHECK(bench.dr(0x1234'5678, 64) == (uint64_t{0x1234'5678} << 32 | kId));
}

TEST_CASE("bypass is one bit, and every unknown instruction is a bypass") {
  Bench bench;
  bench.reset();
  for (const uint8_t instruction : {0xFF, 0x00, 0x5B, 0x81}) {
    bench.ir(instruction);
    CHECK(bench.dr(0x5A, 9) == 0x5A << 1);
  }
}

TEST_CASE("a data register survives a pause") {
  Bench bench;
  bench.reset();
  bench.moves("100");
  uint64_t value = 0;
  for (unsigned i = 0; i < 32; ++i) {
    const bool stop = i == 12;
    value |= uint64_t{bench.clock(stop || i == 31)} << i;
    if (stop) bench.moves("00010");
  }
  CHECK(value == kId);
}

TEST_CASE("the flash is reached only with instruction, key and Run-Test/Idle") {
  Bench bench;
  bench.reset();
  const Bytes ask = {0x9F, 0, 0, 0};
  const Bytes id = {0xEF, 0x40, 0x14};
  auto answer = [&] {
    const Bytes all = bench.spi(ask);
    return Bytes(all.begin() + 1, all.end());
  };
  bench.ir(0x3A);
  CHECK(answer() != id);
  bench.dr(0x68FF, 16);
  CHECK(answer() != id);
  CHECK(!bench.tap.passes_through());
  bench.open();
  CHECK(answer() == id);
  CHECK(answer() == id);
  CHECK(bench.tap.passages() == 1);

  // Another instruction takes it away, and so does a reset.
  bench.ir(0xFF);
  CHECK(answer() != id);
  bench.open();
  CHECK(answer() == id);
  bench.reset();
  bench.settle();
  CHECK(!bench.tap.passes_through());

  // The key alone is not enough: from Update-DR straight on, without Run-Test/Idle.
  bench.ir(0x3A);
  bench.moves("100");
  for (unsigned i = 0; i < 16; ++i) bench.clock(i == 15, (0x68FE >> i & 1) != 0);
  bench.moves("11");
  CHECK(!bench.tap.passes_through());
}

TEST_CASE("a clock above 25 MHz is counted") {
  Bench bench;
  bench.reset();
  CHECK(bench.tap.fast_clocks() == 0);
  auto pulse = [&](Picoseconds half) {
    bench.tap.drive(bench.now += half, false, false, true);
    bench.tap.drive(bench.now += half, true, false, true);
  };
  for (int i = 0; i < 5; ++i) pulse(20 * kNanosecond);
  CHECK(bench.tap.fast_clocks() == 0);
  for (int i = 0; i < 5; ++i) pulse(19 * kNanosecond);
  CHECK(bench.tap.fast_clocks() == 5);
}

TEST_CASE("whatever is sent, one stay in Shift-DR is one chip select") {
  std::mt19937_64 random(test_seed());
  Bench bench;
  for (auto& cell : bench.store.cells()) cell = static_cast<uint8_t>(random());
  bench.reset();
  bench.open();
  for (int round = 0; round < 200; ++round) {
    const auto address = static_cast<uint32_t>(random() % bench.store.size());
    const size_t bytes = 1 + random() % 100;
    Bytes ask = {0x03, static_cast<uint8_t>(address >> 16), static_cast<uint8_t>(address >> 8),
                 static_cast<uint8_t>(address)};
    ask.resize(4 + bytes);
    const Bytes all = bench.spi(ask);
    for (size_t i = 0; i < bytes; ++i)
      REQUIRE(all[4 + i] == bench.store.cells()[(address + i) % bench.store.size()]);
  }
  CHECK(bench.flash.violations().total() == 0);
}

TEST_CASE("configuration: enable, erase, refresh, and what the status says") {
  constexpr uint32_t kDone = 1 << 8, kEnabled = 1 << 9, kBusy = 1 << 12, kFail = 1 << 13;
  for (const bool bitstream : {false, true}) {
    CAPTURE(bitstream);
    Bench bench;
    const Bytes preamble = {0xFF, 0xFF, 0xBD, 0xB3};
    if (bitstream) std::copy(preamble.begin(), preamble.end(), bench.store.cells().begin() + 0x40);
    bench.reset();
    bench.ir(0x79);
    if (bitstream) CHECK((bench.status() & (kDone | kBusy)) == kBusy);
    bench.now += 1'000 * kMillisecond;
    CHECK((bench.status() & (kDone | kBusy | kFail)) == (bitstream ? kDone : kFail));

    // An erase of the configuration needs the mode.
    bench.ir(0x0E);
    bench.dr(0x01, 8);
    bench.now += 100 * kMillisecond;
    CHECK((bench.status() & kDone) == (bitstream ? kDone : 0));
    bench.ir(0xC6);
    bench.dr(0, 8);
    CHECK((bench.status() & kEnabled) == kEnabled);
    bench.ir(0x0E);
    bench.dr(0x01, 8);
    CHECK((bench.status() & kBusy) == kBusy);
    bench.ir(0xF0);
    CHECK(bench.dr(0, 8) == 0x80);
    bench.now += 100 * kMillisecond;
    CHECK(bench.ir(0xF0) == 0x01);
    CHECK(bench.dr(0, 8) == 0);
    CHECK((bench.status() & (kDone | kBusy | kFail | kEnabled)) == kEnabled);
    bench.ir(0x26);
    CHECK((bench.status() & kEnabled) == 0);
  }
}

}  // namespace
}  // namespace swai::usb
