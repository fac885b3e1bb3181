// SPDX-License-Identifier: Apache-2.0
#include "host/tools/flash/usb_boards.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/tools/flash/ecp5_spi.hpp"
#include "host/tools/flash/mpsse_spi.hpp"
#include "host/tools/flash/spi_nor.hpp"

namespace swai::flash {

std::vector<PluggedBoard> plugged_boards(const std::vector<boards::Board>& boards) {
  std::vector<std::pair<uint16_t, uint16_t>> ids;
  for (const boards::Board& board : boards) ids.emplace_back(board.usb.vendor, board.usb.product);
  std::vector<PluggedBoard> found;
  for (UsbPlace& place : list_usb(ids)) {
    PluggedBoard plugged = {.place = std::move(place), .kinds = {}};
    const UsbPlace& is = plugged.place;
    for (const boards::Board& board : boards) {
      if (board.usb.vendor != is.vendor || board.usb.product != is.product) continue;
      if (!board.usb.prefix.empty() && is.text.starts_with(board.usb.prefix)) plugged.kinds.push_back(&board);
    }
    plugged.is_sure = !plugged.kinds.empty();
    // A text that nobody knows says nothing: many boards leave the factory with FTDI's own.
    for (const boards::Board& board : boards) {
      if (!plugged.is_sure && board.usb.vendor == is.vendor && board.usb.product == is.product)
        plugged.kinds.push_back(&board);
    }
    found.push_back(std::move(plugged));
  }
  return found;
}

std::string name_of(const UsbPlace& place) {
  return fmt::format("usb {}{}", place.path, place.serial.empty() ? "" : ", serial " + place.serial);
}

std::unique_ptr<Programmer> open_board(const UsbPlace& place, const boards::Board& board) {
  std::unique_ptr<SpiBus> bus;
  if (board.jtag) {
    bus = std::make_unique<Ecp5Spi>(place, board);
  } else {
    bus = std::make_unique<MpsseSpi>(place, board);
  }
  return std::make_unique<SpiNor>(std::move(bus));
}

}  // namespace swai::flash
