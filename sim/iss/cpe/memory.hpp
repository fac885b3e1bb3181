// Physical memory as a core group sees it: 40-bit addresses, lines of 64 bytes that may be damaged.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>

namespace swai::iss::cpe {

inline constexpr unsigned kLineBytes = 64;
inline constexpr uint64_t kHbmBase = 0x80'0000'0000;       // of group 0
inline constexpr uint64_t kHbmBytes = uint64_t{16} << 30;  // from one group's to the next, too

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
};

// One range of memory; what was never written is zero and costs nothing. Outside of it lives nobody.
class SparseMemory : public Memory {
 public:
  explicit SparseMemory(uint64_t base = kHbmBase, uint64_t bytes = kHbmBytes) : base_(base), bytes_(bytes) {}

  MemoryStatus read(uint64_t address, std::span<uint8_t> bytes) override;
  // Part of a damaged line leaves it damaged, the whole line heals it.
  MemoryStatus write(uint64_t address, std::span<const uint8_t> bytes) override;

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
  template <typename Bytes, typename Copy>
  void by_chunks(uint64_t address, Bytes bytes, Copy copy);

  uint64_t base_;
  uint64_t bytes_;
  std::unordered_map<uint64_t, std::unique_ptr<Chunk>> chunks_;
  std::unordered_set<uint64_t> poisoned_;  // lines
  uint64_t last_ = ~uint64_t{0};           // the chunk used last: most accesses stay in it
  Chunk* last_chunk_ = nullptr;
};

}  // namespace swai::iss::cpe
