// SPDX-License-Identifier: Apache-2.0
// Tables of text in a module's file: lines, and fields between tabs.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace swai::module {

// What comes before the next `end`, and is taken away with it.
inline std::string_view take(std::string_view& text, char end) {
  const size_t at = std::min(text.find(end), text.size());
  const std::string_view first = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return first;
}

inline bool read_number(std::string_view text, uint32_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace swai::module
