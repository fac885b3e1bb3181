// SPDX-License-Identifier: Apache-2.0
// What the card's PCIe side does, measured as a host program sees it: card cycles, which are nanoseconds.
// Prints a flat JSON object.

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>

#include "verif/system/dma.hpp"
#include "verif/system/rig.hpp"

namespace swai::system {
namespace {

using link::vendor::Command;
using link::vendor::Statistic;

constexpr uint64_t kBytes = 8 << 20;

// What the wire carries at best: 32 bytes per cycle, of which a packet's header and framing are no payload.
// Completions have headers of 12 bytes, writes above 4 GiB of 16.
constexpr double kLink = 32;
constexpr double kPayload = 256;
constexpr double kDownCapacity = kLink * kPayload / (kPayload + 12 + 8);
constexpr double kUpCapacity = kLink * kPayload / (kPayload + 16 + 8);

class Bench {
 public:
  Bench()
      : card_(rig_.open()),
        records_(card_->pin(kRecordsAt, 64 << 10)),
        buffer_(card_->pin(kBufferAt, kBytes)),
        dma_(*card_, records_) {}

  nlohmann::json run() {
    return {{"pcie.h2d_eff", copy(dma::kChannels, false) / kDownCapacity},
            {"pcie.d2h_eff", copy(dma::kChannels, true) / kUpCapacity},
            {"pcie.one_channel_eff", copy(1, false) / kDownCapacity},
            {"pcie.one_channel_d2h_eff", copy(1, true) / kUpCapacity},
            {"pcie.link_bytes_per_cycle", kLink},
            {"pcie.mmio_read_ns", register_read()},
            {"pcie.mmio_read_hbm_ns", memory_read()},
            {"pcie.mmio_write_ns", register_write()},
            {"pcie.dma_start_ns", dma_start()}};
  }

 private:
  // Bytes per cycle from the first doorbell to the last interrupt.
  double copy(unsigned channels, bool to_host) {
    const auto share = static_cast<uint32_t>(kBytes / channels);
    for (unsigned c = 0; c < channels; ++c) {
      dma_.add(c, kBufferAt + uint64_t{c} * share, regs::kHbmRegion.base + uint64_t{c} * share, share,
               to_host);
    }
    return static_cast<double>(kBytes) / static_cast<double>(dma_.finish());
  }

  uint64_t cycles_of(auto&& action) {
    const uint64_t before = card_->cycle();
    action();
    return card_->cycle() - before;
  }

  uint64_t register_read() {
    return cycles_of([&] { card_->read<uint64_t>(kRegisterBar, register_at(regs::pcie::shared::kAddr)); });
  }
  uint64_t memory_read() {
    return cycles_of([&] { card_->read<uint64_t>(kMemoryBar, 1 << 20); });
  }

  uint64_t statistic(Statistic which) {
    return card_->command(Command::kStatistic, {static_cast<uint64_t>(which), 0, 0, 0});
  }
  // From the arrival of the next access at the card's pins to the first packet that the card sends.
  uint64_t reaction(uint64_t vectors) {
    card_->run_until(vectors, 100'000);
    return statistic(Statistic::kTxFirstByteCycle) - statistic(Statistic::kRxFirstByteCycle);
  }

  // A register write has taken effect at the latest when the interrupt that it asks for leaves the card.
  uint64_t register_write() {
    constexpr uint64_t kVector = 20;
    const uint64_t wire = cycles_of([&] {
      card_->command(Command::kClearStatistics);
      card_->post<uint64_t>(kRegisterBar, register_at(regs::pcie::interrupt::kAddr), kVector);
      card_->run_until(uint64_t{1} << kVector, 100'000);
    });
    const uint64_t inside = statistic(Statistic::kTxFirstByteCycle) - statistic(Statistic::kRxFirstByteCycle);
    // The way out is as long as the way in.
    return (wire - inside) / 2 + inside;
  }

  // Doorbell at the card's pins to the first packet of the transfer at the card's pins.
  uint64_t dma_start() {
    dma_.add(0, kBufferAt, regs::kHbmRegion.base, 4096, false);
    dma_.put(0);
    card_->run_until(0, 10'000);
    card_->command(Command::kClearStatistics);
    dma_.ring(0);
    return reaction(1);
  }

  Rig rig_;
  std::unique_ptr<link::Card> card_;
  link::PinnedMemory records_;
  link::PinnedMemory buffer_;
  Dma dma_;
};

}  // namespace
}  // namespace swai::system

int main() {
  try {
    fmt::print("{}\n", swai::system::Bench().run().dump());
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "pcie-bench: {}\n", error.what());
    return 1;
  }
}
