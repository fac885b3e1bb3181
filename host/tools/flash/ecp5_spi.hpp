// SPDX-License-Identifier: Apache-2.0
// The flash chip of an ECP5 FPGA, through the FPGA's JTAG port: with LSC_PROG_SPI the FPGA hands the wires of
// its data register on to the chip. While the register shifts, chip select is low.
#pragma once

#include "host/lib/boards.hpp"
#include "host/tools/flash/mpsse.hpp"
#include "host/tools/flash/spi_bus.hpp"

namespace swai::flash {

class Ecp5Spi final : public SpiBus {
 public:
  // Stops what the FPGA does. Throws BoardError kWrongBoard when it is not one of the board's.
  Ecp5Spi(const UsbPlace& place, const boards::Board& board);
  // The FPGA starts anew.
  ~Ecp5Spi() override;

  void run(std::span<const SpiCommand> commands) override;
  void recover() override;
  std::string description() const override;
  size_t best_read_bytes() const override { return size_t{64} << 10; }
  double bytes_per_us() const override { return mpsse_.clock_hz() / 8e6; }

 private:
  void enter();
  uint32_t read_idcode();
  void instruct(MpsseCommands& to, uint8_t instruction, std::span<const uint8_t> data);

  Mpsse mpsse_;
  const std::string board_;
  const std::vector<uint32_t> idcodes_;
};

}  // namespace swai::flash
