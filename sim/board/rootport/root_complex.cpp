// SPDX-License-Identifier: Apache-2.0
#include "sim/board/rootport/root_complex.hpp"

#include <algorithm>
#include <stdexcept>

#include "sim/board/rootport/enumeration.hpp"

namespace swai::rootport {
namespace {

void check(bool ok, const char* what) {
  if (!ok) throw std::invalid_argument(what);
}

void check_options(const PortOptions& options) {
  for (const WireOptions& wire : {options.to_card, options.to_root}) {
    check(wire.bytes_per_cycle != 0, "a wire must move at least a byte per cycle");
    check(wire.delay != 0, "a wire must have a delay of at least a cycle");
    check(options.reset_cycles > wire.delay, "a reset must be longer than the wires' delay");
  }
  const auto one_of = [](uint32_t value, uint32_t low, uint32_t high) {
    return value >= low && value <= high && (value & (value - 1)) == 0;
  };
  check(one_of(options.max_payload, 128, kMaxPayload), "the payload size must be 128 or 256");
  check(one_of(options.max_read, 128, 512), "the read request size must be 128, 256 or 512");
  check(one_of(options.completion_boundary, 64, 128), "the read completion boundary must be 64 or 128");
  const Credits& granted = options.granted;
  check(granted.posted_header <= 128 && granted.nonposted_header <= 128 && granted.posted_data <= 2048 &&
            granted.nonposted_data <= 2048,
        "credits must not be more than half of a counter's range");
}

}  // namespace

RootPort& RootComplex::add(const PortOptions& options, RunCard run) {
  check_options(options);
  check(cards_.size() < kMaxCards, "too many cards");
  lookahead_ = std::min<uint64_t>({lookahead_, options.to_card.delay, options.to_root.delay});
  const auto number = static_cast<unsigned>(cards_.size());
  Ports& ports = *this;
  cards_.push_back({std::make_unique<RootPort>(clock_, ports, number, options), std::move(run)});
  return *cards_.back().port;
}

uint64_t RootComplex::next_event() const {
  uint64_t next = UINT64_MAX;
  for (const Card& card : cards_) next = std::min(next, card.port->next_root_event());
  return next;
}

void RootComplex::change_links() {
  for (const Card& card : cards_) {
    RootPort& port = *card.port;
    if (port.link_change_asked() || clock_.cycle >= port.link_event()) port.change_link(clock_.cycle);
  }
}

uint64_t RootComplex::run_root(uint64_t until) {
  for (;;) {
    const uint64_t next = next_event();
    if (next >= until) return until;
    clock_.cycle = std::max(clock_.cycle, next);
    for (const Card& card : cards_) {
      card.port->run_root(clock_.cycle);
      if (card.port->waiting()) return clock_.cycle;
    }
    const bool end = stop_ || std::any_of(cards_.begin(), cards_.end(),
                                          [](const Card& card) { return card.port->link_change_asked(); });
    // What one card's packets mean for another may be due in the same cycle.
    if (end && next_event() > clock_.cycle) return clock_.cycle + 1;
  }
}

uint64_t RootComplex::advance(uint64_t cycles) {
  const uint64_t start = clock_.cycle;
  const uint64_t end = start + cycles;
  if (!resuming_) stop_ = false;
  resuming_ = false;
  while (clock_.cycle < end) {
    change_links();
    const uint64_t now = clock_.cycle;
    uint64_t until = std::min(end, now + lookahead_);
    for (const Card& card : cards_) until = std::min(until, card.port->link_event());
    until = run_root(until);
    for (const Card& card : cards_) {
      if (until != now && card.run) card.run(until - now);
    }
    clock_.cycle = until;
    if (waiting()) {
      resuming_ = true;
      break;
    }
    if (stop_) break;
  }
  return clock_.cycle - start;
}

bool RootComplex::step() {
  change_links();
  const uint64_t now = clock_.cycle;
  if (next_event() <= now) {
    run_root(now + 1);
    clock_.cycle = now;
    if (waiting()) return false;
  }
  ++clock_.cycle;
  return true;
}

bool RootComplex::quiet() const {
  return std::all_of(cards_.begin(), cards_.end(), [](const Card& card) { return card.port->quiet(); });
}

bool RootComplex::waiting() const {
  return std::any_of(cards_.begin(), cards_.end(), [](const Card& card) { return card.port->waiting(); });
}

RootPort* RootComplex::owner(uint64_t address, uint64_t bytes) {
  if (!options_.card_routes) return nullptr;
  for (const Card& card : cards_) {
    const Bar& bar = card.port->bar(0);
    const uint64_t offset = address - bar.address;
    if (card.port->memory_enabled() && offset < bar.size && bytes <= bar.size - offset)
      return card.port.get();
  }
  return nullptr;
}

RootPort* RootComplex::by_id(uint16_t id) {
  const unsigned number = (id >> 8) - 1u;
  return (id & 0xFF) == 0 && number < cards_.size() ? cards_[number].port.get() : nullptr;
}

void RootComplex::forget(const RootPort& port) {
  for (const Card& card : cards_) card.port->forget(&port);
}

}  // namespace swai::rootport
