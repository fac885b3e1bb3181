// SPDX-License-Identifier: Apache-2.0
// One card's place in the host: the wire to it, host software's requests to it, and its requests to the host.
//
// A port has two sides. The card's side is clock(): once per clock of the card, at its pins. The root's side
// is driven by the RootComplex. Between them lie the wires' delays, so the sides need not run in step: see
// root_complex.hpp.
#pragma once

#include <bitset>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "sim/board/rootport/clock.hpp"
#include "sim/board/rootport/config_space.hpp"
#include "sim/board/rootport/counters.hpp"
#include "sim/board/rootport/faults.hpp"
#include "sim/board/rootport/host_requests.hpp"
#include "sim/board/rootport/iommu.hpp"
#include "sim/board/rootport/memory_requests.hpp"
#include "sim/board/rootport/options.hpp"
#include "sim/board/rootport/outbox.hpp"
#include "sim/board/rootport/pins.hpp"
#include "sim/board/rootport/wire.hpp"

namespace swai::rootport {

class Enumeration;
class RootPort;

enum class LinkState : uint8_t { kDown, kEnumerating, kReady, kFailed };
const char* text(LinkState state);

// The ports of all cards, as one of them sees them.
class Ports {
 public:
  virtual ~Ports() = default;
  // Which card has these addresses in a BAR0 that is switched on? nullptr: none, or routes are off.
  virtual RootPort* owner(uint64_t address, uint64_t bytes) = 0;
  // The card with that identity; nullptr: there is none.
  virtual RootPort* by_id(uint16_t id) = 0;
  // The link of this port has gone down: nothing is under way from it any more.
  virtual void forget(const RootPort& port) = 0;
};

class RootPort {
 public:
  // Ports are made by RootComplex::add().
  RootPort(const Clock& clock, Ports& ports, unsigned card, const PortOptions& options);
  ~RootPort();
  RootPort(const RootPort&) = delete;
  RootPort& operator=(const RootPort&) = delete;

  unsigned card() const { return card_; }
  const PortOptions& options() const { return options_; }

  // ---- The card's side

  // To be called before link_up(). All inputs of the endpoint are driven from now on.
  void attach(const EndpointPins& pins);

  // One clock: takes the endpoint's outputs as they stand, and drives its inputs for the next edge.
  void clock() {
    const uint64_t now = card_cycle_++;
    const bool ready = up_.ready(now) && link_up_;
    *pins_.tx_ready = ready;
    if (*pins_.tx_valid) {
      if (ready) {
        up_.take(now, pins_.tx_beat);
      } else {
        counters_.stalled_cycles += link_up_;
      }
    }
    if (*pins_.rx_limit != seen_rx_limit_) note_rx_limit(now);
    if (now >= next_input_) drive(now);
  }

  uint64_t card_cycle() const { return card_cycle_; }
  // The next call of clock() that changes an input of the card (a cycle later than card_cycle(), or equal to
  // it), as far as is known now. A sleeping card need not be clocked until then: skip() passes up to so many
  // cycles without a look at the pins.
  uint64_t next_input() const { return next_input_; }
  void skip(uint64_t cycles) { card_cycle_ += cycles; }

  // ---- Host software. Takes no simulated time: requests enter the wire's queue in the cycle in which the
  // root complex is. Answers come from inside RootComplex::advance() (or at once, when the request cannot be
  // sent at all).

  LinkState link() const {
    const bool ends = link_request_ == LinkRequest::kDown || link_request_ == LinkRequest::kReset;
    return ends ? LinkState::kDown : link_;
  }
  void on_link(std::function<void(LinkState)> handler) { link_handler_ = std::move(handler); }
  // Takes effect before the next cycle. Everything under way is lost; requests of the host end with
  // kLinkDown.
  void link_down();
  void link_up();
  // Down, and up again after options().reset_cycles; then enumeration, if it is on.
  void hot_reset();
  // Sizes and places the BARs, sets payload and read request sizes, switches memory and bus mastering on.
  void enumerate();

  // What enumeration has found, addresses as the card's registers hold them now.
  const Bar& bar(unsigned index) const { return config_.bar(index); }
  bool memory_enabled() const { return config_.memory_enabled(); }
  // The first 256 bytes of configuration space as enumeration has read them; the place of a capability, 0:
  // none.
  std::span<const uint8_t> config_header() const { return config_.header(); }
  unsigned capability(uint8_t id) const { return config_.capability(id); }

  // Any number of bytes, cut into packets at options().max_payload. Outside the BAR: kUnsupported.
  void mmio_read(unsigned bar, uint64_t offset, unsigned bytes, ReadDone done);
  ReadHandle mmio_read(unsigned bar, uint64_t offset, unsigned bytes);
  // False: outside the BAR, or the link is down.
  bool mmio_write(unsigned bar, uint64_t offset, std::span<const uint8_t> data);
  // Writes that wait for the wire or for credits: a host would hold its processor up, here it is the caller
  // who may.
  size_t posted_packets() const { return outbox_.posted(); }

  // Within 4096 bytes. Writes of BARs and of the command register are noted.
  void config_read(unsigned offset, unsigned bytes, ReadDone done) {
    config_.read(offset, bytes, std::move(done));
  }
  ReadHandle config_read(unsigned offset, unsigned bytes);
  void config_write(unsigned offset, std::span<const uint8_t> data, WriteDone done) {
    config_.write(offset, data, std::move(done));
  }
  WriteHandle config_write(unsigned offset, std::span<const uint8_t> data);

  // Message interrupts: called with the data that the card has written, from inside advance().
  void on_interrupt(std::function<void(uint32_t)> handler) { interrupt_handler_ = std::move(handler); }
  // Programs entries 0..vectors-1 of the MSI-X table (entry i gives interrupt i) and switches MSI-X on, as an
  // operating system does. False in `done`: the card has no MSI-X, or fewer vectors, or does not answer.
  void enable_msix(unsigned vectors, std::function<void(bool)> done);
  void disable_msix(std::function<void(bool)> done);

  Iommu& iommu() { return iommu_; }
  FaultKnobs& faults() { return faults_; }
  const PortCounters& counters() const { return counters_; }
  void clear_counters() { counters_ = {}; }

  // Any packet, as it is, behind everything that waits. For tests of an endpoint.
  void send(const Tlp& tlp);
  // Sees every packet that leaves (true) or arrives (false) at the root's side, and its cycle. For tests and
  // traces.
  void on_packet(std::function<void(bool to_card, uint64_t cycle, const Tlp&)> handler) {
    packet_handler_ = std::move(handler);
  }

  // Nothing is under way in either direction (credits may be), and no request of the host waits.
  bool quiet() const;
  // A remote memory has not answered yet; simulated time stands still.
  bool waiting() const { return memory_.waiting(); }

  // ---- For the root complex and other ports

  // The identity that the card has on the bus.
  uint16_t id() const { return static_cast<uint16_t>((card_ + 1) << 8); }
  // The next cycle in which run_root() has something to do; it then does what is due.
  uint64_t next_root_event() const;
  void run_root(uint64_t cycle);
  // Changes of the link happen between slices, when both sides are at the same cycle.
  bool link_change_asked() const { return link_request_ != LinkRequest::kNone; }
  uint64_t link_event() const { return link_event_; }
  void change_link(uint64_t cycle);
  // A request or completion that comes from another card (or this one), which holds credits for it: `origin`.
  void forward(const Tlp& tlp, RootPort* origin);
  // Packets that the host holds no longer: their credits go back to the card.
  void release(const Credits& credits);
  void release(const Tlp& tlp);
  // The link of `origin` has gone down.
  void forget(const RootPort* origin);

 private:
  enum class LinkRequest : uint8_t { kNone, kUp, kDown, kReset };
  struct Routed {
    uint64_t cycle = 0;
    RootPort* origin = nullptr;
    Tlp tlp;
  };

  void note_rx_limit(uint64_t now);
  void drive(uint64_t now);

  void count_arrival(Arrival& arrival);
  bool take_arrival(Arrival& arrival, uint64_t cycle);
  bool take_write(const Arrival& arrival, uint64_t cycle);
  void take_read(const Tlp& tlp, uint64_t cycle);
  void take_completion(const Tlp& tlp);
  void take_interrupt(const Tlp& tlp);
  RootPort* route(const Tlp& tlp);
  void send_waiting(uint64_t cycle);
  void settle_down();
  void settle_up(uint64_t cycle);
  void set_state(LinkState state);
  bool can_ask() const { return link() != LinkState::kDown; }

  const Clock& clock_;
  Ports& ports_;
  const unsigned card_;
  const PortOptions options_;
  EndpointPins pins_;
  PinStore nobody_;  // until attach()

  // The card's side.
  uint64_t card_cycle_ = 0;
  uint64_t next_input_ = 0;
  uint64_t seen_rx_limit_ = 0;
  bool link_up_ = false;
  UpWire up_;
  DownWire down_;
  DelayedCredits granted_;   // to the card
  DelayedCredits received_;  // from the card

  // The root's side.
  PortCounters counters_;
  FaultKnobs faults_;
  Iommu iommu_;
  Outbox outbox_;
  HostRequests requests_;
  ConfigSpace config_;
  MemoryRequests memory_;
  Ring<Routed> routed_;     // from other cards, until they may wait for the wire
  std::bitset<256> asked_;  // tags of this card's reads that were sent to a card
  Credits released_;        // what the card has been given in all
  LinkState link_ = LinkState::kDown;
  LinkRequest link_request_ = LinkRequest::kNone;
  uint64_t link_event_ = UINT64_MAX;  // the end of a reset
  uint64_t enumerate_at_ = UINT64_MAX;
  std::shared_ptr<Enumeration> enumeration_;
  std::function<void(LinkState)> link_handler_;
  std::function<void(uint32_t)> interrupt_handler_;
  std::function<void(bool, uint64_t, const Tlp&)> packet_handler_;
};

}  // namespace swai::rootport
