// SPDX-License-Identifier: Apache-2.0
// The FT2232H as USB sees it: descriptors, vendor requests, and two channels that take and give packets.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/board/usb/circuit.hpp"
#include "sim/board/usb/fifo.hpp"
#include "sim/board/usb/mpsse.hpp"
#include "sim/board/usb/time.hpp"

namespace swai::usb {

using Bytes = std::vector<uint8_t>;

// What a device says about itself.
struct Identity {
  uint16_t vendor = 0x0403;
  uint16_t product = 0x6010;
  std::string manufacturer;
  std::string name;
  std::string serial;
};

// The eight bytes with which a control transfer begins.
struct Setup {
  uint8_t type = 0;
  uint8_t request = 0;
  uint16_t value = 0;
  uint16_t index = 0;
  uint16_t length = 0;
};

// One of the two interfaces.
class Channel {
 public:
  static constexpr size_t kPacketBytes = 512;
  static constexpr size_t kStatusBytes = 2;  // at the head of every packet to the host

  explicit Channel(Circuit& circuit) : circuit_(circuit), mpsse_(circuit, from_host_, to_host_) {
    mpsse_.reset(0);
  }

  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  void run(Picoseconds until);
  // When that may change for which a packet in this direction waits.
  Picoseconds next_event(bool to_host) const;

  // A packet from the host must find room; until then the channel answers with NAK.
  size_t room() const { return from_host_.room(); }
  void take(std::span<const uint8_t> packet);
  // A packet to the host of at most `most` bytes, its status at the head; nothing: not now (NAK).
  std::optional<Bytes> give(Picoseconds now, size_t most = kPacketBytes);

  void set_mode(Picoseconds now, uint8_t mode);
  void drop_from_host() { from_host_.clear(); }
  void drop_to_host() { to_host_.clear(); }
  void set_latency(uint8_t milliseconds) { latency_ms_ = milliseconds == 0 ? 1 : milliseconds; }
  uint8_t latency() const { return latency_ms_; }
  uint8_t pins(Picoseconds now) { return static_cast<uint8_t>(circuit_.sense(now)); }

  Mpsse& engine() { return mpsse_; }
  const Mpsse& engine() const { return mpsse_; }

 private:
  Picoseconds timer_ends() const { return sent_ + latency_ms_ * kMillisecond; }

  Circuit& circuit_;
  Fifo from_host_;
  Fifo to_host_;
  Mpsse mpsse_;
  bool serial_engine_ = false;  // the bit mode is MPSSE
  bool flush_ = false;          // until the buffer is empty
  uint8_t latency_ms_ = 16;
  Picoseconds sent_ = 0;  // the last packet to the host
};

class Ft2232h {
 public:
  Ft2232h(Identity identity, Circuit& a, Circuit& b)
      : identity_(std::move(identity)), channels_{{Channel(a), Channel(b)}} {}

  // Endpoints 0x81 and 0x02 are channel A, 0x83 and 0x04 channel B; nothing for others.
  Channel* channel_of(uint8_t endpoint);
  std::array<Channel, 2>& channels() { return channels_; }
  const std::array<Channel, 2>& channels() const { return channels_; }

  // A control transfer; nothing: the device stalls it.
  std::optional<Bytes> control(Picoseconds now, const Setup& setup);

  // Device descriptor and configuration, as sysfs shows them.
  Bytes descriptors() const;

 private:
  std::optional<Bytes> standard(const Setup& setup) const;
  std::optional<Bytes> vendor(Picoseconds now, const Setup& setup);
  std::optional<Bytes> string(uint8_t index) const;

  Identity identity_;
  std::array<Channel, 2> channels_;
};

}  // namespace swai::usb
