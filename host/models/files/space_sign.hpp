// SPDX-License-Identifier: Apache-2.0
// SentencePiece writes U+2581 for a space.
#pragma once

#include <string>
#include <string_view>

namespace swai::models {

inline std::string with_spaces(std::string_view text) {
  constexpr std::string_view kSign = "\xE2\x96\x81";
  std::string plain;
  while (true) {
    const size_t at = text.find(kSign);
    plain += text.substr(0, at);
    if (at == std::string_view::npos) return plain;
    plain += ' ';
    text.remove_prefix(at + kSign.size());
  }
}

}  // namespace swai::models
