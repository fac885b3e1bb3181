// SPDX-License-Identifier: Apache-2.0
// Rows of text in columns, for people.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace swai::cli {

class Table {
 public:
  // Of a column that holds figures the name begins with '>': they stand at its right side.
  explicit Table(std::vector<std::string> names);
  // Names may come from untrusted files: rows are made printable.
  void add(std::vector<std::string> row);
  std::string text() const { return text_within(std::string::npos, {}); }
  // With lines so long at most, if columns can go as a whole: those that `unimportant` names, in this order.
  std::string text_within(size_t width, std::span<const std::string_view> unimportant) const;

 private:
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;  // the first: the names
};

// "64 MiB", "1 KiB", "1000 B": the largest unit without a rest.
std::string size_text(uint64_t bytes);

}  // namespace swai::cli
