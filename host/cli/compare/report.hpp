// What `swai compare` has found, for people and for machines.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "host/cli/compare/difference.hpp"
#include "host/cli/compare/side.hpp"
#include "host/cli/json.hpp"

namespace swai::cli {

struct DifferentLine {
  uint64_t number = 0;                          // from 1 on
  Both<std::optional<std::string>> lines = {};  // nothing: there is no such line
};
// Throws Error when a file cannot be read.
std::optional<DifferentLine> first_different_line(const std::filesystem::path& one,
                                                  const std::filesystem::path& other);

struct Findings {
  uint64_t results = 0;  // that were compared
  uint64_t bytes = 0;
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
