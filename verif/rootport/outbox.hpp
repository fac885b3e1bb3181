// Packets that wait for the wire to the card, in the order in which they may go.
//
// Posted writes go in order. A non-posted request or a completion never overtakes a posted write that was
// there before it; a write may overtake both. A request without credits lets everything else pass, except
// what must not overtake it.
#pragma once

#include <cstdint>
#include <deque>

#include "verif/rootport/pins.hpp"
#include "verif/rootport/tlp.hpp"
#include "verif/rootport/wire.hpp"

namespace swai::rootport {

class RootPort;

class Outbox {
 public:
  // `origin`: the port whose credits the packet holds until it has left; nullptr: nobody's.
  void push(const Tlp& tlp, RootPort* origin = nullptr);

  // The cycle in which the next packet can leave, if no credits come meanwhile.
  uint64_t next_event(const DownWire& wire) const { return choose() == nullptr ? kNever : wire.free_cycle(); }
  // What leaves next; nullptr: nothing can.
  struct Entry {
    uint64_t order;
    RootPort* origin;
    Tlp tlp;
  };
  const Entry* next() const { return choose() == nullptr ? nullptr : &choose()->front(); }
  // Takes its credits and removes it.
  void pop();

  void set_limit(const Credits& limit) { limit_ = limit; }
  bool empty() const { return posted_.empty() && nonposted_.empty() && completions_.empty(); }
  // Both return or forget what is lost when a link goes down: everything here; credits of that port.
  size_t clear();
  void forget(const RootPort* origin);

 private:
  using Queue = std::deque<Entry>;
  const Queue* choose() const;
  bool credits_for(const Tlp& tlp) const;

  Queue posted_;
  Queue nonposted_;
  Queue completions_;
  uint64_t order_ = 0;
  Credits limit_;
  Credits used_;
};

}  // namespace swai::rootport
