// SPDX-License-Identifier: Apache-2.0
// Reads traces of cards (docs/simulate/trace.md), as far as a summary needs them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace swai::cli {

struct TraceSlice {
  std::string card;  // "card 0"
  std::string track;
  std::string name;
  uint64_t begin = 0;
  uint64_t end = 0;
  std::map<std::string, uint64_t, std::less<>> numbers;  // arguments

  uint64_t number(std::string_view argument) const {
    const auto found = numbers.find(argument);
    return found == numbers.end() ? 0 : found->second;
  }
};

// Slices of tracks that are wanted, in the order of their ends. Throws Error.
std::vector<TraceSlice> read_trace(const std::string& path,
                                   const std::function<bool(const std::string& track)>& wanted);

}  // namespace swai::cli
