// SPDX-License-Identifier: Apache-2.0
// The first line in which the outputs of two runs of a program differ.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "host/tools/swai/compare/difference.hpp"

namespace swai::cli {

// Of what strangers' programs print.
inline constexpr size_t kShownCharacters = 200;

struct DifferentLine {
  uint64_t number = 0;  // from 1 on
  // Their beginning: one character more than are shown, where there are more. Nothing: there is no such line.
  Both<std::optional<std::string>> lines = {};
};
// Throws Error when a file cannot be read, and Interrupted.
std::optional<DifferentLine> first_different_line(const std::filesystem::path& one,
                                                  const std::filesystem::path& other);

}  // namespace swai::cli
