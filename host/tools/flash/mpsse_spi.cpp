// SPDX-License-Identifier: Apache-2.0
#include "host/tools/flash/mpsse_spi.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace swai::flash {
namespace {

constexpr uint8_t kClockAndData = 0x03;

uint8_t pin(unsigned number) { return static_cast<uint8_t>(1U << number); }

// An FPGA that shares the chip stays in reset all the time.
uint8_t outputs_of(const boards::SpiWiring& wiring) {
  return std::accumulate(
      wiring.reset.begin(), wiring.reset.end(), static_cast<uint8_t>(kClockAndData | pin(wiring.select)),
      [](uint8_t all, unsigned number) { return static_cast<uint8_t>(all | pin(number)); });
}

}  // namespace

MpsseSpi::MpsseSpi(const UsbPlace& place, const boards::Board& board)
    : mpsse_(place, board.usb.channel, board.clock_hz, pin(board.spi->select), outputs_of(*board.spi)),
      select_(pin(board.spi->select)),
      outputs_(outputs_of(*board.spi)) {}

void MpsseSpi::run(std::span<const SpiCommand> commands) {
  MpsseCommands all;
  for (const SpiCommand& command : commands) {
    all.pins(0, outputs_);
    all.write(command.out);
    all.read(command.in.size());
    all.pins(select_, outputs_);
  }
  std::vector<uint8_t> answers(all.answers());
  mpsse_.run(all, answers);
  hand_out(answers, commands);
}

std::string MpsseSpi::description() const {
  return fmt::format("SPI at {:.1f} MHz, usb {}", mpsse_.clock_hz() / 1e6, mpsse_.place().path);
}

}  // namespace swai::flash
