// Tells the host what has become of its commands: the lines of the status page that have changed, sent by a
// DMA channel of their own, then an interrupt. What changes while one transfer is under way goes with the
// next, so under load many completions share one.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "firmware/abi/protocol.hpp"
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

  void init(uint64_t sram) {
    sram_ = sram;
    channel_.init(sram, protocol::kStatusVector);
    page_ = 0;
    changed_ = 0;
    event_count_ = 0;
  }
  // Where the host's page lies; 0: nobody listens. What was under way is not waited for: a reset of the
  // endpoint may have taken it.
  void use_page(uint64_t iova) {
    channel_.restart();
    page_ = iova;
    changed_ = 0;
    event_count_ = 0;
    loud_ = false;
  }

  // The line of a queue; whoever changes it says so.
  protocol::QueueStatus& line(unsigned queue) { return lines_[queue]; }
  void changed(unsigned queue) {
    rewritten_ |= uint32_t{1} << queue;
    completed(queue, false);
  }
  // Nothing but `completed` and `cycle` has changed.
  void completed(unsigned queue, bool quiet) {
    changed_ |= uint32_t{1} << queue;
    loud_ = loud_ || !quiet;
  }

  // An event was recorded. There must be room.
  bool event_room() const { return event_count_ < kEventLines; }
  void event(unsigned number, const protocol::EventStatus& status) {
    if (page_ != 0) events_[event_count_++] = {number, status};
  }

  // Something can be sent now.
  bool ready() const { return (changed_ != 0 || event_count_ != 0) && channel_.idle() && page_ != 0; }
  // To be called after changes; `told`: the channel's work bit was set. True: there is room for events again.
  [[gnu::always_inline]] bool pump(bool told) {
    if (told && !channel_.idle()) look();
    if (!ready()) return false;
    const bool events = event_count_ != 0;
    if (events) send_events();
    for (; changed_ != 0; changed_ &= changed_ - 1) {
      const auto queue = static_cast<unsigned>(std::countr_zero(changed_));
      const uint64_t at = line_address(queue);
      put_line(at, queue);
      send(at, queue * sizeof(protocol::QueueStatus), sizeof(protocol::QueueStatus),
           flags((changed_ & (changed_ - 1)) == 0));
    }
    channel_.start();
    event_count_ = 0;
    loud_ = false;
    return events;
  }

 private:
  [[gnu::noinline]] void look() {
    channel_.poll();
    if (channel_.idle() || channel_.error() == 0) return;
    // The host's page is gone.
    machine_.note(journal::Fault::kStatusPage, {channel_.error(), channel_.error_address()});
    channel_.restart();
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
    rewritten_ &= ~(uint32_t{1} << queue);
  }
  // The engine tells of the last one of a transfer, and the host, if it is worth it.
  [[gnu::always_inline]] uint32_t flags(bool last) const {
    if (!last) return dma::kToHost;
    return dma::kToHost | dma::kWork | (loud_ ? dma::kInterrupt : 0);
  }
  [[gnu::noinline]] void send_events() {
    for (unsigned i = 0; i < event_count_; ++i) {
      const uint64_t at = line_address(protocol::kQueues + i);
      machine_.put(at, &events_[i].status, sizeof(protocol::EventStatus));
      send(at, offsetof(protocol::StatusPage, events) + events_[i].number * sizeof(protocol::EventStatus),
           sizeof(protocol::EventStatus), flags(changed_ == 0 && i + 1 == event_count_));
    }
  }
  [[gnu::always_inline]] void send(uint64_t from, uint64_t offset, uint32_t bytes, uint32_t flags) {
    channel_.push(
        {.host = page_ + offset, .card = from, .length = bytes, .flags = flags, .tag = 0, .reserved = 0});
  }

  struct Event {
    unsigned number;
    protocol::EventStatus status;
  };
  M& machine_;
  Channel channel_;
  uint64_t sram_ = 0;
  uint64_t page_ = 0;
  uint32_t changed_ = 0;
  uint32_t rewritten_ = 0;  // lines of which more than that has changed
  unsigned event_count_ = 0;
  bool loud_ = false;  // something of it is worth an interrupt
  std::array<protocol::QueueStatus, protocol::kQueues> lines_ = {};
  std::array<Event, kEventLines> events_ = {};
  static_assert(protocol::kQueues + kEventLines <= Channel::kEntries);
};

}  // namespace swai::runtime
