// Unit tests of the flash chip: commands as the data sheet has them, byte by byte and through the pins, and
// random traffic against a model that is nothing but an array.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "verif/card/flash_chip.hpp"
#include "verif/card/flash_pins.hpp"
#include "verif/common/doctest_main.hpp"

namespace swai::card {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr uint32_t kSize = 1 << 20;

// A command as a controller sees it. Lanes are those of the address phase and of the data phase.
struct Request {
  Bytes head;          // opcode, and what follows on one line
  Bytes quad;          // what follows on four lines: address and mode bits of EBh, data of 32h
  unsigned dummy = 0;  // sck periods
  size_t read = 0;     // bytes to read
  unsigned read_lanes = 1;
};

// Two ways to reach the chip: byte by byte, or by wiggling the pins.
class Bus {
 public:
  virtual ~Bus() = default;
  virtual Bytes run(const Request& request) = 0;
  virtual void wait(uint64_t clocks) = 0;
  virtual uint64_t now() const = 0;
};

class ByteBus : public Bus {
 public:
  explicit ByteBus(FlashChip& chip) : chip_(chip) {}
  Bytes run(const Request& request) override {
    Bytes answer;
    chip_.select();
    for (uint8_t byte : request.head) exchange(byte);
    for (uint8_t byte : request.quad) exchange(byte);
    for (unsigned i = 0; i < request.dummy * (request.quad.empty() ? 1 : 4) / 8; ++i) exchange(0);
    for (size_t i = 0; i < request.read; ++i) answer.push_back(exchange(0));
    chip_.deselect();
    return answer;
  }
  void wait(uint64_t clocks) override { chip_.set_now(now_ += clocks); }
  uint64_t now() const override { return now_; }

 private:
  uint8_t exchange(uint8_t byte) {
    wait(16);
    return chip_.transfer(byte);
  }
  FlashChip& chip_;
  uint64_t now_ = 0;
};

// A controller with sck at an eighth of the clock. It samples just before the falling edge, as ours does.
class PinBus : public Bus {
 public:
  explicit PinBus(FlashPins& pins) : pins_(pins) {}
  Bytes run(const Request& request) override {
    wires_.sck = idle_high;
    wait(1);
    wires_.cs_n = false;
    wait(half);
    for (uint8_t byte : request.head) send(byte, 1);
    for (uint8_t byte : request.quad) send(byte, 4);
    for (unsigned i = 0; i < request.dummy; ++i) period(0, 0);
    Bytes answer;
    for (size_t i = 0; i < request.read; ++i) answer.push_back(receive(request.read_lanes));
    wires_.sck = idle_high;
    wires_.enable = 0;
    wait(half);
    wires_.cs_n = true;
    wait(50);
    return answer;
  }
  void wait(uint64_t clocks) override {
    for (uint64_t i = 0; i < clocks; ++i) level_ = pins_.clock(now_++, wires_);
  }
  uint64_t now() const override { return now_; }

  uint64_t half = 4;       // clocks per half period of sck
  bool idle_high = false;  // SPI mode 3

 private:
  void period(uint8_t out, uint8_t enable) {
    wires_.sck = false;
    wires_.out = out;
    wires_.enable = enable;
    wait(half);
    wires_.sck = true;
    wait(half);
  }
  void send(uint8_t byte, unsigned lanes) {
    for (unsigned bit = 0; bit < 8; bit += lanes) {
      const auto top = static_cast<uint8_t>((byte << bit & 0xFF) >> (8 - lanes));
      period(top, lanes == 1 ? 0x1 : 0xF);
    }
  }
  uint8_t receive(unsigned lanes) {
    unsigned byte = 0;
    for (unsigned bit = 0; bit < 8; bit += lanes) {
      period(0, 0);
      byte = byte << lanes | (lanes == 1 ? level_ >> 1 & 1U : level_);
    }
    return static_cast<uint8_t>(byte);
  }
  FlashPins& pins_;
  FlashWires wires_;
  uint8_t level_ = 0xF;
  uint64_t now_ = 0;
};

// A chip on a bus, with the commands that tests use.
class Bench {
 public:
  explicit Bench(bool through_pins = false, FlashOptions options = {.times = FlashTimes{}.faster(1000)},
                 size_t size = kSize)
      : store(FlashStore::in_memory(size)), chip(store, options), pins(chip) {
    if (through_pins) {
      bus = std::make_unique<PinBus>(pins);
    } else {
      bus = std::make_unique<ByteBus>(chip);
    }
  }

  Bytes run(const Request& request) { return bus->run(request); }
  static Bytes head(uint8_t opcode, uint32_t address, const Bytes& rest = {}) {
    Bytes all = {opcode, static_cast<uint8_t>(address >> 16), static_cast<uint8_t>(address >> 8),
                 static_cast<uint8_t>(address)};
    all.insert(all.end(), rest.begin(), rest.end());
    return all;
  }
  void simple(uint8_t opcode) { run({.head = {opcode}}); }
  uint8_t status(uint8_t opcode = 0x05) { return run({.head = {opcode}, .read = 1})[0]; }
  void write_enable() { simple(0x06); }
  void program(uint32_t address, const Bytes& data) {
    write_enable();
    run({.head = head(0x02, address, data)});
  }
  void erase(uint8_t opcode, uint32_t address) {
    write_enable();
    run({.head = head(opcode, address)});
  }
  void write_status(const Bytes& values, uint8_t opcode = 0x01) {
    write_enable();
    Bytes all = {opcode};
    all.insert(all.end(), values.begin(), values.end());
    run({.head = all});
    wait_ready();
  }
  Bytes read(uint32_t address, size_t bytes) { return run({.head = head(0x03, address), .read = bytes}); }
  Bytes read_any(unsigned kind, uint32_t address, size_t bytes) {
    const Bytes plain = head(0x03, address);
    switch (kind % 4) {
      case 0:
        return run({.head = plain, .read = bytes});
      case 1:
        return run({.head = head(0x0B, address), .dummy = 8, .read = bytes});
      case 2:
        return run({.head = head(0x6B, address), .dummy = 8, .read = bytes, .read_lanes = 4});
      default:
        return run({.head = {0xEB},
                    .quad = {plain[1], plain[2], plain[3], 0x00},
                    .dummy = 4,
                    .read = bytes,
                    .read_lanes = 4});
    }
  }
  void wait_ready() {
    for (int i = 0; i < 1'000'000 && (status() & 1) != 0; ++i) bus->wait(1000);
    CHECK((status() & 1) == 0);
  }

  FlashStore store;
  FlashChip chip;
  FlashPins pins;
  std::unique_ptr<Bus> bus;
};

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

class TempFolder {
 public:
  TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "flash-test-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::string error_of(const std::string& path, size_t bytes = 0) {
  try {
    FlashStore::open(path, bytes);
  } catch (const FlashStoreError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("contents survive in a file") {
  TempFolder folder;
  const std::string path = folder / "card.flash";
  {
    FlashStore store = FlashStore::open(path, kSize);
    CHECK(std::ranges::count(store.cells(), 0xFF) == kSize);
    FlashChip chip(store, {});
    ByteBus bus(chip);
    bus.run({.head = {0x06}});
    bus.run({.head = Bench::head(0x02, 0x100, {1, 2, 3})});
    chip.finish();
    bus.run({.head = {0x06}});
    bus.run({.head = {0x01, 0x04, 0x00}});
    chip.finish();
    store.flush();
    CHECK(error_of(path).find("in use") != std::string::npos);
  }
  CHECK(std::filesystem::file_size(path) == kSize);
  {
    FlashStore store = FlashStore::open(path);
    CHECK(store.size() == kSize);
    CHECK(store.cells()[0x101] == 2);
    CHECK(store.status() == FlashStatusBits{0x04, 0x00, 0x60});
    store.set_status({});
  }
  CHECK(!std::filesystem::exists(path + ".status"));
  CHECK(FlashStore::open(folder / "new.flash").size() == size_t{16} << 20);
}

TEST_CASE("files that cannot be a chip are refused with a reason") {
  TempFolder folder;
  auto make = [&](const std::string& name, size_t bytes) {
    std::ofstream(folder / name, std::ios::binary) << std::string(bytes, 'x');
    return folder / name;
  };
  CHECK(error_of(make("odd", 12345)).find("12345 bytes") != std::string::npos);
  CHECK(error_of(make("empty", 0)).find("0 bytes") != std::string::npos);
  CHECK(error_of(make("other", 2 << 20), 1 << 20).find("1048576 were asked") != std::string::npos);
  CHECK(error_of(folder / "x", 3 << 20).find("3145728 bytes asked") != std::string::npos);
  CHECK(error_of(folder / "no/such/folder").find("cannot create") != std::string::npos);
  CHECK(error_of(folder / "").find("cannot open") != std::string::npos);  // a folder
  CHECK(error_of("/dev/null").find("not a plain file") != std::string::npos);
  if (geteuid() != 0) {
    const std::string locked = make("locked", kSize);
    ::chmod(locked.c_str(), 0);
    CHECK(error_of(locked).find("Permission denied") != std::string::npos);
  }
  const std::string torn = make("torn", kSize);
  std::ofstream(torn + ".status") << "hello";
  CHECK(error_of(torn).find("not the status registers") != std::string::npos);
}

}  // namespace
}  // namespace swai::card
