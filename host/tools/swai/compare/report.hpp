// SPDX-License-Identifier: Apache-2.0
// What `swai compare` has found, for people and for machines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "host/tools/cli/json.hpp"
#include "host/tools/swai/compare/difference.hpp"
#include "host/tools/swai/compare/different_line.hpp"
#include "host/tools/swai/compare/side.hpp"

namespace swai::cli {

struct Findings {
  uint64_t results = 0;  // that were compared
  uint64_t bytes = 0;
  uint64_t unknown = 0;     // results of those whose contents were not compared
  unsigned process = 0;     // of the program, in which the difference is
  bool is_cut = false;      // a record had become too long
  bool has_no_end = false;  // a process was killed, or left without ending in order
  std::optional<Difference> difference = {};
  std::optional<DifferentLine> line = {};
};

bool is_same(const Findings& found, const Both<Side>& sides);
std::string text_of(const Findings& found, const Both<Side>& sides);
Json json_of(const Findings& found, const Both<Side>& sides);

}  // namespace swai::cli
