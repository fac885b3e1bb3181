// SPDX-License-Identifier: Apache-2.0
// Random descriptors on all channels, and a checker that looks at memory whenever the engine says that one is
// complete: when an interrupt arrives, a record is written, a work bit is raised, the head moves.
#pragma once

#include <deque>
#include <vector>

#include "verif/rtl/pcie/dma/engine.hpp"

namespace swai::dma_test {

class Traffic {
 public:
  // Every channel has its own places in host and card memory: what is read, what is written, records.
  static constexpr uint64_t kArea = 0x1'0000;
  static constexpr uint64_t kSource = 0, kTarget = 0x4'0000, kRecords = 0x8'0000;

  explicit Traffic(Engine& engine);

  // The channel must be idle with all counts 0. `announce`: an error raises interrupt and work bit.
  void set_up(unsigned channel, bool announce = false);
  // Puts another random descriptor into the ring if there is room.
  bool post(unsigned channel);
  void post(unsigned channel, Descriptor descriptor);
  void post_unchecked(unsigned channel, const Descriptor& descriptor);  // its target is nobody's
  Descriptor random_descriptor(unsigned channel);
  void look_at_head(unsigned channel);
  // Everything posted is complete and every byte of the target areas is what it should be.
  void finish(unsigned channel);
  void compare(unsigned channel);
  // After an abort: the descriptors from the head on may have been carried out in part.
  void forget_from_head(unsigned channel);
  // A little of everything on these channels.
  void pump(unsigned channels);

  uint64_t posted() const { return total_; }
  uint64_t bytes() const { return bytes_; }
  uint64_t host_base(unsigned channel) const {
    return (channel % 2 == 0 ? 0x1000'0000 : 0x5'8000'0000) + channel * 0x10'0000;
  }
  uint64_t card_base(unsigned channel) const { return 0x80'0000'0000 + channel * 0x10'0000; }
  uint64_t ring_base(unsigned channel) const { return 0x8000'0000 + channel * 0x2000; }
  bool full(unsigned channel) const;
  uint16_t head(unsigned channel) const { return static_cast<uint16_t>(channels_[channel].head); }
  size_t count(unsigned channel) const { return channels_[channel].items.size(); }

  // What comes without a descriptor that asked for it.
  std::function<void(unsigned channel)> on_extra_interrupt, on_extra_work;

  uint64_t max_length = 20'000;
  int direction = -1;  // 0: only to the card, 1: only to the host

 private:
  struct Channel {
    std::vector<Descriptor> items;                  // since the last set-up
    uint64_t head = 0;                              // as last seen
    size_t interrupts = 0, works = 0, records = 0;  // looked for from here on
    uint64_t host_target = 0, card_target = 0;      // next free place
    std::vector<uint8_t> host_shadow, card_shadow;  // of the target areas
  };

  // Perhaps makes of the descriptor one that brings back what the one before it has brought; that wants a
  // fence.
  void return_last(unsigned channel, Descriptor& descriptor) const;
  void fill(Memory& memory, uint64_t at);
  void check_data(unsigned channel, size_t index, const char* when);
  void check_record(unsigned channel, size_t index);
  void interrupt(unsigned vector);
  void work(unsigned channel);
  void written(uint64_t address, uint64_t size, bool on_card);
  uint64_t record_address(unsigned channel, size_t index) const;

  Engine& engine_;
  verif::Random& random_;
  std::array<Channel, kChannels> channels_;
  uint64_t total_ = 0, bytes_ = 0;
  struct Later {
    uint64_t arrived;
    unsigned channel;
    size_t index;
  };
  std::deque<Later> later_;
};

}  // namespace swai::dma_test
