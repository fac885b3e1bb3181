// SPDX-License-Identifier: Apache-2.0
// Random traffic on the flash chip against a model that is nothing but an array, and the chip's watch over
// the controller.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "verif/kit/doctest_main.hpp"
#include "verif/sim/card/flash_bench.hpp"

namespace swai::card {
namespace {

TEST_CASE("random traffic against an array") {
  for (bool through_pins : {false, true}) {
    CAPTURE(through_pins);
    std::mt19937_64 random(test_seed());
    auto below = [&](uint64_t limit) { return static_cast<uint32_t>(random() % limit); };
    Bench bench(through_pins,
                {.times = FlashTimes{}.faster(through_pins ? 20'000 : 100), .seed = test_seed()});
    if (through_pins) {
      auto& pins = static_cast<PinBus&>(*bench.bus);
      pins.half = 4 + below(8);
      pins.idle_high = below(2) != 0;
    }
    Bytes model(kSize, 0xFF);
    int programs = 0, erases = 0;
    const int rounds = through_pins ? 3'000 : 30'000;
    for (int round = 0; round < rounds; ++round) {
      // A few places, so that programs, erases and reads meet.
      const uint32_t address = (below(4) << 16 | below(3) << 12 | below(0x300)) & (kSize - 1);
      const bool was_busy = bench.chip.busy();
      switch (below(8)) {
        case 0:
        case 1:
        case 2: {
          Bytes data(1 + below(through_pins ? 20 : 270));
          for (auto& byte : data) byte = static_cast<uint8_t>(random() | random());
          const bool enable = below(10) != 0;
          const bool quad = below(2) != 0;
          if (enable) bench.write_enable();
          if (bench.chip.busy() || (was_busy && !enable)) {
            bench.wait_ready();
            break;
          }
          bench.simple(enable ? 0x06 : 0x04);
          if (quad) {
            bench.run({.head = Bench::head(0x32, address), .quad = data});
          } else {
            bench.run({.head = Bench::head(0x02, address, data)});
          }
          if (!enable) break;
          ++programs;
          Bytes page(256, 0xFF);
          for (size_t i = 0; i < data.size(); ++i) page[(address + i) % 256] = data[i];
          for (uint32_t i = 0; i < 256; ++i) model[(address & ~255U) + i] &= page[i];
          break;
        }
        case 3: {
          bench.wait_ready();
          const uint32_t kind = below(20);
          const uint8_t opcode = kind == 0 ? 0xC7 : kind < 4 ? 0xD8 : kind < 8 ? 0x52 : 0x20;
          const uint32_t bytes = kind == 0 ? kSize : kind < 4 ? 64 << 10 : kind < 8 ? 32 << 10 : 4 << 10;
          bench.write_enable();
          bench.run({.head = kind == 0 ? Bytes{opcode} : Bench::head(opcode, address)});
          std::fill_n(model.begin() + (address & ~(bytes - 1)), bytes, 0xFF);
          ++erases;
          break;
        }
        case 4:  // while busy this changes nothing, and otherwise neither
          bench.run({.head = Bench::head(0x02, address, {0}), .quad = {}});
          break;
        default: {
          if (was_busy && below(4) != 0) bench.wait_ready();
          const bool busy = bench.chip.busy();
          const uint32_t bytes = 1 + below(through_pins ? 20 : 300);
          const Bytes got = bench.read_any(below(4), address, bytes);
          if (busy && bench.chip.busy()) {
            CHECK(got == Bytes(bytes, 0xFF));
          } else if (!busy) {
            bool same = true;
            for (uint32_t i = 0; i < bytes; ++i) same &= got[i] == model[(address + i) % kSize];
            REQUIRE(same);
          }
        }
      }
    }
    bench.wait_ready();
    CHECK(std::ranges::equal(model, bench.store.cells()));
    CHECK(programs > rounds / 8);
    CHECK(erases > rounds / 20);
    CHECK(bench.chip.counters().programs == static_cast<uint64_t>(programs));
    const FlashPins::Violations broken = bench.pins.violations();
    CHECK(broken.total() == broken.fast_read);
  }
}

TEST_CASE("broken rules of the data sheet are counted") {
  Bench bench(true);
  auto& bus = static_cast<PinBus&>(*bench.bus);
  bench.read(0, 2);
  CHECK(bench.pins.violations().fast_read == 2);  // 03h at 125 MHz
  bus.half = 10;
  bench.read(0, 2);
  CHECK(bench.pins.violations().fast_read == 2);
  bus.half = 2;
  bench.simple(0x06);
  CHECK(bench.pins.violations().sck > 0);

  FlashWires wires{.cs_n = true};
  uint64_t now = bus.now() + 100;
  FlashPins pins(bench.chip);
  for (int i = 0; i < 2; ++i) {
    wires.cs_n = false;
    pins.clock(now += 10, wires);
    wires.cs_n = true;
    pins.clock(now += 10, wires);
  }
  CHECK(pins.violations().deselect == 1);

  // Both sides drive: status read with the controller's outputs on.
  wires = {.cs_n = false, .enable = 0xF};
  now += 100;
  for (int bit = 0; bit < 12; ++bit) {
    wires.out = bit < 8 ? 0x05 >> (7 - bit) & 1 : 0;
    wires.sck = false;
    for (int i = 0; i < 8; ++i) pins.clock(now++, wires);
    wires.sck = true;
    for (int i = 0; i < 8; ++i) pins.clock(now++, wires);
  }
  CHECK(pins.violations().contention > 0);
}

}  // namespace
}  // namespace swai::card
