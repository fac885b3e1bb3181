// SPDX-License-Identifier: Apache-2.0
// The wire, one direction each: bytes leave at a fixed rate, exactly counted across packets, and arrive a
// delay later.
//
// A packet takes its header, its payload and the overhead. It arrives with its last byte: `delay` cycles
// after the end of the cycle in which that byte has left. Credit updates take the delay, but no bytes.
#pragma once

#include <cstdint>

#include "sim/board/rootport/options.hpp"
#include "sim/board/rootport/pins.hpp"
#include "sim/board/rootport/ring.hpp"
#include "sim/board/rootport/tlp.hpp"

namespace swai::rootport {

inline constexpr uint64_t kNever = UINT64_MAX;

// A packet at the root's end.
struct Arrival {
  uint64_t cycle = 0;
  TlpError error = TlpError::kNone;
  Credits credits;            // what it takes, also if it is malformed
  bool over_credits = false;  // the card had not enough of them
  bool counted = false;       // for whoever takes it
  Tlp tlp;
};

// The credits that a packet takes, whatever else its header says.
Credits credits_of(const TlpHeader& header);

// From the card: beats in, packets out. Sending starts with the first beat.
class UpWire {
 public:
  UpWire(const WireOptions& options, const TlpLimits& limits) : options_(options), limits_(limits) {}

  // May the endpoint give a beat in this cycle?
  bool ready(uint64_t cycle) const { return free_ <= cycle * options_.bytes_per_cycle + options_.buffer; }
  void take(uint64_t cycle, const uint32_t* beat);
  // The credits that the card knows of.
  void grant(const Credits& limit) { granted_ = limit; }

  bool idle() const { return arrivals_.empty(); }
  uint64_t next_arrival() const { return arrivals_.empty() ? kNever : arrivals_.front().cycle; }
  Arrival& front() { return arrivals_.front(); }
  void pop() { arrivals_.pop(); }
  // The link goes down. Returns how many packets are lost.
  size_t clear();

 private:
  void start(const uint32_t* beat);
  void finish();

  const WireOptions options_;
  const TlpLimits limits_;
  uint64_t free_ = 0;  // time in bytes: when everything so far has left
  bool open_ = false;  // the last arrival is not complete
  unsigned left_ = 0;  // its payload that is still to come
  unsigned taken_ = 0;
  Credits granted_;
  Credits used_;
  Ring<Arrival> arrivals_;
};

// To the card: packets in, beats out. The beats of a packet come in consecutive cycles, the last one when the
// packet has arrived (or as soon as the pins are free).
class DownWire {
 public:
  explicit DownWire(const WireOptions& options) : options_(options) {}

  // The root's side. The first cycle in which the next packet can start to leave.
  uint64_t free_cycle() const { return free_ / options_.bytes_per_cycle; }
  void send(uint64_t cycle, const Tlp& tlp);

  const Tlp& last_sent() const { return packets_[packets_.size() - 1].tlp; }

  // The card's side. The cycle that drive() must not miss.
  uint64_t next() const {
    if (driving_) return 0;
    return packets_.empty() ? kNever : packets_.front().cycle;
  }
  void drive(uint64_t cycle, const EndpointPins& pins);

  // Also the pins are low again: a card whose clock stops now has taken everything.
  bool idle() const { return packets_.empty() && !driving_; }
  size_t clear();

 private:
  struct Packet {
    uint64_t cycle = 0;  // of its first beat, if the pins are free
    Tlp tlp;
  };

  const WireOptions options_;
  uint64_t free_ = 0;     // time in bytes
  unsigned beat_ = 0;     // of the first packet
  bool driving_ = false;  // rx_valid is high
  Ring<Packet> packets_;
};

// Credit limits on their way.
class DelayedCredits {
 public:
  void push(uint64_t cycle, uint64_t limit) {
    if (updates_.empty() || updates_.back().cycle != cycle) updates_.push().cycle = cycle;
    updates_.back().limit = limit;
  }
  uint64_t next() const { return updates_.empty() ? kNever : updates_.front().cycle; }
  // What the far side knows in `cycle`.
  uint64_t at(uint64_t cycle) {
    while (!updates_.empty() && updates_.front().cycle <= cycle) {
      limit_ = updates_.front().limit;
      updates_.pop();
    }
    return limit_;
  }
  void reset(uint64_t limit) {
    updates_.clear();
    limit_ = limit;
  }

 private:
  struct Update {
    uint64_t cycle = 0;
    uint64_t limit = 0;
  };
  uint64_t limit_ = 0;
  Ring<Update> updates_;
};

}  // namespace swai::rootport
