// SPDX-License-Identifier: Apache-2.0
// Which lines the management processor's data cache holds dirty: what others must not read. The functional
// processor has no cache; this only keeps the books, for who looks for mistakes.
//
// A line is dirty from a store on until it is cleaned. It counts as gone when so many others of its set were
// used after it that no choice of victims keeps it; the kernel relies on as many to empty the cache.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/iss/cpe/memory.hpp"

namespace swai::fast {

class DataCache {
 public:
  using Dirty = iss::cpe::Memory::Dirty;

  // By the processor's instruction at `pc`; of any alignment.
  void use(uint64_t address, unsigned bytes, bool store, uint64_t pc);
  // Lines that hold these bytes are not dirty any more.
  void clean(uint64_t address, unsigned bytes = 1);
  void clean_all();
  // The first dirty line among these bytes.
  std::optional<Dirty> dirty(uint64_t address, uint64_t bytes) const;

 private:
  static constexpr uint64_t kLine = 64;
  static constexpr unsigned kSets = 64;
  static constexpr unsigned kOthers = 8;

  struct Line {
    uint64_t number = 0;
    bool dirty = false;
    uint64_t writer = 0;
  };
  using Set = std::vector<Line>;  // what was used last comes last

  Set& set_of(uint64_t line) { return sets_[line % kSets]; }
  void use_line(uint64_t line, bool store, uint64_t pc);

  std::array<Set, kSets> sets_;
};

}  // namespace swai::fast
