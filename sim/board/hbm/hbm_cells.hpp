// SPDX-License-Identifier: Apache-2.0
// The cells of a card's HBM: sparse memory behind hbm_phy. Memory that was never written takes no host
// memory. Without a seed zeros take none either, so cleared memory returns to the host.
//
// The RTL reaches the cells by DPI calls that name a group and a line; which card is meant is whichever
// called make_current() last, so whoever evaluates several cards does that before each. Tests and tools use
// the back door: bytes, poison.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

namespace swai::cg {

class HbmCells {
 public:
  static constexpr unsigned kMaxGroups = 4;
  static constexpr uint64_t kLineBytes = 64;
  static constexpr uint64_t kChunkBytes = 16384;
  static constexpr uint64_t kGroupBytes = uint64_t{16} << 30;

  // Memory that was never written reads as zeros or, with a seed, as bytes that depend on seed, group and
  // address.
  explicit HbmCells(unsigned groups, std::optional<uint64_t> seed = std::nullopt);
  ~HbmCells();
  HbmCells(const HbmCells&) = delete;
  HbmCells& operator=(const HbmCells&) = delete;

  void make_current() { current_ = this; }
  static HbmCells* current() { return current_; }

  // What the memory does. A line is the number of 64 bytes in the group. A partial write to a poisoned line
  // leaves it poisoned, a write of the whole line heals it.
  bool read_line(unsigned group, uint64_t line, void* data) const;  // true: poisoned
  void write_line(unsigned group, uint64_t line, const void* data, uint64_t strobe);

  // The back door: any bytes; poison stays as it is.
  void read(unsigned group, uint64_t address, std::span<uint8_t> bytes) const;
  void write(unsigned group, uint64_t address, std::span<const uint8_t> bytes);
  void poison(unsigned group, uint64_t address) { groups_.at(group).poisoned.insert(address / kLineBytes); }
  void heal(unsigned group, uint64_t address) { groups_.at(group).poisoned.erase(address / kLineBytes); }
  bool poisoned(unsigned group, uint64_t address) const {
    return groups_.at(group).poisoned.contains(address / kLineBytes);
  }

  // Forgets everything, as after a power cycle.
  void clear();

  unsigned groups() const { return static_cast<unsigned>(groups_.size()); }
  uint64_t bytes_used() const;  // memory of the host

 private:
  struct Chunk {
    std::array<uint8_t, kChunkBytes> bytes = {};
    uint64_t used_lines = 0;  // that are not all zero
  };
  static constexpr uint64_t kChunksPerTable = 1024;
  using Table = std::array<std::unique_ptr<Chunk>, kChunksPerTable>;
  static constexpr uint64_t kTables = kGroupBytes / kChunkBytes / kChunksPerTable;

  struct Group {
    std::array<std::unique_ptr<Table>, kTables> tables;
    std::unordered_set<uint64_t> poisoned;  // lines
    uint64_t chunks = 0;
  };

  const uint8_t* find(unsigned group, uint64_t address) const;  // null: never written
  // Applies `change` to the line; without a seed, a chunk that is all zero afterwards is freed.
  template <typename Change>
  void change_line(unsigned group, uint64_t line, Change change);
  void untouched(unsigned group, uint64_t address, std::span<uint8_t> bytes) const;

  static inline HbmCells* current_ = nullptr;

  std::vector<Group> groups_;
  std::optional<uint64_t> seed_;
};

}  // namespace swai::cg
