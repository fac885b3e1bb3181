// SPDX-License-Identifier: Apache-2.0
#include "host/lib/variables.hpp"

#include "host/lib/code_place.hpp"
#include "host/lib/elf_section.hpp"
#include "host/lib/text_table.hpp"

namespace swai::module {
namespace {

constexpr std::string_view kTableMagic = "SWAI-VAR";

struct Sections {
  std::string_view table;
  std::string_view values;  // without it all are zero
  uint32_t most_bytes;
};
constexpr uint32_t kWindowBytes = 0x1000'0000;
constexpr Sections kConstants = {".debug_swai_constants", ".debug_swai_constants_values", kLdmBytes};
constexpr Sections kDevice = {".debug_swai_device", ".debug_swai_device_values", kWindowBytes};

std::string_view text_of(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

Variables::Variables(VariableKind kind, std::span<const uint8_t> file, const Module& module) {
  if (!read(kind, file, module)) *this = {};
}

bool Variables::read(VariableKind kind, std::span<const uint8_t> file, const Module& module) {
  const Sections& sections = kind == VariableKind::kConstant ? kConstants : kDevice;
  std::string_view text = text_of(find_section(file, sections.table));
  if (take(text, '\n') != kTableMagic) return false;
  std::string_view head = take(text, '\n');
  uint32_t pointer = 0;
  uint32_t bytes = 0;
  if (!read_number(take(head, '\t'), pointer) || !read_number(head, bytes) || bytes > sections.most_bytes)
    return false;
  place_ = pointer - base(Space::kKernel);
  const auto place = module::place_in_file(file, module, place_, sizeof(uint64_t));
  if (!place) return false;
  place_in_file_ = *place;
  while (!text.empty()) {
    std::string_view line = take(text, '\n');
    Variable one;
    if (!read_number(take(line, '\t'), one.offset) || !read_number(take(line, '\t'), one.bytes) ||
        one.offset > bytes || one.bytes > bytes - one.offset)
      return false;
    all_.emplace(line, one);
  }
  const auto values = find_section(file, sections.values);
  if (!values.empty() && values.size() != bytes) return false;
  values_.assign(values.begin(), values.end());
  values_.resize(bytes);
  return true;
}

std::optional<Variable> Variables::find(std::string_view name) const {
  const auto found = all_.find(name);
  return found == all_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace swai::module
