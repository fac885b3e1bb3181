// SPDX-License-Identifier: Apache-2.0
#include "host/lib/argument_types.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "abi/grid.hpp"
#include "host/lib/elf_section.hpp"
#include "host/lib/text_table.hpp"

namespace swai::module {
namespace {

constexpr std::string_view kSection = ".debug_swai_arguments";
constexpr std::string_view kTableMagic = "SWAI-ARG";
constexpr std::array<std::string_view, 6> kKinds = {"bits", "bool", "signed", "unsigned", "real", "pointer"};

bool read_argument(std::string_view line, ArgumentType& argument) {
  if (!read_number(take(line, '\t'), argument.offset) || !read_number(take(line, '\t'), argument.bytes))
    return false;
  const auto kind = std::ranges::find(kKinds, take(line, '\t'));
  if (kind == kKinds.end()) return false;
  argument.kind = static_cast<Kind>(kind - kKinds.begin());
  argument.type = take(line, '\t');
  argument.name = line;
  return std::has_single_bit(argument.bytes) && argument.bytes <= Parameters::kMaxBytes &&
         (argument.kind != Kind::kPointer || argument.bytes == 8);
}

// Whether they lie one behind the other in so many bytes.
bool fits(const std::vector<ArgumentType>& arguments, uint32_t bytes) {
  uint64_t at = 0;
  for (const ArgumentType& one : arguments) {
    if (one.offset < at) return false;
    at = uint64_t{one.offset} + one.bytes;
  }
  return at <= bytes;
}

}  // namespace

uint64_t ThreadStacks::threads_beside(uint64_t shared) const {
  constexpr uint64_t kAlignment = cpe::kSharedAlignment;
  const uint64_t taken = (std::min<uint64_t>(shared, room) + kAlignment - 1) / kAlignment * kAlignment;
  return taken > room ? 0 : (room - taken) / bytes;
}

uint64_t ThreadStacks::shared_beside(uint64_t threads) const {
  constexpr uint64_t kAlignment = cpe::kSharedAlignment;
  const uint64_t taken = threads * bytes;
  return taken > room ? 0 : (room - taken) / kAlignment * kAlignment;
}

ArgumentTypes::ArgumentTypes(std::span<const uint8_t> file) {
  const auto bytes = find_section(file, kSection);
  if (read({reinterpret_cast<const char*>(bytes.data()), bytes.size()})) return;
  kernels_.clear();
  stacks_.clear();
}

bool ArgumentTypes::read(std::string_view text) {
  if (take(text, '\n') != kTableMagic) return false;
  std::vector<ArgumentType>* kernel = nullptr;
  while (!text.empty()) {
    std::string_view line = take(text, '\n');
    if (line.starts_with("kernel\t")) {
      take(line, '\t');
      kernel = &kernels_[std::string(line)];
      continue;
    }
    if (line.starts_with("threads\t")) {
      take(line, '\t');
      ThreadStacks& stacks = stacks_[std::string(take(line, '\t'))];
      if (!read_number(take(line, '\t'), stacks.bytes) || !read_number(line, stacks.room)) return false;
      if (stacks.bytes == 0) return false;
      continue;
    }
    if (kernel == nullptr || !read_argument(line, kernel->emplace_back())) return false;
  }
  return true;
}

std::optional<std::vector<ArgumentType>> ArgumentTypes::of(const KernelView& kernel) const {
  const Parameters parameters(kernel.parameters);
  const auto found = kernels_.find(kernel.name);
  if (found != kernels_.end() && fits(found->second, kernel.argument_bytes)) return found->second;
  std::vector<ArgumentType> sizes;
  for (unsigned i = 0; i < parameters.values(); ++i)
    sizes.push_back({.bytes = parameters.size(i), .offset = parameters.offset(i)});
  if (parameters.count() == 0 && kernel.argument_bytes != 0) return std::nullopt;
  return sizes;
}

std::optional<ThreadStacks> ArgumentTypes::stacks_of(std::string_view kernel) const {
  const auto found = stacks_.find(kernel);
  return found == stacks_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace swai::module
