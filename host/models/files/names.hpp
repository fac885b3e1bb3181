// SPDX-License-Identifier: Apache-2.0
// Lists of values with their names: std::array of pairs.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

namespace swai::models {

// Of a value that is in the list.
template <typename Names>
const char* name_of(const Names& names, typename Names::value_type::first_type what) {
  return std::ranges::find(names, what, &Names::value_type::first)->second;
}

template <typename Names>
auto named(const Names& names, std::string_view name)
    -> std::optional<typename Names::value_type::first_type> {
  for (const auto& [what, text] : names)
    if (text == name) return what;
  return std::nullopt;
}

}  // namespace swai::models
