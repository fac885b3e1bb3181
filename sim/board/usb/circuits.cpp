// SPDX-License-Identifier: Apache-2.0
#include "sim/board/usb/circuits.hpp"

#include <array>

namespace swai::usb {
namespace {

constexpr uint16_t kClock = 0x01;
constexpr uint16_t kToChip = 0x02;
constexpr uint16_t kFromChip = 0x04;
constexpr uint16_t kTms = 0x08;

constexpr std::array<uint8_t, 4> kIce40Preamble = {0x7E, 0xAA, 0x99, 0x7E};
constexpr Picoseconds kIce40Configures = 100 * kMillisecond;

uint16_t pulled_up(uint16_t levels, uint16_t outputs) { return static_cast<uint16_t>(levels | ~outputs); }

uint16_t with(uint16_t pins, uint16_t mask, bool level) {
  return static_cast<uint16_t>(level ? pins | mask : pins & ~mask);
}

uint16_t mask(unsigned pin) { return static_cast<uint16_t>(1U << pin); }

}  // namespace

SpiCircuit::SpiCircuit(const boards::SpiWiring& wiring, Nor& flash)
    : select_(mask(wiring.select)), done_(wiring.done ? mask(*wiring.done) : uint16_t{0}), flash_(flash) {
  for (const unsigned pin : wiring.reset) reset_ = static_cast<uint16_t>(reset_ | mask(pin));
}

void SpiCircuit::drive(Picoseconds now, uint16_t levels, uint16_t outputs) {
  levels_ = pulled_up(levels, outputs);
  const bool in_reset = (levels_ & reset_) == 0 && reset_ != 0;
  if (in_reset_ && !in_reset) configured_at_ = now + kIce40Configures;
  in_reset_ = in_reset;
  const bool select = (levels_ & select_) == 0 && (in_reset || !configuring(now));
  flash_.drive(now, !select, (levels_ & kClock) != 0, (levels_ & kToChip) != 0);
}

uint16_t SpiCircuit::sense(Picoseconds now) {
  uint16_t pins = with(levels_, kFromChip, flash_.sense(now));
  if (done_ != 0) pins = with(pins, done_, !in_reset_ && !configuring(now) && flash_.holds(kIce40Preamble));
  return pins;
}

std::optional<uint8_t> SpiCircuit::exchange(const Pulses& pulses, uint8_t byte) {
  if ((levels_ & select_) != 0 || configuring(pulses.end())) return std::nullopt;
  const std::optional<uint8_t> answer = flash_.exchange(pulses, byte);
  if (answer) levels_ = with(levels_, kToChip, (byte & 1) != 0);
  return answer;
}

// TCK has a resistor to ground.
void JtagCircuit::drive(Picoseconds now, uint16_t levels, uint16_t outputs) {
  levels_ = pulled_up(levels, outputs);
  tap_.drive(now, (levels & outputs & kClock) != 0, (levels_ & kTms) != 0, (levels_ & kToChip) != 0);
}

std::optional<uint8_t> JtagCircuit::exchange(const Pulses& pulses, uint8_t byte) {
  if ((levels_ & kTms) != 0) return std::nullopt;
  const std::optional<uint8_t> answer = tap_.exchange(pulses, byte);
  if (answer) levels_ = with(levels_, kToChip, (byte & 1) != 0);
  return answer;
}

uint16_t JtagCircuit::sense(Picoseconds now) { return with(levels_, kFromChip, tap_.tdo(now)); }

}  // namespace swai::usb
