// SPDX-License-Identifier: Apache-2.0
#include "host/models/exec/growing_memory.hpp"

#include <algorithm>

#include "host/models/graph/layout.hpp"

namespace swai::walk {

cpe::GlobalPtr<void> GrowingMemory::address(const std::string& table) const {
  return memory_.value().address().plus_bytes(static_cast<int64_t>(offsets_.at(table)));
}

size_t GrowingMemory::row_bytes() const {
  size_t bytes = 0;
  for (const auto& [table, each] : row_bytes_) bytes += each;
  return bytes;
}

void GrowingMemory::grow(uint32_t rows) {
  if (rows <= rows_) return;
  Offsets offsets;
  size_t bytes = 0;
  for (const auto& [table, each] : row_bytes_) {
    offsets[table] = bytes;
    bytes += graph::pages(each * rows);
  }
  CardMemory memory(what_, bytes);
  if (rows_ != 0) {
    for (const auto& [table, each] : row_bytes_) {
      memory.copy(*memory_, offsets_.at(table), offsets.at(table), each * rows_);
    }
  }
  memory_.emplace(std::move(memory));
  offsets_ = std::move(offsets);
  rows_ = rows;
}

void GrowingMemory::make_room(uint32_t rows, uint32_t most) {
  if (rows <= rows_) return;
  const uint32_t twice = std::max(rows, std::min(most, 2 * rows_));
  try {
    grow(twice);
  } catch (const CardError&) {
    if (twice == rows) throw;
    grow(rows);
  }
}

void GrowingMemory::give_back() {
  memory_.reset();
  rows_ = 0;
}

}  // namespace swai::walk
