// SPDX-License-Identifier: Apache-2.0
#include "host/tools/cli/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/lib/printable.hpp"

namespace swai::cli {
namespace {

constexpr size_t kBetween = 2;  // columns

}  // namespace

Table::Table(std::vector<std::string> names) {
  for (std::string& name : names) {
    right_.push_back(name.starts_with('>'));
    if (right_.back()) name.erase(0, 1);
  }
  rows_.push_back(std::move(names));
}

void Table::add(std::vector<std::string> row) {
  for (std::string& cell : row) cell = common::printable(cell);
  rows_.push_back(std::move(row));
}

std::string Table::text_within(size_t width, std::span<const std::string_view> unimportant) const {
  std::vector<size_t> widths(right_.size());
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  size_t all = 0;
  for (const size_t one : widths) all += one + kBetween;
  std::vector<bool> shown(right_.size(), true);
  for (const std::string_view name : unimportant) {
    if (all <= width || all - width <= kBetween) break;
    const auto column = static_cast<size_t>(std::ranges::find(rows_.front(), name) - rows_.front().begin());
    shown[column] = false;
    all -= widths[column] + kBetween;
  }
  std::string result;
  for (const auto& row : rows_) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      if (!shown[i]) continue;
      line += right_[i] ? fmt::format("{:>{}}", row[i], widths[i]) : fmt::format("{:<{}}", row[i], widths[i]);
      line.append(kBetween, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    result += line + "\n";
  }
  return result;
}

std::string size_text(uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB"};
  unsigned unit = 0;
  while (unit < 3 && bytes != 0 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", bytes, kUnits[unit]);
}

}  // namespace swai::cli
