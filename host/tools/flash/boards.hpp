// SPDX-License-Identifier: Apache-2.0
// Boards are data: boards.json has ours, the user's configuration folder has more. docs/use/flash.md explains
// the fields.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "host/tools/flash/slot_map.hpp"

namespace swai::flash {

// A part of a board's flash chip.
struct Region {
  std::string name;
  uint32_t offset = 0;
  uint32_t bytes = 0;
  bool is_protected = false;  // changed only by those who say so
};

struct SpiWiring {
  unsigned select = 3;               // pin of the lower byte, ADBUS0 to 7
  std::vector<unsigned> driven_low;  // pins that hold whoever shares the chip in reset
};

struct JtagWiring {
  std::vector<uint32_t> idcodes;  // of the FPGA, any of them
};

struct Board {
  std::string name;
  std::string title;
  std::string seen;    // "emulated" or "hardware"
  std::string remark;  // what a user has to know
  uint16_t vendor = 0;
  uint16_t product = 0;
  std::string text;       // how the USB product string of such a board begins
  unsigned channel = 0;   // of the FT2232H: A, B
  uint32_t clock_hz = 0;  // of sck or tck
  std::optional<SpiWiring> spi;
  std::optional<JtagWiring> jtag;
  uint32_t flash_bytes = 0;
  std::vector<Region> regions;
  SlotMap slots;
  std::string source;  // file that describes it
};

// Reads one file. Throws InputError, which names file, board and field.
std::vector<Board> load_boards(const std::filesystem::path& file);

// Those of `shipped`, then those of all files *.json in `folder` (which need not exist), by file name; a
// later one replaces an earlier one of the same name.
std::vector<Board> all_boards(const std::filesystem::path& shipped, const std::filesystem::path& folder);

// $XDG_CONFIG_HOME/swai/boards, or what stands for it.
std::filesystem::path user_boards_folder();

// Throws InputError, which lists the names there are.
const Board& find_board(const std::vector<Board>& boards, const std::string& name);
// Throws InputError, which lists the names there are.
const Region& find_region(const Board& board, const std::string& name);

}  // namespace swai::flash
