// SPDX-License-Identifier: Apache-2.0
// A flash chip on an SPI bus, whatever leads there.
#pragma once

#include <memory>

#include "host/tools/flash/chips.hpp"
#include "host/tools/flash/spi_bus.hpp"

namespace swai::flash {

class SpiNor final : public Programmer {
 public:
  // Wakes and identifies the chip. Throws BoardError.
  explicit SpiNor(std::unique_ptr<SpiBus> bus);

  const Geometry& geometry() const override { return kind_.geometry; }
  std::string description() const override;
  void read(uint32_t offset, std::span<uint8_t> to) override;
  void erase(uint32_t offset, uint32_t bytes) override;
  void program(uint32_t offset, std::span<const uint8_t> bytes) override;
  void recover() override;

 private:
  void wake();
  // Each command with a write enable before it and looks at the status behind it, all in one go. What came
  // while the chip was still busy it has ignored: that is sent again.
  void change(std::span<const std::vector<uint8_t>> commands, uint32_t typical_us, const char* what);
  // Waits for the end of the operation for which `seen` is the last look.
  void finish(uint8_t seen, uint32_t typical_us, const char* what);
  size_t looks_for(uint32_t typical_us) const;
  uint8_t status(size_t looks);

  std::unique_ptr<SpiBus> bus_;
  ChipKind kind_;
};

}  // namespace swai::flash
