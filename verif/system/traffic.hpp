// SPDX-License-Identifier: Apache-2.0
// Copies that are verified, on all channels at once: what goes on beside an error, and what proves afterwards
// that the card works.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "host/transport/card.hpp"
#include "sim/common/random.hpp"
#include "verif/system/dma.hpp"

namespace swai::system {

inline constexpr uint64_t kAllChannels = (uint64_t{1} << dma::kChannels) - 1;

class Traffic {
 public:
  static constexpr uint64_t kSlice = 24 << 10;        // of a channel
  static constexpr uint64_t kNobody = 0x7'0000'0000;  // bus addresses where nothing is mapped

  Traffic(link::Card& card, uint64_t seed, uint64_t card_at = regs::kHbmRegion.base + (uint64_t{1} << 30));

  link::Card& card;
  verif::Random random;
  link::PinnedMemory records;
  link::PinnedMemory buffer;
  Dma dma;

  // New random bytes for these channels, to the card, in pieces of all lengths.
  void send(uint64_t channels = kAllChannels);
  // Fetches what these channels sent last; nothing else.
  void fetch(uint64_t channels = kAllChannels);
  // Whether what was fetched is what was sent.
  void check(uint64_t channels = kAllChannels);
  // There and back, verified.
  void prove(uint64_t channels = kAllChannels);

  // Where the channel's slice lies for the host, on its way there and back, and on the card.
  uint64_t sent_at(unsigned channel) const { return kBufferAt + 2 * channel * kSlice; }
  uint64_t fetched_at(unsigned channel) const { return sent_at(channel) + kSlice; }
  uint64_t card_at(unsigned channel) const { return card_at_ + 2 * channel * kSlice + shift_[channel]; }
  uint8_t* sent(unsigned channel) const { return buffer.data() + sent_at(channel) - kBufferAt; }
  uint8_t* fetched(unsigned channel) const { return buffer.data() + fetched_at(channel) - kBufferAt; }
  void fill(uint8_t* at, uint64_t bytes);

  uint64_t pcie(uint64_t address) { return card.read<uint64_t>(kRegisterBar, register_at(address)); }
  uint64_t statistic(link::vendor::Statistic which) {
    return card.command(link::vendor::Command::kStatistic, {static_cast<uint64_t>(which)});
  }
  void inject(link::vendor::Fault fault, uint64_t count, uint64_t skip) {
    card.command(link::vendor::Command::kInject, {static_cast<uint64_t>(fault), count, skip});
  }

 private:
  void move(unsigned channel, uint64_t host, bool to_host);

  uint64_t card_at_;
  std::array<uint64_t, dma::kChannels> shift_{};
};

// Stage `ready` in the boot status.
bool firmware_ready(link::Card& card);

}  // namespace swai::system
