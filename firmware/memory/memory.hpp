// The card's memory manager: multi-level allocation for processor (pages) and CPEs (segments) from the same
// memory. docs/memory.md explains it.
//
//   Memory<Processor> memory(processor);
//   memory.init(plan);
//   const auto got = memory.allocate(1 << 20, Usage::kShared, 0, context);   // got.pointer for kernels
//   memory.free(got.pointer, context);
//
// No function takes longer than a few hundred steps, whatever the sizes; free_some() takes a client's memory
// away in bits.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "firmware/abi/protocol.hpp"
#include "firmware/abi/segment.hpp"
#include "firmware/memory/bitmap.hpp"
#include "firmware/memory/layout.hpp"
#include "firmware/memory/pools.hpp"

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
  bool debug = false;          // poison and red zones
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
  uint64_t free = 0;  // blocks that nobody has, in bytes
  uint64_t total = 0;
  uint64_t largest = 0;
};

template <Machine M>
class Memory {
 public:
  explicit Memory(M& machine) : machine_(machine) {}

  static constexpr uint64_t record_bytes(unsigned groups) {
    return uint64_t{groups} * kMaxBlocks * kRecordBytes;
  }

  void init(const Plan& plan) {
    plan_ = plan;
    segments_.init(kSegments);
    segments_.take(plan.first_segment);
    first_of_.fill(kNoBlock);
    sets_.fill({});
    bytes_of_.fill(0);
    count_of_.fill(0);
    for (unsigned group = 0; group < plan.groups; ++group) {
      blocks_[group].init(static_cast<unsigned>(plan.areas[group].bytes / kBlockBytes));
    }
  }

  // Bytes are those that were asked for; the pointer is a multiple of 64. `group`: kAnyGroup takes the one
  // that has most.
  Allocation allocate(uint64_t bytes, Usage usage, unsigned group, uint8_t context) {
    if (bytes == 0 || (group >= plan_.groups && group != protocol::kAnyGroup)) return {Status::kBadOperation};
    if (bytes > kMaxGroupBytes) return {Status::kNoMemory};
    if (group == protocol::kAnyGroup) group = emptiest();
    const uint64_t with_zones = plan_.debug ? bytes + kLineBytes : bytes;
    Allocation got = with_zones >= kLargeBytes ? allocate_blocks(bytes, with_zones, usage, group, context)
                                               : allocate_piece(bytes, with_zones, usage, group, context);
    if (got.status != Status::kOk) return got;
    bytes_of_[context] += bytes;
    ++count_of_[context];
    if (plan_.debug) machine_.fill(got.range.physical, extent(got.range));
    return got;
  }

  Status free(uint64_t pointer, uint8_t context) {
    Block block = find_block(pointer);
    if (block.index == kNoBlock || block.record.context != context) return Status::kBadPointer;
    const uint64_t offset = block.offset;
    uint64_t damaged = 0;
    if (block.record.kind == Record::kLarge) {
      if (offset != 0) return Status::kBadPointer;
      damaged = check_zone(block.physical, block.record.bytes, block.record.blocks * kBlockBytes);
      account_freed(context, block.record.bytes);
      release(block);
    } else {
      PoolSet& set = sets_[block.record.set];
      if (offset % kLineBytes != 0 || offset < kLineBytes) return Status::kBadPointer;
      const uint32_t line = line_of(block.index) + static_cast<uint32_t>(offset / kLineBytes) - 1;
      const Piece piece = set.pool.read(machine_, line);
      const uint64_t room = uint64_t{piece.lines - 1} * kLineBytes;
      if (piece.state != Piece::kTaken || piece.unused >= room) return Status::kBadPointer;
      damaged = check_zone(block.physical + offset, room - piece.unused, room);
      account_freed(context, room - piece.unused);
      const uint32_t whole = set.pool.give_back(machine_, line);
      if (whole != Pool<M>::kNone) release(block_at(block_of(whole, set.group)));
    }
    return damaged == 0 ? Status::kOk : Status::kBadRange;
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
  void set_permissions(uint64_t pointer, uint8_t permissions) {
    const uint16_t number = segment::number(pointer);
    segment::Entry entry =
        segment::decode(machine_.load(plan_.segment_table + uint64_t{number} * sizeof(uint64_t)));
    entry.permissions = permissions;
    set_entry(number, segment::encode(entry));
  }

  // Takes away up to `steps` blocks that a context has. True: it has nothing any more.
  bool free_some(uint8_t context, unsigned steps) {
    while (first_of_[context] != kNoBlock) {
      if (steps-- == 0) return false;
      const Block block = block_at(first_of_[context]);
      if (block.record.kind == Record::kPool) machine_.drop(block.physical, kBlockBytes);
      release(block);
    }
    for (PoolSet& set : sets_) set.used = set.used && set.context != context;
    bytes_of_[context] = 0;
    count_of_[context] = 0;
    return true;
  }

  Info info(unsigned group) const {
    const auto& blocks = blocks_[group];
    return {blocks.free() * kBlockBytes, blocks.size() * kBlockBytes, blocks.longest() * kBlockBytes};
  }
  uint64_t bytes_of(uint8_t context) const { return bytes_of_[context]; }
  uint32_t count_of(uint8_t context) const { return count_of_[context]; }

  // The blocks that a context has; `see` is called with a Range for each. Pools are shown as a whole.
  template <typename See>
  void each(uint8_t context, See see) const {
    for (uint32_t index = first_of_[context]; index != kNoBlock; index = next_of(index))
      see(range_of(block_at(index)));
  }
  // Pools whose headers somebody has overwritten.
  uint32_t damaged_pools() const {
    uint32_t count = 0;
    for (const PoolSet& set : sets_) count += set.used ? set.pool.broken() : 0;
    return count;
  }

 private:
  static constexpr uint32_t kNoBlock = ~0u;
  static constexpr uint64_t kRecordBytes = 32;
  static constexpr unsigned kSets = 32;

  // What is known of a block that begins an allocation, or is a pool. Blocks are counted over all groups.
  struct Record {
    enum Kind : uint8_t { kNone = 0, kLarge = 1, kPool = 2 };
    Kind kind = kNone;
    Usage usage = Usage::kCpe;
    uint8_t context = 0;
    uint8_t set = 0;       // pools
    uint16_t segment = 0;  // 0: it has none
    uint32_t blocks = 0;
    uint64_t bytes = 0;        // that were asked for
    uint32_t next = kNoBlock;  // of the context
    uint32_t previous = kNoBlock;
  };
  struct Block {
    uint32_t index = kNoBlock;
    Record record = {};
    uint64_t physical = 0;
    uint64_t offset = 0;  // of the pointer by which it was found
  };
  struct PoolSet {
    bool used = false;
    uint8_t context = 0;
    Usage usage = Usage::kCpe;
    uint8_t group = 0;
    Pool<M> pool = {};
  };

  // --- Records, in memory of the manager's own

  uint64_t record_address(uint32_t index) const { return plan_.records + uint64_t{index} * kRecordBytes; }
  Record read(uint32_t index) const {
    const uint64_t at = record_address(index);
    const uint64_t first = machine_.load(at);
    const uint64_t links = machine_.load(at + 16);
    return {static_cast<typename Record::Kind>(first & 0xff),
            static_cast<Usage>(first >> 8 & 0xff),
            static_cast<uint8_t>(first >> 16),
            static_cast<uint8_t>(first >> 24),
            static_cast<uint16_t>(first >> 32),
            static_cast<uint32_t>(first >> 48),
            machine_.load(at + 8),
            static_cast<uint32_t>(links),
            static_cast<uint32_t>(links >> 32)};
  }
  uint16_t segment_of(uint32_t index) const {
    return static_cast<uint16_t>(machine_.load(record_address(index)) >> 32);
  }
  void write(uint32_t index, const Record& record) {
    const uint64_t at = record_address(index);
    machine_.store(at, record.kind | static_cast<uint64_t>(record.usage) << 8 |
                           uint64_t{record.context} << 16 | uint64_t{record.set} << 24 |
                           uint64_t{record.segment} << 32 | uint64_t{record.blocks} << 48);
    machine_.store(at + 8, record.bytes);
    write_links(index, record.next, record.previous);
  }
  uint32_t next_of(uint32_t index) const {
    return static_cast<uint32_t>(machine_.load(record_address(index) + 16));
  }
  uint32_t previous_of(uint32_t index) const {
    return static_cast<uint32_t>(machine_.load(record_address(index) + 16) >> 32);
  }
  void write_links(uint32_t index, uint32_t next, uint32_t previous) {
    machine_.store(record_address(index) + 16, next | uint64_t{previous} << 32);
  }

  void link(uint32_t index, Record& record) {
    record.next = first_of_[record.context];
    record.previous = kNoBlock;
    if (record.next != kNoBlock) write_links(record.next, next_of(record.next), index);
    first_of_[record.context] = index;
    write(index, record);
  }
  void unlink(uint32_t index, const Record& record) {
    if (record.previous == kNoBlock) {
      first_of_[record.context] = record.next;
    } else {
      write_links(record.previous, record.next, previous_of(record.previous));
    }
    if (record.next != kNoBlock) write_links(record.next, next_of(record.next), record.previous);
    machine_.store(record_address(index), Record::kNone);
  }

  // --- Addresses

  uint64_t physical_of(uint32_t index) const {
    return plan_.areas[index / kMaxBlocks].base + index % kMaxBlocks * kBlockBytes;
  }
  // Pools count lines from a block before the area on, so that no piece has the number 0.
  uint32_t line_of(uint32_t index) const { return (index % kMaxBlocks + 1) * kPoolLines; }
  static uint32_t block_of(uint32_t line, unsigned group) {
    return group * kMaxBlocks + line / kPoolLines - 1;
  }

  Block block_at(uint32_t index) const { return {index, read(index), physical_of(index), 0}; }
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
  // Pages have no number that tells where a large allocation begins.
  Block find_page(uint64_t physical) const {
    uint32_t index = index_of(physical);
    if (index == kNoBlock) return {};
    const auto& blocks = blocks_[index / kMaxBlocks];
    for (; blocks.taken(index % kMaxBlocks); --index) {
      Block block = block_at(index);
      if (block.record.kind != Record::kNone) {
        block.offset = physical - block.physical;
        return block.record.segment == 0 ? block : Block{};
      }
      if (index % kMaxBlocks == 0) break;
    }
    return {};
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

  unsigned emptiest() const {
    unsigned best = 0;
    for (unsigned group = 1; group < plan_.groups; ++group) {
      if (blocks_[group].free() > blocks_[best].free()) best = group;
    }
    return best;
  }

  // Headers of pieces lie in the pool itself.
  static bool has_pages(const Record& record) {
    return record.usage != Usage::kCpe || record.kind == Record::kPool;
  }

  // Blocks with record, segment and pages; index kNoBlock: there is no room, or no number.
  Block take_blocks(uint64_t bytes, uint64_t room, Record record, unsigned group) {
    record.blocks = static_cast<uint32_t>((room + kBlockBytes - 1) / kBlockBytes);
    record.bytes = bytes;
    const unsigned first = blocks_[group].take(record.blocks);
    if (first == Blocks::kNone) return {};
    const uint32_t index = group * kMaxBlocks + first;
    const uint64_t physical = physical_of(index);
    if (record.usage != Usage::kMpe) {
      const unsigned number = segments_.take_one();
      if (number == Segments::kNone) {
        blocks_[group].give_back(first, record.blocks);
        return {};
      }
      record.segment = static_cast<uint16_t>(number);
      const uint64_t granules = (room + segment::kGranuleBytes - 1) & ~(segment::kGranuleBytes - 1);
      set_entry(record.segment,
                segment::encode({physical, record.kind == Record::kPool ? kBlockBytes : granules,
                                 segment::kRead | segment::kWrite, record.context}));
    }
    link(index, record);
    if (has_pages(record)) machine_.map(physical, record.blocks * kBlockBytes, record.usage);
    return {index, record, physical, 0};
  }

  void release(const Block& block) {
    if (block.record.segment != 0) {
      set_entry(block.record.segment, segment::kNoEntry);
      segments_.give_back(block.record.segment, 1);
    }
    if (has_pages(block.record)) machine_.unmap(block.physical, block.record.blocks * kBlockBytes);
    unlink(block.index, block.record);
    blocks_[block.index / kMaxBlocks].give_back(block.index % kMaxBlocks, block.record.blocks);
  }

  void set_entry(uint16_t number, uint64_t entry) {
    machine_.set_entry(plan_.segment_table + uint64_t{number} * sizeof(uint64_t), entry);
  }

  Allocation allocate_blocks(uint64_t bytes, uint64_t room, Usage usage, unsigned group, uint8_t context) {
    Record record;
    record.kind = Record::kLarge;
    record.usage = usage;
    record.context = context;
    const Block block = take_blocks(bytes, room, record, group);
    if (block.index == kNoBlock) return {Status::kNoMemory};
    return {Status::kOk, range_of(block)};
  }

  // --- Second level: pieces

  PoolSet* set_for(Usage usage, unsigned group, uint8_t context) {
    PoolSet* unused = nullptr;
    for (PoolSet& set : sets_) {
      if (!set.used) {
        if (unused == nullptr) unused = &set;
      } else if (set.context == context && set.usage == usage && set.group == group) {
        return &set;
      }
    }
    if (unused == nullptr) return nullptr;
    unused->used = true;
    unused->context = context;
    unused->usage = usage;
    unused->group = static_cast<uint8_t>(group);
    const auto& area = plan_.areas[group];
    unused->pool.init(static_cast<uint8_t>(unused - sets_.data()), area.base - kBlockBytes,
                      static_cast<uint32_t>((area.bytes / kBlockBytes + 1) * kPoolLines));
    return unused;
  }

  Allocation allocate_piece(uint64_t bytes, uint64_t room, Usage usage, unsigned group, uint8_t context) {
    PoolSet* set = set_for(usage, group, context);
    if (set == nullptr) return allocate_blocks(bytes, room, usage, group, context);
    const auto lines = static_cast<uint32_t>((room + kLineBytes - 1) / kLineBytes) + 1;
    const auto wanted = static_cast<uint32_t>(bytes);
    uint32_t line = set->pool.take(machine_, lines, wanted);
    if (line == Pool<M>::kNone) {
      Record record;
      record.kind = Record::kPool;
      record.usage = usage;
      record.context = context;
      record.set = static_cast<uint8_t>(set - sets_.data());
      const Block block = take_blocks(kBlockBytes, kBlockBytes, record, group);
      if (block.index == kNoBlock) return {Status::kNoMemory};
      set->pool.add_block(machine_, line_of(block.index));
      line = set->pool.take(machine_, lines, wanted);
    }
    const uint32_t index = block_of(line, group);
    const uint64_t offset = uint64_t{line % kPoolLines + 1} * kLineBytes;
    return {Status::kOk,
            {pointer_of(segment_of(index), physical_of(index), offset), physical_of(index) + offset, bytes,
             usage, context, group}};
  }

  // --- Accounts, red zones

  void account_freed(uint8_t context, uint64_t bytes) {
    bytes_of_[context] -= bytes;
    --count_of_[context];
  }
  // Up to where debugging fills: the end of the line, and one more.
  static uint64_t extent(const Range& range) {
    return (range.bytes + 2 * kLineBytes - 1) & ~(kLineBytes - 1);
  }
  uint64_t check_zone(uint64_t physical, uint64_t bytes, uint64_t room) {
    if (!plan_.debug) return 0;
    const uint64_t end = (bytes + 2 * kLineBytes - 1) & ~(kLineBytes - 1);
    const uint64_t damaged = machine_.broken(physical + bytes, (end < room ? end : room) - bytes);
    machine_.fill(physical, bytes);
    return damaged;
  }

  using Blocks = Bitmap<kMaxBlocks>;
  using Segments = Bitmap<kSegments>;

  M& machine_;
  Plan plan_;
  std::array<Blocks, kMaxGroups> blocks_;
  Segments segments_;
  std::array<PoolSet, kSets> sets_;
  std::array<uint32_t, protocol::kMaxContext + 1> first_of_;  // blocks of a context
  std::array<uint64_t, protocol::kMaxContext + 1> bytes_of_;
  std::array<uint32_t, protocol::kMaxContext + 1> count_of_;
};

}  // namespace swai::memory
