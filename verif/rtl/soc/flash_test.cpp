// SPDX-License-Identifier: Apache-2.0
// The flash controller: bit by bit against a responder at the pins, and with the model of a real chip.

#include <algorithm>
#include <deque>

#include "sim/board/flash/flash_chip.hpp"
#include "sim/board/flash/flash_pins.hpp"
#include "verif/rtl/soc/flash_driver.hpp"
#include "verif/rtl/soc/sha256.hpp"
#include "verif/rtl/soc/spi_probe.hpp"
#include "verif/rtl/soc/tests.hpp"

namespace swai::soc {
namespace {

namespace flash = regs::flash;

using Bytes = std::vector<uint8_t>;

Bytes random_bytes(verif::Random& random, uint64_t count) {
  Bytes bytes(count);
  for (auto& byte : bytes) byte = static_cast<uint8_t>(random.next());
  return bytes;
}

void start_digest(Devices& devices) {
  devices.write(regs::sha256::control::kAddr, regs::sha256::control::kStart.mask());
}

void check_digest(Devices& devices, const Bytes& bytes) {
  devices.write(regs::sha256::control::kAddr, regs::sha256::control::kFinish.mask());
  devices.poll(regs::sha256::status::kAddr, regs::sha256::status::kDone, 1, 300, "digest");
  devices.expect(regs::sha256::length::kAddr, bytes.size(), "bytes that went through the tap");
  const auto want = sha256(bytes);
  for (unsigned i = 0; i < 4; ++i) {
    uint64_t word = 0;
    for (unsigned b = 0; b < 8; ++b) word |= uint64_t{want[8 * i + b]} << (8 * b);
    devices.expect(regs::sha256::digest0::kAddr + 8 * i, word,
                   fmt::format("digest of {} bytes through the tap", bytes.size()));
  }
}

// ------------------------------------------------------------------------------------------- pins, bit by
// bit

class PinsTest {
 public:
  explicit PinsTest(uint64_t seed) : devices_(seed), probe_(devices_), driver_(devices_) {
    devices_.bench().add(probe_);
    devices_.write(regs::irq::enable_s::kAddr, regs::irq::pending::kFlash.mask());
  }

  void run(uint64_t cycles) {
    streaming();
    misuse();
    const uint64_t end = devices_.cycle() + cycles;
    while (devices_.cycle() < end) {
      switch (devices_.random().below(5)) {
        case 0:
          plain_command();
          break;
        case 1:
          write_command();
          break;
        case 2:
          stopped_command();
          break;
        default:
          read_command();
          break;
      }
    }
  }

 private:
  FlashCommand random_command() {
    auto& random = devices_.random();
    constexpr unsigned kAddressBytes[] = {0, 3, 4};
    return {.opcode = static_cast<uint8_t>(random.next()),
            .address_bytes = kAddressBytes[random.below(3)],
            .address = static_cast<uint32_t>(random.next()),
            .dummy = random.chance(50) ? 0 : static_cast<unsigned>(random.below(32)),
            .quad = random.chance(50)};
  }

  static uint64_t head_periods(const FlashCommand& command) {
    return 8 + 8 * command.address_bytes + command.dummy;
  }

  // Opcode, address and dummies as the probe saw them; `released`: a quad read, whose lines belong to the
  // chip from the dummies on. Clocks of periods from `may_stall` on may be stretched.
  void check_head(const FlashCommand& command, bool released, uint64_t data_periods) {
    const auto& periods = probe_.periods();
    const uint64_t head = head_periods(command);
    check(periods.size() == head + data_periods,
          fmt::format("{} sck periods instead of {}", periods.size(), head + data_periods));
    check(probe_.rest() >= 50, "chip select was high for less than 50 clocks");
    uint64_t bits = command.opcode;
    for (unsigned i = command.address_bytes; i-- > 0;) bits = bits << 8 | (command.address >> (8 * i) & 0xFF);
    const uint64_t sent = 8 + 8 * command.address_bytes;
    for (uint64_t i = 0; i < head; ++i) {
      const bool dummy = i >= sent;
      const uint8_t enable = dummy && released ? 0x0 : 0xD;
      check(periods[i].enable == enable,
            fmt::format("lines {:#x} driven in period {}", periods[i].enable, i));
      if (!dummy)
        check((periods[i].io & 1) == (bits >> (sent - 1 - i) & 1),
              fmt::format("wrong bit in period {} of {:#x}", i, bits));
      if (enable != 0) check((periods[i].io & 0xC) == 0xC, "io2 or io3 low in a one-line phase");
    }
    for (uint64_t i = 0; i < periods.size(); ++i) {
      check(periods[i].high == 4, fmt::format("sck was high for {} clocks", periods[i].high));
      check(i < head ? periods[i].low == 4 : periods[i].low >= 4,
            fmt::format("sck was low for {} clocks", periods[i].low));
    }
  }

  void plain_command() {
    const auto command = random_command();
    driver_.run(command);
    check_head(command, false, 0);
  }

  static std::vector<uint8_t> symbols(const Bytes& bytes, bool quad) {
    std::vector<uint8_t> all;
    for (const uint8_t byte : bytes) {
      if (quad) {
        all.push_back(byte >> 4);
        all.push_back(byte & 0xF);
      } else {
        for (int bit = 7; bit >= 0; --bit) all.push_back(byte >> bit & 1);
      }
    }
    return all;
  }

  void random_pauses() {
    auto& random = devices_.random();
    driver_.pauses(random.chance(60) ? 0 : 1 + random.below(3000));
  }

  void read_command() {
    auto& random = devices_.random();
    auto command = random_command();
    const bool long_one = random.chance(10);
    const Bytes bytes = random_bytes(random, random.below(long_one ? 600 : 40));
    const auto expected = symbols(bytes, command.quad);
    probe_.answer(head_periods(command), command.quad, expected, static_cast<unsigned>(random.below(8)));
    random_pauses();
    command.tap = random.chance(40);
    if (command.tap) start_digest(devices_);
    if (command.tap && random.chance(50)) {
      driver_.read_to_tap(command, static_cast<uint32_t>(bytes.size()));
    } else {
      check(driver_.read(command, static_cast<uint32_t>(bytes.size())) == bytes,
            fmt::format("wrong data in a read of {} bytes", bytes.size()));
    }
    check_head(command, command.quad && !bytes.empty(), expected.size());
    for (uint64_t i = head_periods(command); i < probe_.periods().size(); ++i) {
      check(probe_.periods()[i].enable == (command.quad ? 0x0 : 0xD), "wrong lines driven while reading");
    }
    if (command.tap) check_digest(devices_, bytes);
  }

  void write_command() {
    auto& random = devices_.random();
    const auto command = random_command();
    const Bytes bytes = random_bytes(random, random.below(random.chance(10) ? 300 : 40));
    const auto expected = symbols(bytes, command.quad);
    random_pauses();
    driver_.write(command, bytes);
    check_head(command, false, expected.size());
    const auto& periods = probe_.periods();
    for (size_t i = 0; i < expected.size(); ++i) {
      const SpiPeriod& period = periods[head_periods(command) + i];
      const uint8_t mask = command.quad ? 0xF : 0x1;
      check(period.enable == (command.quad ? 0xF : 0xD), "wrong lines driven while writing");
      check((period.io & mask) == expected[i], fmt::format("wrong data in period {} of a write", i));
    }
  }

  void stopped_command() {
    auto& random = devices_.random();
    auto command = random_command();
    const bool read = random.chance(50);
    probe_.answer(head_periods(command), command.quad, random_bytes(random, 5000), 3);
    command.tap = read && random.chance(30);
    const uint64_t early = random.below(33);
    if (!read) {
      for (uint64_t i = 0; i < early; ++i) devices_.write(flash::txdata::kAddr, random.next());
    }
    driver_.start(command, read ? FlashDriver::Data::kRead : FlashDriver::Data::kWrite, 2000);
    devices_.steps(random.below(random.chance(50) ? 400 : 8000));
    devices_.write(flash::control::kAddr, flash::control::kStop.mask(), 1);
    devices_.steps(6);
    check(!probe_.selected(), "chip select is low after a stop");
    devices_.poll(flash::status::kAddr, flash::status::kBusy, 0, 200, "end of a stopped command");
    devices_.expect(flash::events::kAddr, 0, "events after a stop");
    const uint64_t status = devices_.read(flash::status::kAddr);
    check((status & 0xFFFF'FFFF) == flash::status::kFifoEmpty.mask(), "status after a stop");
  }

  // 256 bytes on four lines while the FIFO is drained: 16 clocks each, without a gap.
  void streaming() {
    FlashCommand command{.opcode = 0x6B, .address_bytes = 3, .address = 0x123456, .dummy = 8, .quad = true};
    const Bytes bytes = random_bytes(devices_.random(), 1024);
    probe_.answer(head_periods(command), true, symbols(bytes, true), 6);
    driver_.pauses(0);
    devices_.no_gaps(true);
    command.tap = true;
    start_digest(devices_);
    check(driver_.read(command, 1024) == bytes, "wrong data in the stream");
    check_digest(devices_, bytes);
    for (const auto& period : probe_.periods()) {
      check(period.low == 4 && period.high == 4,
            fmt::format("an sck period of {} + {} clocks in the stream", period.low, period.high));
    }
    devices_.no_gaps(false);
  }

  void expect_irq(bool on, const std::string& what) {
    devices_.steps(3);
    check((devices_.top().irq_s_external_o != 0) == on, fmt::format("interrupt should be {}: {}", on, what));
  }

  void expect_event(regs::Field event, const std::string& what) {
    devices_.expect(flash::events::kAddr, event.mask(), what);
    devices_.write(flash::irq_enable::kAddr, flash::irq_enable::kError.mask());
    expect_irq(true, what);
    devices_.write(flash::irq_enable::kAddr, flash::irq_enable::kDone.mask());
    expect_irq(false, what + ", not enabled");
    devices_.write(flash::events::kAddr, event.mask());
    devices_.expect(flash::events::kAddr, 0, what + ", cleared");
  }

  void stop_and_wait() {
    devices_.write(flash::control::kAddr, flash::control::kStop.mask());
    devices_.poll(flash::status::kAddr, flash::status::kBusy, 0, 200, "end of a stopped command");
  }

  void misuse() {
    check(devices_.read(flash::rxdata::kAddr) == 0, "data from nowhere");
    expect_event(flash::events::kUnderrun, "underrun");

    for (unsigned i = 0; i < 32; ++i) devices_.write(flash::txdata::kAddr, i);
    devices_.expect(flash::events::kAddr, 0, "events with a full FIFO");
    devices_.expect(flash::status::kAddr, flash::status::kFifoFull.mask() | flash::status::kFifoLevel.put(32),
                    "a full FIFO");
    devices_.write(flash::txdata::kAddr, 32);
    expect_event(flash::events::kOverrun, "overrun");
    stop_and_wait();
    devices_.expect(flash::status::kAddr, flash::status::kFifoEmpty.mask(), "FIFO after a stop");

    driver_.start({.opcode = 0x9F}, FlashDriver::Data::kRead, 1000);
    check(devices_.top().busy_o != 0, "asleep in a command");
    const uint64_t command = devices_.read(flash::command::kAddr);
    devices_.write(flash::command::kAddr, 0x06);
    devices_.expect(flash::command::kAddr, command, "command register under way");
    expect_event(flash::events::kRejected, "rejected");
    devices_.write(flash::txdata::kAddr, 0);
    expect_event(flash::events::kOverrun, "a word to write during a read");
    stop_and_wait();

    const uint64_t before = probe_.commands();
    driver_.start({.opcode = 0x06}, FlashDriver::Data::kNone, 0);
    devices_.poll(flash::status::kAddr, flash::status::kBusy, 0, 500, "end");
    check(probe_.commands() == before + 1, "one command did not give one chip select");
    devices_.write(flash::irq_enable::kAddr, flash::irq_enable::kDone.mask());
    expect_irq(true, "done");
    devices_.write(flash::events::kAddr, flash::events::kDone.mask());
    expect_irq(false, "done, cleared");
    check(devices_.top().busy_o == 0, "awake after the command");
  }

  Devices devices_;
  SpiProbe probe_;
  FlashDriver driver_;
};

// ------------------------------------------------------------------------------------------- a whole chip

class ChipTest final : private verif::Agent {
 public:
  static constexpr uint32_t kSize = 1 << 20;

  explicit ChipTest(uint64_t seed)
      : devices_(seed),
        store_(card::FlashStore::in_memory(kSize)),
        chip_(store_, {.times = card::FlashTimes{}.faster(1000), .seed = seed}),
        pins_(chip_),
        driver_(devices_) {
    devices_.bench().add(*this);
    for (auto& cell : store_.cells()) cell = static_cast<uint8_t>(devices_.random().next());
  }

  void run(uint64_t cycles) {
    const Bytes id = driver_.read({.opcode = 0x9F}, 3);
    check(id == Bytes({card::FlashOptions{}.manufacturer, card::FlashOptions{}.memory_type, 20}), "JEDEC id");
    const Bytes sfdp = driver_.read({.opcode = 0x5A, .address_bytes = 3, .address = 0, .dummy = 8}, 16);
    check(Bytes(sfdp.begin(), sfdp.begin() + 4) == Bytes({'S', 'F', 'D', 'P'}), "SFDP signature");

    const uint64_t end = devices_.cycle() + cycles;
    for (int round = 0; devices_.cycle() < end || round < 4; ++round) {
      driver_.pauses(devices_.random().chance(50) ? 0 : devices_.random().below(300));
      switch (round % 4) {
        case 0:
          program();
          break;
        case 1:
          erase();
          break;
        default:
          read();
          break;
      }
    }
    const auto broken = pins_.violations();
    check(broken.total() == 0,
          fmt::format("rules of the chip broken: contention {}, fast read {}, deselect {}, sck {}",
                      broken.contention, broken.fast_read, broken.deselect, broken.sck));
    check(chip_.counters().ignored == 0, "the chip ignored a command");
  }

 private:
  void drive() override {
    auto& top = devices_.top();
    top.flash_io_i = pins_.clock(devices_.cycle(), {.cs_n = top.flash_cs_no != 0,
                                                    .sck = top.flash_sck_o != 0,
                                                    .out = top.flash_io_o,
                                                    .enable = top.flash_io_oe_o});
  }
  void sample() override {}

  void wait_ready() {
    for (int i = 0; (driver_.read({.opcode = 0x05}, 1)[0] & 1) != 0; ++i)
      check(i < 10000, "the chip stays busy");
  }

  void write_enable() {
    driver_.run({.opcode = 0x06});
    check(driver_.read({.opcode = 0x05}, 1)[0] == 0x02, "write enable latch");
  }

  void read() {
    auto& random = devices_.random();
    const auto length = static_cast<uint32_t>(1 + random.below(400));
    const auto at = static_cast<uint32_t>(random.below(kSize - length));
    const Bytes want(store_.cells().begin() + at, store_.cells().begin() + at + length);
    const bool quad = random.chance(70);
    FlashCommand command{.opcode = static_cast<uint8_t>(quad ? 0x6B : 0x0B),
                         .address_bytes = 3,
                         .address = at,
                         .dummy = 8,
                         .quad = quad};
    command.tap = random.chance(50);
    if (command.tap) start_digest(devices_);
    if (command.tap && random.chance(30)) {
      driver_.read_to_tap(command, length);
    } else {
      check(driver_.read(command, length) == want, fmt::format("{} bytes from {:#x}", length, at));
    }
    if (command.tap) check_digest(devices_, want);
  }

  void program() {
    auto& random = devices_.random();
    const auto page = static_cast<uint32_t>(random.below(kSize / 256) * 256);
    const auto at = static_cast<uint32_t>(random.below(256));
    const Bytes bytes = random_bytes(random, 1 + random.below(256 - at));
    Bytes want(store_.cells().begin() + page, store_.cells().begin() + page + 256);
    for (size_t i = 0; i < bytes.size(); ++i) want[at + i] &= bytes[i];
    write_enable();
    const bool quad = random.chance(50);
    driver_.write({.opcode = static_cast<uint8_t>(quad ? 0x32 : 0x02),
                   .address_bytes = 3,
                   .address = page + at,
                   .quad = quad},
                  bytes);
    wait_ready();
    check(std::ranges::equal(want, store_.cells().subspan(page, 256)), "a page program did something else");
  }

  void erase() {
    auto& random = devices_.random();
    const auto at = static_cast<uint32_t>(random.below(kSize));
    write_enable();
    driver_.run({.opcode = 0x20, .address_bytes = 3, .address = at});
    wait_ready();
    const auto sector = store_.cells().subspan(at / 4096 * 4096, 4096);
    check(std::ranges::all_of(sector, [](uint8_t byte) { return byte == 0xFF; }), "a sector was not erased");
  }

  Devices devices_;
  card::FlashStore store_;
  card::FlashChip chip_;
  card::FlashPins pins_;
  FlashDriver driver_;
};

}  // namespace

void test_flash_pins(uint64_t seed, uint64_t cycles) { PinsTest(seed).run(10 * cycles); }

void test_flash_chip(uint64_t seed, uint64_t cycles) { ChipTest(seed).run(20 * cycles); }

}  // namespace swai::soc
