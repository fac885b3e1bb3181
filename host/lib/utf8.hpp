// SPDX-License-Identifier: Apache-2.0
// Characters of UTF-8 text, which may be none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace swai::common {

struct Character {
  uint32_t code;  // kNoCharacter: these bytes are no UTF-8
  uint8_t bytes;  // at least 1
};

inline constexpr uint32_t kNoCharacter = 0xFFFFFFFF;

// The character that begins at `at`, which is inside the text. Of bytes that are no UTF-8 one is taken.
Character character_at(std::string_view text, size_t at);

// How many of the bytes from `at` on belong to a character that is cut off; 0 when none begins there.
size_t broken_bytes(std::string_view text, size_t at);

// How many bytes at the end of `text` begin a character that more bytes may complete: 0 to 3.
size_t unfinished_bytes(std::string_view text);

// The text with a replacement character (U+FFFD) in place of each byte that is no UTF-8.
std::string readable(std::string_view text);

}  // namespace swai::common
