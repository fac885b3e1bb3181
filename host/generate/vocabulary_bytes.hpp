// The tokens of a model in a packed file.
#pragma once

#include <vector>

#include "host/models/reader.hpp"
#include "host/models/vocabulary.hpp"

namespace swai::generate {

std::vector<uint8_t> bytes_of(const models::Vocabulary& words);
// Throws InputError, with the reader's path, when these are none, or not `count` tokens.
models::Vocabulary read_vocabulary(models::Reader& reader, uint32_t count);

}  // namespace swai::generate
