// SPDX-License-Identifier: Apache-2.0
// Packets that wait for the wire to the card, in the order in which they may go.
//
// Posted writes go in order. A non-posted request or a completion never overtakes a posted write that was
// there before it; a write may overtake both. Requests without credits let everything else pass, except what
// must not overtake them.
#pragma once

#include <cstdint>
#include <functional>

#include "sim/board/rootport/pins.hpp"
#include "sim/board/rootport/ring.hpp"
#include "sim/board/rootport/tlp.hpp"

namespace swai::rootport {

class RootPort;

// The credits that a packet takes.
Credits credits_of(const Tlp& tlp);

class Outbox {
 public:
  struct Entry {
    uint64_t order = 0;
    RootPort* origin = nullptr;  // whose credits the packet holds until it has left
    Tlp tlp;
  };

  void push(const Tlp& tlp, RootPort* origin = nullptr);
  // What goes next; nullptr: nothing can.
  const Entry* next() const {
    const Queue* queue = empty() ? nullptr : choose();
    return queue == nullptr ? nullptr : &queue->front();
  }
  // Takes credits for what next() has shown, and removes it.
  void pop();

  void set_limit(const Credits& limit) { limit_ = limit; }
  size_t posted() const { return posted_.size(); }
  bool empty() const { return posted_.empty() && nonposted_.empty() && completions_.empty(); }
  // The link to the card goes down: `lost` gets all packets, the result is their number. The link to `origin`
  // does: it needs no credits any more.
  size_t clear(const std::function<void(const Entry&)>& lost);
  void forget(const RootPort* origin);

 private:
  using Queue = Ring<Entry>;
  const Queue* choose() const;
  Queue& queue_of(const Tlp& tlp);
  bool credits_for(const Tlp& tlp) const;

  Queue posted_;
  Queue nonposted_;
  Queue completions_;
  uint64_t order_ = 0;
  Credits limit_;
  Credits used_;
};

}  // namespace swai::rootport
