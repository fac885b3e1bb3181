// SPDX-License-Identifier: Apache-2.0
// The wire between a host and the device: transfers, the time they take, and what goes wrong with them.
//
// Time moves only while the host waits; docs/simulate/usb-board.md has the rules.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "sim/board/usb/faults.hpp"
#include "sim/board/usb/ft2232h.hpp"
#include "sim/board/usb/time.hpp"

namespace swai::usb {

// A transfer between host and device (USB request block).
struct Urb {
  uint64_t id = 0;       // the host's name for it
  bool control = false;  // else bulk
  uint8_t endpoint = 0;  // with 0x80: to the host
  Setup setup;           // of a control transfer
  size_t length = 0;     // bytes at most
  Bytes data;            // to the device: all of them; to the host: what has come
  bool to_host() const { return ((control ? setup.type : endpoint) & 0x80) != 0; }
  size_t moved = 0;
  int status = 0;  // 0, or an errno that is below 0, as Linux has them

  uint64_t number = 0;      // from 1, in the order of submission
  Picoseconds begins = 0;   // not before this
  Picoseconds visible = 0;  // to the host, once it has ended
};

class UsbPort {
 public:
  UsbPort(Ft2232h& device, const FaultPlan& faults) : device_(device), faults_(faults) {}

  // False: the device is gone.
  bool submit(Urb urb);
  // Takes back a transfer that has not ended; it ends, as cancelled.
  bool discard(uint64_t id);
  // Nobody asks any more how it ends.
  void forget(uint64_t id);
  // A transfer that has ended, as far as the host can see. Nothing came and the host asks again: it waits,
  // and time moves to the next end.
  std::optional<Urb> reap();
  // The host asks again and again, and nothing will come.
  bool waits_in_vain() const { return asked_ >= 2; }
  // The same for one transfer alone, as a host does that waits for it; nothing: it does not end.
  std::optional<Urb> wait_for(uint64_t id);
  void clear_halt(uint8_t endpoint) { halted_.erase(endpoint); }

  // The time on the host's side. It does something else for a while.
  Picoseconds now() const { return now_; }
  void pass(Picoseconds time);

  bool attached() const { return attached_; }
  // Is called when the device goes, whyever.
  std::function<void()> detached;

  // Power will go then.
  void cut_power_at(Picoseconds time) { cut_at_ = time; }
  // Is called when power goes; the device goes with it.
  std::function<void(Picoseconds)> power_cut;
  // The host is done: lets everything happen that is under way.
  void finish();

  struct Counters {
    uint64_t transfers = 0;
    uint64_t packets = 0;
    uint64_t bytes_to_device = 0;
    uint64_t bytes_to_host = 0;
  };
  const Counters& counters() const { return counters_; }
  // Faults that came to pass.
  const std::vector<TransferFault>& happened() const { return happened_; }

 private:
  static constexpr Picoseconds kMicroframe = 125 * kMicrosecond;

  static Picoseconds next_microframe(Picoseconds time) { return (time / kMicroframe + 1) * kMicroframe; }
  bool simulate(Picoseconds until);
  bool transact();
  bool serve(uint8_t endpoint);
  void run_device();
  Picoseconds next_event() const;
  bool control(Urb& urb);
  bool to_device(Urb& urb);
  bool to_host(Urb& urb);
  // The bus carried so many bytes.
  void carried(size_t bytes);
  void end(uint8_t endpoint, int status);
  const TransferFault* fault(const Urb& urb, TransferFault::Kind kind) const;
  void happen(const Urb& urb);
  void detach(int status);

  Ft2232h& device_;
  const FaultPlan& faults_;
  Counters counters_;
  std::vector<TransferFault> happened_;
  bool attached_ = true;

  Picoseconds now_ = 0;  // the host
  Picoseconds bus_ = 0;  // what has happened on the bus; may be ahead of the host, or behind it
  Picoseconds cut_at_ = kNever;
  unsigned asked_ = 0;  // times in a row that the host heard of nothing

  std::map<uint8_t, std::deque<Urb>> pending_;  // by endpoint
  std::deque<Urb> ended_;                       // by time
  std::set<uint8_t> halted_;
  uint8_t last_served_ = 0;
};

}  // namespace swai::usb
