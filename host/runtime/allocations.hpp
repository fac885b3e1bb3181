// SPDX-License-Identifier: Apache-2.0
// The memory of a device, as it was given out.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "abi/protocol.hpp"

namespace swai::sdaa {

struct MemoryPool;

struct Allocation {
  uint64_t bytes = 0;
  protocol::Usage usage = protocol::Usage::kCpe;
  unsigned group = 0;
  uint64_t number = 0;               // of the device's, since it was opened
  std::shared_ptr<MemoryPool> pool;  // null: it goes back to the card
};

class Allocations {
 public:
  using Map = std::map<uint64_t, Allocation>;

  explicit Allocations(int device) : device_(device) {}

  int device() const { return device_; }
  // By the pointer at which each begins.
  const Map& all() const { return all_; }
  Allocation number(uint64_t bytes, protocol::Usage usage, unsigned group,
                    std::shared_ptr<MemoryPool> pool = nullptr) {
    return {bytes, usage, group, ++count_, std::move(pool)};
  }
  void add(uint64_t pointer, const Allocation& allocation);
  // Throws when nothing begins there.
  const Allocation& check_begin(uint64_t pointer) const;
  void remove(uint64_t pointer) { all_.erase(pointer); }
  // Remembered for messages until the memory is allocated again.
  void note_freed(uint64_t pointer, const Allocation& allocation) { freed_.emplace(pointer, allocation); }
  const Map& freed() const { return freed_; }
  // What a pointer leads into; end() if nothing.
  Map::const_iterator find(uint64_t pointer) const;
  // Throws when these bytes are not all in one allocation.
  const Allocation& check(uint64_t pointer, uint64_t bytes) const;
  void clear();

 private:
  const int device_;
  Map all_;
  Map freed_;
  uint64_t count_ = 0;
};

}  // namespace swai::sdaa
