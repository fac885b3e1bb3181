// SPDX-License-Identifier: Apache-2.0
// Physical memory as a core group sees it: 40-bit addresses, lines of 64 bytes that may be damaged.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

namespace swai::iss::cpe {

inline constexpr unsigned kLineBytes = 64;
// How many lines these bytes lie in.
constexpr uint64_t lines_of(uint64_t address, uint64_t bytes) {
  return (address % kLineBytes + bytes + kLineBytes - 1) / kLineBytes;
}

inline constexpr uint64_t kHbmBase = 0x80'0000'0000;       // of group 0
inline constexpr uint64_t kHbmBytes = uint64_t{16} << 30;  // from one group's to the next, too

class Allocations;

enum class MemoryStatus : uint8_t {
  kOk,
  kPoison,  // the line is damaged
  kNobody   // nobody lives there, or it is protected
};

class Memory {
 public:
  virtual ~Memory() = default;
  // Bytes that lie in one line. A read that is not kOk need not give anything.
  virtual MemoryStatus read(uint64_t address, std::span<uint8_t> bytes) = 0;
  virtual MemoryStatus write(uint64_t address, std::span<const uint8_t> bytes) = 0;
  // What write() would say. CPEs store at the end of a round, and know at once whether they may. Unless a
  // memory knows better: who can be read can be written.
  virtual MemoryStatus may_write(uint64_t address, uint64_t bytes);
  // Nothing but memory: who reads there changes nothing, and sees only what was stored.
  virtual bool is_memory(uint64_t /*address*/, uint64_t /*bytes*/) const { return true; }
  // Where these bytes are, of any number of lines, if they are memory that is never damaged; null: ask line
  // by line.
  virtual uint8_t* plain(uint64_t /*address*/, uint64_t /*bytes*/) const { return nullptr; }
  // That a request goes on the ring to this memory; 0: it is the group's own.
  virtual unsigned hops(uint64_t /*address*/) const { return 0; }
  // A line that a cache of the management processor holds dirty: hardware reads there what was before.
  struct Dirty {
    uint64_t address = 0;
    uint64_t writer = 0;  // pc of the store
  };
  // The first one of these bytes, where somebody keeps the books.
  virtual std::optional<Dirty> dirty(uint64_t /*address*/, uint64_t /*bytes*/) const { return std::nullopt; }
  // The ranges that CPEs may access in the segments listed; null: accesses are not checked beyond segments.
  // It does not change within a round.
  virtual const Allocations* allocations() const { return nullptr; }
};

// One range of memory; what was never written is zero and costs little. Outside of it lives nobody. Several
// threads may read it at once.
class SparseMemory : public Memory {
 public:
  explicit SparseMemory(uint64_t base = kHbmBase, uint64_t bytes = kHbmBytes)
      : base_(base), bytes_(bytes), chunks_((bytes + kChunkBytes - 1) / kChunkBytes) {}

  MemoryStatus read(uint64_t address, std::span<uint8_t> bytes) override;
  // Part of a damaged line leaves it damaged, the whole line heals it.
  MemoryStatus write(uint64_t address, std::span<const uint8_t> bytes) override;

  MemoryStatus may_write(uint64_t address, uint64_t bytes) override {
    return contains(address, bytes) ? MemoryStatus::kOk : MemoryStatus::kNobody;
  }

  // The back door: any bytes in the range (std::out_of_range beyond); poison stays as it is.
  void peek(uint64_t address, std::span<uint8_t> bytes);
  void poke(uint64_t address, std::span<const uint8_t> bytes);
  void poison(uint64_t address) { poisoned_.insert(address / kLineBytes); }

 private:
  static constexpr uint64_t kChunkBytes = 65536;
  using Chunk = std::array<uint8_t, kChunkBytes>;

  bool contains(uint64_t address, uint64_t bytes) const {
    return address >= base_ && address - base_ <= bytes_ && bytes <= bytes_ - (address - base_);
  }
  uint8_t* at(uint64_t address);

  uint64_t base_;
  uint64_t bytes_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::unordered_set<uint64_t> poisoned_;  // lines
};

}  // namespace swai::iss::cpe
