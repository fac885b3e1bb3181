// SPDX-License-Identifier: Apache-2.0
// Memory of the card for tables that get longer together, such as the keys and values of a text.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "host/models/exec/card_memory.hpp"

namespace swai::walk {

class GrowingMemory {
 public:
  using RowBytes = std::map<std::string, size_t>;

  // `what` it is for is in messages. It begins without any row.
  GrowingMemory(std::string what, RowBytes row_bytes)
      : what_(std::move(what)), row_bytes_(std::move(row_bytes)) {}

  uint32_t rows() const { return rows_; }
  size_t row_bytes(const std::string& table) const { return row_bytes_.at(table); }
  size_t row_bytes() const;  // of all tables
  size_t bytes() const { return memory_ ? memory_->bytes() : 0; }
  // Until it grows.
  cpe::GlobalPtr<void> address(const std::string& table) const;
  // Rows that are there keep what they hold, at other addresses. Throws CardError when the card has not so
  // much memory beside what is there; then nothing has changed.
  void grow(uint32_t rows);
  // The same, to twice as many as there are if the card has them and that is no more than `most`: so copies
  // are few.
  void make_room(uint32_t rows, uint32_t most);
  void give_back();

 private:
  using Offsets = std::map<std::string, size_t>;

  std::string what_;
  RowBytes row_bytes_;
  Offsets offsets_;
  uint32_t rows_ = 0;
  std::optional<CardMemory> memory_;
};

}  // namespace swai::walk
