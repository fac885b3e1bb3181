// SPDX-License-Identifier: Apache-2.0
#include "firmware/common/uart.hpp"

namespace swai::fw {

namespace uart = regs::uart;

void Uart::put(std::string_view text) {
  for (const char character : text) {
    if (head_ - tail_ == ring_.size()) {
      ++lost_;
    } else {
      at(head_++) = character;
    }
  }
}

void Uart::pump() {
  if (empty()) return;
  auto room = kFifoBytes - static_cast<uint32_t>(uart::status::kTxLevel.get(read_reg(uart::status::kAddr)));
  for (; room != 0 && !empty(); --room) {
    write_byte(uart::txdata::kAddr, static_cast<uint8_t>(at(tail_++)));
  }
}

void Uart::drain() {
  while (!empty()) pump();
}

void Uart::flush() {
  drain();
  while (uart::status::kTxBusy.get(read_reg(uart::status::kAddr)) != 0) {
  }
}

std::optional<uint8_t> Uart::get() {
  const uint64_t word = read_reg(uart::rxdata::kAddr);
  if (uart::rxdata::kValid.get(word) == 0) return std::nullopt;
  return static_cast<uint8_t>(uart::rxdata::kData.get(word));
}

void Uart::enable_interrupts(uint64_t which, bool on) {
  interrupts_ = on ? interrupts_ | which : interrupts_ & ~which;
  write_reg(uart::irq_enable::kAddr, interrupts_);
}

}  // namespace swai::fw
