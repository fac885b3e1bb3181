// SPDX-License-Identifier: Apache-2.0
// Loads a model from whatever file or folder it lies in.
#pragma once

#include "host/models/files/model.hpp"

namespace swai::models {

// `tokens`: llama2.c's file of tokens; when empty, tokenizer.bin beside the model is taken, if there is one.
// Throws InputError, which names the file, what is wrong and what to do.
Model load(const std::string& path, const std::string& tokens = "");

// The same for what is in memory: a file, and those beside it.
Model load_file(const SharedBytes& file, const Siblings& siblings, const SharedBytes& tokens);
Model load_folder(const std::string& folder, const Siblings& siblings);

}  // namespace swai::models
