// SPDX-License-Identifier: Apache-2.0
// Where in a module's file something of its code lies: who loads the module may change it there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "abi/module_reader.hpp"

namespace swai::module {

// Of so many bytes at this offset of the code; nothing: the file does not hold all of them. `module` was
// opened with this file.
inline std::optional<size_t> place_in_file(std::span<const uint8_t> file, const Module& module,
                                           uint32_t offset, uint32_t bytes) {
  for (const Piece& piece : module.pieces()) {
    const uint32_t into = offset - piece.offset;
    if (into < piece.data.size() && piece.data.size() - into >= bytes)
      return static_cast<size_t>(piece.data.data() - file.data()) + into;
  }
  return std::nullopt;
}

}  // namespace swai::module
