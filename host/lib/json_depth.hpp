// SPDX-License-Identifier: Apache-2.0
// Limits how deep JSON from outside may be nested. nlohmann's parser is iterative, but copying, comparing and
// printing its values recurse, so that 100 KB of brackets overflow the stack.
#pragma once

#include <cstddef>
#include <string_view>

namespace swai::common {

inline constexpr size_t kMaxJsonDepth = 32;

// Scans the text before it is parsed: a callback of nlohmann's parser could do it, but takes time quadratic
// in the number of sibling objects.
constexpr bool is_nested_too_deep(std::string_view json) {
  size_t depth = 0;
  bool in_text = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char sign = json[i];
    if (sign == '"') {
      in_text = !in_text;
    } else if (in_text) {
      if (sign == '\\') ++i;
    } else if (sign == '[' || sign == '{') {
      if (++depth > kMaxJsonDepth) return true;
    } else if ((sign == ']' || sign == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

}  // namespace swai::common
