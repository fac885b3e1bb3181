// SPDX-License-Identifier: Apache-2.0
// JSON from strangers: each value is asked for by name, type and range, and messages name the file.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "host/models/files/file_bytes.hpp"

namespace swai::models {

// Throws InputError if the text is nested deeper than common::kMaxJsonDepth. Returns a discarded value if it
// is not JSON.
nlohmann::json parse_json(const std::string& path, std::string_view text);

class JsonFile {
 public:
  // Throws InputError when this is no JSON object.
  JsonFile(std::string path, std::string_view text);

  const std::string& path() const { return path_; }
  const nlohmann::json& root() const { return root_; }

  // Of the object itself. Throw InputError when a value is not there (and has no other), or not so.
  uint32_t count(const char* key, int64_t least, int64_t most) const;
  uint32_t count_or(const char* key, int64_t least, int64_t most, uint32_t other) const;
  double number_or(const char* key, double least, double most, double other) const;
  bool flag_or(const char* key, bool other) const;
  std::string text_or(const char* key, const std::string& other) const;
  // An object within it; nothing when it is not there, or null.
  std::optional<JsonFile> object(const char* key) const;

 private:
  JsonFile(std::string path, nlohmann::json root) : path_(std::move(path)), root_(std::move(root)) {}
  // Null when it is not there, or null.
  const nlohmann::json* value(const char* key) const;

  std::string path_;
  nlohmann::json root_;
};

}  // namespace swai::models
