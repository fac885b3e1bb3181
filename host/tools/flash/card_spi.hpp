// SPDX-License-Identifier: Apache-2.0
// The flash chip of a running card, through PCIe: the card's own flash controller, worked by its halted
// processor. The way in when the firmware is dead, and in recovery.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "abi/image.hpp"
#include "host/tools/flash/halted_processor.hpp"
#include "host/tools/flash/spi_bus.hpp"

namespace swai::flash {

class CardSpi final : public SpiBus {
 public:
  // Halts the card behind this socket; it goes on when this ends. Throws BoardError kBusy while the card
  // boots.
  explicit CardSpi(const std::string& socket);

  void run(std::span<const SpiCommand> commands) override;
  void recover() override;
  std::string description() const override;
  size_t best_read_bytes() const override { return size_t{4} << 10; }
  // Looks cost more than a wait.
  double bytes_per_us() const override { return 0; }
  void pass(std::chrono::microseconds time) override;

  // The slot whose image runs.
  std::optional<image::Slot> running() const { return running_; }

 private:
  void one(const SpiCommand& command);
  void wait_idle();

  std::string socket_;
  std::unique_ptr<link::Card> card_;
  std::optional<image::Slot> running_;
  std::unique_ptr<HaltedProcessor> processor_;
};

}  // namespace swai::flash
