// SPDX-License-Identifier: Apache-2.0
#include "host/lib/printable.hpp"

#include <cstdint>

#include "host/lib/utf8.hpp"

namespace swai::common {
namespace {

// Control characters of ASCII, and C1 (U+0080 to U+009F).
bool is_control(uint32_t code) { return code < 0x20 || (code >= 0x7F && code < 0xA0); }

std::string printable_but(std::string_view text, uint32_t stays) {
  std::string shown;
  for (size_t at = 0; at < text.size();) {
    const Character one = character_at(text, at);
    const bool hidden = one.code == kNoCharacter || (is_control(one.code) && one.code != stays);
    shown += hidden ? std::string_view("?") : text.substr(at, one.bytes);
    at += one.bytes;
  }
  return shown;
}

}  // namespace

std::string printable(std::string_view text) { return printable_but(text, kNoCharacter); }

std::string printable_lines(std::string_view text) { return printable_but(text, '\n'); }

}  // namespace swai::common
