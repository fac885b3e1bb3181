// SPDX-License-Identifier: Apache-2.0
// Blocks that were given back and still hold what their last owner has written. That one may have them again
// as they are; before anybody else gets them they are cleared.
//
// What was freed side by side is one row at once, so that what is free is in no more pieces than what is
// taken makes of it. A record at a row's first block and one at its last block say how long it is; those
// between are empty. Rows of one client and group are in lists by powers of two.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "abi/protocol.hpp"
#include "firmware/memory/contexts.hpp"
#include "firmware/memory/layout.hpp"
#include "firmware/memory/records.hpp"

namespace swai::memory {

// Blocks in a row, counted over all groups.
struct Row {
  uint32_t index = 0;
  uint32_t blocks = 0;

  uint32_t end() const { return index + blocks; }
};

// Blocks that are cleared at a time: as long as they are, their owner cannot have them again.
inline constexpr uint32_t kMostToClear = 64;

template <Machine M>
class Leftovers {
 public:
  static constexpr uint8_t kNobody = 0;

  explicit Leftovers(Records<M>& records) : records_(records) {}
  void init() {
    for (auto& of_group : lists_) of_group.fill({});
    blocks_ = {};
    period_ = 0;
  }

  // `owner`: the last one, or kNobody when it has gone, and nothing of it is under way. Returns the row that
  // they are part of now. `apart`: somebody waits for older rows of this client, which must not become young
  // again.
  [[gnu::noinline]] Row add(const Row& row, uint8_t owner, bool apart) {
    blocks_[row.index / kMaxBlocks] += row.blocks;
    return join(row, owner, apart);
  }
  // So many in a row that this client had; blocks 0: there is none, or none that is found quickly.
  [[gnu::always_inline]] Row take(uint8_t owner, unsigned group, uint32_t blocks) {
    const Lists& lists = lists_[group][place_of(owner)];
    const unsigned size_class = class_of(blocks);
    const uint32_t long_enough = lists.nonempty >> size_class;
    if (long_enough == 0) return {};
    return take_from(lists, group, size_class + static_cast<unsigned>(std::countr_zero(long_enough)), blocks);
  }
  // What can be cleared: of those who have gone, or also of others, but of none of `kept`; blocks 0: nothing.
  // It is still counted.
  [[gnu::cold, gnu::noinline]] Row take_to_clear(unsigned group, bool of_all, const Contexts& kept) {
    Row row = take_settled(group, kNobodysPlace, kept);
    for (unsigned place = 0; of_all && row.blocks == 0 && place < protocol::kContexts; ++place)
      row = take_settled(group, place, kept);
    return row;
  }
  // Whether there is anything that can be cleared at some time.
  [[gnu::cold, gnu::noinline]] bool any_to_clear(unsigned group, const Contexts& kept) const {
    return std::ranges::any_of(lists_[group], [&](const Lists& lists) {
      if (lists.nonempty == 0) return false;
      const uint32_t head = lists.heads[static_cast<unsigned>(std::countr_zero(lists.nonempty))];
      return !kept.has(records_.read(group * kMaxBlocks + head).context);
    });
  }
  void cleared(const Row& row) { blocks_[row.index / kMaxBlocks] -= row.blocks; }

  // A client goes: its lists are nobody's, and whoever finds a record of it adopts the row.
  void forget(uint8_t owner) {
    for (auto& of_group : lists_) of_group[owner % protocol::kContexts] = {};
  }
  Row adopt(uint32_t index, const Record& record) { return join({index, record.blocks}, kNobody, false); }
  // The same, but nobody ever gets it.
  Row drop(uint32_t index, const Record& record) {
    const Row row = {index, record.blocks};
    cleared(row);
    return withhold(row);
  }
  // Blocks that are not counted, and stay as if somebody had them.
  Row withhold(const Row& row) {
    records_.clear(row.index);
    records_.clear(row.end() - 1);
    return row;
  }

  // All that was under way when this was called last has ended. What was added before that time is used by
  // nobody.
  void end_period() { ++period_; }

  uint32_t blocks(unsigned group) const { return blocks_[group]; }
  bool any_of_nobody(unsigned group) const { return lists_[group][kNobodysPlace].nonempty != 0; }

 private:
  static constexpr uint16_t kNone = 0xffff;
  static constexpr unsigned kNobodysPlace = protocol::kContexts;
  static constexpr unsigned kClasses = std::bit_width(kMaxBlocks);

  // Of one client in one group: the first row of each class, as a block of the group. Rows that were cut are
  // shorter than their class says, until somebody looks for longer ones. It fits in half a line.
  struct alignas(32) Lists {
    uint16_t nonempty = 0;
    std::array<uint16_t, kClasses> heads = {};
  };
  static_assert(sizeof(Lists) == 32 && kMaxBlocks < kNone);
  // In the place of a record's bytes.
  struct Links {
    uint16_t next = kNone;
    uint16_t previous = kNone;
    uint16_t size_class = 0;

    constexpr uint64_t word() const { return next | uint64_t{previous} << 16 | uint64_t{size_class} << 32; }
    static constexpr Links of(uint64_t word) {
      return {static_cast<uint16_t>(word), static_cast<uint16_t>(word >> 16),
              static_cast<uint16_t>(word >> 32)};
    }
  };

  static unsigned place_of(uint8_t owner) {
    return owner == kNobody ? kNobodysPlace : owner % protocol::kContexts;
  }
  // Row lengths from a power of two up to the next one.
  static unsigned class_of(uint32_t blocks) { return static_cast<unsigned>(std::bit_width(blocks)) - 1; }

  static bool is_left(const Record& record) {
    return record.kind == Record::kLeft || record.kind == Record::kLeftEnd;
  }

  [[gnu::noinline]] Row take_from(const Lists& lists, unsigned group, unsigned size_class, uint32_t blocks) {
    const uint32_t index = group * kMaxBlocks + lists.heads[size_class];
    const uint64_t word = records_.read_word(index);
    if (records_.blocks_in(word) >= blocks) [[likely]] {
      blocks_[group] -= blocks;
      return cut(index, word, blocks);
    }
    return search(lists, group, size_class, blocks);
  }
  // The first few rows of this class and of longer ones.
  [[gnu::cold, gnu::noinline]] Row search(const Lists& lists, unsigned group, unsigned size_class,
                                          uint32_t blocks) {
    constexpr unsigned kLook = 16;
    const uint32_t base = group * kMaxBlocks;
    unsigned looks = 0;
    for (; size_class < kClasses; ++size_class) {
      for (uint16_t at = first(lists, size_class); at != kNone && looks < kLook; ++looks) {
        const Record record = records_.read(base + at);
        if (record.blocks >= blocks) {
          blocks_[group] -= blocks;
          return cut(base + at, records_.read_word(base + at), blocks);
        }
        if (class_of(record.blocks) != size_class) {
          unlink(base + at, record);
          link({base + at, record.blocks}, record.context, record.set);
        }
        at = Links::of(record.bytes).next;
      }
    }
    return {};
  }
  static uint16_t first(const Lists& lists, unsigned size_class) {
    return (lists.nonempty >> size_class & 1) != 0 ? lists.heads[size_class] : kNone;
  }
  // From the end of a row, of which this is the record's word: the rest of it stays where it is in its list.
  [[gnu::always_inline]] Row cut(uint32_t index, uint64_t word, uint32_t blocks) {
    const uint32_t length = records_.blocks_in(word);
    const uint32_t rest = length - blocks;
    if (rest == 0) {
      unlink(index, records_.read(index));
      records_.clear(index);
      records_.clear(index + length - 1);
    } else {
      records_.clear(index + length - 1);
      word = records_.shortened(word, blocks);
      records_.write_word(index, word);
      write_end(index, rest, word);
    }
    return {index + rest, blocks};
  }
  // Who might join a row from its end looks at nothing else.
  [[gnu::always_inline]] void write_end(uint32_t index, uint32_t blocks, uint64_t word) {
    if (blocks != 1) records_.write_word(index + blocks - 1, word + (Record::kLeftEnd - Record::kLeft));
  }

  // A row, with those that lie beside it, becomes one of this client's.
  Row join(Row row, uint8_t owner, bool apart) {
    const auto joins = [&](const Record& record) {
      return is_left(record) && record.context == owner && (!apart || record.set == period_);
    };
    records_.clear(row.index);
    records_.clear(row.end() - 1);
    if (row.index % kMaxBlocks != 0) {
      const uint32_t last = row.index - 1;
      const Record before = records_.read(last);
      if (joins(before)) {
        const uint32_t first = row.index - before.blocks;
        unlink(first, records_.read(first));
        records_.clear(last);
        row = {first, row.blocks + before.blocks};
      }
    }
    if (row.end() % kMaxBlocks != 0) {
      const uint32_t first = row.end();
      const Record after = records_.read(first);
      if (joins(after)) {
        unlink(first, after);
        records_.clear(first);
        row.blocks += after.blocks;
      }
    }
    link(row, owner, period_);
    return row;
  }

  void link(const Row& row, uint8_t owner, uint8_t period) {
    const uint32_t base = row.index / kMaxBlocks * kMaxBlocks;
    Lists& lists = lists_[row.index / kMaxBlocks][place_of(owner)];
    const unsigned size_class = class_of(row.blocks);
    const auto at = static_cast<uint16_t>(row.index - base);
    const uint16_t next = first(lists, size_class);
    Record record;
    record.kind = Record::kLeft;
    record.context = owner;
    record.set = period;
    record.blocks = row.blocks;
    record.bytes = Links{next, kNone, static_cast<uint16_t>(size_class)}.word();
    records_.write(row.index, record);
    write_end(row.index, row.blocks, records_.word_of(record));
    if (next != kNone) {
      Links behind = links(base + next);
      behind.previous = at;
      set_links(base + next, behind);
    }
    lists.heads[size_class] = at;
    lists.nonempty |= static_cast<uint16_t>(1u << size_class);
  }
  void unlink(uint32_t index, const Record& record) {
    const uint32_t base = index / kMaxBlocks * kMaxBlocks;
    Lists& lists = lists_[index / kMaxBlocks][place_of(record.context)];
    const auto [next, previous, size_class] = Links::of(record.bytes);
    if (previous != kNone) {
      Links before = links(base + previous);
      before.next = next;
      set_links(base + previous, before);
    } else if (next != kNone) {
      lists.heads[size_class] = next;
    } else {
      lists.nonempty &= static_cast<uint16_t>(~(1u << size_class));
    }
    if (next != kNone) {
      Links behind = links(base + next);
      behind.previous = previous;
      set_links(base + next, behind);
    }
  }
  Links links(uint32_t index) const { return Links::of(records_.read_bytes(index)); }
  void set_links(uint32_t index, const Links& links) { records_.write_bytes(index, links.word()); }

  // The longest rows first.
  [[gnu::cold, gnu::noinline]] Row take_settled(unsigned group, unsigned place, const Contexts& kept) {
    constexpr unsigned kLook = 16;
    const Lists& lists = lists_[group][place];
    const uint32_t base = group * kMaxBlocks;
    unsigned looks = 0;
    for (unsigned size_class = kClasses; size_class-- > 0;) {
      for (uint16_t at = first(lists, size_class); at != kNone && looks < kLook; ++looks) {
        const Record record = records_.read(base + at);
        if (kept.has(record.context)) return {};  // all of them are this client's
        if (place == kNobodysPlace || static_cast<uint8_t>(period_ - record.set) >= 2)
          return cut(base + at, records_.read_word(base + at), std::min(record.blocks, kMostToClear));
        at = Links::of(record.bytes).next;
      }
    }
    return {};
  }

  Records<M>& records_;
  std::array<std::array<Lists, protocol::kContexts + 1>, kMaxGroups> lists_;
  std::array<uint32_t, kMaxGroups> blocks_;
  uint8_t period_ = 0;
};

}  // namespace swai::memory
