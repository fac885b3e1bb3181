// SPDX-License-Identifier: Apache-2.0
#include "host/models/files/packed_file.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "host/lib/elf.hpp"
#include "host/lib/new_file.hpp"
#include "host/lib/sha256.hpp"
#include "host/models/files/reader.hpp"
#include "host/models/files/vocabulary_bytes.hpp"

namespace swai::models {
namespace {

using nlohmann::json;

constexpr const char* kMark = "swai";  // in the metadata: the version
constexpr const char* kVersion = "4";
constexpr const char* kTokens = "tokens";
constexpr size_t kHexDigits = 64;  // of a digest

std::string hex(std::span<const uint8_t> digest) {
  std::string text;
  for (const uint8_t byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

void require_version(const JsonFile& metadata) {
  const std::string version = metadata.text_or(kMark, "");
  if (version != kVersion) {
    refuse(metadata.path(), fmt::format("was packed by another version of swai (format {}, this one reads "
                                        "{}); pack the model again",
                                        version, kVersion));
  }
}

// Nothing for a file that is no such container: whoever loads models says what it is.
std::optional<Safetensors> container_in(const FileBytes& file) {
  try {
    return read_safetensors(file);
  } catch (const common::InputError&) {
    return std::nullopt;
  }
}

// The header as it lies in the file, with its length in front, filled up to whole pages.
std::string header_text(const Packing& what, size_t token_bytes, const json& digests) {
  json root = {{"__metadata__",
                {{kMark, kVersion},
                 {"architecture", what.architecture},
                 {"model", what.numbers.dump()},
                 {"digests", digests.dump()}}}};
  const auto add = [&](const std::string& name, size_t at, size_t bytes) {
    root[name] = {{"dtype", "I8"}, {"shape", {bytes}}, {"data_offsets", {at, at + bytes}}};
  };
  for (const auto& [name, extent] : what.layout.extents())
    add(name, extent.offset, graph::pages(extent.bytes));
  add(kTokens, what.layout.bytes(), token_bytes);
  std::string text = root.dump();
  text.resize(graph::pages(text.size() + sizeof(uint64_t)) - sizeof(uint64_t), ' ');
  const uint64_t bytes = text.size();
  return std::string(reinterpret_cast<const char*>(&bytes), sizeof bytes) + text;
}

std::span<const uint8_t> bytes_of_text(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace

void PackedLayout::add(const graph::Template& pattern, const std::string& prefix) {
  const graph::Layout layout(pattern, graph::ValueKind::kWeight);
  for (const auto& [name, extent] : layout.extents)
    extents_.emplace(prefix + name, graph::Extent{bytes_ + extent.offset, extent.bytes});
  bytes_ += layout.bytes;
}

std::optional<PackedFile> PackedFile::open(const std::string& path) {
  if (std::filesystem::is_directory(path)) return std::nullopt;
  return in(FileBytes::map(path));
}

std::optional<PackedFile> PackedFile::in(SharedBytes file) {
  const std::optional<Safetensors> parts = container_in(*file);
  if (!parts) return std::nullopt;
  const std::optional<JsonFile> metadata = parts->header.object("__metadata__");
  if (!metadata || !metadata->root().contains(kMark)) return std::nullopt;
  require_version(*metadata);
  return PackedFile(std::move(file), *parts, *metadata);
}

PackedFile::PackedFile(SharedBytes file, const Safetensors& parts, const JsonFile& metadata)
    : file_(std::move(file)),
      architecture_(metadata.text_or("architecture", "llama")),  // the first packed files did not say it
      numbers_(metadata.path(), std::string_view(metadata.text_or("model", ""))),
      digests_(metadata.text_or("digests", "")),
      tensors_(file_->path()) {
  add_tensors(parts, tensors_);
}

Precision PackedFile::precision() const {
  const std::string name = numbers_.text_or("precision", "");
  const std::optional<Precision> precision = precision_named(name);
  if (!precision) refuse(path(), fmt::format("is packed as '{}', which this swai does not know", name));
  return *precision;
}

Vocabulary PackedFile::vocabulary(uint32_t count) const {
  const Tensor* const tokens = tensors_.find(kTokens);
  if (tokens == nullptr) refuse(path(), "has no tokens; the file is damaged");
  Reader reader(path(), tokens->data);
  return read_vocabulary(reader, count);
}

// What a tensor holds beside what fills it up to whole pages.
std::span<const uint8_t> PackedFile::contents(const std::string& name, size_t bytes) const {
  const Tensor* const tensor = tensors_.find(name);
  if (tensor == nullptr || tensor->element != Element::kI8 || tensor->data.size() != graph::pages(bytes)) {
    refuse(path(),
           fmt::format("does not have {} with {} bytes; the file is damaged", name, graph::pages(bytes)));
  }
  return tensor->data.first(bytes);
}

std::function<void(const Put&)> PackedFile::weights(const PackedLayout& layout,
                                                    const std::string& prefix) const {
  std::map<std::string, std::span<const uint8_t>> all;
  for (const auto& [name, extent] : layout.extents())
    if (name.starts_with(prefix)) all.emplace(name.substr(prefix.size()), contents(name, extent.bytes));
  return [file = file_, all = std::move(all)](const Put& put) {
    for (const auto& [name, bytes] : all) put(name, bytes);
  };
}

std::string PackedFile::identity(const PackedLayout& layout) const {
  const json digests = parse_json(path(), digests_);
  json said = {architecture_, numbers_.root()};
  const auto add = [&](const std::string& name) {
    const auto found = digests.is_object() ? digests.find(name) : digests.end();
    if (found == digests.end() || !found->is_string() || found->get<std::string>().size() != kHexDigits)
      return false;
    said.push_back({name, *found});
    return true;
  };
  bool all = add(kTokens);
  for (const auto& [name, extent] : layout.extents()) all = all && add(name);
  return all ? hex(sha256(bytes_of_text(said.dump()))) : "";
}

std::optional<std::string> PackedFile::damaged(const PackedLayout& layout) const {
  const JsonFile digests(path(), std::string_view(digests_));
  const auto differs = [&](const std::string& name, std::span<const uint8_t> bytes) {
    return digests.text_or(name.c_str(), "") != hex(sha256(bytes));
  };
  for (const auto& [name, extent] : layout.extents())
    if (differs(name, contents(name, extent.bytes))) return name;
  const Tensor* const tokens = tensors_.find(kTokens);
  if (tokens == nullptr || differs(kTokens, tokens->data)) return kTokens;
  return std::nullopt;
}

void require_precision(const std::string& path, Precision packed, std::optional<Precision> wanted) {
  if (wanted.value_or(packed) == packed) return;
  refuse(path,
         fmt::format("is packed as {}; pack the model again for {}", to_text(packed), to_text(*wanted)));
}

void write_packed(const Packing& what, const std::string& path) {
  const std::vector<uint8_t> tokens = bytes_of(what.vocabulary);
  json digests = {{kTokens, hex(sha256(tokens))}};
  for (const auto& [name, extent] : what.layout.extents()) digests[name] = hex(std::array<uint8_t, 32>());
  // As long as it will be when the digests are known.
  const size_t data = header_text(what, tokens.size(), digests).size();
  common::NewFile file(path);
  what.weights([&](const std::string& name, std::span<const uint8_t> contents) {
    file.write(data + what.layout.extents().at(name).offset, contents);
    digests[name] = hex(sha256(contents));
  });
  file.write(data + what.layout.bytes(), tokens);
  file.write(0, bytes_of_text(header_text(what, tokens.size(), digests)));
  file.finish();
}

}  // namespace swai::models
