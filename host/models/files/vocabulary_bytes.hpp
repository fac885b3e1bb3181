// SPDX-License-Identifier: Apache-2.0
// The tokens of a model in a packed file.
#pragma once

#include <vector>

#include "host/models/files/reader.hpp"
#include "host/models/files/vocabulary.hpp"

namespace swai::models {

std::vector<uint8_t> bytes_of(const Vocabulary& words);
// Throws InputError, with the reader's path, when these are none, or not `count` tokens.
Vocabulary read_vocabulary(Reader& reader, uint32_t count);

}  // namespace swai::models
