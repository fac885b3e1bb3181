// SPDX-License-Identifier: Apache-2.0
// Sections of a module's file that no segment holds: what sdaacc tells hosts about it. Nothing in the file is
// trusted.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "abi/elf32.hpp"

namespace swai::module {

// Empty when the file ends before that.
inline std::span<const uint8_t> part(std::span<const uint8_t> file, uint64_t offset, uint64_t bytes) {
  if (offset > file.size() || bytes > file.size() - offset) return {};
  return file.subspan(offset, bytes);
}

template <typename T>
std::optional<T> get(std::span<const uint8_t> file, uint64_t offset) {
  const auto from = part(file, offset, sizeof(T));
  if (from.empty()) return std::nullopt;
  T value;
  std::memcpy(&value, from.data(), sizeof value);
  return value;
}

// What the section of that name holds; nothing when there is none.
inline std::span<const uint8_t> find_section(std::span<const uint8_t> file, std::string_view wanted) {
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
    // With the zero at its end.
    const auto name = part(part(file, names->offset, names->bytes), one->name, wanted.size() + 1);
    if (!name.empty() && name.back() == 0 && std::memcmp(name.data(), wanted.data(), wanted.size()) == 0)
      return part(file, one->offset, one->bytes);
  }
  return {};
}

}  // namespace swai::module
