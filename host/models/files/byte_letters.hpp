// SPDX-License-Identifier: Apache-2.0
// Byte-level vocabularies write each byte as a letter, so that a token is a text without spaces: what is no
// printable character of Latin-1 has a letter from U+0100 on.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace swai::models {

// The bytes that a text in these letters stands for; nothing when some are no such letters.
std::optional<std::string> bytes_of_letters(std::string_view text);

}  // namespace swai::models
