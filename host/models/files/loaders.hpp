// SPDX-License-Identifier: Apache-2.0
// One loader for each format. All throw InputError, which names the file, what is wrong and what to do.
#pragma once

#include "host/models/files/json_file.hpp"
#include "host/models/files/model.hpp"
#include "host/models/files/weights.hpp"

namespace swai::models {

// GGUF: tensors, numbers and tokens in one file.
Model load_gguf(const SharedBytes& file);

// llama2.c: versions 0 (no header), 1 and 2 (int8). Tokens lie in a file of their own, which may be null.
Model load_llama2c(const SharedBytes& file, const SharedBytes& tokens);
// Version 0 is known by its size alone.
bool is_llama2c(const FileBytes& file);

// whisper.cpp: all in one file.
inline constexpr uint32_t kGgmlMagic = 0x67676D6C;  // "ggml"
Model load_ggml(const SharedBytes& file);

// Hugging Face: config.json, *.safetensors, tokenizer.json.
Model load_hugging_face(const std::string& folder, const Siblings& siblings);

// CTranslate2, as faster-whisper has it: model.bin, vocabulary.txt or .json, tokenizer.json.
Model load_ctranslate2(const std::string& folder, const Siblings& siblings);
bool is_ctranslate2(const FileBytes& file);

// What a safetensors file says of its tensors, and of itself, and what lies behind that.
struct Safetensors {
  JsonFile header;
  std::span<const uint8_t> data;
};
Safetensors read_safetensors(const FileBytes& file);
void add_tensors(const Safetensors& file, Weights& weights);

// Hugging Face's tokenizer.json, of byte-level pieces.
Vocabulary read_tokenizer_json(const FileBytes& file, uint32_t most);
// llama2.c's tokenizer.bin.
Vocabulary read_llama2c_tokens(const FileBytes& file, uint32_t count);

}  // namespace swai::models
