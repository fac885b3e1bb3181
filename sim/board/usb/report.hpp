// SPDX-License-Identifier: Apache-2.0
// What happened to the boards, as JSON.
#pragma once

#include <string>

#include "sim/board/usb/board.hpp"

namespace swai::usb {

struct BoardReport {
  const Board& board;
  std::string file;
  bool driver_attached;
};

std::string json(const std::vector<BoardReport>& boards);

}  // namespace swai::usb
