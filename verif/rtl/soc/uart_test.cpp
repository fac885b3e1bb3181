// SPDX-License-Identifier: Apache-2.0
// The UART at its pins: both directions at random speeds, full FIFOs, errors, interrupts, exact bit times.

#include <algorithm>
#include <deque>
#include <optional>

#include "sim/card/uart_pins.hpp"
#include "verif/rtl/soc/tests.hpp"

namespace swai::soc {
namespace {

namespace uart = regs::uart;

constexpr unsigned kFifoDepth = 64;
constexpr uint64_t kDrainLimit = 200'000;

class UartTest final : private verif::Agent {
 public:
  explicit UartTest(uint64_t seed) : devices_(seed) {
    devices_.bench().add(*this);
    devices_.write(regs::irq::enable_m::kAddr, regs::irq::pending::kUart.mask());
  }

  void run(uint64_t cycles) {
    set_divisor(static_cast<uint32_t>(regs::Field(uart::divisor::kClocks).get(uart::divisor::kReset)), false);
    bit_times();
    const uint64_t end = devices_.cycle() + cycles;
    for (int round = 0; devices_.cycle() < end || round < 4; ++round) {
      set_divisor(static_cast<uint32_t>(devices_.random().below(round % 4 == 3 ? 100 : 12)), true);
      traffic();
      transmit_overrun();
      receive_overrun();
      broken_bytes();
    }
  }

 private:
  void drive() override {
    const bool line = pins_->clock(devices_.cycle(), devices_.top().uart_tx_o != 0);
    devices_.top().uart_rx_i = forced_.value_or(line);
  }

  void sample() override {
    const bool tx = devices_.top().uart_tx_o != 0;
    if (tx != last_tx_) edges_.push_back(devices_.cycle());
    last_tx_ = tx;
  }

  void set_divisor(uint32_t value, bool write) {
    if (write) devices_.write(uart::divisor::kAddr, value);
    clocks_ = std::max(value, 4U);
    pins_.emplace(clocks_, [this](uint8_t byte) { sent_.push_back(byte); });
  }

  uint8_t random_byte() { return static_cast<uint8_t>(devices_.random().next()); }

  void expect_irq(bool on, const std::string& what) {
    devices_.steps(3);
    check((devices_.top().irq_m_external_o != 0) == on, fmt::format("interrupt should be {}: {}", on, what));
  }

  void wait_quiet() {
    devices_.bench().until([this] { return devices_.top().busy_o == 0 && pins_->quiet(); }, kDrainLimit,
                           "quiet lines");
  }

  void check_sent(const std::deque<uint8_t>& expected) {
    wait_quiet();
    check(std::ranges::equal(sent_, expected),
          fmt::format("{} bytes came out, {} or others were written", sent_.size(), expected.size()));
    check(pins_->framing_errors() == 0, "a byte came out without its stop bit");
    sent_.clear();
  }

  void bit_times() {
    for (unsigned i = 0; i < 8; ++i) devices_.write(uart::txdata::kAddr, 0x55, 1);
    check_sent(std::deque<uint8_t>(8, 0x55));
    check(edges_.size() == 80, fmt::format("{} edges in eight bytes of 0x55", edges_.size()));
    for (size_t i = 1; i < edges_.size(); ++i) {
      check(edges_[i] - edges_[i - 1] == clocks_,
            fmt::format("a bit took {} clocks instead of {}", edges_[i] - edges_[i - 1], clocks_));
    }
  }

  // Both directions at once, never more than the FIFOs hold.
  void traffic() {
    std::deque<uint8_t> to_card;
    std::deque<uint8_t> from_card;
    size_t pushed = 0;
    size_t taken = 0;
    for (int i = 0; i < 200; ++i) {
      const uint64_t status = devices_.read(uart::status::kAddr);
      switch (devices_.random().below(4)) {
        case 0:
          if (uart::status::kTxFull.get(status) == 0) {
            from_card.push_back(random_byte());
            // Only byte 0 counts, whatever the size of the store.
            devices_.write(uart::txdata::kAddr, from_card.back(), 1U << devices_.random().below(4));
          }
          break;
        case 1:
          if (pushed - taken < kFifoDepth) {
            to_card.push_back(random_byte());
            pins_->push(std::span(&to_card.back(), 1));
            ++pushed;
          }
          break;
        case 2:
          taken += receive(to_card, taken);
          break;
        default:
          devices_.steps(devices_.random().below(20 * clocks_));
      }
    }
    wait_quiet();
    const uint64_t status = devices_.read(uart::status::kAddr);
    check(uart::status::kRxLevel.get(status) == pushed - taken, "rx_level");
    check(uart::status::kRxFull.get(status) == (pushed - taken == kFifoDepth ? 1 : 0), "rx_full");
    devices_.write(uart::irq_enable::kAddr, uart::irq_enable::kRxValid.mask());
    expect_irq(pushed != taken, "rx_valid");
    while (taken < pushed) taken += receive(to_card, taken);
    expect_irq(false, "nothing received any more");
    check(devices_.read(uart::rxdata::kAddr) == 0, "an empty FIFO gave a byte");
    check_sent(from_card);
    devices_.expect(uart::errors::kAddr, 0, "errors in plain traffic");
  }

  // One reading of rxdata; returns the number of bytes it gave.
  size_t receive(const std::deque<uint8_t>& expected, size_t at) {
    const uint64_t word = devices_.read(uart::rxdata::kAddr);
    if (uart::rxdata::kValid.get(word) == 0) {
      check(word == 0, "data without valid");
      return 0;
    }
    check(at < expected.size() && uart::rxdata::kData.get(word) == expected[at],
          fmt::format("byte {} came in wrong", at));
    return 1;
  }

  void transmit_overrun() {
    devices_.write(uart::irq_enable::kAddr, uart::irq_enable::kTxLow.mask());
    expect_irq(true, "tx_low while empty");
    std::deque<uint8_t> expected;
    size_t lost = 0;
    while (lost < 3) {
      const uint8_t byte = random_byte();
      devices_.write(uart::txdata::kAddr, byte, 1);
      // The FIFO, the byte on the wire, and one that its receiver has not seen the stop bit of.
      const size_t inside = expected.size() - sent_.size();
      if (uart::errors::kTxOverrun.get(devices_.read(uart::errors::kAddr)) == 0) {
        expected.push_back(byte);
        check(inside < kFifoDepth + 2, "more bytes went into the transmit FIFO than it holds");
      } else {
        check(inside >= kFifoDepth, fmt::format("a byte was lost with {} inside", inside));
        devices_.write(uart::errors::kAddr, uart::errors::kTxOverrun.mask());
        devices_.expect(uart::errors::kAddr, 0, "tx_overrun after it was cleared");
        ++lost;
      }
    }
    const uint64_t status = devices_.read(uart::status::kAddr);
    check(uart::status::kTxLevel.get(status) >= kFifoDepth - 1, "tx_level of a full FIFO");
    expect_irq(false, "tx_low while full");
    check(devices_.top().busy_o != 0, "asleep while sending");
    devices_.poll(uart::status::kAddr, uart::status::kTxLevel, kFifoDepth / 2, kDrainLimit, "half empty");
    expect_irq(true, "tx_low at half");
    check_sent(expected);
    const uint64_t empty = devices_.read(uart::status::kAddr);
    check(empty == uart::status::kTxEmpty.mask(), fmt::format("status is {:#x} when all is over", empty));
  }

  void receive_overrun() {
    devices_.write(uart::irq_enable::kAddr, uart::irq_enable::kError.mask());
    std::deque<uint8_t> expected;
    const size_t count = kFifoDepth + devices_.random().below(3);
    for (size_t i = 0; i < count; ++i) {
      const uint8_t byte = random_byte();
      if (i < kFifoDepth) expected.push_back(byte);
      pins_->push(std::span(&byte, 1));
    }
    wait_quiet();
    expect_irq(count > kFifoDepth, "receive overrun");
    devices_.expect(uart::errors::kAddr, count > kFifoDepth ? uart::errors::kRxOverrun.mask() : 0,
                    "errors when full");
    devices_.write(uart::errors::kAddr, uart::errors::kRxOverrun.mask());
    expect_irq(false, "error cleared");
    for (size_t i = 0; i < expected.size(); ++i) check(receive(expected, i) == 1, "a byte is missing");
    check(receive(expected, expected.size()) == 0, "a byte too many");
  }

  void line(bool level, uint64_t clocks) {
    forced_ = level;
    devices_.steps(clocks);
  }

  void broken_bytes() {
    // A dip shorter than half a bit is noise.
    line(true, 2 * clocks_);
    line(false, std::max(clocks_ / 2, 2U) - 1);
    line(true, 12 * clocks_);
    devices_.expect(uart::rxdata::kAddr, 0, "a glitch made a byte");
    // No stop bit, then a long break: one error, no byte, and the line works again after it.
    line(false, 10 * clocks_ + devices_.random().below(30 * clocks_));
    check(devices_.top().busy_o != 0, "asleep in a break");
    line(true, 3 * clocks_);
    forced_.reset();
    devices_.expect(uart::errors::kAddr, uart::errors::kRxFrame.mask(), "errors after a break");
    devices_.write(uart::errors::kAddr, uart::errors::kRxFrame.mask());
    devices_.expect(uart::rxdata::kAddr, 0, "a break made a byte");
    const std::deque<uint8_t> expected{random_byte()};
    pins_->push(std::span(&expected.front(), 1));
    wait_quiet();
    check(receive(expected, 0) == 1, "no byte after a break");
  }

  Devices devices_;
  uint32_t clocks_ = 0;
  std::optional<card::UartPins> pins_ = card::UartPins(16, [](uint8_t) {});
  std::optional<bool> forced_;
  std::deque<uint8_t> sent_;
  bool last_tx_ = true;
  std::vector<uint64_t> edges_;
};

}  // namespace

void test_uart(uint64_t seed, uint64_t cycles) { UartTest(seed).run(4 * cycles); }

}  // namespace swai::soc
