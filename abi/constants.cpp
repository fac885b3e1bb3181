#include "abi/constants.hpp"

#include "abi/code_place.hpp"
#include "abi/elf_section.hpp"
#include "abi/text_table.hpp"

namespace swai::module {
namespace {

constexpr std::string_view kSection = ".debug_swai_constants";
constexpr std::string_view kTableMagic = "SWAI-CON";

}  // namespace

Constants::Constants(std::span<const uint8_t> file) {
  const auto bytes = find_section(file, kSection);
  if (!read({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file)) *this = {};
}

bool Constants::read(std::string_view text, std::span<const uint8_t> file) {
  if (take(text, '\n') != kTableMagic) return false;
  std::string_view head = take(text, '\n');
  uint32_t pointer = 0;
  Module module;
  if (!read_number(take(head, '\t'), pointer) || !read_number(head, bytes_) || bytes_ > kLdmBytes ||
      !module.open(file).ok())
    return false;
  const auto place = module::place_in_file(file, module, pointer - base(Space::kKernel), sizeof(uint64_t));
  if (!place) return false;
  place_in_file_ = *place;
  while (!text.empty()) {
    std::string_view line = take(text, '\n');
    Constant one;
    if (!read_number(take(line, '\t'), one.offset) || !read_number(take(line, '\t'), one.bytes) ||
        one.offset > bytes_ || one.bytes > bytes_ - one.offset)
      return false;
    all_.emplace(line, one);
  }
  return true;
}

std::optional<Constant> Constants::find(std::string_view name) const {
  const auto found = all_.find(name);
  return found == all_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace swai::module
