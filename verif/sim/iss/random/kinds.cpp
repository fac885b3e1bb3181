// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include "verif/sim/iss/random/random_program.hpp"

namespace swai::random_program {
namespace {

constexpr std::array<std::pair<Kind, std::string_view>, 14> kNames = {{{kAtomic, "atomic"},
                                                                       {kControl, "control"},
                                                                       {kTrap, "trap"},
                                                                       {kFault, "fault"},
                                                                       {kCsr, "csr"},
                                                                       {kMode, "mode"},
                                                                       {kPaging, "paging"},
                                                                       {kModify, "modify"},
                                                                       {kCache, "cache"},
                                                                       {kUncached, "uncached"},
                                                                       {kInterrupt, "interrupt"},
                                                                       {kCounter, "counter"},
                                                                       {kTimer, "timer"},
                                                                       {kAllKinds, "all"}}};

}  // namespace

std::string_view kind_name(Kind kind) {
  for (const auto& [known, name] : kNames) {
    if (known == kind) return name;
  }
  return {};
}

std::optional<uint32_t> parse_kinds(std::string_view text) {
  // A list that only takes away starts from everything.
  uint32_t kinds = text.starts_with('-') ? kAllKinds : 0;
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(word.size() < text.size() ? word.size() + 1 : word.size());
    const bool remove = word.starts_with('-');
    if (remove) word.remove_prefix(1);
    bool found = word == "none";
    for (const auto& [kind, name] : kNames) {
      if (name != word) continue;
      found = true;
      kinds = remove ? kinds & ~uint32_t{kind} : kinds | kind;
    }
    if (!found) return std::nullopt;
  }
  return kinds;
}

}  // namespace swai::random_program
