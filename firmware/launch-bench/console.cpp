// SPDX-License-Identifier: Apache-2.0
#include "firmware/launch-bench/console.hpp"

#include "firmware/common/csr.hpp"
#include "firmware/common/mmio.hpp"
#include "firmware/common/uart.hpp"

namespace swai::launch_bench {
namespace {

[[gnu::section(".noinit")]] std::array<char, 1024> output;
constinit fw::Uart uart(output);

class UartOut final : public fw::Out {
 public:
  void put(std::string_view text) override {
    // In parts, for a text may be longer than the ring.
    for (size_t at = 0; at < text.size(); at += 64) {
      uart.put(text.substr(at, 64));
      uart.drain();
    }
  }
};
constinit UartOut uart_out;

constinit std::array<char, 128> line = {};

}  // namespace

fw::Out& console() { return uart_out; }

void init_console() {
  namespace irq = regs::irq;
  uart.enable_receive_interrupt(true);
  // Only to wake from wfi: interrupts stay off.
  fw::write_reg(irq::enable_m::kAddr, irq::pending::kUart.mask());
  csr::set<csr::kMie>(csr::kMachineExternal);
}

void flush_console() { uart.flush(); }

std::string_view read_line() {
  size_t length = 0;
  for (;;) {
    const auto byte = uart.get();
    if (!byte) {
      csr::wait_for_interrupt();
      continue;
    }
    const char character = static_cast<char>(*byte);
    if (character == '\n' || character == '\r') return {line.data(), length};
    if (length < line.size()) line[length++] = character;
  }
}

}  // namespace swai::launch_bench
