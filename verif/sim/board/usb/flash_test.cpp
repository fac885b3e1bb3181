// SPDX-License-Identifier: Apache-2.0
// The flash chip behind the adapter, on every board: random traffic against an array, defects, and power that
// goes.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "verif/kit/doctest_main.hpp"
#include "verif/sim/board/usb/port_bench.hpp"

namespace swai::usb {
namespace {

Bytes random_bytes(std::mt19937_64& random, size_t count) {
  Bytes bytes(count);
  for (auto& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

Bytes contents(const PortBench& bench) { return {bench.store.cells().begin(), bench.store.cells().end()}; }

void program(PortBench& bench, uint32_t address, const Bytes& data) {
  bench.flash({0x06});
  bench.flash(PortBench::head(0x02, address, data));
}

void erase(PortBench& bench, uint32_t address) {
  bench.flash({0x06});
  bench.flash(PortBench::head(0x20, address));
}

TEST_CASE("random traffic against an array") {
  std::mt19937_64 random(test_seed());
  PortBench bench({}, 1000);
  bench.begin();
  Bytes model(kFlashBytes, 0xFF);
  auto below = [&](uint64_t limit) { return static_cast<uint32_t>(random() % limit); };
  for (int round = 0; round < 1'500; ++round) {
    const uint32_t address = (below(4) << 16 | below(3) << 12 | below(0x300)) & (kFlashBytes - 1);
    switch (below(4)) {
      case 0:
      case 1: {
        Bytes data = random_bytes(random, 1 + below(256));
        program(bench, address, data);
        for (size_t i = 0; i < data.size(); ++i) model[(address & ~255U) + ((address + i) & 255)] &= data[i];
        bench.wait_ready();
        break;
      }
      case 2:
        if (below(4) == 0) {
          erase(bench, address);
          std::fill_n(model.begin() + (address & ~4095U), 4096, uint8_t{0xFF});
          bench.wait_ready();
        }
        break;
      default: {
        const size_t count = 1 + below(3000);
        const bool fast = below(2) != 0;
        const Bytes got =
            bench.flash(PortBench::head(fast ? 0x0B : 0x03, address, fast ? Bytes{0} : Bytes{}), count);
        REQUIRE(got.size() == count);
        for (size_t i = 0; i < count; ++i) REQUIRE(got[i] == model[(address + i) % kFlashBytes]);
        break;
      }
    }
  }
  CHECK(contents(bench) == model);
  CHECK(bench.board->flash().violations().total() == 0);
}

TEST_CASE("an erase takes its time, and the bus sees it") {
  PortBench bench;
  bench.begin();
  bench.store.cells()[0] = 0;
  const Picoseconds begin = bench.port().now();
  erase(bench, 0);
  bench.wait_ready();
  CHECK(static_cast<double>(bench.port().now() - begin) / kMillisecond == doctest::Approx(45).epsilon(0.05));
  CHECK(bench.store.cells()[0] == 0xFF);
}

// An iCE40 beside the chip, on these pins, wants the chip for itself after its reset.
void check_pins_of_ice40(const boards::Board& board) {
  PortBench bench({}, 1000, board);
  const auto select = static_cast<uint8_t>(1U << board.spi->select);
  const auto reset = static_cast<uint8_t>(1U << board.spi->reset.at(0));
  const auto outputs = static_cast<uint8_t>(0x03 | select | reset);
  const Bytes preamble = {0x7E, 0xAA, 0x99, 0x7E};
  std::copy(preamble.begin(), preamble.end(), bench.store.cells().begin());
  REQUIRE(bench.control({0x40, 0x0B, 0x0200, 1, 0})->status == 0);
  auto id = [&](uint8_t level) {
    const auto idle = static_cast<uint8_t>(select | level);
    bench.out({0x8A, 0x86, 0,    0,    0x80, idle, outputs, 0x80, level,   outputs, 0x11,
               0,    0,    0x9F, 0x20, 2,    0,    0x80,    idle, outputs, 0x87});
    return bench.in(3);
  };
  auto done = [&] {
    bench.out({0x81, 0x87});
    return (bench.in(1)[0] >> *board.spi->done & 1) != 0;
  };
  const Bytes jedec = {0xEF, 0x40, 0x14};
  CHECK(id(reset) == jedec);
  CHECK(done());
  CHECK(id(0x00) == jedec);
  CHECK(!done());
  CHECK(id(reset) != jedec);
  CHECK(!done());
  bench.port().pass(200 * kMillisecond);
  CHECK(id(reset) == jedec);
  CHECK(done());
}

TEST_CASE("the pins of an iCE40 and its chip are where the board has them") {
  boards::Board board = shipped("icebreaker");
  CHECK(board.spi->select == 4);
  check_pins_of_ice40(board);
  board.spi = boards::SpiWiring{.select = 7, .reset = {3}, .done = 5};
  check_pins_of_ice40(board);
}

TEST_CASE("a data line that is stuck") {
  for (const bool level : {false, true}) {
    PortBench bench({level ? "data-line=1" : "data-line=0"});
    bench.begin();
    CHECK(bench.flash({0x9F}, 3) == Bytes(3, level ? 0xFF : 0x00));
  }
}

TEST_CASE("stuck cells and worn sectors") {
  std::mt19937_64 random(test_seed());
  PortBench bench({"stuck=0x12345:3:1", "stuck=0x12346:0:0", "worn=0x30000:5:2"}, 1000, shipped("ft2232h"),
                  test_seed());
  bench.begin();
  program(bench, 0x12345, {0x00});
  bench.wait_ready();
  CHECK(bench.flash(PortBench::head(0x03, 0x12345), 2) == Bytes{0x08, 0xFE});
  erase(bench, 0x12000);
  bench.wait_ready();
  CHECK(bench.flash(PortBench::head(0x03, 0x12345), 2) == Bytes{0xFF, 0xFE});
  for (int round = 0; round < 3; ++round) {
    erase(bench, 0x30000);
    bench.wait_ready();
    int zeros = 0;
    for (const uint8_t byte : bench.flash(PortBench::head(0x03, 0x30000), 4096))
      zeros += 8 - std::popcount(byte);
    if (round < 2) CHECK(zeros > 0);
    CHECK(zeros <= (round < 2 ? 5 : 0));
  }
}

// Pages and sectors, one after the other, until power goes in one of them.
struct Update {
  struct Step {
    bool erases;
    uint32_t address;
    Bytes data;
  };
  Bytes before;
  std::vector<Step> steps;
  uint64_t bytes = 0;

  explicit Update(std::mt19937_64& random) : before(random_bytes(random, kFlashBytes)) {
    for (int i = 0; i < 6; ++i) {
      const auto address = static_cast<uint32_t>(random() % kFlashBytes);
      if (random() % 3 == 0) {
        steps.push_back({true, address & ~4095U, {}});
        bytes += 4096;
      } else {
        steps.push_back({false, address & ~255U, random_bytes(random, 1 + random() % 256)});
        bytes += steps.back().data.size();
      }
    }
  }
  // What is there once `steps` of them are done.
  Bytes after(size_t count) const {
    Bytes all = before;
    for (size_t i = 0; i < count; ++i) {
      const Step& step = steps[i];
      if (step.erases) std::fill_n(all.begin() + step.address, 4096, uint8_t{0xFF});
      for (size_t k = 0; k < step.data.size(); ++k) all[step.address + k] &= step.data[k];
    }
    return all;
  }
  // Runs it; returns the contents when the board was gone, and whether it was.
  std::pair<Bytes, bool> run(const std::string& cut, uint64_t seed) const {
    PortBench bench({cut}, 1, shipped("ft2232h"), seed);
    std::ranges::copy(before, bench.store.cells().begin());
    // Without the bench's checks: transfers may end anyhow.
    bench.control({0x40, 0x0B, 0x0200, 1, 0});
    auto send = [&](const Bytes& data) {
      if (bench.submit_out(data) == 0) return;
      bench.wait();
    };
    send({0x8A, 0x86, 0, 0, 0x85, 0x80, 0x08, 0x0B});
    for (const Step& step : steps) {
      send(PortBench::command({0x06}, 0));
      send(PortBench::command(PortBench::head(step.erases ? 0x20 : 0x02, step.address, step.data), 0));
      bench.port().pass(60 * kMillisecond);
    }
    bench.board->finish();
    return {contents(bench), bench.board->power_was_cut()};
  }
};

TEST_CASE("a power cut at any byte: what was done stays, what was under way is torn, the rest is untouched") {
  std::mt19937_64 random(test_seed());
  for (int round = 0; round < 60; ++round) {
    const Update update(random);
    const uint64_t byte = 1 + random() % update.bytes;
    const uint64_t seed = random();
    CAPTURE(byte);
    const auto [cells, cut] = update.run("cut=byte:" + std::to_string(byte), seed);
    REQUIRE(cut);
    size_t step = 0;
    for (uint64_t done = 0;; ++step) {
      done += update.steps[step].erases ? 4096 : update.steps[step].data.size();
      if (byte <= done) break;
    }
    const Bytes old = update.after(step), complete = update.after(step + 1);
    const bool erases = update.steps[step].erases;
    const uint32_t first = update.steps[step].address;
    const uint32_t last = first + (erases ? 4096 : 256);
    for (uint32_t i = 0; i < kFlashBytes; ++i) {
      if (i < first || i >= last) REQUIRE(cells[i] == old[i]);
      // Programming moves bits from 1 to 0, and none that the data leave at 1.
      if (!erases && i >= first && i < last) REQUIRE((cells[i] & ~old[i]) == 0);
      if (!erases && i >= first && i < last) REQUIRE((complete[i] & ~cells[i]) == 0);
    }
    CHECK(update.run("cut=byte:" + std::to_string(byte), seed).first == cells);
  }
}

TEST_CASE("a power cut in an operation that is named") {
  std::mt19937_64 random(test_seed());
  const Update update(random);
  for (size_t operation = 1; operation <= update.steps.size(); ++operation) {
    const std::string name = "cut=operation:" + std::to_string(operation);
    CHECK(update.run(name + ":0", 1).first == update.after(operation - 1));
    CHECK(update.run(name + ":1", 1).first == update.after(operation));
    const auto [cells, cut] = update.run(name, 1);
    CHECK(cut);
    CHECK(cells != update.after(operation - 1));
    CHECK(cells != update.after(operation));
  }
  const auto [cells, cut] = update.run("cut=operation:" + std::to_string(update.steps.size() + 1), 1);
  CHECK(!cut);
  CHECK(cells == update.after(update.steps.size()));
}

}  // namespace
}  // namespace swai::usb
