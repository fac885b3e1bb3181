// SPDX-License-Identifier: Apache-2.0
// The memory of the reference model in lockstep, including effects of the core's data cache.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "sim/common/memory_model.hpp"
#include "sim/iss/mpe/memory.hpp"

namespace swai::mpe {

// Bytes that the core has written to its memory over the bus.
struct MemoryWrite {
  using Line = std::array<uint8_t, common::kMbusLineBytes>;
  uint64_t line = 0;     // address
  uint64_t strobes = 0;  // a bit per byte
  Line bytes{};
};

// A copy of the memory as the program sees it, with the same devices; the model takes their answers from the
// core's record. Where a newer line is in the core's cache, this tracks the contents of memory by the writes
// on the bus, and cbo.inval returns the line to them. The architecture leaves open whether such a line had
// been written back before, so the model follows the core; each write must match a value that the line has
// held.
class ReferenceMemory final : public iss::Memory {
 public:
  ReferenceMemory(uint64_t base, uint64_t bytes) : ram_(base, bytes), history_(kHistory) {}
  common::Ram& ram() { return ram_; }  // to be written only before the start

  iss::HostPage page(uint64_t paddr) override;
  bool read(uint64_t paddr, unsigned size, uint64_t& value) override;
  bool write(uint64_t paddr, unsigned size, uint64_t value) override;
  void use_cache(uint64_t paddr, unsigned size, iss::CacheUse use) override;

  // Notes a write of the core. False, and nothing is noted: the line has never held these bytes, or not for
  // a long time.
  bool reached(const MemoryWrite& write);

 private:
  using Line = MemoryWrite::Line;
  struct Stale {
    Line memory;
    bool invalidated = false;  // the program sees memory until it next uses the line in the cache
  };
  struct Version {
    uint64_t line = 0;
    Line bytes{};
  };
  // A line may wait for the bus while stores go on.
  static constexpr unsigned kHistory = 4096;

  static uint64_t line_of(uint64_t paddr) { return paddr & ~uint64_t{common::kMbusLineBytes - 1}; }
  Line bytes(uint64_t line) const;
  void remember(uint64_t line);
  bool has_held(const MemoryWrite& write) const;

  common::Ram ram_;
  std::unordered_map<uint64_t, Stale> stale_;  // lines of which memory may hold something else
  std::vector<Version> history_;               // a ring: lines before they changed
  uint64_t changes_ = 0;
};

}  // namespace swai::mpe
