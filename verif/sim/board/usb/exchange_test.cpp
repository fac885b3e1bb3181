// SPDX-License-Identifier: Apache-2.0
// Bytes that are exchanged at once, for speed, against the same bytes pin by pin.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "sim/board/usb/circuits.hpp"
#include "sim/board/usb/fifo.hpp"
#include "sim/board/usb/mpsse.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::usb {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr size_t kBytes = 1 << 20;

// Passes everything on but the shortcut.
class PinByPin : public Circuit {
 public:
  explicit PinByPin(Circuit& circuit) : circuit_(circuit) {}
  void drive(Picoseconds now, uint16_t levels, uint16_t outputs) override {
    circuit_.drive(now, levels, outputs);
  }
  uint16_t sense(Picoseconds now) override { return circuit_.sense(now); }

 private:
  Circuit& circuit_;
};

struct Side {
  card::FlashStore store = card::FlashStore::in_memory(kBytes);
  Nor flash;
  std::unique_ptr<Circuit> circuit;
  PinByPin slow{*circuit};
  Fifo from_host, to_host;
  Mpsse engine;

  Side(bool fast, bool jtag, const NorOptions& options)
      : flash(store, options), circuit(make(jtag)), engine(fast ? *circuit : slow, from_host, to_host) {
    std::mt19937_64 random(test_seed());
    for (auto& cell : store.cells()) cell = static_cast<uint8_t>(random() | random());
    engine.reset(0);
  }
  std::unique_ptr<Circuit> make(bool jtag) {
    if (jtag) return std::make_unique<JtagCircuit>(0x81113043, flash);
    return std::make_unique<SpiCircuit>(boards::SpiWiring{}, flash);
  }
  Bytes run(const Bytes& commands) {
    Bytes answer;
    for (const uint8_t byte : commands) {
      from_host.push(byte);
      engine.run(engine.now() + 100 * kMicrosecond);
      while (!to_host.empty()) answer.push_back(to_host.pop());
    }
    return answer;
  }
};

// Any bytes, with the pins as they may be; often whole flash commands.
Bytes some_commands(std::mt19937_64& random, bool jtag) {
  const bool lsb = jtag;
  auto data = [&](uint8_t opcode, const Bytes& bytes) {
    Bytes all = {static_cast<uint8_t>(opcode | (lsb ? 0x08 : 0)), static_cast<uint8_t>(bytes.size() - 1), 0};
    if ((opcode & 0x10) != 0) all.insert(all.end(), bytes.begin(), bytes.end());
    return all;
  };
  auto reversed = [&](uint8_t byte) {
    uint8_t all = 0;
    for (int i = 0; i < 8; ++i) all = static_cast<uint8_t>(all | (byte >> i & 1) << (7 - i));
    return lsb ? all : byte;
  };
  Bytes all;
  auto add = [&](const Bytes& more) { all.insert(all.end(), more.begin(), more.end()); };
  auto enable = [&] {
    if (jtag) {
      add({0x4B, 2, 0x01, 0x1B, 6, reversed(0x06), 0x4B, 2, 0x03});
    } else {
      add({0x80, 0x00, 0x0B, 0x11, 0, 0, 0x06, 0x80, 0x08, 0x0B});
    }
  };
  if (random() % 3 == 0) enable();
  if (random() % 20 == 0) add({0x86, static_cast<uint8_t>(random() % 4), 0});
  if (jtag) {
    // From Run-Test/Idle to Shift-DR, and back at the end; now and then somewhere else.
    add({0x4B, 2, static_cast<uint8_t>(random() % 30 == 0 ? random() & 7 : 0x01)});
  } else {
    add({0x80, static_cast<uint8_t>(random() % 10 == 0 ? random() & 0x0B : 0x00), 0x0B});
  }
  const Bytes opcodes = {0x03, 0x0B, 0x9F, 0x05, 0x06,
                         0x02, 0x20, 0x5A, 0xEB, static_cast<uint8_t>(random())};
  Bytes flash = {reversed(opcodes[random() % opcodes.size()])};
  for (size_t i = random() % 12; i > 0; --i) flash.push_back(static_cast<uint8_t>(random()));
  const uint8_t edges = random() % 6 == 0 ? static_cast<uint8_t>(random() & 0x05) : 0x01;
  add(data(static_cast<uint8_t>(0x10 | (edges & 0x01)), flash));
  if (random() % 4 == 0)
    add({static_cast<uint8_t>(0x13 | (lsb ? 0x08 : 0)), static_cast<uint8_t>(random() % 8), 0x5A});
  if (random() % 2 == 0) add(data(0x31, Bytes(1 + random() % 8, static_cast<uint8_t>(random()))));
  if (random() % 2 == 0) add(data(static_cast<uint8_t>(0x20 | (edges & 0x04)), Bytes(1 + random() % 8)));
  if (random() % 8 == 0) add({random() % 2 == 0 ? uint8_t{0x84} : uint8_t{0x85}});
  if (random() % 8 == 0) add({random() % 2 == 0 ? uint8_t{0x8C} : uint8_t{0x8D}});
  // With the bit that leaves Shift-DR a whole byte, or not.
  if (jtag && random() % 2 == 0) add({0x1B, 6, 0x55});
  if (jtag) {
    add({0x6B, 2, 0x03});
  } else if (random() % 10 != 0) {
    add({0x80, 0x08, 0x0B});
  }
  return all;
}

TEST_CASE(
    "bytes at once are the same as pin by pin: answers, time, cells, and what the chip complains about") {
  std::mt19937_64 random(test_seed());
  for (const bool jtag : {false, true}) {
    CAPTURE(jtag);
    NorOptions options{.chip = {.times = card::FlashTimes{}.faster(1e4), .seed = test_seed()}};
    Side fast(true, jtag, options), slow(false, jtag, options);
    size_t answers = 0;
    auto both = [&](const Bytes& commands) {
      const Bytes answer = fast.run(commands);
      REQUIRE(answer == slow.run(commands));
      REQUIRE(fast.engine.now() == slow.engine.now());
      REQUIRE(fast.engine.clocks() == slow.engine.clocks());
      answers += answer.size();
    };
    both({0x8A, 0x86, 0, 0, 0x80, 0x08, 0x0B});
    for (int round = 0; round < 3'000; ++round) {
      if (jtag && round % 50 == 0) {
        // Reset, LSC_PROG_SPI, the key, Run-Test/Idle.
        both({0x85, 0x8D, 0x4B, 5, 0x1F, 0x4B, 3, 0x03, 0x1B, 6, 0x3A, 0x4B, 2, 0x03});
        both({0x4B, 2, 0x01, 0x19, 0, 0, 0xFE, 0x1B, 6, 0x68, 0x4B, 2, 0x03, 0x4B, 1, 0x00});
      }
      both(some_commands(random, jtag));
    }
    CHECK(answers > 10'000);
    CHECK(std::ranges::equal(fast.store.cells(), slow.store.cells()));
    CHECK(fast.flash.chip().counters().commands == slow.flash.chip().counters().commands);
    CHECK(fast.flash.chip().counters().ignored == slow.flash.chip().counters().ignored);
    CHECK(fast.flash.chip().counters().bytes_read == slow.flash.chip().counters().bytes_read);
    CHECK(fast.flash.chip().counters().bytes_read > 1'000);
    CHECK(fast.flash.chip().counters().programs > 10);
    CHECK(fast.flash.violations().total() == slow.flash.violations().total());
    if (jtag) {
      const auto& first = dynamic_cast<const JtagCircuit&>(*fast.circuit).tap();
      const auto& second = dynamic_cast<const JtagCircuit&>(*slow.circuit).tap();
      CHECK(first.fast_clocks() == second.fast_clocks());
      CHECK(first.fast_clocks() > 1'000);
    }
  }
}

}  // namespace
}  // namespace swai::usb
