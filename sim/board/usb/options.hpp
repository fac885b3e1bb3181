// SPDX-License-Identifier: Apache-2.0
// The command line of swai-usb-board.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/board/usb/board.hpp"

namespace swai::usb {

// Other exit codes are those of the command, and common::kExitBadInput, as in swai.
inline constexpr int kExitFailed = 125;

struct Options {
  std::vector<BoardOptions> boards;
  std::vector<std::string> files;  // as many
  size_t flash_size = 0;           // 0: as the file, or the board's chip, has it
  bool wall_clock = false;
  std::string report;
  std::vector<std::string> command;
};

// The exit code, when there is nothing more to do.
std::optional<int> parse_options(int argc, char** argv, Options& options);

}  // namespace swai::usb
