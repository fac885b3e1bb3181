// SPDX-License-Identifier: Apache-2.0
#include "sim/board/rootport/root_port.hpp"

#include <algorithm>

#include "sim/board/rootport/enumeration.hpp"

namespace swai::rootport {
namespace {

constexpr uint64_t kInterruptBase = 0xFEE0'0000, kInterruptBytes = 0x10'0000;
constexpr uint16_t kRootId = 0;

TlpLimits limits_of(const PortOptions& options) {
  return {.max_payload = options.max_payload, .max_read = options.max_read, .completion_boundary = 64};
}

}  // namespace

const char* text(LinkState state) {
  static constexpr const char* kTexts[] = {"down", "enumerating", "ready", "failed"};
  return kTexts[static_cast<size_t>(state)];
}

RootPort::RootPort(const Clock& clock, Ports& ports, unsigned card, const PortOptions& options)
    : clock_(clock),
      ports_(ports),
      card_(card),
      options_(options),
      up_(options.to_root, limits_of(options)),
      down_(options.to_card),
      iommu_(card),
      requests_(clock, id(), options.read_timeout, options.max_payload,
                [this](const Tlp& tlp) { send(tlp); }),
      config_(requests_, [this] { return can_ask(); }),
      memory_({.options = options_,
               .iommu = iommu_,
               .faults = faults_,
               .counters = counters_,
               .send = [this](const Tlp& tlp) { send(tlp); },
               .release = [this](const Tlp& tlp) { release(tlp); }}) {
  attach(nobody_.pins());
}

RootPort::~RootPort() {
  if (enumeration_) enumeration_->cancel();
}

// ---- The card's side

void RootPort::attach(const EndpointPins& pins) {
  pins_ = pins;
  *pins_.link_up = 0;
  *pins_.tx_ready = 0;
  *pins_.tx_limit = 0;
  *pins_.rx_valid = 0;
  card_cycle_ = clock_.cycle;
  next_input_ = 0;
}

void RootPort::note_rx_limit(uint64_t now) {
  if (!link_up_) return;
  seen_rx_limit_ = *pins_.rx_limit;
  received_.push(now + options_.to_root.delay, seen_rx_limit_);
}

void RootPort::drive(uint64_t now) {
  *pins_.link_up = link_up_;
  if (now >= granted_.next()) {
    *pins_.tx_limit = granted_.at(now);
    up_.grant(Credits::unpack(*pins_.tx_limit));
  }
  if (now >= down_.next()) down_.drive(now, pins_);
  next_input_ = std::min(granted_.next(), down_.next());
}

// ---- Link

void RootPort::link_down() { link_request_ = LinkRequest::kDown; }
void RootPort::link_up() { link_request_ = LinkRequest::kUp; }
void RootPort::hot_reset() { link_request_ = LinkRequest::kReset; }

void RootPort::change_link(uint64_t cycle) {
  const LinkRequest request = link_request_;
  link_request_ = LinkRequest::kNone;
  if (request == LinkRequest::kDown || request == LinkRequest::kReset) {
    settle_down();
    link_event_ = request == LinkRequest::kReset ? cycle + options_.reset_cycles : UINT64_MAX;
  } else if (request == LinkRequest::kUp || cycle >= link_event_) {
    link_event_ = UINT64_MAX;
    if (!link_up_) settle_up(cycle);
  }
}

void RootPort::settle_down() {
  link_up_ = false;
  next_input_ = 0;
  // Other cards get their credits back.
  const auto lost = [](const auto& entry) {
    if (entry.origin != nullptr) entry.origin->release(entry.tlp);
  };
  for (size_t i = 0; i < routed_.size(); ++i) lost(routed_[i]);
  counters_.lost_in_reset +=
      up_.clear() + down_.clear() + outbox_.clear(lost) + routed_.size() + memory_.clear();
  routed_.clear();
  asked_.reset();
  granted_.reset(0);
  received_.reset(0);
  enumerate_at_ = UINT64_MAX;
  if (enumeration_) enumeration_->cancel();
  enumeration_.reset();
  config_.clear();
  ports_.forget(*this);
  set_state(LinkState::kDown);
  requests_.fail_all(RequestStatus::kLinkDown);
}

void RootPort::settle_up(uint64_t cycle) {
  link_up_ = true;
  next_input_ = 0;
  released_ = options_.granted;
  granted_.push(cycle, released_.pack());
  seen_rx_limit_ = ~uint64_t{0};  // no such limit: the card's is news
  if (options_.enumerate) enumerate_at_ = cycle + options_.settle_cycles;
  set_state(LinkState::kEnumerating);
}

void RootPort::set_state(LinkState state) {
  link_ = state;
  if (link_handler_) link_handler_(state);
}

void RootPort::enumerate() {
  if (!can_ask()) return;
  if (enumeration_) enumeration_->cancel();
  enumerate_at_ = UINT64_MAX;
  enumeration_ = std::make_shared<Enumeration>(config_, options_, card_, [this](bool ready) {
    set_state(ready ? LinkState::kReady : LinkState::kFailed);
  });
  if (link_ != LinkState::kEnumerating) set_state(LinkState::kEnumerating);
  enumeration_->start();
}

void RootPort::send(const Tlp& tlp) {
  if (can_ask()) outbox_.push(tlp);
}

bool RootPort::quiet() const {
  return link_request_ == LinkRequest::kNone && link_event_ == UINT64_MAX && enumerate_at_ == UINT64_MAX &&
         up_.idle() && down_.idle() && outbox_.empty() && routed_.empty() && requests_.idle() &&
         memory_.idle();
}

// ---- The root's side

uint64_t RootPort::next_root_event() const {
  uint64_t next = std::min(
      {up_.next_arrival(), received_.next(), memory_.next_event(), requests_.next_timeout(), enumerate_at_});
  if (!routed_.empty()) next = std::min(next, routed_.front().cycle);
  if (outbox_.next() != nullptr) next = std::min(next, down_.free_cycle());
  return next;
}

void RootPort::run_root(uint64_t cycle) {
  if (cycle >= received_.next()) outbox_.set_limit(Credits::unpack(received_.at(cycle)));
  while (up_.next_arrival() <= cycle) {
    if (!take_arrival(up_.front(), cycle)) return;
    up_.pop();
  }
  while (!routed_.empty() && routed_.front().cycle <= cycle) {
    outbox_.push(routed_.front().tlp, routed_.front().origin);
    routed_.pop();
  }
  if (!memory_.run(cycle)) return;
  requests_.expire(cycle);
  if (cycle >= enumerate_at_) enumerate();
  send_waiting(cycle);
}

void RootPort::send_waiting(uint64_t cycle) {
  while (down_.free_cycle() <= cycle) {
    const Outbox::Entry* entry = outbox_.next();
    if (entry == nullptr) return;
    const Tlp& tlp = entry->tlp;
    down_.send(cycle, tlp);
    next_input_ = std::min(next_input_, down_.next());
    DirectionCounters& counters = counters_.to_card;
    ++counters.packets[static_cast<size_t>(tlp.kind)];
    counters.payload_bytes += tlp.payload_bytes();
    counters.wire_bytes += tlp.header_bytes() + tlp.payload_bytes() + options_.to_card.overhead;
    if (entry->origin != nullptr) entry->origin->release(tlp);
    outbox_.pop();
    if (packet_handler_) packet_handler_(true, cycle, down_.last_sent());
  }
}

void RootPort::release(const Credits& credits) {
  released_.add(credits);
  granted_.push(clock_.cycle + options_.to_card.delay, released_.pack());
  next_input_ = std::min(next_input_, granted_.next());
}

void RootPort::release(const Tlp& tlp) {
  if (!tlp.completion()) release(credits_of(tlp));
}

void RootPort::count_arrival(Arrival& arrival) {
  if (arrival.counted) return;
  arrival.counted = true;
  counters_.credits_exceeded += arrival.over_credits;
  if (arrival.error != TlpError::kNone) {
    ++counters_.malformed;
    counters_.last_error = arrival.error;
    return;
  }
  const Tlp& tlp = arrival.tlp;
  DirectionCounters& counters = counters_.to_root;
  ++counters.packets[static_cast<size_t>(tlp.kind)];
  counters.payload_bytes += tlp.payload_bytes();
  counters.wire_bytes += tlp.header_bytes() + tlp.payload_bytes() + options_.to_root.overhead;
  if (packet_handler_) packet_handler_(false, clock_.cycle, tlp);
}

// False: a remote memory has not answered; the arrival stays.
bool RootPort::take_arrival(Arrival& arrival, uint64_t cycle) {
  count_arrival(arrival);
  if (arrival.error != TlpError::kNone) {
    release(arrival.credits);
    return true;
  }
  const Tlp& tlp = arrival.tlp;
  switch (tlp.kind) {
    case TlpKind::kMemWrite:
      return take_write(arrival, cycle);
    case TlpKind::kMemRead:
      take_read(tlp, cycle);
      return true;
    case TlpKind::kCompletion:
    case TlpKind::kCompletionData:
      take_completion(tlp);
      return true;
    default:
      // A card cannot configure anybody.
      ++counters_.refused_requests;
      send(completion(tlp, CplStatus::kUnsupported, kRootId));
      release(arrival.credits);
      return true;
  }
}

bool RootPort::take_write(const Arrival& arrival, uint64_t cycle) {
  const Tlp& tlp = arrival.tlp;
  if (RootPort* target = tlp.address - kInterruptBase < kInterruptBytes ? nullptr : route(tlp)) {
    ++counters_.routed_requests;
    target->forward(tlp, this);
    return true;
  }
  if (tlp.poisoned) {
    ++counters_.poisoned_writes;
  } else if (tlp.address - kInterruptBase < kInterruptBytes) {
    take_interrupt(tlp);
  } else if (!memory_.write(tlp, cycle)) {
    return false;
  }
  release(arrival.credits);
  return true;
}

void RootPort::take_interrupt(const Tlp& tlp) {
  if (tlp.length != 1 || tlp.first_be != 0xF) {
    ++counters_.refused_requests;
    return;
  }
  ++counters_.interrupts;
  const uint32_t data = tlp.data[0] | tlp.data[1] << 8 | tlp.data[2] << 16 | uint32_t{tlp.data[3]} << 24;
  if (interrupt_handler_) interrupt_handler_(data);
}

void RootPort::take_read(const Tlp& tlp, uint64_t cycle) {
  RootPort* target = route(tlp);
  if (target == nullptr) return memory_.read(tlp, cycle);
  ++counters_.routed_requests;
  asked_.set(tlp.tag);
  target->forward(tlp, this);
}

// A card whose BAR0 has what the IOMMU does not map.
RootPort* RootPort::route(const Tlp& tlp) {
  const uint64_t first = tlp.address + tlp.first_byte();
  const uint64_t bytes = tlp.byte_span();
  return iommu_.touches(first, bytes) ? nullptr : ports_.owner(first, bytes);
}

void RootPort::take_completion(const Tlp& tlp) {
  if (tlp.requester == kRootId) {
    if (faults_.next(Fault::kDropAnswer)) return;
    if (!requests_.completion(tlp)) ++counters_.unexpected_completions;
    return;
  }
  RootPort* asker = ports_.by_id(tlp.requester);
  if (asker == nullptr || !asker->asked_[tlp.tag]) {
    ++counters_.unexpected_completions;
    return;
  }
  const bool last = !tlp.has_data() || tlp.byte_count + (tlp.lower_address & 3u) <= tlp.payload_bytes();
  if (last) asker->asked_.reset(tlp.tag);
  asker->forward(tlp, nullptr);
}

void RootPort::forward(const Tlp& tlp, RootPort* origin) {
  Routed& routed = routed_.push();
  routed.cycle = clock_.cycle + options_.route_latency;
  routed.origin = origin;
  routed.tlp = tlp;
}

void RootPort::forget(const RootPort* origin) {
  outbox_.forget(origin);
  for (size_t i = 0; i < routed_.size(); ++i) {
    if (routed_[i].origin == origin) routed_[i].origin = nullptr;
  }
}

}  // namespace swai::rootport
