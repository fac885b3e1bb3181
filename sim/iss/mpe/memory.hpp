// SPDX-License-Identifier: Apache-2.0
// What a hart needs of the memory system around it: physical reads and writes, and host pointers for plain
// memory.
#pragma once

#include <cstdint>

namespace swai::iss {

inline constexpr unsigned kPageBits = 12;
inline constexpr uint64_t kPageBytes = uint64_t{1} << kPageBits;

// Physical memory attributes. They are the core's own knowledge of the memory map; whether somebody answers
// there is a question to Memory.
enum class Pma : uint8_t { kVacant, kMemory, kIo };
Pma pma(uint64_t paddr);

// Host pointers to one page of plain memory: loads and stores there have no side effects. Null: use read()
// and write().
struct HostPage {
  uint8_t* read = nullptr;
  uint8_t* write = nullptr;
  // Loads and stores go through read() and write() all the same.
  bool watched = false;
};

// What an access means to the data cache that hardware has.
enum class CacheUse : uint8_t {
  kLoad,
  kStore,
  kUncached,  // writes the line back, if it is there
  kClean,     // cbo.clean, cbo.flush, and cbo.inval where it has to flush
  kInvalidate
};

class Memory {
 public:
  virtual ~Memory() = default;
  // The page that contains paddr. The hart keeps the answer until Hart::flush_translations().
  virtual HostPage page(uint64_t paddr) = 0;
  // 1, 2, 4 or 8 bytes, zero-extended, never across a page. False: nobody answers (access fault).
  virtual bool read(uint64_t paddr, unsigned size, uint64_t& value) = 0;
  virtual bool write(uint64_t paddr, unsigned size, uint64_t value) = 0;
  // For who keeps the books of a cache: pages that are watched, and what is done to lines.
  virtual void use_cache(uint64_t /*paddr*/, unsigned /*size*/, CacheUse /*use*/) {}
  virtual void clean_cache() {}
};

}  // namespace swai::iss
