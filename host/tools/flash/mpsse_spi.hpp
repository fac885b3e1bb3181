// SPDX-License-Identifier: Apache-2.0
// A flash chip whose wires are the serial engine's: clock ADBUS0, data out 1, data in 2, chip select as the
// board has it.
#pragma once

#include "host/lib/boards.hpp"
#include "host/tools/flash/mpsse.hpp"
#include "host/tools/flash/spi_bus.hpp"

namespace swai::flash {

class MpsseSpi final : public SpiBus {
 public:
  MpsseSpi(const UsbPlace& place, const boards::Board& board);

  void run(std::span<const SpiCommand> commands) override;
  void recover() override { mpsse_.restart(); }
  std::string description() const override;
  size_t best_read_bytes() const override { return size_t{64} << 10; }
  double bytes_per_us() const override { return mpsse_.clock_hz() / 8e6; }

 private:
  Mpsse mpsse_;
  const uint8_t select_;
  const uint8_t outputs_;
};

}  // namespace swai::flash
