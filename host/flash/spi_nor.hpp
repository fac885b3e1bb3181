// A flash chip on an SPI bus, whatever leads there.
#pragma once

#include <memory>

#include "host/flash/chips.hpp"
#include "host/flash/spi_bus.hpp"

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
  // Write enable, the command, and looking at the status until the chip is done.
  void change(std::span<const uint8_t> command, uint32_t typical_us, const char* what);
  uint8_t status(size_t looks);

  std::unique_ptr<SpiBus> bus_;
  ChipKind kind_;
};

}  // namespace swai::flash
