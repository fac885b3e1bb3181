// SPDX-License-Identifier: Apache-2.0
// Tells the host what has become of its commands: the lines of the status page that have changed, sent by a
// DMA channel of their own, then an interrupt. What changes while one transfer is under way goes with the
// next, so under load many completions share one. Each client has a page of its own; all share the channel,
// and one whose page is gone costs the others nothing but time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "abi/protocol.hpp"
#include "firmware/runtime/dma_channel.hpp"

namespace swai::runtime {

template <Machine M>
class Completions {
 public:
  static constexpr unsigned kChannel = 7;
  using Channel = DmaChannel<M>;
  // SRAM: the descriptors' ring, lines as they are sent, events as they are sent.
  static constexpr unsigned kEventLines = 8;
  static constexpr uint64_t kBytes = Channel::kRingBytes + protocol::kQueues * 64 + kEventLines * 64;

  explicit Completions(M& machine) : machine_(machine), channel_(machine, kChannel) {}

  [[gnu::cold, gnu::noinline]] void init(uint64_t sram) {
    sram_ = sram;
    channel_.init(sram, protocol::kStatusVector);
    forget();
  }
  // Nobody listens any more. What was under way is not waited for: a reset of the endpoint may have taken it.
  void restart() {
    culprit_ = 0;
    channel_.restart();
    forget();
  }
  // The channel is to begin anew and has not yet. To be tried again now and then.
  bool stuck() const { return channel_.stuck(); }
  void mend() {
    if (stuck()) go_on();
  }
  // The PCIe function was reset since, and with it whoever was attached.
  bool cut_off() { return !channel_.enabled(); }
  // Who hears of a queue from now on, on the page at this bus address; 0: nobody.
  void listen(unsigned queue, uint8_t context, uint64_t page) {
    pages_[queue] = page;
    listeners_[queue] = context;
    listening_ = page != 0 ? listening_ | bit(queue) : listening_ & ~bit(queue);
  }
  // Its line is under way to the host.
  bool sending(unsigned queue) const { return (sending_ & bit(queue)) != 0; }
  // Nothing of the context is sent any more. False: not yet, to be called again.
  [[gnu::cold, gnu::noinline]] bool stop(uint8_t context) {
    uint32_t its = 0;
    for (unsigned queue = 0; queue < protocol::kQueues; ++queue)
      its |= listeners_[queue] == context ? bit(queue) : 0;
    listening_ &= ~its;
    const bool flies =
        (sending_ & its) != 0 || std::any_of(events_.begin(), events_.begin() + sending_events_,
                                             [&](const Event& event) { return event.context == context; });
    if (flies && !take_back()) return false;
    drop(context);
    return true;
  }

  // The line of a queue; whoever changes it says so.
  protocol::QueueStatus& line(unsigned queue) { return lines_[queue]; }
  void changed(unsigned queue) {
    rewritten_ |= bit(queue);
    completed(queue, false);
  }
  // Nothing but `completed` and `cycle` has changed.
  void completed(unsigned queue, bool quiet) {
    changed_ |= bit(queue);
    loud_ = loud_ || !quiet;
  }

  // An event was recorded. There must be room.
  bool event_room() const { return event_count_ < kEventLines; }
  void event(uint8_t context, uint64_t page, unsigned number, const protocol::EventStatus& status) {
    if (page == 0) return;
    const uint64_t offset = offsetof(protocol::StatusPage, events) + number * sizeof(protocol::EventStatus);
    events_[event_count_++] = {page + offset, context, status};
    changed_ |= kEvents;
  }

  // Something can be sent now.
  bool ready() const { return (changed_ & listening_) != 0 && channel_.idle(); }
  // Something that has not been sent is worth an interrupt.
  bool loud() const { return loud_; }
  // Nobody waits to be told anything, but perhaps that quiet commands of this queue are complete.
  bool can_wait(unsigned queue) const {
    return (changed_ & listening_ & ~bit(queue)) == 0 && (rewritten_ & bit(queue)) == 0 && !loud_;
  }
  // To be called after changes; `told`: the channel's work bit was set. True: there is room for events again.
  [[gnu::always_inline]] bool pump(bool told) {
    bool room = false;
    if (told && !channel_.idle()) room = look();
    if (!ready()) return room;
    sending_ = changed_ & listening_;
    changed_ = 0;
    if ((sending_ & kEvents) != 0) send_events();
    for (uint32_t left = sending_; left != 0; left &= left - 1) {
      const auto queue = static_cast<unsigned>(std::countr_zero(left));
      const uint64_t at = line_address(queue);
      put_line(at, queue);
      send(pages_[queue] + queue * sizeof(protocol::QueueStatus), at, sizeof(protocol::QueueStatus),
           flags((left & (left - 1)) == 0));
    }
    channel_.start();
    loud_ = false;
    return room;
  }

 private:
  struct Event {
    uint64_t host;
    uint8_t context;
    protocol::EventStatus status;
  };
  static constexpr uint32_t bit(unsigned queue) { return uint32_t{1} << queue; }
  // Beside the queues' bits: events that have not been sent. Only events with a page are put here.
  static constexpr uint32_t kEvents = bit(31);
  static_assert(protocol::kQueues < 31);

  void forget() {
    pages_ = {};
    listeners_ = {};
    listening_ = kEvents;
    changed_ = sending_ = 0;
    event_count_ = sending_events_ = 0;
    loud_ = false;
  }
  // True: there is room for events again.
  [[gnu::always_inline]] bool look() {
    channel_.poll();
    if (!channel_.idle()) [[unlikely]]
      return look_for_error();
    sending_ = 0;
    return sending_events_ != 0 && events_were_sent();
  }
  [[gnu::noinline]] bool events_were_sent() {
    std::copy(events_.begin() + sending_events_, events_.begin() + event_count_, events_.begin());
    event_count_ -= sending_events_;
    sending_events_ = 0;
    return true;
  }
  // Somebody's page is gone. What there is for it is lost; what was under way to others is sent once more,
  // alone.
  [[gnu::cold, gnu::noinline]] bool look_for_error() {
    const unsigned cause = channel_.error();
    if (cause == 0) return false;
    const uint64_t address = channel_.error_address();
    machine_.note(journal::Fault::kStatusPage, {cause, address});
    culprit_ = listener_at(address);
    return go_on();
  }
  [[gnu::cold, gnu::noinline]] bool go_on() {
    if (!take_back()) return false;
    drop(culprit_);
    return true;
  }
  // What waits for a client; 0: for anybody.
  [[gnu::cold, gnu::noinline]] void drop(uint8_t context) {
    const auto is_its = [&](uint8_t listener) { return context == 0 || listener == context; };
    for (unsigned queue = 0; queue < protocol::kQueues; ++queue)
      changed_ &= is_its(listeners_[queue]) ? ~bit(queue) : ~uint32_t{0};
    const auto first = events_.begin() + sending_events_;
    event_count_ =
        static_cast<unsigned>(std::remove_if(first, events_.begin() + event_count_,
                                             [&](const Event& event) { return is_its(event.context); }) -
                              events_.begin());
    changed_ = event_count_ != sending_events_ ? changed_ | kEvents : changed_ & ~kEvents;
  }
  // To whom something was under way to this address; 0: to nobody.
  uint8_t listener_at(uint64_t address) const {
    for (uint32_t left = sending_; left != 0; left &= left - 1) {
      const auto queue = static_cast<unsigned>(std::countr_zero(left));
      const uint64_t at = pages_[queue] + queue * sizeof(protocol::QueueStatus);
      if (address - at < sizeof(protocol::QueueStatus)) return listeners_[queue];
    }
    for (unsigned i = 0; i < sending_events_; ++i) {
      if (address - events_[i].host < sizeof(protocol::EventStatus)) return events_[i].context;
    }
    return 0;
  }
  // Nothing is under way any more; what was waits again. False: not yet.
  bool take_back() {
    if (!channel_.restart()) return false;
    changed_ |= sending_;
    sending_ = 0;
    sending_events_ = 0;
    loud_ = true;
    return true;
  }
  uint64_t line_address(unsigned queue) const { return sram_ + Channel::kRingBytes + queue * 64; }
  [[gnu::always_inline]] void put_line(uint64_t at, unsigned queue) {
    const protocol::QueueStatus& line = lines_[queue];
    if (rewritten_ != 0) [[unlikely]] {
      put_whole_line(at, queue);
    } else {
      machine_.put(at + offsetof(protocol::QueueStatus, completed), &line.completed, sizeof(uint64_t));
      machine_.put(at + offsetof(protocol::QueueStatus, cycle), &line.cycle, sizeof(uint64_t));
    }
  }
  [[gnu::noinline]] void put_whole_line(uint64_t at, unsigned queue) {
    machine_.put(at, &lines_[queue], sizeof(protocol::QueueStatus));
    rewritten_ &= ~bit(queue);
  }
  // The engine tells of the last one of a transfer, and the host, if it is worth it.
  [[gnu::always_inline]] uint32_t flags(bool last) const {
    if (!last) return dma::kToHost;
    return dma::kToHost | dma::kWork | (loud_ ? dma::kInterrupt : 0);
  }
  [[gnu::noinline]] void send_events() {
    sending_ &= ~kEvents;
    for (unsigned i = 0; i < event_count_; ++i) {
      const uint64_t at = line_address(protocol::kQueues + i);
      machine_.put(at, &events_[i].status, sizeof(protocol::EventStatus));
      send(events_[i].host, at, sizeof(protocol::EventStatus), flags(sending_ == 0 && i + 1 == event_count_));
    }
    sending_events_ = event_count_;
  }
  [[gnu::always_inline]] void send(uint64_t host, uint64_t card, uint32_t bytes, uint32_t flags) {
    channel_.push({.host = host, .card = card, .length = bytes, .flags = flags, .tag = 0, .reserved = 0});
  }

  M& machine_;
  Channel channel_;
  uint64_t sram_ = 0;
  uint32_t changed_ = 0;  // lines and events that have not been sent
  uint32_t listening_ = kEvents;
  uint32_t rewritten_ = 0;  // lines of which more than that has changed
  uint32_t sending_ = 0;    // lines that are under way
  uint8_t culprit_ = 0;     // whose page is gone; 0: nobody knows
  unsigned event_count_ = 0;
  unsigned sending_events_ = 0;  // the first so many are under way
  bool loud_ = false;            // something of it is worth an interrupt
  std::array<uint64_t, protocol::kQueues> pages_ = {};
  std::array<protocol::QueueStatus, protocol::kQueues> lines_ = {};
  std::array<uint8_t, protocol::kQueues> listeners_ = {};
  std::array<Event, kEventLines> events_ = {};
  static_assert(protocol::kQueues + kEventLines <= Channel::kEntries);
};

}  // namespace swai::runtime
