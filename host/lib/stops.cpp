// SPDX-License-Identifier: Apache-2.0
#include "host/lib/stops.hpp"

#include <algorithm>

#include "host/lib/elf_section.hpp"

namespace swai::module {
namespace {

constexpr std::string_view kSection = ".debug_swai_stops";

// What a stranger wrote into a module moves no cursor.
bool moves_cursor(char one) { return static_cast<unsigned char>(one) < ' ' || one == 0x7f; }

}  // namespace

Stops::Stops(std::span<const uint8_t> file) {
  const auto table = find_section(file, kSection);
  for (size_t at = 0; const auto pc = get<uint32_t>(table, at);) {
    const auto rest = table.subspan(at + sizeof *pc);
    const auto end = std::ranges::find(rest, 0);
    if (end == rest.end()) return;
    std::string words(rest.begin(), end);
    std::ranges::replace_if(words, moves_cursor, ' ');
    at += sizeof *pc + words.size() + 1;
    words_.emplace(*pc, std::move(words));
  }
}

std::string_view Stops::why(launch::Cause cause, uint32_t pc) const {
  const auto found = cause == launch::Cause::kBreakpoint ? words_.find(pc) : words_.end();
  return found == words_.end() ? std::string_view() : found->second;
}

}  // namespace swai::module
