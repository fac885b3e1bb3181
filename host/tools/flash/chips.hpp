// SPDX-License-Identifier: Apache-2.0
// Which flash chip this is: by its JEDEC id from a small table, else by what it tells about itself (SFDP,
// JESD216). Pure functions of what was read.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "host/tools/flash/programmer.hpp"

namespace swai::flash {

// Manufacturer, type, capacity, and two more bytes that some chips have.
using JedecId = std::array<uint8_t, 5>;

struct ChipKind {
  std::string name;
  Geometry geometry;
  uint32_t whole_bytes = 0;  // of the chip; the geometry has what three address bytes reach
  uint32_t page_us = 700;    // typical time of programming a page
};

// Three bytes of address.
inline constexpr uint32_t kReachBytes = uint32_t{1} << 24;
// Header and all tables that this needs lie within.
inline constexpr size_t kSfdpBytes = 256;

// Throws BoardError kUnknownChip with the id when neither table nor SFDP make sense.
ChipKind identify(const JedecId& id, std::span<const uint8_t> sfdp);

// The parts of identify, for tests: nothing when the table does not have it, or when it makes no sense.
std::optional<ChipKind> from_table(const JedecId& id);
std::optional<ChipKind> from_sfdp(std::span<const uint8_t> sfdp);

}  // namespace swai::flash
