// SPDX-License-Identifier: Apache-2.0
// The fields of a request in JSON, each asked for once. What nobody has asked for is refused in the end: it
// could change the answer, and the client would not hear that it did not.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace swai::http {

using Parsed = nlohmann::json;

// Throws Problem when the text is no JSON, or nested more deeply than any request is.
Parsed parse_json(std::string_view text);

// All functions throw Problem, which names the field, when it is of another kind or out of range. A field
// with null is one that is not there.
class Fields {
 public:
  // `path`: what comes before the names in messages. `object` stays as long as this.
  explicit Fields(const Parsed& object, std::string path = "");

  const Parsed* any(std::string_view name);
  std::optional<std::string> text(std::string_view name);
  std::optional<bool> flag(std::string_view name);
  std::optional<double> number(std::string_view name, double low, double high);
  std::optional<uint64_t> whole(std::string_view name, uint64_t low, uint64_t high);

  // It is known, and changes nothing that is said.
  void ignore(std::initializer_list<std::string_view> names);
  // It is known, and not supported: it may only say what happens anyway.
  void only(std::string_view name, std::initializer_list<Parsed> neutral);
  void refuse_others() const;

  std::string path_of(std::string_view name) const { return path_ + std::string(name); }

 private:
  const Parsed& object_;
  const std::string path_;
  std::set<std::string, std::less<>> known_;
};

}  // namespace swai::http
