// SPDX-License-Identifier: Apache-2.0
// The card's memory manager: multi-level allocation for processor (pages) and CPEs (segments) from the same
// memory. docs/firmware/memory.md explains it.
//
//   Memory<Processor> memory(processor);
//   memory.init(plan);
//   const auto got = memory.allocate(1 << 20, Usage::kShared, 0, context);   // got.pointer for kernels
//   memory.free(got.pointer, context);
//
// No function takes longer than a few hundred steps, whatever the sizes; free_some() takes a client's memory
// away in bits.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "abi/protocol.hpp"
#include "abi/segment.hpp"
#include "firmware/memory/bitmap.hpp"
#include "firmware/memory/contexts.hpp"
#include "firmware/memory/layout.hpp"
#include "firmware/memory/leftovers.hpp"
#include "firmware/memory/pools.hpp"
#include "firmware/memory/records.hpp"

namespace swai::memory {

using protocol::Status;

// Where the manager finds what it manages, and where it may keep what it knows.
struct Plan {
  unsigned groups = 1;
  struct Area {
    uint64_t base;  // multiples of kBlockBytes
    uint64_t bytes;
  };
  std::array<Area, kMaxGroups> areas = {};
  uint64_t segment_table = 0;
  uint16_t first_segment = 1;  // those below are somebody else's
  uint64_t records = 0;        // record_bytes() of memory of its own
  uint64_t pieces = 0;         // likewise piece_bytes(pools)
  unsigned pools = kMaxPools;  // blocks that pools may have together
  bool withholds = false;      // what was given out before, as something may still write there
};

// Memory that somebody has.
struct Range {
  uint64_t pointer = 0;  // as kernels and host use it
  uint64_t physical = 0;
  uint64_t bytes = 0;
  Usage usage = Usage::kCpe;
  uint8_t context = 0;
  unsigned group = 0;
};

struct Allocation {
  Status status = Status::kOk;
  Range range = {};
};

struct Info {
  uint64_t free = 0;  // blocks that nobody has, in bytes, also those that have to be cleared before
  uint64_t total = 0;
  uint64_t largest = 0;  // of those that have not
};

template <Machine M>
class Memory {
 public:
  explicit Memory(M& machine) : machine_(machine), records_(machine), leftovers_(records_) {}

  static constexpr uint64_t record_bytes(unsigned groups) {
    return places_at(groups) + (kMaxPools + 1 + kMaxGroups + kMaxGroups * kBeginWords) * sizeof(uint64_t);
  }
  // What is known of the pieces of so many blocks.
  static constexpr uint64_t piece_bytes(unsigned pools) {
    return uint64_t{pools} * kPoolLines * Pool<M>::kWordBytes;
  }

  [[gnu::cold, gnu::noinline]] void init(const Plan& plan) {
    plan_ = plan;
    segments_.init(kSegments);
    segments_.take(plan.first_segment);
    records_.init(plan.records);
    free_pool_block_ = pool_blocks_ = 0;
    places_ = plan.records + places_at(plan.groups);
    begin_serials();
    accounts_.fill({});
    leaving_ = kNobody;
    sets_.fill({});
    forget_last();
    leftovers_.init();
    to_clear_ = true;
    turned_away_.fill(false);
    kept_ = {};
    clearing_ = {};
    for (unsigned group = 0; group < plan.groups; ++group) {
      blocks_[group].init(static_cast<unsigned>(plan.areas[group].bytes / kBlockBytes));
      take_over(group);
    }
  }

  // Bytes are those that were asked for; the pointer is a multiple of 64. `group`: kAnyGroup takes the one
  // that has most.
  // What is common is short, and calls nothing.
  [[gnu::noinline]] Allocation allocate(uint64_t bytes, Usage usage, unsigned group, uint8_t context) {
    if (group == protocol::kAnyGroup) group = emptiest();
    if (group >= plan_.groups) return {Status::kBadOperation};
    if (bytes - 1 >= kLargeBytes - 1) return allocate_blocks(bytes, usage, group, context);
    PoolSet* set = last_[static_cast<unsigned>(usage)][group];
    if (set->context != context) return allocate_first(bytes, usage, group, context);
    const uint32_t line = set->pool.take_at_once(machine_, static_cast<uint32_t>(bytes));
    if (line == Pool<M>::kNone) return allocate_piece(set, bytes);
    return give_out(*set, line, bytes);
  }

  Status free(uint64_t pointer, uint8_t context) {
    const Block block = find_block(pointer);
    if (block.index == kNoBlock || block.record.context != context) return Status::kBadPointer;
    const uint64_t offset = block.offset;
    if (block.record.kind == Record::kLarge) {
      if (offset != 0) return Status::kBadPointer;
      account_freed(context, block.record.bytes);
      release(block, context);
    } else {
      if (offset % kLineBytes != 0) return Status::kBadPointer;
      PoolSet& set = sets_[block.record.set];
      const uint32_t line = line_of(block.record.pool) + static_cast<uint32_t>(offset / kLineBytes);
      Piece piece;
      if (!set.pool.find(machine_, line, piece)) return Status::kBadPointer;
      account_freed(context, uint64_t{piece.lines} * kLineBytes - piece.unused);
      if (set.pool.give_back(machine_, line, piece) != Pool<M>::kNone) release(block, context);
    }
    return Status::kOk;
  }

  // What a pointer, also one into the middle, belongs to: the whole allocation when it is large, else the
  // pool's block, which is what the hardware protects. bytes 0: nothing of this context.
  Range find(uint64_t pointer, uint8_t context) const {
    const Block block = find_block(pointer);
    if (block.index == kNoBlock ||
        (block.record.context != context && block.record.context != segment::kShared))
      return {};
    return range_of(block);
  }

  // Of a segment that is a large allocation.
  [[gnu::cold, gnu::noinline]] void set_permissions(uint64_t pointer, uint8_t permissions) {
    const uint16_t number = segment::number(pointer);
    segment::Entry entry =
        segment::decode(machine_.load(plan_.segment_table + uint64_t{number} * sizeof(uint64_t)));
    entry.permissions = permissions;
    set_entry(number, segment::encode(entry));
  }

  // Takes away up to `steps` blocks that a context has. True: it has nothing any more. `withhold`: something
  // may still write there, so nobody ever gets them.
  [[gnu::cold, gnu::noinline]] bool free_some(uint8_t context, unsigned steps, bool withhold = false) {
    if (leaving_ != context) {
      leaving_ = context;
      next_ = 0;
      leftovers_.forget(context);
    }
    while (next_ < plan_.groups * kMaxBlocks) {
      const unsigned group = next_ / kMaxBlocks;
      const unsigned bit = blocks_[group].next_taken(next_ % kMaxBlocks);
      if (bit == blocks_[group].size()) {
        next_ = (group + 1) * kMaxBlocks;
        continue;
      }
      if (steps-- == 0) return false;
      next_ = group * kMaxBlocks + bit;
      const Block block = block_at(next_);
      // Somebody else's may have begun before here since the last time.
      const bool begins = block.record.kind != Record::kNone && block.record.kind != Record::kLeftEnd;
      next_ += begins ? block.record.blocks : 1;
      if (!begins || block.record.context != context) continue;
      // What it becomes a part of may reach further.
      const bool left = block.record.kind == Record::kLeft;
      if (withhold) {
        next_ =
            (left ? leftovers_.drop(block.index, block.record) : leftovers_.withhold(take_away(block))).end();
      } else {
        next_ = (left ? leftovers_.adopt(block.index, block.record) : release(block, kNobody)).end();
        discard({block.index, block.record.blocks});
      }
    }
    for (PoolSet& set : sets_) {
      if (set.context == context) set.context = kNobody;
    }
    forget_last();
    account_of(context) = {};
    to_clear_ = true;
    leaving_ = kNobody;
    return true;
  }

  [[gnu::cold, gnu::noinline]] Info info(unsigned group) const {
    const auto& blocks = blocks_[group];
    return {unowned(group) * kBlockBytes, blocks.size() * kBlockBytes, blocks.longest() * kBlockBytes};
  }

  // --- Clearing what others have left

  // A row of blocks that is to be cleared now; blocks 0: none. Of those who have gone as long as there is
  // less than a quarter of a group's memory to give out at once, of all when somebody was turned away.
  [[gnu::cold, gnu::noinline]] Row take_to_clear() {
    for (unsigned group = 0; group < plan_.groups; ++group) {
      if (!is_short(group)) continue;
      clearing_ = leftovers_.take_to_clear(group, turned_away_[group], kept_);
      if (clearing_.blocks != 0) return clearing_;
      if (!leftovers_.any_to_clear(group, kept_)) turned_away_[group] = false;
    }
    to_clear_ = false;
    return {};
  }
  // There may be such a row.
  bool to_clear() const { return to_clear_; }
  // Somebody waits for memory that clients who are still there gave back, and may still use.
  bool waits_for_period() const { return std::ranges::find(turned_away_, true) != turned_away_.end(); }
  void end_period() {
    leftovers_.end_period();
    to_clear_ = true;
  }
  // The row's first blocks are over: cleared, or nobody ever gets them, as something may still write there.
  void cleared(uint32_t blocks) {
    const uint32_t index = clearing_.index;
    discard({index, blocks});
    withhold(blocks);
    blocks_[index / kMaxBlocks].give_back(index % kMaxBlocks, blocks);
  }
  void withhold(uint32_t blocks) {
    leftovers_.cleared({clearing_.index, blocks});
    clearing_ = {clearing_.index + blocks, clearing_.blocks - blocks};
  }
  // What these have left is not for others now; all: nothing can be cleared.
  void keep(const Contexts& contexts) { kept_ = contexts; }
  uint64_t area(unsigned group) const { return plan_.areas[group].base; }
  uint64_t physical_of(uint32_t index) const {
    return plan_.areas[index / kMaxBlocks].base + index % kMaxBlocks * kBlockBytes;
  }

  uint64_t bytes_of(uint8_t context) const { return accounts_[context % protocol::kContexts].bytes; }
  // How often blocks have lost their owner.
  uint32_t releases() const { return releases_; }
  uint32_t count_of(uint8_t context) const { return accounts_[context % protocol::kContexts].count; }

 private:
  using Blocks = Bitmap<kMaxBlocks>;
  using Segments = Bitmap<kSegments>;

  static constexpr uint32_t kNoBlock = ~0u;
  static constexpr unsigned kSets = 32;
  static constexpr uint8_t kNobody = 0;

  struct Block {
    uint32_t index = kNoBlock;
    Record record = {};
    uint64_t physical = 0;
    uint64_t offset = 0;  // of the pointer by which it was found
  };
  struct Account {
    uint64_t bytes = 0;
    uint32_t count = 0;
  };
  struct PoolSet {
    uint8_t context = kNobody;
    Usage usage = Usage::kCpe;
    uint8_t group = 0;
    Pool<M> pool = {};
  };

  // --- Addresses

  static constexpr uint32_t line_of(unsigned pool_block) { return pool_block * kPoolLines; }
  // Behind the records: where each of the pools' blocks lies.
  static constexpr uint64_t places_at(unsigned groups) {
    return uint64_t{groups} * kMaxBlocks * Records<M>::kBytes;
  }
  uint64_t place_of(unsigned pool_block) const { return places_ + pool_block * sizeof(uint64_t); }

  Block block_at(uint32_t index) const { return {index, records_.read(index), physical_of(index), 0}; }
  uint64_t pointer_of(uint16_t number, uint64_t physical, uint64_t offset) const {
    return number != 0 ? segment::pointer(number, offset)
                       : segment::pointer(protocol::kPageSegment, physical + offset);
  }
  Range range_of(const Block& block) const {
    const bool large = block.record.kind == Record::kLarge;
    return {pointer_of(block.record.segment, block.physical, 0),
            block.physical,
            large ? block.record.bytes : kBlockBytes,
            block.record.usage,
            block.record.context,
            block.index / kMaxBlocks};
  }

  // The block that a pointer leads to; index kNoBlock: none.
  Block find_block(uint64_t pointer) const {
    const uint16_t number = segment::number(pointer);
    Block block = number == protocol::kPageSegment ? find_page(segment::offset(pointer))
                                                   : find_segment(number, segment::offset(pointer));
    const uint64_t end = block.record.kind == Record::kLarge ? block.record.bytes : kBlockBytes;
    if (block.index == kNoBlock || block.offset >= end) return {};
    return block;
  }
  Block find_segment(uint16_t number, uint64_t offset) const {
    if (number < plan_.first_segment || number >= kSegments || !segments_.taken(number)) return {};
    const uint64_t base =
        segment::decode(machine_.load(plan_.segment_table + uint64_t{number} * sizeof(uint64_t))).base;
    const uint32_t index = index_of(base);
    if (index == kNoBlock) return {};
    Block block = block_at(index);
    block.offset = offset;
    return block.record.segment == number ? block : Block{};
  }
  // Pages have no number that tells where a large allocation begins. So there is a bit for each block, of
  // those that begin one: the nearest below is the only one that can reach as far.
  static constexpr unsigned kBeginWords = kMaxBlocks / 64;
  uint64_t begins_of(uint32_t index) const {
    return place_of(kMaxPools + 1 + kMaxGroups) + index / 64 * sizeof(uint64_t);
  }
  void set_begin(uint32_t index, bool begins) {
    const uint64_t bit = uint64_t{1} << index % 64;
    const uint64_t word = machine_.load(begins_of(index));
    machine_.store(begins_of(index), begins ? word | bit : word & ~bit);
  }
  Block find_page(uint64_t physical) const {
    const uint32_t index = index_of(physical);
    if (index == kNoBlock) return {};
    uint64_t word = machine_.load(begins_of(index)) << (63 - index % 64) >> (63 - index % 64);
    uint32_t at = index & ~63u;
    for (; word == 0 && at % kMaxBlocks != 0; word = machine_.load(begins_of(at))) at -= 64;
    if (word == 0) return {};
    Block block = block_at(at + 63 - static_cast<unsigned>(std::countl_zero(word)));
    block.offset = physical - block.physical;
    return block;
  }
  uint32_t index_of(uint64_t physical) const {
    for (unsigned group = 0; group < plan_.groups; ++group) {
      const auto& area = plan_.areas[group];
      if (physical - area.base < area.bytes) {
        return group * kMaxBlocks + static_cast<uint32_t>((physical - area.base) / kBlockBytes);
      }
    }
    return kNoBlock;
  }

  // --- First level: blocks

  // The group with most blocks that nobody has, clear or not.
  unsigned emptiest() const {
    unsigned best = 0;
    for (unsigned group = 1; group < plan_.groups; ++group) {
      if (unowned(group) > unowned(best)) best = group;
    }
    return best;
  }
  uint64_t unowned(unsigned group) const {
    return uint64_t{blocks_[group].free()} + leftovers_.blocks(group);
  }

  static bool has_pages(const Record& record) { return record.usage != Usage::kCpe; }

  // Blocks in a row for this client: what it has left itself as it is, else what is clear. kNoBlock: none.
  [[gnu::always_inline]] uint32_t find_blocks(unsigned group, uint32_t count, uint8_t context) {
    const Row own = leftovers_.take(context, group, count);
    if (own.blocks != 0) return own.index;
    const unsigned first = blocks_[group].take(count);
    if (first == Blocks::kNone) return kNoBlock;
    if (first + count > reached_[group]) reach(group, first + count);
    to_clear_ |= is_short(group);
    return group * kMaxBlocks + first;
  }
  // Blocks with record, segment and pages. The first of them; kNoBlock: there is no room, or no number.
  [[gnu::noinline]] uint32_t take_blocks(Record& record, unsigned group) {
    record.blocks = static_cast<uint32_t>((record.bytes + kBlockBytes - 1) / kBlockBytes);
    const uint32_t index = find_blocks(group, record.blocks, record.context);
    if (index == kNoBlock) return kNoBlock;
    const uint64_t physical = physical_of(index);
    if (record.usage != Usage::kMpe) {
      const unsigned number = segments_.take(1);
      if (number == Segments::kNone) [[unlikely]] {
        leave({index, record.blocks}, record.context);
        return kNoBlock;
      }
      record.segment = static_cast<uint16_t>(number);
      const uint64_t granules = (record.bytes + segment::kGranuleBytes - 1) & ~(segment::kGranuleBytes - 1);
      set_entry(record.segment,
                segment::encode({physical, granules, segment::kRead | segment::kWrite, record.context}));
    }
    records_.write(index, record);
    if (record.segment == 0) set_begin(index, true);
    if (has_pages(record)) machine_.map(physical, record.blocks * kBlockBytes, record.usage);
    return index;
  }

  // `owner` has had it; kNobody: it has gone. Returns what is left there now.
  Row release(const Block& block, uint8_t owner) { return leave(take_away(block), owner); }
  [[gnu::always_inline]] Row take_away(const Block& block) {
    if (block.record.segment != 0) {
      set_entry(block.record.segment, segment::kNoEntry);
      segments_.give_back(block.record.segment, 1);
    } else {
      set_begin(block.index, false);
    }
    if (has_pages(block.record)) machine_.unmap(block.physical, block.record.blocks * kBlockBytes);
    ++releases_;
    if (block.record.kind == Record::kPool) give_back_pool_block(block.record.pool);
    return {block.index, block.record.blocks};
  }
  // The row is clear, or will be cleared before any client reads it.
  void discard(const Row& row) { machine_.discard(physical_of(row.index), row.blocks * kBlockBytes); }
  Row leave(const Row& row, uint8_t owner) {
    return leftovers_.add(row, owner, turned_away_[row.index / kMaxBlocks]);
  }
  // What there is to say when no row is long enough: later, if others have left something.
  [[gnu::cold, gnu::noinline]] Status no_room(unsigned group, uint64_t bytes) {
    if (leftovers_.blocks(group) == 0 || bytes > unowned(group) * kBlockBytes || !gets_clear(group))
      return Status::kNoMemory;
    turned_away_[group] = to_clear_ = true;
    return Status::kAgain;
  }
  // Something that others have left will be, sooner or later.
  bool gets_clear(unsigned group) const {
    if (!kept_.any()) return true;
    const bool clears = clearing_.blocks != 0 && clearing_.index / kMaxBlocks == group && !kept_.has(kNobody);
    return clears || leftovers_.any_to_clear(group, kept_);
  }
  bool is_short(unsigned group) const {
    if (turned_away_[group]) return true;
    return blocks_[group].free() < blocks_[group].size() / 4 && leftovers_.any_of_nobody(group);
  }

  // How far memory has been given out, ever: what is beyond holds nothing of anybody, also after a reset.
  uint64_t reach_of(unsigned group) const { return place_of(kMaxPools + 1 + group); }
  [[gnu::cold, gnu::noinline]] void reach(unsigned group, unsigned blocks) {
    reached_[group] = blocks;
    machine_.store(reach_of(group), blocks);
    machine_.publish(reach_of(group), sizeof(uint64_t));
  }
  // What was given out before a reset of the processor is nobody's now.
  [[gnu::cold, gnu::noinline]] void take_over(unsigned group) {
    const uint64_t reached = std::min<uint64_t>(machine_.load(reach_of(group)), blocks_[group].size());
    reached_[group] = static_cast<unsigned>(reached);
    const uint32_t first = group * kMaxBlocks;
    for (uint32_t i = 0; i < reached_[group]; ++i) records_.clear(first + i);
    for (uint32_t i = 0; i < kMaxBlocks; i += 64) machine_.store(begins_of(first + i), 0);
    if (blocks_[group].take(reached_[group]) == 0 && !plan_.withholds) {
      discard({first, reached_[group]});
      leave({first, reached_[group]}, kNobody);
    }
  }

  void set_entry(uint16_t number, uint64_t entry) {
    machine_.set_entry(plan_.segment_table + uint64_t{number} * sizeof(uint64_t), entry);
  }

  [[gnu::noinline]] Allocation allocate_blocks(uint64_t bytes, Usage usage, unsigned group, uint8_t context) {
    if (bytes == 0) return {Status::kBadOperation};
    if (bytes > kMaxGroupBytes) return {Status::kNoMemory};
    Record record;
    record.kind = Record::kLarge;
    record.usage = usage;
    record.context = context;
    record.bytes = bytes;
    const uint32_t index = take_blocks(record, group);
    if (index == kNoBlock) return {no_room(group, bytes)};
    Account& account = account_of(context);
    account.bytes += bytes;
    ++account.count;
    const uint64_t physical = physical_of(index);
    return {Status::kOk, {pointer_of(record.segment, physical, 0), physical, bytes, usage, context, group}};
  }

  // --- Second level: pieces

  [[gnu::always_inline]] Allocation give_out(const PoolSet& set, uint32_t line, uint64_t bytes) {
    Account& account = account_of(set.context);
    account.bytes += bytes;
    ++account.count;
    const uint64_t place = machine_.load(place_of(line / kPoolLines));
    const uint64_t physical = segment::offset(place);
    const uint64_t offset = line % kPoolLines * kLineBytes;
    return {Status::kOk,
            {pointer_of(segment::number(place), physical, offset), physical + offset, bytes, set.usage,
             set.context, set.group}};
  }

  // 0: there is none.
  uint32_t take_pool_block() {
    const uint32_t pool_block = free_pool_block_;
    if (pool_block == 0) return pool_blocks_ == plan_.pools ? 0 : ++pool_blocks_;
    free_pool_block_ = static_cast<uint32_t>(machine_.load(place_of(pool_block)));
    return pool_block;
  }
  void give_back_pool_block(uint32_t pool_block) {
    machine_.store(place_of(pool_block), free_pool_block_);
    free_pool_block_ = pool_block;
  }

  // A piece for which a larger one has to be cut, or a block added.
  [[gnu::noinline]] Allocation allocate_piece(PoolSet* set, uint64_t bytes) {
    const auto wanted = static_cast<uint32_t>(bytes);
    uint32_t line = set->pool.take(machine_, wanted);
    if (line == Pool<M>::kNone) {
      // Who finds no block for pools any more has one alone.
      const uint32_t pool_block = take_pool_block();
      if (pool_block == 0) return allocate_blocks(bytes, set->usage, set->group, set->context);
      Record record;
      record.kind = Record::kPool;
      record.usage = set->usage;
      record.context = set->context;
      record.set = static_cast<uint8_t>(set - sets_.data());
      record.bytes = kBlockBytes;
      record.pool = static_cast<uint16_t>(pool_block);
      const uint32_t index = take_blocks(record, set->group);
      if (index == kNoBlock) {
        give_back_pool_block(pool_block);
        return {no_room(set->group, bytes)};
      }
      // The segment's number, if there is one, above the address.
      machine_.store(place_of(pool_block), segment::pointer(record.segment, physical_of(index)));
      set->pool.add_block(machine_, line_of(pool_block));
      line = set->pool.take(machine_, wanted);
    }
    return give_out(*set, line, bytes);
  }

  // One for which another pool than the last one has to be found, or made.
  [[gnu::noinline]] Allocation allocate_first(uint64_t bytes, Usage usage, unsigned group, uint8_t context) {
    PoolSet* set = set_for(usage, group, context);
    if (set == nullptr) return allocate_blocks(bytes, usage, group, context);
    last_[static_cast<unsigned>(usage)][group] = set;
    return allocate_piece(set, bytes);
  }

  [[gnu::cold, gnu::noinline]] PoolSet* set_for(Usage usage, unsigned group, uint8_t context) {
    PoolSet* unused = nullptr;
    for (PoolSet& set : sets_) {
      if (set.context == context && set.usage == usage && set.group == group) return &set;
      if (unused == nullptr && set.context == kNobody) unused = &set;
    }
    if (unused == nullptr) return nullptr;
    unused->context = context;
    unused->usage = usage;
    unused->group = static_cast<uint8_t>(group);
    unused->pool.init(++serial_, plan_.pieces - kPoolLines * Pool<M>::kWordBytes);
    return unused;
  }
  // What pools before a reset have left must not look like something of a pool of now. The number of the life
  // lies where a block 0 would have its place.
  [[gnu::cold, gnu::noinline]] void begin_serials() {
    constexpr unsigned kInLife = 32;
    const uint64_t life = (machine_.load(place_of(0)) + 1) & 0xff'ffff;
    machine_.store(place_of(0), life);
    machine_.publish(place_of(0), sizeof life);
    serial_ = life << kInLife;
  }
  void forget_last() {
    for (auto& of_usage : last_) of_usage.fill(&nobodys_);
  }

  Account& account_of(uint8_t context) { return accounts_[context % protocol::kContexts]; }
  void account_freed(uint8_t context, uint64_t bytes) {
    Account& account = account_of(context);
    account.bytes -= bytes;
    --account.count;
  }

  M& machine_;
  Records<M> records_;
  Plan plan_;
  std::array<std::array<PoolSet*, kMaxGroups>, 3> last_;  // by usage: the one that was used last
  std::array<Blocks, kMaxGroups> blocks_;
  std::array<unsigned, kMaxGroups> reached_;
  Leftovers<M> leftovers_;
  std::array<bool, kMaxGroups> turned_away_;  // somebody was, for what others have left
  bool to_clear_ = false;
  Contexts kept_ = {};  // what these have left is not for others now
  Row clearing_ = {};   // what is left of the row that is being cleared
  Segments segments_;
  std::array<PoolSet, kSets> sets_;
  PoolSet nobodys_;
  // Counted from 1, so that no piece begins at line 0.
  uint32_t pool_blocks_ = 0;      // so many have been in use
  uint32_t free_pool_block_ = 0;  // of these one that is not any more; the next one lies at its place
  uint64_t places_ = 0;
  uint64_t serial_ = 0;  // of the last pool
  uint32_t releases_ = 0;
  std::array<Account, protocol::kContexts> accounts_;  // by the client's place
  // Whose memory free_some() takes away, and where it goes on.
  uint8_t leaving_ = kNobody;
  uint32_t next_ = 0;
};

}  // namespace swai::memory
