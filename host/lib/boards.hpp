// SPDX-License-Identifier: Apache-2.0
// Boards are data: a folder with a board.json for each, ours in boards/, the user's in the configuration
// folder. The flasher and the emulated boards read them here. docs/use/flash.md explains the fields.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "abi/image.hpp"

namespace swai::boards {

// How a board shows itself on USB.
struct Usb {
  uint16_t vendor = 0;
  uint16_t product = 0;
  unsigned channel = 0;      // of the FT2232H: A, B
  std::string manufacturer;  // the strings of such a board
  std::string text;          // the product string
  std::string prefix;        // how every board of the kind begins it; empty: the string does not identify it
};

// Pins are numbers of the channel's lower byte, ADBUS0 to 7. Clock and data have 0 to 2.
struct SpiWiring {
  unsigned select = 3;
  std::vector<unsigned> reset;   // low: an FPGA that shares the chip is in reset
  std::optional<unsigned> done;  // high: that FPGA is configured
};

struct JtagWiring {
  std::vector<uint32_t> idcodes;  // parts with which the board is sold
  uint32_t fitted = 0;            // the one of the emulated board
};

// A part of a board's flash chip.
struct Region {
  std::string name;
  uint32_t offset = 0;
  uint32_t bytes = 0;
  bool is_protected = false;  // changed only with --allow-protected
};

// Where on a board's chip the two slots are.
struct SlotMap {
  std::array<uint32_t, 2> offsets = {slot_offset(image::Slot::kA), slot_offset(image::Slot::kB)};
  uint32_t bytes = image::kSlotBytes;

  uint32_t offset(image::Slot slot) const { return offsets[index(slot)]; }
};

struct Board {
  std::string name;  // that of its folder
  std::string title;
  std::string seen;    // "emulated" or "hardware"
  std::string remark;  // what a user has to know
  Usb usb;
  uint32_t clock_hz = 0;  // of sck or tck
  // One of these two.
  std::optional<SpiWiring> spi;
  std::optional<JtagWiring> jtag;
  uint32_t flash_bytes = 0;
  std::vector<Region> regions;
  SlotMap slots;
  std::string source;  // its board.json
};

// Reads FOLDER/board.json. Throws InputError, which names file and field.
Board load_board(const std::filesystem::path& folder);

// The boards in `shipped`, then those in `own` (which need not exist), by name; a later one replaces an
// earlier one of the same name. Throws InputError.
std::vector<Board> all_boards(const std::filesystem::path& shipped, const std::filesystem::path& own);

// Our boards: where this program was installed, else in the repository in which it was built.
std::filesystem::path shipped_folder();
// $XDG_CONFIG_HOME/swai/boards, or what stands for it.
std::filesystem::path user_folder();
// Those of both folders.
std::vector<Board> known_boards();

// Throws InputError, which lists the names there are.
const Board& find_board(const std::vector<Board>& boards, const std::string& name);
// Throws InputError, which lists the names there are.
const Region& find_region(const Board& board, const std::string& name);

}  // namespace swai::boards
