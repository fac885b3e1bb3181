// Blocks that were given back and still hold what their last owner has written. That one may have them again
// as they are; before anybody else gets them they are cleared. A record at the first block of each row of
// them says how many there are; the records of one client and group are a list, newest first.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "abi/protocol.hpp"
#include "firmware/memory/layout.hpp"
#include "firmware/memory/records.hpp"

namespace swai::memory {

// Blocks in a row, counted over all groups.
struct Row {
  uint32_t index = 0;
  uint32_t blocks = 0;
};

template <Machine M>
class Leftovers {
 public:
  static constexpr uint8_t kNobody = 0;

  explicit Leftovers(Records<M>& records) : records_(records) {}
  void init() {
    for (auto& of_group : heads_) of_group.fill(kNone);
    blocks_ = {};
    period_ = 0;
  }

  // `owner`: the last one, or kNobody when it has gone, and nothing of it is under way.
  void add(const Row& row, uint8_t owner) {
    blocks_[row.index / kMaxBlocks] += row.blocks;
    link(row, owner, period_);
  }
  // So many in a row that this client had; blocks 0: there is none among the newest.
  Row take(uint8_t owner, unsigned group, uint32_t blocks) {
    constexpr unsigned kLook = 8;
    uint32_t before = kNone;
    uint32_t index = head(owner, group);
    for (unsigned i = 0; i < kLook && index != kNone; ++i) {
      const Record record = records_.read(index);
      const auto next = static_cast<uint32_t>(record.bytes);
      if (record.blocks >= blocks) {
        unlink(owner, group, before, next);
        records_.clear(index);
        blocks_[group] -= blocks;
        if (record.blocks > blocks) link({index + blocks, record.blocks - blocks}, owner, record.set);
        return {index, blocks};
      }
      before = index;
      index = next;
    }
    return {};
  }
  // What can be cleared: of those who have gone, or also of others; blocks 0: nothing. It is still counted.
  [[gnu::cold, gnu::noinline]] Row take_to_clear(unsigned group, bool of_all) {
    Row row = take_settled(kNobody, group);
    for (unsigned place = 0; of_all && row.blocks == 0 && place < protocol::kContexts; ++place)
      row = take_settled_at(place, group);
    return row;
  }
  void cleared(const Row& row) { blocks_[row.index / kMaxBlocks] -= row.blocks; }

  // A client goes: its lists are nobody's, and whoever finds a record of it adopts the row.
  void forget(uint8_t owner) {
    for (auto& of_group : heads_) of_group[owner % protocol::kContexts] = kNone;
  }
  void adopt(uint32_t index, const Record& record) { link({index, record.blocks}, kNobody, period_); }

  // All that was under way when this was called last has ended. What was added before that time is used by
  // nobody.
  void end_period() { ++period_; }

  uint32_t blocks(unsigned group) const { return blocks_[group]; }
  bool any_of_nobody(unsigned group) const { return heads_[group][kNobodysPlace] != kNone; }

 private:
  static constexpr uint32_t kNone = ~0u;
  static constexpr unsigned kNobodysPlace = protocol::kContexts;

  static unsigned place_of(uint8_t owner) {
    return owner == kNobody ? kNobodysPlace : owner % protocol::kContexts;
  }
  uint32_t& head(uint8_t owner, unsigned group) { return heads_[group][place_of(owner)]; }
  void link(const Row& row, uint8_t owner, uint8_t period) {
    uint32_t& first = head(owner, row.index / kMaxBlocks);
    Record record;
    record.kind = Record::kLeft;
    record.context = owner;
    record.set = period;
    record.blocks = row.blocks;
    record.bytes = first;
    records_.write(row.index, record);
    first = row.index;
  }
  void unlink(uint8_t owner, unsigned group, uint32_t before, uint32_t next) {
    if (before == kNone) {
      head(owner, group) = next;
    } else {
      Record record = records_.read(before);
      record.bytes = next;
      records_.write(before, record);
    }
  }
  Row take_settled(uint8_t owner, unsigned group) { return take_settled_at(place_of(owner), group); }
  [[gnu::cold, gnu::noinline]] Row take_settled_at(unsigned place, unsigned group) {
    constexpr unsigned kLook = 16;
    uint32_t before = kNone;
    uint32_t index = heads_[group][place];
    for (unsigned i = 0; i < kLook && index != kNone; ++i) {
      const Record record = records_.read(index);
      const auto next = static_cast<uint32_t>(record.bytes);
      if (place == kNobodysPlace || static_cast<uint8_t>(period_ - record.set) >= 2) {
        unlink(record.context, group, before, next);
        records_.clear(index);
        return {index, record.blocks};
      }
      before = index;
      index = next;
    }
    return {};
  }

  Records<M>& records_;
  std::array<std::array<uint32_t, protocol::kContexts + 1>, kMaxGroups> heads_;
  std::array<uint32_t, kMaxGroups> blocks_;
  uint8_t period_ = 0;
};

}  // namespace swai::memory
