// SPDX-License-Identifier: Apache-2.0
// The other end of a serial line, 8N1: decodes what the card sends and sends what is pushed.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>

namespace swai::card {

class UartPins {
 public:
  // `divisor`: clocks per bit; `on_byte` is called for every byte that came in whole.
  UartPins(uint32_t divisor, std::function<void(uint8_t)> on_byte)
      : divisor_(divisor), on_byte_(std::move(on_byte)) {}

  void push(std::span<const uint8_t> bytes) { to_send_.insert(to_send_.end(), bytes.begin(), bytes.end()); }
  // Bytes that have not yet gone out completely.
  size_t unsent() const { return to_send_.size() + (sending_ ? 1 : 0); }

  // One clock of the card: the level of its tx pin; returns the level of its rx pin.
  bool clock(uint64_t now, bool tx) {
    if (receiving_ ? now >= sample_at_ : !tx) receive(now, tx);
    if (sending_ ? now >= bit_ends_ : !to_send_.empty()) send(now);
    return rx_;
  }

  // Both ends lose power: forgets what is under way.
  void reset();

  // Neither direction is inside a byte, and nothing waits to be sent.
  bool quiet() const { return !receiving_ && !sending_ && to_send_.empty(); }
  // Bytes dropped because their stop bit was missing (or the divisor wrong).
  uint64_t framing_errors() const { return framing_errors_; }

 private:
  void receive(uint64_t now, bool tx);
  void send(uint64_t now);

  uint32_t divisor_;
  std::function<void(uint8_t)> on_byte_;
  uint64_t framing_errors_ = 0;

  bool receiving_ = false;
  unsigned bit_in_ = 0;  // 0 start bit, 1 to 8 data, 9 stop bit
  uint8_t byte_in_ = 0;
  uint64_t sample_at_ = 0;

  bool sending_ = false;
  bool rx_ = true;
  unsigned bits_left_ = 0;
  unsigned frame_ = 0;
  uint64_t bit_ends_ = 0;
  std::deque<uint8_t> to_send_;
};

}  // namespace swai::card
