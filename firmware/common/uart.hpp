// SPDX-License-Identifier: Apache-2.0
// Console UART. Output never waits: text goes into a ring, and pump() hands the UART as much as it has room
// for. Who owns the object calls pump() when there is a good moment: while polling for something else, or in
// an interrupt.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "firmware/common/mmio.hpp"

namespace swai::fw {

class Uart {
 public:
  // The ring's size must be a power of two.
  constexpr explicit Uart(std::span<char> ring) : ring_(ring) {}

  // Text that does not fit into the ring is lost, and counted.
  void put(std::string_view text);
  void pump();
  bool empty() const { return head_ == tail_; }
  uint64_t lost() const { return lost_; }

  // Waits until the UART has taken everything, so that the ring can be given up.
  void drain();
  // Waits until the last byte is on the wire: for the end of a run, where nothing is in a hurry any more.
  void flush();

  std::optional<uint8_t> get();

  void enable_receive_interrupt(bool on) { enable_interrupts(kReceive, on); }
  void enable_transmit_interrupt(bool on) { enable_interrupts(kTransmit, on); }

 private:
  static constexpr uint64_t kReceive = regs::uart::irq_enable::kRxValid.mask();
  static constexpr uint64_t kTransmit = regs::uart::irq_enable::kTxLow.mask();
  static constexpr uint32_t kFifoBytes = 64;

  void enable_interrupts(uint64_t which, bool on);

  char& at(uint32_t position) { return ring_[position & (ring_.size() - 1)]; }

  std::span<char> ring_;
  // Positions in the ring count up.
  uint32_t head_ = 0;
  uint32_t tail_ = 0;
  uint64_t lost_ = 0;
  uint64_t interrupts_ = 0;
};

}  // namespace swai::fw
