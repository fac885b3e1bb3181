// SPDX-License-Identifier: Apache-2.0
// The host's side of all cards in this process: their ports, the routes between them, and one clock for all.
//
// Time. A packet needs a wire's delay from one side to the other, so what the cards do in the next so many
// cycles cannot reach the root's side within them, and the other way round. advance() therefore works in
// slices no longer than the shortest delay: first the root's side of all ports, event by event, ordered by
// cycle, then card number; then each card through the whole slice, one after the other. The result does not
// depend on the order of the cards nor on the length of the slices.
//
// When host software must react (an interrupt, an answer) stop() ends the slice with the cycle in which it
// was called, so what the software does next happens in the following cycle. When a remote memory has not
// answered, advance() returns and makes no progress until it has.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "sim/board/rootport/root_port.hpp"

namespace swai::rootport {

struct RootOptions {
  // Requests of a card to addresses that its IOMMU does not map go to the card (itself, too) whose BAR0 has
  // them.
  bool card_routes = true;
};

// Clocks a card `cycles` times, RootPort::clock() after each one (or skip() for all of them).
using RunCard = std::function<void(uint64_t cycles)>;

class RootComplex : private Ports {
 public:
  explicit RootComplex(const RootOptions& options = {}) : options_(options) {}
  RootComplex(const RootComplex&) = delete;
  RootComplex& operator=(const RootComplex&) = delete;

  // The port of one more card; numbers count from 0. Throws std::invalid_argument for options that cannot be.
  RootPort& add(const PortOptions& options = {}, RunCard run = {});
  void set_run(unsigned card, RunCard run) { cards_[card].run = std::move(run); }
  size_t cards() const { return cards_.size(); }
  RootPort& port(unsigned card) { return *cards_[card].port; }

  // The cycle that comes next; inside callbacks the one that is.
  uint64_t cycle() const { return clock_.cycle; }
  // Up to `cycles`; returns how many.
  uint64_t advance(uint64_t cycles);
  // Ends advance() after the present cycle. For callbacks; before advance() it has no effect.
  void stop() { stop_ = true; }
  // Has it been called since the last advance() began?
  bool stopped() const { return stop_; }
  // For a card that is clocked by somebody else, one cycle at a time: the root's side of the present cycle.
  // Then the card is clocked, with RootPort::clock(), and so on. False: a remote memory has not answered, the
  // card must wait.
  bool step();

  // Nothing is under way anywhere: if the cards sleep, the clock may stop.
  bool quiet() const;
  bool waiting() const;

 private:
  struct Card {
    std::unique_ptr<RootPort> port;
    RunCard run;
  };

  RootPort* owner(uint64_t address, uint64_t bytes) override;
  RootPort* by_id(uint16_t id) override;
  void forget(const RootPort& port) override;

  uint64_t next_event() const;
  void change_links();
  // The root's side from the present cycle on; returns the cycle before which it has stopped.
  uint64_t run_root(uint64_t until);

  RootOptions options_;
  std::vector<Card> cards_;
  Clock clock_;
  uint64_t lookahead_ = UINT64_MAX;
  bool stop_ = false;
  bool resuming_ = false;  // the cycle is not finished: a memory is waited for
};

}  // namespace swai::rootport
