// SPDX-License-Identifier: Apache-2.0
// Boards that are plugged in.
#pragma once

#include <memory>
#include <vector>

#include "host/lib/boards.hpp"
#include "host/tools/flash/programmer.hpp"
#include "host/tools/flash/usb.hpp"

namespace swai::flash {

struct PluggedBoard {
  UsbPlace place;
  std::vector<const boards::Board*> kinds;  // what it may be
  bool is_sure = false;                     // it says so itself on USB
};

// Devices that may be one of the boards, which have to live as long as what is returned.
std::vector<PluggedBoard> plugged_boards(const std::vector<boards::Board>& boards);

// "usb 1-4, serial FT4ABC".
std::string name_of(const UsbPlace& place);

// Its flash chip. Throws BoardError.
std::unique_ptr<Programmer> open_board(const UsbPlace& place, const boards::Board& board);

}  // namespace swai::flash
