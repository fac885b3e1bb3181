// SPDX-License-Identifier: Apache-2.0
#include "sim/fast/data_cache.hpp"

#include <algorithm>

namespace swai::fast {

void DataCache::use(uint64_t address, unsigned bytes, bool store, uint64_t pc) {
  for (uint64_t line = address / kLine; line <= (address + bytes - 1) / kLine; ++line)
    use_line(line, store, pc);
}

void DataCache::use_line(uint64_t line, bool store, uint64_t pc) {
  Set& set = set_of(line);
  const auto known = std::ranges::find(set, line, &Line::number);
  Line now{.number = line};
  if (known != set.end()) {
    now = *known;
    set.erase(known);
  }
  if (store) {
    now.dirty = true;
    now.writer = pc;
  }
  set.push_back(now);
  if (set.size() > kOthers) set.erase(set.begin());
}

void DataCache::clean(uint64_t address, unsigned bytes) {
  for (uint64_t line = address / kLine; line <= (address + bytes - 1) / kLine; ++line) {
    Set& set = set_of(line);
    const auto known = std::ranges::find(set, line, &Line::number);
    if (known != set.end()) known->dirty = false;
  }
}

void DataCache::clean_all() {
  for (Set& set : sets_) set.clear();
}

std::optional<DataCache::Dirty> DataCache::dirty(uint64_t address, uint64_t bytes) const {
  const uint64_t first = address / kLine;
  const uint64_t last = (address + bytes - 1) / kLine;
  std::optional<Dirty> found;
  for (const Set& set : sets_) {
    for (const Line& line : set) {
      const uint64_t at = line.number * kLine;
      if (!line.dirty || line.number < first || line.number > last || (found && found->address < at))
        continue;
      found = Dirty{.address = at, .writer = line.writer};
    }
  }
  return found;
}

}  // namespace swai::fast
