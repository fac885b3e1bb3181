// SPDX-License-Identifier: Apache-2.0
#include "host/models/files/json_file.hpp"

#include <fmt/format.h>

#include "host/lib/json_depth.hpp"

namespace swai::models {

nlohmann::json parse_json(const std::string& path, std::string_view text) {
  if (common::is_nested_too_deep(text)) {
    refuse(path,
           fmt::format("is nested more than {} levels deep; the file is damaged", common::kMaxJsonDepth));
  }
  return nlohmann::json::parse(text, nullptr, false);
}

JsonFile::JsonFile(std::string path, std::string_view text)
    : path_(std::move(path)), root_(parse_json(path_, text)) {
  if (!root_.is_object()) refuse(path_, "is not a JSON object; fetch it again");
}

const nlohmann::json* JsonFile::value(const char* key) const {
  const auto found = root_.find(key);
  return found == root_.end() || found->is_null() ? nullptr : &*found;
}

uint32_t JsonFile::count(const char* key, int64_t least, int64_t most) const {
  if (value(key) == nullptr)
    refuse(path_, fmt::format("does not say '{}'; it describes another kind of model, or is damaged", key));
  return count_or(key, least, most, 0);
}

uint32_t JsonFile::count_or(const char* key, int64_t least, int64_t most, uint32_t other) const {
  const nlohmann::json* const found = value(key);
  if (found == nullptr) return other;
  const bool small = found->is_number_integer() &&
                     (!found->is_number_unsigned() || found->get<uint64_t>() <= uint64_t{1} << 62);
  if (!small || found->get<int64_t>() < least || found->get<int64_t>() > most)
    refuse(path_,
           fmt::format("'{}' is not a whole number from {} to {}; the file is damaged", key, least, most));
  return static_cast<uint32_t>(found->get<int64_t>());
}

double JsonFile::number_or(const char* key, double least, double most, double other) const {
  const nlohmann::json* const found = value(key);
  if (found == nullptr) return other;
  if (!found->is_number() || !(found->get<double>() >= least && found->get<double>() <= most))
    refuse(path_, fmt::format("'{}' is not a number from {} to {}; the file is damaged", key, least, most));
  return found->get<double>();
}

bool JsonFile::flag_or(const char* key, bool other) const {
  const nlohmann::json* const found = value(key);
  if (found == nullptr) return other;
  if (!found->is_boolean())
    refuse(path_, fmt::format("'{}' is neither true nor false; the file is damaged", key));
  return found->get<bool>();
}

std::string JsonFile::text_or(const char* key, const std::string& other) const {
  const nlohmann::json* const found = value(key);
  if (found == nullptr) return other;
  if (!found->is_string()) refuse(path_, fmt::format("'{}' is not a text; the file is damaged", key));
  return found->get<std::string>();
}

std::optional<JsonFile> JsonFile::object(const char* key) const {
  const nlohmann::json* const found = value(key);
  if (found == nullptr) return std::nullopt;
  if (!found->is_object()) refuse(path_, fmt::format("'{}' is not an object; the file is damaged", key));
  return JsonFile(path_, *found);
}

}  // namespace swai::models
