// SPDX-License-Identifier: Apache-2.0
#include "sim/board/usb/mpsse.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace swai::usb {
namespace {

// Bits of a data command.
constexpr uint8_t kWriteNegative = 0x01;
constexpr uint8_t kBitMode = 0x02;
constexpr uint8_t kReadNegative = 0x04;
constexpr uint8_t kLsbFirst = 0x08;
constexpr uint8_t kWrite = 0x10;
constexpr uint8_t kRead = 0x20;
constexpr uint8_t kTms = 0x40;

constexpr uint16_t kClockPin = 0x01;
constexpr uint16_t kOutPin = 0x02;
constexpr uint16_t kInPin = 0x04;
constexpr uint16_t kTmsPin = 0x08;
constexpr uint16_t kWaitPin = 0x20;  // GPIOL1

// The engine reads a byte of a command per cycle of its 60 MHz.
constexpr Picoseconds kCommandByte = 16'667;
constexpr uint64_t kTicksPerSecond = 1'000'000'000'000;

uint16_t with(uint16_t pins, uint16_t mask, bool level) {
  return static_cast<uint16_t>(level ? pins | mask : pins & ~mask);
}

uint8_t reversed(uint8_t byte) {
  unsigned all = byte;
  all = (all & 0x55U) << 1 | (all >> 1 & 0x55U);
  all = (all & 0x33U) << 2 | (all >> 2 & 0x33U);
  return static_cast<uint8_t>(all << 4 | all >> 4);
}

bool is_tms(uint8_t opcode) {
  // Bits, least significant first; a read takes place on either edge.
  constexpr uint8_t kFree = kWriteNegative | kReadNegative | kRead;
  const bool edge_of_read = (opcode & kReadNegative) == 0 || (opcode & kRead) != 0;
  return (opcode & ~kFree) == (kTms | kLsbFirst | kBitMode) && edge_of_read;
}

bool is_data(uint8_t opcode) {
  if ((opcode & 0xC0) != 0 || (opcode & (kWrite | kRead)) == 0) return false;
  const bool write_edge = (opcode & kWriteNegative) == 0 || (opcode & kWrite) != 0;
  const bool read_edge = (opcode & kReadNegative) == 0 || (opcode & kRead) != 0;
  return write_edge && read_edge;
}

}  // namespace

void Mpsse::reset(Picoseconds now) {
  now_ = std::max(now_, now);
  divide_by_5_ = true;
  three_phase_ = loopback_ = flush_ = false;
  divisor_ = 0;
  set_clock();
  phase_ = Phase::kOpcode;
  levels_ = outputs_ = 0;
  pins();
}

void Mpsse::set_clock() {
  const uint64_t base = divide_by_5_ ? 12'000'000 : 60'000'000;
  half_period_ = kTicksPerSecond * (uint64_t{divisor_} + 1) / base;
}

void Mpsse::run(Picoseconds until) {
  while (step(std::min(until, stop_at_))) {
  }
  // It did not stop for want of time, so it stands still until somebody else does something.
  if (!working_) now_ = std::max(now_, std::min(until, stop_at_));
}

// Whether a step of this length fits in; what it does comes after that.
bool Mpsse::take(Picoseconds cost, Picoseconds until) {
  working_ = true;
  next_step_ = now_ + cost;
  return next_step_ <= until;
}

bool Mpsse::step(Picoseconds until) {
  working_ = false;
  switch (phase_) {
    case Phase::kOpcode:
    case Phase::kArguments: {
      // An answer of two bytes must fit.
      if (from_host_.empty() || to_host_.room() < 2) return false;
      if (!take(kCommandByte, until)) return false;
      now_ += kCommandByte;
      const uint8_t byte = from_host_.pop();
      if (phase_ == Phase::kOpcode) {
        opcode_ = byte;
        argument_count_ = 0;
        phase_ = Phase::kArguments;
      } else {
        argument_[static_cast<size_t>(argument_count_++)] = byte;
      }
      if (argument_count_ == arguments(opcode_)) begin();
      return true;
    }
    case Phase::kBytes:
      if (!shift(until, 8)) return false;
      if (--left_ == 0) phase_ = Phase::kOpcode;
      return true;
    case Phase::kBits:
      if (!shift(until, argument_[0] % 8 + 1U)) return false;
      phase_ = Phase::kOpcode;
      return true;
    case Phase::kClocks:
      if (waits_for_level()) {
        phase_ = Phase::kOpcode;
        return true;
      }
      if (!take(2 * half_period_, until)) return false;
      clock();
      if (--left_ == 0) phase_ = Phase::kOpcode;
      return true;
    case Phase::kWait:
      if (!waits_for_level()) return false;
      phase_ = Phase::kOpcode;
      return true;
  }
  return false;
}

// Bytes that follow an opcode before it can begin; data come later.
int Mpsse::arguments(uint8_t opcode) {
  if (is_tms(opcode)) return 1;
  if (is_data(opcode)) return (opcode & kBitMode) != 0 ? 1 : 2;
  switch (opcode) {
    case 0x80:
    case 0x82:
    case 0x86:
    case 0x8F:
    case 0x9C:
    case 0x9D:
      return 2;
    case 0x8E:
      return 1;
    default:
      return 0;
  }
}

void Mpsse::begin() {
  const uint32_t word = argument_[0] | uint32_t{argument_[1]} << 8;
  phase_ = Phase::kOpcode;
  if (is_tms(opcode_)) {
    phase_ = Phase::kBits;
    return;
  }
  if (is_data(opcode_)) {
    phase_ = (opcode_ & kBitMode) != 0 ? Phase::kBits : Phase::kBytes;
    left_ = word + 1;
    return;
  }
  switch (opcode_) {
    case 0x80:
      levels_ = static_cast<uint16_t>((levels_ & 0xFF00) | argument_[0]);
      outputs_ = static_cast<uint16_t>((outputs_ & 0xFF00) | argument_[1]);
      pins();
      break;
    case 0x82:
      levels_ = static_cast<uint16_t>((levels_ & 0x00FF) | argument_[0] << 8);
      outputs_ = static_cast<uint16_t>((outputs_ & 0x00FF) | argument_[1] << 8);
      pins();
      break;
    case 0x81:
      answer(static_cast<uint8_t>(circuit_.sense(now_)));
      break;
    case 0x83:
      answer(static_cast<uint8_t>(circuit_.sense(now_) >> 8));
      break;
    case 0x84:
    case 0x85:
      loopback_ = opcode_ == 0x84;
      break;
    case 0x86:
      divisor_ = static_cast<uint16_t>(word);
      set_clock();
      break;
    case 0x87:
      flush_ = true;
      break;
    case 0x88:
    case 0x89:
      phase_ = Phase::kWait;
      break;
    case 0x8A:
    case 0x8B:
      divide_by_5_ = opcode_ == 0x8B;
      set_clock();
      break;
    case 0x8C:
    case 0x8D:
      three_phase_ = opcode_ == 0x8C;
      break;
    case 0x8E:
      phase_ = Phase::kClocks;
      left_ = argument_[0] % 8 + 1U;
      break;
    case 0x8F:
    case 0x9C:
    case 0x9D:
      phase_ = Phase::kClocks;
      left_ = (word + 1) * 8;
      break;
    case 0x94:
    case 0x95:
      phase_ = Phase::kClocks;
      left_ = std::numeric_limits<uint32_t>::max();  // until the level is there
      break;
    case 0x96:
    case 0x97:
      break;
    default:
      answer(0xFA);
      answer(opcode_);
      break;
  }
}

// Whether the level for which the command waits is there.
bool Mpsse::waits_for_level() const {
  const bool level = (circuit_.sense(now_) & kWaitPin) != 0;
  switch (opcode_) {
    case 0x88:
    case 0x94:
    case 0x9C:
      return level;
    case 0x89:
    case 0x95:
    case 0x9D:
      return !level;
    default:
      return false;
  }
}

bool Mpsse::shift(Picoseconds until, unsigned bits) {
  const bool tms = is_tms(opcode_);
  const bool writes = tms || (opcode_ & kWrite) != 0;
  const bool reads = (opcode_ & kRead) != 0;
  const bool lsb = (opcode_ & kLsbFirst) != 0;
  if ((writes && from_host_.empty()) || (reads && to_host_.room() == 0)) return false;
  if (!take(bits * (three_phase_ ? 3 : 2) * half_period_, until)) return false;

  const uint8_t out = writes ? from_host_.pop() : 0;
  // With TMS the top bit of the byte stands on TDI for all the clocks.
  if (tms) {
    levels_ = with(levels_, kOutPin, (out & 0x80) != 0);
    pins();
  }
  if (uint8_t in = 0; bits == 8 && !tms && shift_byte(out, in)) {
    if (reads) answer(in);
    return true;
  }
  unsigned in = 0;
  for (unsigned i = 0; i < bits; ++i) {
    const bool bit = (out >> (lsb ? i : 7 - i) & 1) != 0;
    const bool got = shift_bit(bit);
    in = lsb ? (in >> 1 | (got ? 0x80U : 0U)) : (in << 1 | (got ? 1U : 0U));
  }
  if (reads) answer(static_cast<uint8_t>(in));
  return true;
}

// The same as eight times shift_bit(), where the circuit can do that at once.
bool Mpsse::shift_byte(uint8_t out, uint8_t& in) {
  const bool writes = (opcode_ & kWrite) != 0;
  const bool mode_0 = (levels_ & kClockPin) == 0 && (opcode_ & kReadNegative) == 0 &&
                      (!writes || (opcode_ & kWriteNegative) != 0);
  const bool drives = (outputs_ & kClockPin) != 0 && (outputs_ & kOutPin) != 0;
  if (!mode_0 || !drives || loopback_ || three_phase_) return false;
  const bool lsb = (opcode_ & kLsbFirst) != 0;
  const uint8_t held = (levels_ & kOutPin) != 0 ? 0xFF : 0x00;
  const uint8_t sent = !writes ? held : lsb ? reversed(out) : out;
  const Pulses pulses{now_, half_period_};
  const std::optional<uint8_t> answer = circuit_.exchange(pulses, sent);
  if (!answer) return false;
  in = lsb ? reversed(*answer) : *answer;
  levels_ = with(levels_, kOutPin, (sent & 1) != 0);
  now_ = pulses.end();
  clocks_ += 8;
  return true;
}

void Mpsse::toggle(Picoseconds after) {
  now_ += after;
  levels_ ^= kClockPin;
  pins();
}

// One bit: a clock pulse away from its level of rest and back. Data change right after the edge that the
// command names; for the last edge of a pulse that means: they stand before the first one.
bool Mpsse::shift_bit(bool out) {
  const bool idle_high = (levels_ & kClockPin) != 0;
  const bool first_is_negative = idle_high;
  const bool writes = (opcode_ & (kWrite | kTms)) != 0;
  const bool write_at_first = ((opcode_ & kWriteNegative) != 0) == first_is_negative;
  const bool read_at_first = ((opcode_ & kReadNegative) != 0) == first_is_negative;
  const uint16_t line = (opcode_ & kTms) != 0 ? kTmsPin : kOutPin;
  const bool reads = (opcode_ & kRead) != 0;
  auto sample = [&] { return reads && (loopback_ ? levels_ & kOutPin : circuit_.sense(now_) & kInPin) != 0; };
  auto write = [&] {
    const uint16_t levels = writes ? with(levels_, line, out) : levels_;
    if (std::exchange(levels_, levels) != levels) pins();
  };

  if (!write_at_first) write();
  if (three_phase_) now_ += half_period_;
  now_ += half_period_;
  bool in = read_at_first && sample();
  toggle(0);
  if (write_at_first) write();
  now_ += half_period_;
  in = in || (!read_at_first && sample());
  toggle(0);
  ++clocks_;
  return in;
}

void Mpsse::clock() {
  toggle(half_period_);
  toggle(half_period_);
  ++clocks_;
}

}  // namespace swai::usb
