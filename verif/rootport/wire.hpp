// The wire, one direction each: bytes leave at a fixed rate, exactly counted across packets, and arrive a
// delay later.
//
// A packet takes its header, its payload and the overhead. It arrives with its last byte: `delay` cycles
// after the cycle in which that byte has left. Credit updates take the delay, but no bytes.
#pragma once

#include <cstdint>
#include <deque>

#include "verif/rootport/options.hpp"
#include "verif/rootport/pins.hpp"
#include "verif/rootport/tlp.hpp"

namespace swai::rootport {

inline constexpr uint64_t kNever = UINT64_MAX;

// A packet at the root's end.
struct Arrival {
  uint64_t cycle = 0;
  TlpError error = TlpError::kNone;
  Credits credits;  // what it takes, also if it is malformed
  Tlp tlp;
};

// From the card: beats in, packets out. Sending starts with the first beat.
class UpWire {
 public:
  UpWire(const WireOptions& options, const TlpLimits& limits) : options_(options), limits_(limits) {}

  // May the endpoint give a beat in this cycle?
  bool ready(uint64_t cycle) const { return free_ <= cycle * options_.bytes_per_cycle + options_.buffer; }
  void take(uint64_t cycle, const uint32_t* beat);

  bool idle() const { return arrivals_.empty() && !open_; }
  uint64_t next_arrival() const { return arrivals_.empty() ? kNever : arrivals_.front().cycle; }
  Arrival& front() { return arrivals_.front(); }
  void pop() { arrivals_.pop_front(); }
  // Returns how many packets are lost.
  size_t clear();

 private:
  void start(uint64_t cycle, const uint32_t* beat);
  void finish();

  const WireOptions options_;
  const TlpLimits limits_;
  uint64_t free_ = 0;  // time in bytes: when everything so far has left
  bool open_ = false;
  unsigned left_ = 0;             // bytes of payload that are still to come
  unsigned taken_ = 0;            // bytes of payload that have come
  std::deque<Arrival> arrivals_;  // the last one is being filled while open_
  bool visible() const { return !arrivals_.empty(); }
};

// To the card: packets in, beats out. The beats of a packet come in consecutive cycles, the last one when the
// packet has arrived (or as soon as the pins are free).
class DownWire {
 public:
  explicit DownWire(const WireOptions& options) : options_(options) {}

  // The root's side. The first cycle in which the next packet can start to leave.
  uint64_t free_cycle() const { return free_ / options_.bytes_per_cycle; }
  void send(uint64_t cycle, const Tlp& tlp);

  // The card's side. The cycle that drive() must not miss.
  uint64_t next() const { return next_; }
  void drive(uint64_t cycle, const EndpointPins& pins);

  bool idle() const { return packets_.empty(); }
  size_t clear();

 private:
  struct Packet {
    uint64_t cycle;  // of its first beat
    Tlp tlp;
  };

  const WireOptions options_;
  uint64_t free_ = 0;       // time in bytes
  uint64_t pins_free_ = 0;  // the cycle after the last beat so far
  uint64_t next_ = kNever;
  unsigned beat_ = 0;     // of the first packet
  bool driving_ = false;  // rx_valid is high
  std::deque<Packet> packets_;
};

// Credit limits on their way.
class DelayedCredits {
 public:
  void push(uint64_t cycle, uint64_t limit);
  uint64_t next() const { return updates_.empty() ? kNever : updates_.front().cycle; }
  // What the far side knows in `cycle`.
  uint64_t at(uint64_t cycle) {
    while (!updates_.empty() && updates_.front().cycle <= cycle) {
      limit_ = updates_.front().limit;
      updates_.pop_front();
    }
    return limit_;
  }
  void reset(uint64_t limit) {
    updates_.clear();
    limit_ = limit;
  }

 private:
  struct Update {
    uint64_t cycle;
    uint64_t limit;
  };
  uint64_t limit_ = 0;
  std::deque<Update> updates_;
};

}  // namespace swai::rootport
