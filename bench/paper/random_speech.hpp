// SPDX-License-Identifier: Apache-2.0
// Whisper models with random weights: what they hear is nothing, what it takes to hear it is the same.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/models/files/model.hpp"

namespace swai::cli::bench {

// "base" and its like, as OpenAI's models have them, which know several languages.
models::WhisperShape shape_named(const std::string& name);
std::vector<std::string> shape_names();

// The same layers and vocabulary; rows of fewer channels, in heads as wide as before.
models::WhisperShape narrowed(models::WhisperShape shape, uint32_t width);

models::Model random_speech(const std::string& name, const models::WhisperShape& shape);

}  // namespace swai::cli::bench
