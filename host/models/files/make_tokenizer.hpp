// SPDX-License-Identifier: Apache-2.0
// Which tokenizer a vocabulary needs.
#pragma once

#include <memory>
#include <string>

#include "host/models/files/tokenizer.hpp"

namespace swai::models {

// The tokenizer of the kind that the vocabulary says. Throws InputError when there is none.
std::unique_ptr<Tokenizer> make_tokenizer(const std::string& path, Vocabulary vocabulary);

}  // namespace swai::models
