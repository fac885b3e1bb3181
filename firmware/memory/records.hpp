// SPDX-License-Identifier: Apache-2.0
// What is known of each block that begins a large allocation, is a pool, or begins or ends what was given
// back, in memory of the manager's own.
#pragma once

#include <cstdint>

#include "firmware/memory/layout.hpp"

namespace swai::memory {

struct Record {
  enum Kind : uint8_t { kNone = 0, kLarge = 1, kPool = 2, kLeft = 3, kLeftEnd = 4 };
  Kind kind = kNone;
  Usage usage = Usage::kCpe;
  uint8_t context = 0;
  uint8_t set = 0;       // pools; of what is left the period
  uint16_t segment = 0;  // 0: it has none
  uint32_t blocks = 0;
  uint64_t bytes = 0;  // that were asked for; of what is left its neighbours in its list
  uint16_t pool = 0;   // pools: which of their blocks
};

// Blocks are counted over all groups, kMaxBlocks for each.
template <Machine M>
class Records {
 public:
  static constexpr uint64_t kBytes = 16;  // of one

  explicit Records(M& machine) : machine_(machine) {}
  void init(uint64_t base) { base_ = base; }

  Record read(uint32_t index) const {
    const uint64_t at = address(index);
    const uint64_t first = machine_.load(at);
    const uint64_t second = machine_.load(at + 8);
    return {static_cast<Record::Kind>(first & 0xff),
            static_cast<Usage>(first >> 8 & 0xff),
            static_cast<uint8_t>(first >> 16),
            static_cast<uint8_t>(first >> 24),
            static_cast<uint16_t>(first >> 32),
            blocks_in(first),
            second & kBytesMask,
            static_cast<uint16_t>(second >> 48)};
  }
  [[gnu::always_inline]] void write(uint32_t index, const Record& record) {
    write_word(index, word_of(record));
    machine_.store(address(index) + 8, record.bytes | uint64_t{record.pool} << 48);
  }
  // All but its bytes, and its pool: a word, in which other lengths can be put.
  static uint64_t word_of(const Record& record) {
    const uint32_t what = record.kind | static_cast<uint32_t>(record.usage) << 8 |
                          uint32_t{record.context} << 16 | uint32_t{record.set} << 24;
    return what | uint64_t{record.segment} << 32 | uint64_t{record.blocks} << kBlocks;
  }
  static uint32_t blocks_in(uint64_t word) { return static_cast<uint32_t>(word >> kBlocks); }
  static uint64_t shortened(uint64_t word, uint32_t blocks) { return word - (uint64_t{blocks} << kBlocks); }
  uint64_t read_word(uint32_t index) const { return machine_.load(address(index)); }
  void write_word(uint32_t index, uint64_t word) { machine_.store(address(index), word); }
  // These of one that is no pool's.
  uint64_t read_bytes(uint32_t index) const { return machine_.load(address(index) + 8); }
  void write_bytes(uint32_t index, uint64_t bytes) { machine_.store(address(index) + 8, bytes); }
  void clear(uint32_t index) { machine_.store(address(index), Record::kNone); }

 private:
  static constexpr unsigned kBlocks = 48;  // their place in the word
  static constexpr uint64_t kBytesMask = (uint64_t{1} << 48) - 1;

  uint64_t address(uint32_t index) const { return base_ + uint64_t{index} * kBytes; }

  M& machine_;
  uint64_t base_ = 0;
};

}  // namespace swai::memory
