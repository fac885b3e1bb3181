// SPDX-License-Identifier: Apache-2.0
// Cuts text into words as GPT-2 does: 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+|
// ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
#pragma once

#include <string_view>
#include <vector>

#include "host/models/files/vocabulary.hpp"

namespace swai::models {

// All bytes of the text, in order. Bytes that are no UTF-8 are neither letters, numbers nor spaces.
std::vector<std::string_view> cut_words(std::string_view text, Splitter splitter);

}  // namespace swai::models
