// SPDX-License-Identifier: Apache-2.0
#include "sim/board/usb/ft2232h.hpp"

#include <algorithm>

namespace swai::usb {
namespace {

constexpr uint8_t kModeMpsse = 0x02;
// Of a chip that runs at high speed: no modem lines, transmitter empty.
constexpr uint8_t kStatus[Channel::kStatusBytes] = {0x32, 0x60};

// Kinds of control requests.
constexpr uint8_t kKind = 0x60;
constexpr uint8_t kStandard = 0x00;
constexpr uint8_t kVendor = 0x40;

constexpr uint8_t low(unsigned value) { return static_cast<uint8_t>(value); }
constexpr uint8_t high(unsigned value) { return static_cast<uint8_t>(value >> 8); }

Bytes device_descriptor(const Identity& identity) {
  return {18,
          0x01,
          0x00,
          0x02,
          0,
          0,
          0,
          64,
          low(identity.vendor),
          high(identity.vendor),
          low(identity.product),
          high(identity.product),
          0x00,
          0x07,
          1,
          2,
          3,
          1};
}

Bytes configuration_descriptor() {
  Bytes all = {9, 0x02, 0, 0, 2, 1, 0, 0x80, 250};  // bus-powered, 500 mA
  for (uint8_t interface = 0; interface < 2; ++interface) {
    all.insert(all.end(), {9, 0x04, interface, 0, 2, 0xFF, 0xFF, 0xFF, 2});
    for (const unsigned endpoint : {0x81U + 2U * interface, 0x02U + 2U * interface})
      all.insert(all.end(),
                 {7, 0x05, low(endpoint), 0x02, low(Channel::kPacketBytes), high(Channel::kPacketBytes), 0});
  }
  all[2] = low(static_cast<unsigned>(all.size()));
  return all;
}

}  // namespace

void Channel::run(Picoseconds until) {
  // What a serial port would send goes nowhere.
  if (!serial_engine_) from_host_.clear();
  mpsse_.run(until);
  flush_ = mpsse_.take_flush() || flush_;
}

Picoseconds Channel::next_event(bool to_host) const {
  return std::min(mpsse_.working() ? mpsse_.next_step() : kNever, to_host ? timer_ends() : kNever);
}

void Channel::take(std::span<const uint8_t> packet) {
  for (const uint8_t byte : packet) from_host_.push(byte);
}

std::optional<Bytes> Channel::give(Picoseconds now, size_t most) {
  if (to_host_.size() < kPacketBytes - kStatusBytes && !flush_ && now < timer_ends()) return std::nullopt;
  Bytes packet(std::begin(kStatus), std::end(kStatus));
  while (!to_host_.empty() && packet.size() < most) packet.push_back(to_host_.pop());
  if (to_host_.empty()) flush_ = false;
  sent_ = now;
  return packet;
}

void Channel::set_mode(Picoseconds now, uint8_t mode) {
  serial_engine_ = mode == kModeMpsse;
  flush_ = false;
  mpsse_.reset(now);
}

Channel* Ft2232h::channel_of(uint8_t endpoint) {
  switch (endpoint) {
    case 0x81:
    case 0x02:
      return channels_.data();
    case 0x83:
    case 0x04:
      return &channels_[1];
    default:
      return nullptr;
  }
}

Bytes Ft2232h::descriptors() const {
  Bytes all = device_descriptor(identity_);
  const Bytes configuration = configuration_descriptor();
  all.insert(all.end(), configuration.begin(), configuration.end());
  return all;
}

std::optional<Bytes> Ft2232h::control(Picoseconds now, const Setup& setup) {
  std::optional<Bytes> answer;
  if ((setup.type & kKind) == kStandard) answer = standard(setup);
  if ((setup.type & kKind) == kVendor) answer = vendor(now, setup);
  if (answer && answer->size() > setup.length) answer->resize(setup.length);
  return answer;
}

std::optional<Bytes> Ft2232h::string(uint8_t index) const {
  if (index == 0) return Bytes{4, 0x03, 0x09, 0x04};  // English
  const std::string* texts[] = {&identity_.manufacturer, &identity_.name, &identity_.serial};
  if (index > std::size(texts)) return std::nullopt;
  Bytes answer = {0, 0x03};
  for (const char c : *texts[index - 1]) {
    answer.push_back(static_cast<uint8_t>(c));
    answer.push_back(0);
  }
  answer[0] = static_cast<uint8_t>(answer.size());
  return answer;
}

std::optional<Bytes> Ft2232h::standard(const Setup& setup) const {
  switch (setup.request) {
    case 0x00:  // status
      return Bytes{0, 0};
    case 0x06:  // descriptor
      switch (setup.value >> 8) {
        case 1:
          return device_descriptor(identity_);
        case 2:
          return configuration_descriptor();
        case 3:
          return string(low(setup.value));
        default:
          return std::nullopt;
      }
    case 0x08:  // configuration
      return Bytes{1};
    case 0x01:  // clear feature
    case 0x09:  // set configuration
    case 0x0B:  // set interface
      return Bytes{};
    default:
      return std::nullopt;
  }
}

std::optional<Bytes> Ft2232h::vendor(Picoseconds now, const Setup& setup) {
  Channel& channel = channels_[(setup.index & 0xFF) == 2 ? 1 : 0];
  switch (setup.request) {
    case 0x00:  // reset, or drop what is in a buffer
      if (setup.value != 2) channel.drop_from_host();
      if (setup.value != 1) channel.drop_to_host();
      return Bytes{};
    case 0x01:  // modem lines, flow control, rate, format, event and error character: of the serial port
    case 0x02:
    case 0x03:
    case 0x04:
    case 0x06:
    case 0x07:
      return Bytes{};
    case 0x05:  // modem status
      return Bytes(std::begin(kStatus), std::end(kStatus));
    case 0x09:
      channel.set_latency(low(setup.value));
      return Bytes{};
    case 0x0A:
      return Bytes{channel.latency()};
    case 0x0B:  // bit mode; the low byte, outputs of the simple modes, is not modelled
      channel.set_mode(now, high(setup.value));
      return Bytes{};
    case 0x0C:
      return Bytes{channel.pins(now)};
    case 0x90:  // a word of the EEPROM, which is blank
      return Bytes{0xFF, 0xFF};
    default:
      return std::nullopt;
  }
}

}  // namespace swai::usb
