// SPDX-License-Identifier: Apache-2.0
// The flash chip's model on an SPI bus without a board: the chip's time passes with each byte. Power can go
// in the middle of an operation, and transfers can fail.
#pragma once

#include <functional>
#include <optional>

#include "host/tools/flash/spi_bus.hpp"
#include "sim/board/flash/flash_chip.hpp"

namespace swai::flash {

// When power goes: in the operation (program, erase) with this number, from 0, that far on (0 to 1).
struct PowerCut {
  uint64_t operation = 0;
  double progress = 0;
};

class ChipBus final : public SpiBus {
 public:
  // The chip with its defects; the bus takes note of its operations.
  ChipBus(card::FlashStore& store, card::FlashOptions options);

  void run(std::span<const SpiCommand> commands) override;
  void recover() override;
  std::string description() const override { return "on a test's bus"; }
  size_t best_read_bytes() const override { return size_t{64} << 10; }
  double bytes_per_us() const override { return 1000.0 / kByteNs; }

  card::FlashChip& chip() { return chip_; }
  // So far, in bytes that they program or erase.
  const std::vector<uint32_t>& operations() const { return operations_; }

  std::optional<PowerCut> cut;
  // Asked before each command; may throw.
  std::function<void(const SpiCommand&)> before = [](const SpiCommand&) {};
  unsigned recoveries = 0;

 private:
  static constexpr uint64_t kByteNs = 267;  // at 30 MHz

  void begins(const card::FlashOperation& operation);
  void advance(uint64_t ns);

  uint64_t now_ = 0;
  std::optional<uint64_t> cut_at_;
  bool dead_ = false;
  std::vector<uint32_t> operations_;
  card::FlashChip chip_;
};

}  // namespace swai::flash
