// SPDX-License-Identifier: Apache-2.0
#include "host/daemon/http/fields.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/daemon/http/problem.hpp"
#include "host/lib/json_depth.hpp"

namespace swai::http {
namespace {

// The parser compares each object's end with what lies beside it.
constexpr unsigned kMostObjects = 4096;

// A name or value that a client has sent, for a message.
std::string shortened(std::string text) {
  constexpr size_t kMaxBytes = 160;
  if (text.size() > kMaxBytes) text = text.substr(0, kMaxBytes) + "...";
  return text;
}

std::string shown(const Parsed& value) {
  return value.is_structured() ? std::string("an ") + value.type_name() : shortened(value.dump());
}

[[noreturn]] void refuse_kind(const std::string& path, const char* wanted, const Parsed& found) {
  throw bad_request(fmt::format("'{}' must be {}, not {}", path, wanted, shown(found)), path, "invalid_type");
}

}  // namespace

Parsed parse_json(std::string_view text) {
  if (common::is_nested_too_deep(text))
    throw bad_request(fmt::format("the JSON is nested more than {} levels deep", common::kMaxJsonDepth));
  try {
    unsigned objects = 0;
    return Parsed::parse(text, [&](int, Parsed::parse_event_t event, Parsed&) {
      if (event == Parsed::parse_event_t::object_start && ++objects > kMostObjects)
        throw bad_request(fmt::format("the JSON has more than {} objects", kMostObjects));
      return true;
    });
  } catch (const Parsed::parse_error& error) {
    // `byte` counts from 1, and what it names may be the end of a line.
    const std::string_view before = text.substr(0, error.byte - 1);
    throw bad_request(fmt::format("invalid JSON at line {}, column {}", 1 + std::ranges::count(before, '\n'),
                                  error.byte - (before.rfind('\n') + 1)));
  } catch (const Parsed::out_of_range&) {
    throw bad_request("invalid JSON: a number is out of range");
  }
}

Fields::Fields(const Parsed& object, std::string path) : object_(object), path_(std::move(path)) {
  if (!object.is_object()) {
    const std::string name = path_.empty() ? "" : path_.substr(0, path_.size() - 1);
    if (name.empty()) throw bad_request(fmt::format("the body must be a JSON object, not {}", shown(object)));
    refuse_kind(name, "an object", object);
  }
}

const Parsed* Fields::any(std::string_view name) {
  known_.emplace(name);
  const auto found = object_.find(name);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

std::optional<std::string> Fields::text(std::string_view name) {
  const Parsed* const found = any(name);
  if (found == nullptr) return std::nullopt;
  if (!found->is_string()) refuse_kind(path_of(name), "a string", *found);
  return found->get<std::string>();
}

std::optional<bool> Fields::flag(std::string_view name) {
  const Parsed* const found = any(name);
  if (found == nullptr) return std::nullopt;
  if (!found->is_boolean()) refuse_kind(path_of(name), "true or false", *found);
  return found->get<bool>();
}

std::optional<double> Fields::number(std::string_view name, double low, double high) {
  const Parsed* const found = any(name);
  if (found == nullptr) return std::nullopt;
  if (!found->is_number()) refuse_kind(path_of(name), "a number", *found);
  const auto value = found->get<double>();
  if (!(value >= low && value <= high)) {
    throw bad_request(fmt::format("'{}' must be from {} to {}, not {}", path_of(name), low, high, value),
                      path_of(name), "invalid_value");
  }
  return value;
}

std::optional<uint64_t> Fields::whole(std::string_view name, uint64_t low, uint64_t high) {
  const Parsed* const found = any(name);
  if (found == nullptr) return std::nullopt;
  if (!found->is_number_integer()) refuse_kind(path_of(name), "an integer", *found);
  const bool negative = !found->is_number_unsigned() && found->get<int64_t>() < 0;
  const auto value = negative ? 0 : found->get<uint64_t>();
  if (negative || value < low || value > high) {
    throw bad_request(
        fmt::format("'{}' must be from {} to {}, not {}", path_of(name), low, high, found->dump()),
        path_of(name), "invalid_value");
  }
  return value;
}

void Fields::ignore(std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) known_.emplace(name);
}

void Fields::only(std::string_view name, std::initializer_list<Parsed> neutral) {
  const Parsed* const found = any(name);
  if (found == nullptr || std::ranges::find(neutral, *found) != neutral.end()) return;
  throw bad_request(fmt::format("'{}' is not supported here; leave it out{}", path_of(name),
                                neutral.size() == 0 ? "" : ", or set it to " + neutral.begin()->dump()),
                    path_of(name), "unsupported_parameter");
}

void Fields::refuse_others() const {
  for (const auto& [name, value] : object_.items()) {
    if (known_.contains(name) || value.is_null()) continue;
    const std::string path = shortened(path_of(name));
    throw bad_request(fmt::format("unknown parameter '{}'", path), path, "unknown_parameter");
  }
}

}  // namespace swai::http
