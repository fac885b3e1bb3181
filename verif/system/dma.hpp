// SPDX-License-Identifier: Apache-2.0
// The card's DMA engine, driven by the host through BAR4 with rings in the card's SRAM: what tests use before
// firmware does.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "abi/dma.hpp"
#include "build/gen/card_regs.hpp"
#include "host/transport/card.hpp"

namespace swai::system {

// BAR4 shows the PCIe node's registers, BAR0 the card's memory.
inline constexpr unsigned kMemoryBar = 0;
inline constexpr unsigned kRegisterBar = 4;
inline constexpr uint64_t kSramAt = uint64_t{64} << 30;  // in BAR0; HBM begins at 0

// Where host programs here put their memory for the card.
inline constexpr uint64_t kRecordsAt = 0x1000'0000;
inline constexpr uint64_t kBufferAt = 0x2'0000'0000;  // beyond 32 bits: headers of four doublewords

inline uint64_t register_at(uint64_t address) { return address - regs::kCardRegion.base; }
inline uint64_t sram_at(uint64_t address) { return kSramAt + address - regs::kLocalRegion.base; }

class Dma {
 public:
  static constexpr unsigned kLog2Entries = 6;
  static constexpr unsigned kEntries = 1 << kLog2Entries;
  // Rings lie at the end of the SRAM, where the host may write.
  static constexpr uint64_t kRings = regs::kLocalRegion.base + regs::kSramBytes - 0x8000;

  // `records`: memory that the card reaches, kChannels * kEntries * 16 bytes. Vector of channel c is c.
  Dma(link::Card& card, link::PinnedMemory& records);

  // Puts a descriptor into the channel's queue; start() hands over what fits into the rings, with an
  // interrupt and a record for the last one of each channel.
  void add(unsigned channel, uint64_t host, uint64_t card, uint32_t length, bool to_host);
  void add(unsigned channel, const dma::Descriptor& descriptor);
  void start();
  // The same in two steps, for one channel and what fits into its ring: descriptors, then the doorbell.
  void put(unsigned channel);
  void ring(unsigned channel);
  // Everything that was added has been done; card cycles that it took since the call. Throws when a channel
  // stops with an error or nothing happens for `limit` cycles.
  uint64_t finish(uint64_t limit = 20'000'000);

  // As finish(), but channels may stop: how they did is returned, and what they had not done is forgotten.
  struct Stop {
    unsigned channel = 0;
    uint64_t state = 0;
    uint64_t cause = 0;
    uint64_t access = 0;
    uint64_t index = 0;
    uint64_t address = 0;
  };
  std::vector<Stop> finish_or_stop(uint64_t limit = 20'000'000);
  // Stops a channel in the midst of its work (no interrupt tells of that) and waits until it has.
  Stop abort(unsigned channel);

  uint64_t read(uint64_t address, unsigned channel) {
    return card_.read<uint64_t>(kRegisterBar, register_at(address) + channel * regs::dma::control::kStride);
  }
  void write(uint64_t address, unsigned channel, uint64_t value) {
    card_.post<uint64_t>(kRegisterBar, register_at(address) + channel * regs::dma::control::kStride, value);
  }
  // Clears the channel, whatever its state, and sets it up anew.
  void reset(unsigned channel);

 private:
  struct Channel {
    std::deque<dma::Descriptor> waiting;
    uint16_t tail = 0;
    uint16_t done = 0;
  };

  void set_up(unsigned channel);
  bool busy() const;
  bool complete(unsigned channel) const;
  void collect(unsigned channel);
  // How the channel has stopped; nothing: it works.
  std::optional<Stop> stopped(unsigned channel);
  void forget(unsigned channel);
  std::string describe(const link::vendor::RunResult& result);

  link::Card& card_;
  link::PinnedMemory& records_;
  std::array<Channel, dma::kChannels> channels_;
};

}  // namespace swai::system
