// SPDX-License-Identifier: Apache-2.0
#include "sim/board/rootport/wire.hpp"

#include <algorithm>
#include <cstring>

namespace swai::rootport {
namespace {

constexpr unsigned kBeatBytes = kBeatPayloadWords * 4;

// A limit is enough for what will have been used in all when it is at most half of the counter's range ahead.
bool enough8(uint8_t limit, uint8_t used) { return static_cast<uint8_t>(limit - used) <= 0x80; }
bool enough12(uint16_t limit, uint16_t used) { return ((limit - used) & 0xFFF) <= 0x800; }

// Bytes that follow a header.
unsigned payload_of(const TlpHeader& header) {
  const unsigned length = (header[0] & 0x3FF) != 0 ? header[0] & 0x3FF : 1024;
  return (header[0] & 0x4000'0000) != 0 ? length * 4 : 0;
}

}  // namespace

bool enough(const Credits& limit, const Credits& used) {
  return enough8(limit.posted_header, used.posted_header) && enough12(limit.posted_data, used.posted_data) &&
         enough8(limit.nonposted_header, used.nonposted_header) &&
         enough12(limit.nonposted_data, used.nonposted_data);
}

Credits credits_of(const TlpHeader& header) {
  const uint32_t type = header[0] >> 24 & 0x1F;
  const unsigned payload = payload_of(header);
  const auto data = static_cast<uint16_t>((payload + 15) / 16);
  if (type == 0x0A) return {};
  if (type == 0 && payload != 0) return {.posted_header = 1, .posted_data = data};
  return {.nonposted_header = 1, .nonposted_data = data};
}

void UpWire::take(uint64_t cycle, const uint32_t* beat) {
  const uint32_t flags = beat[kBeatFlagsWord];
  free_ = std::max(free_, cycle * options_.bytes_per_cycle);
  if ((flags & kBeatSop) != 0) {
    if (open_) {
      arrivals_.back().error = TlpError::kFraming;
      finish();
    }
    start(beat);
  } else if (!open_) {
    Arrival& stray = arrivals_.push();
    stray = Arrival{};
    stray.cycle = kNever;
    stray.error = TlpError::kFraming;
    open_ = true;
    left_ = taken_ = 0;
  } else if (left_ == 0) {
    arrivals_.back().error = TlpError::kFraming;
  }
  const unsigned bytes = std::min(left_, kBeatBytes);
  if (taken_ + bytes <= kMaxPayload) std::memcpy(arrivals_.back().tlp.data.data() + taken_, beat, bytes);
  taken_ += bytes;
  left_ -= bytes;
  free_ += bytes;
  if ((flags & kBeatEop) == 0) return;
  if (left_ != 0) arrivals_.back().error = TlpError::kFraming;
  finish();
}

void UpWire::start(const uint32_t* beat) {
  Arrival& arrival = arrivals_.push();
  TlpHeader header;
  for (unsigned i = 0; i < 4; ++i) header[i] = beat[kBeatHeaderWord + 3 - i];
  arrival.cycle = kNever;
  arrival.counted = false;
  arrival.error = decode(header, limits_, arrival.tlp);
  open_ = true;
  taken_ = 0;
  left_ = payload_of(header);
  free_ += options_.overhead + ((header[0] & 0x2000'0000) != 0 ? 16 : 12);
  arrival.credits = credits_of(header);
  used_.add(arrival.credits);
  arrival.over_credits = !enough(granted_, used_);
}

void UpWire::finish() {
  const uint32_t rate = options_.bytes_per_cycle;
  arrivals_.back().cycle = (free_ + rate - 1) / rate + options_.delay;
  open_ = false;
}

size_t UpWire::clear() {
  const size_t lost = arrivals_.size();
  arrivals_.clear();
  open_ = false;
  free_ = 0;
  used_ = {};
  return lost;
}

void DownWire::send(uint64_t cycle, const Tlp& tlp) {
  const uint64_t rate = options_.bytes_per_cycle;
  free_ = std::max(free_, cycle * rate) + tlp.header_bytes() + tlp.payload_bytes() + options_.overhead;
  const uint64_t arrived = (free_ + rate - 1) / rate + options_.delay;
  const uint64_t beats = std::max(1u, (tlp.payload_bytes() + kBeatBytes - 1) / kBeatBytes);
  Packet& packet = packets_.push();
  // A wire faster than the pins must not make a packet earlier than it can be known there.
  packet.cycle = std::max(arrived - (beats - 1), cycle + options_.delay + 1);
  packet.tlp = tlp;
}

void DownWire::drive(uint64_t cycle, const EndpointPins& pins) {
  driving_ = !packets_.empty() && packets_.front().cycle <= cycle;
  *pins.rx_valid = driving_;
  if (!driving_) return;
  const Tlp& tlp = packets_.front().tlp;
  const unsigned done = beat_ * kBeatBytes;
  const unsigned bytes = std::min(tlp.payload_bytes() - done, kBeatBytes);
  std::memcpy(pins.rx_beat, tlp.data.data() + done, bytes);
  if (beat_ == 0) {
    const TlpHeader header = encode(tlp);
    for (unsigned i = 0; i < 4; ++i) pins.rx_beat[kBeatHeaderWord + 3 - i] = header[i];
  }
  const bool last = done + bytes == tlp.payload_bytes();
  pins.rx_beat[kBeatFlagsWord] = (beat_ == 0 ? kBeatSop : 0) | (last ? kBeatEop : 0);
  if (last) {
    packets_.pop();
    beat_ = 0;
  } else {
    ++beat_;
  }
}

size_t DownWire::clear() {
  const size_t lost = packets_.size();
  packets_.clear();
  beat_ = 0;
  free_ = 0;
  return lost;
}

}  // namespace swai::rootport
