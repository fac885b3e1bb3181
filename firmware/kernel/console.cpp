// SPDX-License-Identifier: Apache-2.0
#include "firmware/kernel/console.hpp"

#include <array>

#include "firmware/common/mmio.hpp"
#include "firmware/common/uart.hpp"
#include "firmware/kernel/interrupt.hpp"

namespace swai::kernel::console {
namespace {

// Not worth zeroing at boot: nothing is read before it is written.
[[gnu::section(".noinit")]] std::array<char, 4096> output;
constinit fw::Uart uart(output);

// Bytes received, in a ring whose positions count up.
constexpr uint32_t kInputBytes = 128;
constinit std::array<char, kInputBytes> input = {};
constinit uint32_t input_head = 0;
constinit uint32_t input_tail = 0;

// Interrupts for sending only while there is something to send.
void pump() {
  uart.pump();
  uart.enable_transmit_interrupt(!uart.empty());
}

class ConsoleOut final : public fw::Out {
 public:
  void put(std::string_view text) override {
    const InterruptLock lock;
    uart.put(text);
    if (text.ends_with('\n')) pump();
  }
};
constinit ConsoleOut console_out;

}  // namespace

void init() {
  namespace irq = regs::irq;
  uart.enable_receive_interrupt(true);
  fw::write_reg(irq::enable_s::kAddr, fw::read_reg(irq::enable_s::kAddr) | irq::pending::kUart.mask());
}

void on_interrupt() {
  while (const auto byte = uart.get()) {
    if (input_head - input_tail < kInputBytes) input[input_head++ % kInputBytes] = static_cast<char>(*byte);
  }
  pump();
}

fw::Out& out() { return console_out; }

std::optional<char> get() {
  const InterruptLock lock;
  if (input_head == input_tail) return std::nullopt;
  return input[input_tail++ % kInputBytes];
}

void flush() { uart.flush(); }

}  // namespace swai::kernel::console
