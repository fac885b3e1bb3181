// SPDX-License-Identifier: Apache-2.0
#include "host/lib/source_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "host/lib/elf_section.hpp"

namespace swai::module {
namespace {

constexpr std::string_view kSection = ".debug_swai_lines";

}  // namespace

SourceLines::SourceLines(std::span<const uint8_t> file) { read(find_section(file, kSection)); }

void SourceLines::read(std::span<const uint8_t> table) {
  const auto head = get<Head>(table, 0);
  if (!head || head->magic != kMagic) return;
  const uint64_t row_bytes = uint64_t{head->rows} * sizeof(Row);
  const auto rows = part(table, sizeof(Head), row_bytes);
  const auto names = part(table, sizeof(Head) + row_bytes, head->name_bytes);
  if (rows.empty() || names.empty() || names.back() != 0) return;
  std::vector<Row> read_rows(head->rows);
  std::memcpy(read_rows.data(), rows.data(), rows.size());
  const auto wild = [&](const Row& row) { return std::max(row.function, row.file) >= names.size(); };
  if (std::ranges::any_of(read_rows, wild) || !std::ranges::is_sorted(read_rows, {}, &Row::pc)) return;
  rows_ = std::move(read_rows);
  names_.assign(names.begin(), names.end());
}

const SourceLines::Row* SourceLines::find(uint32_t pc) const {
  const auto next = std::ranges::upper_bound(rows_, pc, {}, &Row::pc);
  // Behind the last one, no code is known.
  if (next == rows_.begin() || next == rows_.end()) return nullptr;
  const Row& row = *std::prev(next);
  return row.line == 0 ? nullptr : &row;
}

std::string SourceLines::at(uint32_t pc) const {
  const Row* const row = find(pc);
  return row == nullptr ? "" : fmt::format("{}:{}", names_.c_str() + row->file, row->line);
}

std::string SourceLines::place(std::string_view kernel, uint32_t pc) const {
  const std::string line = at(pc);
  return line.empty() ? std::string(kernel) : fmt::format("{}, {}", kernel, line);
}

std::string SourceLines::place(uint32_t pc) const {
  const Row* const row = find(pc);
  return row == nullptr ? "" : place(names_.c_str() + row->function, pc);
}

}  // namespace swai::module
