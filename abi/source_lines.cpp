#include "abi/source_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "abi/elf32.hpp"

namespace swai::module {
namespace {

constexpr std::string_view kSection = ".debug_swai_lines";

using Bytes = std::span<const uint8_t>;

// Empty when the file ends before that.
Bytes part(Bytes file, uint64_t offset, uint64_t bytes) {
  if (offset > file.size() || bytes > file.size() - offset) return {};
  return file.subspan(offset, bytes);
}

template <typename T>
std::optional<T> get(Bytes file, uint64_t offset) {
  const Bytes from = part(file, offset, sizeof(T));
  if (from.empty()) return std::nullopt;
  T value;
  std::memcpy(&value, from.data(), sizeof value);
  return value;
}

// What the section holds; nothing when there is none.
Bytes find_section(Bytes file) {
  const auto header = get<elf::Header>(file, 0);
  if (!header || header->section_headers == 0) return {};
  const auto section = [&](uint32_t index) {
    return get<elf::SectionHeader>(file,
                                   header->section_headers + uint64_t{index} * sizeof(elf::SectionHeader));
  };
  const auto names = section(header->section_names);
  if (!names) return {};
  for (uint32_t i = 0; i < header->section_header_count; ++i) {
    const auto one = section(i);
    if (!one) return {};
    const Bytes name = part(part(file, names->offset, names->bytes), one->name, kSection.size() + 1);
    if (!name.empty() && std::memcmp(name.data(), kSection.data(), name.size()) == 0)
      return part(file, one->offset, one->bytes);
  }
  return {};
}

}  // namespace

SourceLines::SourceLines(std::span<const uint8_t> file) { read(find_section(file)); }

void SourceLines::read(std::span<const uint8_t> table) {
  const auto head = get<Head>(table, 0);
  if (!head || head->magic != kMagic) return;
  const uint64_t row_bytes = uint64_t{head->rows} * sizeof(Row);
  const Bytes rows = part(table, sizeof(Head), row_bytes);
  const Bytes names = part(table, sizeof(Head) + row_bytes, head->name_bytes);
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
