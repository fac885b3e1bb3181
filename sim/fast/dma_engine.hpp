// SPDX-License-Identifier: Apache-2.0
// The DMA engine (docs/hardware/dma.md): eight channels between host memory and card memory. Data moves in
// one go when a descriptor is complete; when that is, follows from the wire's figures.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "abi/dma.hpp"
#include "sim/fast/card_memory.hpp"
#include "sim/fast/host_memory.hpp"
#include "sim/fast/register_block.hpp"

namespace swai::fast {

class DmaEngine final : public RegisterBlock {
 public:
  struct Outside {
    std::function<uint64_t()> now;
    std::function<bool()> bus_master;
    std::function<void(unsigned channel)> work;
    std::function<void(unsigned vector)> interrupt;
    // It reads memory of the card, where there is some.
    std::function<void(uint64_t address, uint64_t bytes)> reads;
  };

  DmaEngine(CardMemory& memory, HostMemory& host, Outside outside);

  // The cycle in which something is due; kNever: nothing is under way.
  static constexpr uint64_t kNever = ~uint64_t{0};
  uint64_t due() const;
  bool busy() const { return due() != kNever; }
  // Does what is due by now.
  void run();
  // A function-level reset, or a link that went down: all channels begin afresh.
  void abandon();
  void reset(bool power_on) override;
  // What waits for the host begins the piece again that it waits for.
  void visit(Archive& archive) override;

 protected:
  uint64_t load(uint64_t offset, uint64_t value) override;
  void stored(uint64_t offset, uint64_t data, uint64_t mask) override;

 private:
  struct Job {
    dma::Descriptor descriptor{};
    uint16_t index = 0;
    uint64_t done = 0;  // the cycle in which it is complete
    uint32_t moved = 0;
    bool bad = false;
  };
  struct Channel {
    uint64_t state = 0;  // as in dma.status; running is not kept, it shows
    uint16_t fetched = 0;
    uint16_t head = 0;
    uint64_t wire_free = 0;  // when the wire has taken what was begun last
    uint64_t last_done = 0;
    std::deque<Job> jobs;
    std::vector<uint8_t> buffer;
    HostMemory::Access access;

    void visit(Archive& archive);
  };
  enum class Moved : uint8_t { kAll, kWaits, kFailed };

  static uint64_t base(unsigned channel) { return channel * uint64_t{0x100}; }
  uint64_t of(unsigned channel, uint64_t offset) const { return at(base(channel) + offset); }
  void fetch(unsigned number);
  void schedule(Channel& channel, Job& job);
  // False: it has to wait for the host.
  bool complete(unsigned number);
  Moved move(unsigned number, Job& job);
  Moved move_piece(unsigned number, Job& job, uint32_t bytes);
  uint64_t missing_line(uint64_t address, uint64_t bytes) const;
  bool record(unsigned number, const Job& job);
  void fail(unsigned number, uint64_t cause, uint64_t access, uint16_t index, uint64_t address);
  void clear(unsigned number);

  CardMemory& memory_;
  HostMemory& host_;
  Outside outside_;
  std::array<Channel, dma::kChannels> channels_;
  std::array<uint64_t, 2> wire_free_{};  // by direction: to the card, to the host
};

}  // namespace swai::fast
