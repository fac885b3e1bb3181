// SPDX-License-Identifier: Apache-2.0
#include "host/models/files/load.hpp"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>

#include "host/models/files/loaders.hpp"

namespace swai::models {
namespace {

namespace fs = std::filesystem;

bool begins(const FileBytes& file, std::string_view with) { return file.text().starts_with(with); }

// A length of 64 bits, then JSON.
bool is_safetensors(const FileBytes& file) { return file.bytes().size() > 8 && file.bytes()[8] == '{'; }

Siblings siblings_in(const fs::path& folder) {
  return [folder](const std::string& name) -> SharedBytes {
    const fs::path path = folder / name;
    return fs::exists(path) ? FileBytes::map(path.string()) : nullptr;
  };
}

}  // namespace

Model load_file(const SharedBytes& file, const Siblings& siblings, const SharedBytes& tokens) {
  const std::string folder = fs::path(file->path()).parent_path().string();
  if (begins(*file, "GGUF")) return load_gguf(file);
  if (begins(*file, "lmgg")) return load_ggml(file);
  if (is_safetensors(*file)) {
    read_safetensors(*file);  // throws if this file is damaged, before others are searched
    return load_hugging_face(folder.empty() ? "." : folder, siblings);
  }
  if (is_ctranslate2(*file)) return load_ctranslate2(folder.empty() ? "." : folder, siblings);
  if (begins(*file, "PK\x03\x04") || begins(*file, "\x80\x02"))
    refuse(file->path(),
           "is a checkpoint of PyTorch, which is a program rather than data; convert it to safetensors");
  if (is_llama2c(*file)) return load_llama2c(file, tokens);
  refuse(
      file->path(),
      "is of no format that is known (GGUF, safetensors, llama2.c, whisper.cpp, CTranslate2), or is damaged");
}

Model load_folder(const std::string& folder, const Siblings& siblings) {
  if (const SharedBytes file = siblings("model.bin"); file && is_ctranslate2(*file))
    return load_ctranslate2(folder, siblings);
  if (siblings("config.json")) return load_hugging_face(folder, siblings);
  refuse(
      folder,
      "is a folder without config.json or CTranslate2's model.bin; give the file, or fetch the whole folder");
}

Model load(const std::string& path, const std::string& tokens) {
  if (fs::is_directory(path)) return load_folder(path, siblings_in(path));
  const Siblings siblings = siblings_in(fs::path(path).parent_path());
  const SharedBytes words = tokens.empty() ? siblings("tokenizer.bin") : FileBytes::map(tokens);
  return load_file(FileBytes::map(path), siblings, words);
}

}  // namespace swai::models
