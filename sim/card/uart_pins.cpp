// SPDX-License-Identifier: Apache-2.0
#include "sim/card/uart_pins.hpp"

namespace swai::card {

void UartPins::receive(uint64_t now, bool tx) {
  if (!receiving_) {
    receiving_ = true;
    bit_in_ = 0;
    byte_in_ = 0;
    sample_at_ = now + divisor_ / 2;
    return;
  }
  const unsigned bit = bit_in_++;
  sample_at_ += divisor_;
  if (bit == 0) {
    receiving_ = !tx;  // a start bit that does not last is a glitch
  } else if (bit <= 8) {
    byte_in_ = static_cast<uint8_t>(byte_in_ >> 1 | (tx ? 0x80 : 0));
  } else {
    // After a missing stop bit the line may stay low: wait for it to rise before looking for a start bit.
    if (tx && bit == 9) on_byte_(byte_in_);
    if (!tx && bit == 9) ++framing_errors_;
    receiving_ = !tx;
    if (receiving_) sample_at_ = now + 1;
  }
}

void UartPins::reset() {
  receiving_ = sending_ = false;
  rx_ = true;
  to_send_.clear();
}

void UartPins::send(uint64_t now) {
  if (!sending_) {
    // Start bit first, then the byte from its lowest bit, then the stop bit.
    frame_ = 0x200U | unsigned{to_send_.front()} << 1;
    to_send_.pop_front();
    bits_left_ = 10;
    sending_ = true;
    bit_ends_ = now;
  }
  if (bits_left_ == 0) {
    sending_ = false;
    return;
  }
  rx_ = (frame_ & 1) != 0;
  frame_ >>= 1;
  --bits_left_;
  bit_ends_ += divisor_;
}

}  // namespace swai::card
