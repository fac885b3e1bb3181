// SPDX-License-Identifier: Apache-2.0
// A model packed for the card, in one file: a safetensors container whose tensors are what the card's memory
// gets, each beginning with a page. Nothing is converted when it is read.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "host/models/files/file_bytes.hpp"
#include "host/models/files/json_file.hpp"
#include "host/models/files/loaders.hpp"
#include "host/models/files/precision.hpp"
#include "host/models/files/vocabulary.hpp"
#include "host/models/files/weight_format.hpp"
#include "host/models/files/weights.hpp"
#include "host/models/graph/layout.hpp"

namespace swai::models {

// What the card's programs know as weights, one behind the other.
class PackedLayout {
 public:
  // `prefix`: of the names in the file, where several programs have weights.
  void add(const graph::Template& pattern, const std::string& prefix = "");

  const std::map<std::string, graph::Extent>& extents() const { return extents_; }
  size_t bytes() const { return bytes_; }

 private:
  std::map<std::string, graph::Extent> extents_;
  size_t bytes_ = 0;
};

// All throw InputError for a file that is damaged, was made by another version, or does not fit itself.
class PackedFile {
 public:
  // None where a file does not say that it is one, or the path leads to a folder.
  static std::optional<PackedFile> open(const std::string& path);
  static std::optional<PackedFile> in(SharedBytes file);

  const std::string& path() const { return file_->path(); }
  // Of the model: "llama" or "whisper".
  const std::string& architecture() const { return architecture_; }
  // What whoever wrote it said of the model.
  const JsonFile& numbers() const { return numbers_; }
  Precision precision() const;  // as the numbers say
  Vocabulary vocabulary(uint32_t count) const;
  // Gives each weight whose name has this prefix, by its name without it; checks, before there is anything to
  // give, that all of these are there.
  std::function<void(const Put&)> weights(const PackedLayout& layout, const std::string& prefix = "") const;
  // The same for files that say the same of the model and name the same digests: 64 digits. Empty for a file
  // that does not name a digest of each tensor.
  std::string identity(const PackedLayout& layout) const;
  // The first tensor that is not what was written; none: all are.
  std::optional<std::string> damaged(const PackedLayout& layout) const;

 private:
  PackedFile(SharedBytes file, const Safetensors& parts, const JsonFile& metadata);
  std::span<const uint8_t> contents(const std::string& name, size_t bytes) const;

  SharedBytes file_;
  std::string architecture_;
  JsonFile numbers_;
  std::string digests_;  // JSON
  Weights tensors_;
};

// Throws InputError when somebody wants it otherwise.
void require_precision(const std::string& path, Precision packed, std::optional<Precision> wanted);

struct Packing {
  std::string architecture;
  nlohmann::json numbers;
  const Vocabulary& vocabulary;
  PackedLayout layout;
  std::function<void(const Put&)> weights;
};
// Replaces the file when all is written. Throws InputError.
void write_packed(const Packing& what, const std::string& path);

}  // namespace swai::models
