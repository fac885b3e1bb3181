// SPDX-License-Identifier: Apache-2.0
// Unit tests of the flash chip: commands as the data sheet has them, byte by byte and through the pins.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <string>
#include <utility>

#include "verif/kit/doctest_main.hpp"
#include "verif/sim/card/flash_bench.hpp"

namespace swai::card {
namespace {

uint32_t le32(const Bytes& bytes, size_t at) {
  return bytes[at] | bytes[at + 1] << 8 | bytes[at + 2] << 16 | uint32_t{bytes[at + 3]} << 24;
}

TEST_CASE("identification") {
  for (bool through_pins : {false, true}) {
    CAPTURE(through_pins);
    Bench bench(through_pins, {}, size_t{16} << 20);
    CHECK(bench.run({.head = {0x9F}, .read = 6}) == Bytes{0xEF, 0x40, 0x18, 0xEF, 0x40, 0x18});
    CHECK(bench.run({.head = Bench::head(0x90, 0), .read = 3}) == Bytes{0xEF, 0x17, 0xEF});
    CHECK(bench.run({.head = Bench::head(0x90, 1), .read = 2}) == Bytes{0x17, 0xEF});
    CHECK(bench.run({.head = {0xAB, 0, 0, 0}, .read = 1}) == Bytes{0x17});
    CHECK(bench.pins.violations().total() == 0);
  }
  Bench small(false, {}, size_t{1} << 20);
  CHECK(small.run({.head = {0x9F}, .read = 3}) == Bytes{0xEF, 0x40, 0x14});
}

TEST_CASE("SFDP describes what the chip does") {
  for (size_t size : {size_t{1} << 20, size_t{16} << 20}) {
    Bench bench(true, {}, size);
    auto sfdp = [&](uint32_t address, size_t bytes) {
      return bench.run({.head = Bench::head(0x5A, address), .dummy = 8, .read = bytes});
    };
    const Bytes header = sfdp(0, 16);
    CHECK(std::string(header.begin(), header.begin() + 4) == "SFDP");
    CHECK(header[5] == 1);     // major revision
    CHECK(header[6] == 0);     // one parameter header
    CHECK(header[8] == 0x00);  // basic table, id FF00h
    CHECK(header[15] == 0xFF);
    CHECK(header[11] == 16);  // DWORDs: JESD216B
    const Bytes table = sfdp(header[12] | header[13] << 8, 64);
    auto dword = [&](size_t number) { return le32(table, 4 * (number - 1)); };
    CHECK((dword(1) & 3) == 1);
    CHECK((dword(1) >> 8 & 0xFF) == 0x20);
    CHECK((dword(1) >> 17 & 3) == 0);  // 3-byte addresses only
    CHECK(dword(2) == size * 8 - 1);

    // The quad reads with the instruction, mode and wait clocks of the table bring the right bytes.
    const Bytes data = {0x12, 0x34, 0x56, 0x78, 0x9A};
    bench.program(0x12345, data);
    bench.wait_ready();
    const uint32_t io = dword(3) & 0xFFFF, output = dword(3) >> 16;
    CHECK((dword(1) >> 21 & 3) == 3);  // both are there
    CHECK((io >> 5 & 7) == 2);
    CHECK(bench.run({.head = {static_cast<uint8_t>(io >> 8)},
                     .quad = {0x01, 0x23, 0x45, 0x00},
                     .dummy = io & 31,
                     .read = 5,
                     .read_lanes = 4}) == data);
    CHECK((output >> 5 & 7) == 0);
    CHECK(bench.run({.head = Bench::head(static_cast<uint8_t>(output >> 8), 0x12345),
                     .dummy = output & 31,
                     .read = 5,
                     .read_lanes = 4}) == data);

    // Erase types: size and instruction.
    for (unsigned type = 0; type < 3; ++type) {
      const uint32_t entry = dword(8 + type / 2) >> (type % 2 * 16) & 0xFFFF;
      const uint32_t bytes = 1U << (entry & 0xFF);
      std::ranges::fill(bench.store.cells(), uint8_t{0});
      bench.erase(static_cast<uint8_t>(entry >> 8), 3 * bytes + 5);
      bench.chip.finish();
      CHECK(std::ranges::count(bench.store.cells(), 0xFF) == bytes);
      CHECK(bench.store.cells()[3 * bytes] == 0xFF);
      CHECK(bench.store.cells()[4 * bytes - 1] == 0xFF);
    }
    CHECK((dword(11) >> 4 & 15) == 8);  // 256-byte pages
    CHECK((dword(15) >> 20 & 7) == 5);  // quad enable: bit 1 of status register 2, written by 01h
  }
}

TEST_CASE("every read brings the same bytes") {
  for (bool through_pins : {false, true}) {
    Bench bench(through_pins);
    for (uint32_t i = 0; i < kSize; ++i) bench.store.cells()[i] = static_cast<uint8_t>(i * 7 + (i >> 8));
    for (unsigned kind = 0; kind < 4; ++kind) {
      for (uint32_t address : {0U, 0x12345U, kSize - 3}) {  // the last one wraps to the start
        const Bytes got = bench.read_any(kind, address, 6);
        for (uint32_t i = 0; i < 6; ++i) CHECK(got[i] == bench.store.cells()[(address + i) % kSize]);
      }
    }
  }
}

TEST_CASE("continuous quad read") {
  for (bool through_pins : {false, true}) {
    Bench bench(through_pins);
    for (uint32_t i = 0; i < 256; ++i) bench.store.cells()[i] = static_cast<uint8_t>(i);
    auto next = [&](uint8_t address, uint8_t mode, Bytes opcode = {}) {
      return bench.run(
          {.head = std::move(opcode), .quad = {0, 0, address, mode}, .dummy = 4, .read = 2, .read_lanes = 4});
    };
    CHECK(next(0x10, 0xA5, {0xEB}) == Bytes{0x10, 0x11});
    CHECK(next(0x20, 0xA5) == Bytes{0x20, 0x21});
    CHECK(next(0x30, 0x00) == Bytes{0x30, 0x31});
    CHECK(bench.run({.head = {0x9F}, .read = 1}) == Bytes{0xEF});

    // Eight clocks of ones end the mode, too.
    next(0x10, 0xA5, {0xEB});
    if (through_pins) {
      bench.run({.head = {0xFF}});
    } else {
      bench.run({.quad = {0xFF, 0xFF, 0xFF, 0xFF}});
    }
    CHECK(bench.run({.head = {0x9F}, .read = 1}) == Bytes{0xEF});
  }
}

TEST_CASE("programming clears bits, wraps in its page and needs write enable") {
  for (bool through_pins : {false, true}) {
    Bench bench(through_pins);
    bench.program(0x1000, {0xF0, 0x0F});
    bench.wait_ready();
    CHECK(bench.read(0x1000, 3) == Bytes{0xF0, 0x0F, 0xFF});
    bench.program(0x1000, {0x33, 0xFF});
    bench.wait_ready();
    CHECK(bench.read(0x1000, 2) == Bytes{0x30, 0x0F});

    bench.program(0x20FE, {1, 2, 3, 4});
    bench.wait_ready();
    CHECK(bench.read(0x20FE, 3) == Bytes{1, 2, 0xFF});
    CHECK(bench.read(0x2000, 3) == Bytes{3, 4, 0xFF});

    Bytes long_run(300);
    for (size_t i = 0; i < 300; ++i) long_run[i] = static_cast<uint8_t>(i < 256 ? i : 0x40 + i - 256);
    bench.program(0x3000, long_run);  // the last 256 bytes count
    bench.wait_ready();
    CHECK(bench.read(0x3000, 1) == Bytes{0x40});
    CHECK(bench.read(0x302B, 2) == Bytes{0x6B, 0x2C});

    bench.run({.head = Bench::head(0x02, 0x4000, {0})});  // no write enable
    CHECK(bench.status() == 0);
    bench.write_enable();
    CHECK(bench.status() == 2);
    bench.simple(0x04);
    bench.run({.head = Bench::head(0x02, 0x4000, {0})});
    CHECK(bench.status() == 0);
    bench.write_enable();
    bench.run({.head = Bench::head(0x02, 0x4000)});  // no data
    CHECK(bench.status() == 2);
    CHECK(bench.read(0x4000, 1) == Bytes{0xFF});

    bench.write_enable();
    bench.run({.head = Bench::head(0x32, 0x5001), .quad = {0xAB, 0xCD}});
    bench.wait_ready();
    CHECK(bench.read(0x5000, 4) == Bytes{0xFF, 0xAB, 0xCD, 0xFF});
  }
}

TEST_CASE("erases: size, alignment, exact length") {
  Bench bench;
  struct Case {
    uint8_t opcode;
    uint32_t bytes;
  };
  for (const auto& [opcode, bytes] : {Case{0x20, 4 << 10}, {0x52, 32 << 10}, {0xD8, 64 << 10}}) {
    std::ranges::fill(bench.store.cells(), uint8_t{0x5A});
    bench.erase(opcode, 0x54321);
    CHECK(bench.status() == 3);
    bench.wait_ready();
    CHECK(bench.status() == 0);
    const uint32_t first = 0x54321 & ~(bytes - 1);
    CHECK(std::ranges::count(bench.store.cells(), 0xFF) == bytes);
    CHECK(bench.store.cells()[first] == 0xFF);
    CHECK(bench.store.cells()[first + bytes - 1] == 0xFF);

    bench.write_enable();
    bench.run({.head = Bench::head(opcode, 0, {0})});  // a byte too many
    CHECK(bench.status() == 2);
    bench.run({.head = {opcode, 0, 0}});  // one too few
    CHECK(bench.status() == 2);
  }
  for (uint8_t opcode : {0x60, 0xC7}) {
    std::ranges::fill(bench.store.cells(), uint8_t{0});
    bench.write_enable();
    bench.run({.head = {opcode}});
    bench.wait_ready();
    CHECK(std::ranges::count(bench.store.cells(), 0xFF) == kSize);
  }
}

TEST_CASE("a write with chip select up inside a byte does not happen") {
  Bench bench;
  bench.write_enable();
  bench.chip.select();
  for (uint8_t byte : Bench::head(0x02, 0, {0})) bench.chip.in(byte);
  bench.chip.deselect(false);
  CHECK(bench.status() == 2);
  CHECK(bench.read(0, 1) == Bytes{0xFF});
}

TEST_CASE("busy times, and deafness while busy") {
  Bench bench(false, {});  // real times
  FlashTimes times;
  auto duration = [&] {
    REQUIRE(bench.chip.busy());
    return bench.chip.busy_until() - bench.bus->now();
  };
  bench.program(0, {0});
  CHECK(duration() == times.first_byte);
  CHECK(bench.run({.head = {0x9F}, .read = 1}) == Bytes{0xFF});
  CHECK(bench.read(0, 1) == Bytes{0xFF});
  bench.program(0x100, {0});  // ignored
  CHECK(bench.status() == 3);
  CHECK(bench.status(0x35) == 2);
  bench.bus->wait(times.first_byte);
  CHECK(bench.status() == 0);
  CHECK(bench.read(0, 1) == Bytes{0});
  CHECK(bench.read(0x100, 1) == Bytes{0xFF});

  bench.program(0, Bytes(11, 0));
  CHECK(duration() == times.first_byte + 10 * times.next_byte);
  bench.wait_ready();
  bench.program(0, Bytes(256, 0));
  CHECK(duration() == std::min(times.page, times.first_byte + 255 * times.next_byte));
  bench.wait_ready();
  bench.erase(0x20, 0);
  CHECK(duration() == times.erase_4k);
  bench.bus->wait(times.erase_4k - 200);
  CHECK(bench.status() == 3);
  bench.bus->wait(200);
  CHECK(bench.status() == 0);
  bench.write_enable();
  bench.run({.head = {0xC7}});
  CHECK(duration() == times.erase_chip);
  bench.bus->wait(times.erase_chip);

  const FlashTimes fast = times.faster(10);
  CHECK(fast.page == times.page / 10);
  CHECK(times.faster(1e12).erase_chip == 1);
}

TEST_CASE("status registers") {
  Bench bench;
  CHECK(bench.status(0x05) == 0);
  CHECK(bench.status(0x35) == 2);
  CHECK(bench.status(0x15) == 0x60);

  bench.write_status({0xFF});
  CHECK(bench.status(0x05) == 0xFC);
  CHECK(bench.status(0x35) == 2);  // one byte leaves register 2 alone
  bench.write_status({0x00, 0x00});
  CHECK(bench.status(0x05) == 0);
  CHECK(bench.status(0x35) == 0);
  // Without quad enable there are no quad commands.
  bench.store.cells()[0] = 0x12;
  CHECK(bench.read_any(2, 0, 1) == Bytes{0xFF});
  CHECK(bench.read_any(3, 0, 1) == Bytes{0xFF});
  CHECK(bench.read_any(0, 0, 1) == Bytes{0x12});
  bench.write_status({0x02}, 0x31);
  CHECK(bench.read_any(2, 0, 1) == Bytes{0x12});
  bench.write_status({0x20}, 0x11);
  CHECK(bench.status(0x15) == 0x20);

  bench.run({.head = {0x01, 0x1C}});  // no write enable
  CHECK(bench.status() == 0);
  bench.write_enable();
  bench.run({.head = {0x01, 0x1C, 0, 0}});  // too long
  CHECK(bench.status() == 2);
  bench.simple(0x04);

  // 50h: at once, and forgotten without power.
  bench.simple(0x50);
  bench.run({.head = {0x01, 0x1C}});
  CHECK(bench.status() == 0x1C);
  bench.chip.power_cut();
  CHECK(bench.status() == 0);
  CHECK(bench.status(0x15) == 0x20);

  // 50h holds for the very next command only.
  bench.simple(0x50);
  bench.simple(0x05);
  bench.run({.head = {0x01, 0x1C}});
  CHECK(bench.status() == 0);

  // The lock bit lasts until power goes.
  bench.write_status({0x00, 0x03});
  bench.write_status({0x1C});
  CHECK((bench.status() & 0x1C) == 0);
  bench.chip.power_cut();
  bench.write_status({0x1C});
  CHECK((bench.status() & 0x1C) == 0x1C);
}

TEST_CASE("block protection") {
  struct Case {
    uint8_t sr1, sr2;
    uint32_t low, high;  // protected
  };
  constexpr uint32_t kBig = 16 << 20;
  const Case cases[] = {
      {0x00, 0x02, 0, 0},
      {0x04, 0x02, kBig - kBig / 64, kBig},  // top 1/64
      {0x18, 0x02, kBig / 2, kBig},          // top half
      {0x1C, 0x02, 0, kBig},                 // all
      {0x24, 0x02, 0, kBig / 64},            // bottom 1/64
      {0x38, 0x02, 0, kBig / 2},             // bottom half
      {0x44, 0x02, kBig - (4 << 10), kBig},  // top sector
      {0x64, 0x02, 0, 4 << 10},              // bottom sector
      {0x70, 0x02, 0, 32 << 10},             // bottom eight sectors
      {0x04, 0x42, 0, kBig - kBig / 64},     // complement
      {0x24, 0x42, kBig / 64, kBig},
      {0x1C, 0x42, 0, 0},
      {0x00, 0x42, 0, kBig},
  };
  Bench bench(false, {.times = FlashTimes{}.faster(1e6)}, kBig);
  for (const Case& c : cases) {
    CAPTURE(c.sr1);
    CAPTURE(c.sr2);
    bench.write_status({c.sr1, c.sr2});
    for (uint32_t page : {0U, 4U << 10, 32U << 10, kBig / 64, kBig / 2 - 256, kBig / 2,
                          kBig - kBig / 64 - 256, kBig - kBig / 64, kBig - (4 << 10) - 256, kBig - 256}) {
      CAPTURE(page);
      const bool guarded = page >= c.low && page < c.high;
      bench.store.cells()[page] = 0xFF;
      bench.program(page, {0});
      bench.wait_ready();
      CHECK(bench.store.cells()[page] == (guarded ? 0xFF : 0));
      bench.store.cells()[page] = 0;
      bench.erase(0x20, page);
      bench.wait_ready();
      CHECK(bench.store.cells()[page] == (guarded ? 0 : 0xFF));
    }
    bench.store.cells()[12345] = 0;
    bench.write_enable();
    bench.simple(0xC7);
    bench.wait_ready();
    CHECK(bench.store.cells()[12345] == (c.low == c.high ? 0xFF : 0));
  }
}

TEST_CASE("deep power-down and reset") {
  Bench bench(false, {});
  const FlashTimes times;
  bench.simple(0xB9);
  bench.bus->wait(times.power_mode);
  CHECK(bench.run({.head = {0x9F}, .read = 1}) == Bytes{0xFF});
  CHECK(bench.status() == 0xFF);
  bench.simple(0xAB);
  CHECK(bench.status() == 0xFF);  // not yet
  bench.bus->wait(times.power_mode);
  CHECK(bench.run({.head = {0x9F}, .read = 1}) == Bytes{0xEF});

  bench.write_enable();
  bench.simple(0x99);  // not enabled
  CHECK(bench.status() == 2);
  bench.simple(0x66);
  bench.status();  // something else in between
  bench.simple(0x99);
  CHECK(bench.status() == 2);
  bench.simple(0x66);
  bench.simple(0x99);
  CHECK(bench.status() == 0xFF);
  bench.bus->wait(times.reset);
  CHECK(bench.status() == 0);

  // A reset stops an erase half-way.
  std::ranges::fill(bench.store.cells(), uint8_t{0x5A});
  bench.erase(0x20, 0);
  bench.bus->wait(times.erase_4k / 2);
  bench.simple(0x66);
  bench.simple(0x99);
  bench.bus->wait(times.reset);
  CHECK(bench.status() == 0);
  CHECK(std::ranges::count(bench.store.cells().first(4096), 0xFF) < 4096);
  CHECK(std::ranges::count(bench.store.cells().subspan(4096), 0x5A) == kSize - 4096);
}

TEST_CASE("power cut in the middle of programming and erasing") {
  const FlashTimes times;
  std::mt19937_64 random(test_seed());
  for (int round = 0; round < 50; ++round) {
    Bench bench(false, {.seed = random()});
    const double progress = static_cast<double>(round) / 49;
    CAPTURE(progress);
    Bytes page(256);
    for (auto& byte : page) byte = static_cast<uint8_t>(random());
    bench.program(0x1000, page);
    bench.bus->wait(
        static_cast<uint64_t>(progress * static_cast<double>(bench.chip.busy_until() - bench.bus->now())));
    const bool done = !bench.chip.busy();
    bench.chip.power_cut();
    CHECK(bench.status() == 0);
    int missing = 0;
    for (uint32_t i = 0; i < 256; ++i) {
      const uint8_t cell = bench.store.cells()[0x1000 + i];
      CHECK((cell & page[i]) == page[i]);  // nothing is cleared that should stay
      missing += std::popcount(static_cast<unsigned>(cell & ~page[i]));
    }
    if (done) CHECK(missing == 0);
    if (progress < 0.01) CHECK(missing > 900);
    if (progress > 0.3 && progress < 0.7) CHECK((missing > 100 && missing < 900));

    std::ranges::copy(page, bench.store.cells().begin() + 0x1000);
    bench.erase(0x20, 0x1000);
    bench.bus->wait(static_cast<uint64_t>(progress * static_cast<double>(times.erase_4k)));
    bench.chip.power_cut();
    const auto sector = bench.store.cells().subspan(0x1000, 4096);
    int ones = 0;
    for (uint8_t cell : sector) ones += std::popcount(cell);
    if (progress > 0.2 && progress < 0.4) CHECK(ones < 4096 * 4);   // mostly programmed
    if (progress > 0.6 && progress < 0.99) CHECK(ones > 4096 * 2);  // mostly lifted, not all
    if (progress == 1) CHECK(ones == 4096 * 8);
    CHECK(std::ranges::count(bench.store.cells().first(0x1000), 0xFF) == 0x1000);
  }

  // The same seed hits the same cells.
  auto cut = [&](uint64_t seed) {
    Bench bench(false, {.seed = seed});
    bench.program(0, Bytes(256, 0));
    bench.bus->wait(100'000);
    bench.chip.power_cut();
    return bench.read(0, 256);
  };
  CHECK(cut(5) == cut(5));
  CHECK(cut(5) != cut(6));
}

}  // namespace
}  // namespace swai::card
