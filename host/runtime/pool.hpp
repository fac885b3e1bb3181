// SPDX-License-Identifier: Apache-2.0
// Pools of memory that is allocated and freed in the order of a stream. The card's allocator knows no
// streams: it is asked at once, and what a stream frees stays in the pool until the stream has come so far.
// The same stream may have it again before.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "host/runtime/connection.hpp"
#include "host/runtime/objects.hpp"

namespace swai::sdaa {

struct MemoryPool : Object {
  uintptr_t handle = 0;
  uint64_t most = 0;       // bytes; 0: as many as the card has
  uint64_t threshold = 0;  // so many stay in the pool when somebody has waited
  // What the user may allow. Only the second says something here: whether a stream may get what another one
  // has freed, once that is complete.
  int reuse[3] = {1, 1, 1};
  struct Count {
    uint64_t now = 0;
    uint64_t high = 0;
    void add(uint64_t bytes) {
      now += bytes;
      if (now > high) high = now;
    }
  };
  Count reserved;  // given to users, or kept for them
  Count used;

  struct Block {
    uint64_t pointer = 0;
    uint64_t bytes = 0;
    Point freed;
  };
  std::vector<Block> free;

  // The smallest that fits and that the stream may have; 0: there is none.
  Block take(uint64_t bytes, const Stream& stream);
  // Somebody has freed it without the pool.
  void forget(uint64_t bytes) {
    reserved.now -= bytes;
    used.now -= bytes;
  }
  // Free blocks go back to the card until so many bytes are left, as far as nothing uses them. Whether any
  // did.
  bool trim(Connection& connection, uint64_t keep);
};

// The pools of a device. The first one is there from the beginning.
class Pools {
 public:
  // Of the device that they belong to; after a reset there are none.
  void clear();
  std::shared_ptr<MemoryPool> own(const std::shared_ptr<Device>& device);
  std::shared_ptr<MemoryPool> current(const std::shared_ptr<Device>& device) {
    return current_ == nullptr ? own(device) : current_;
  }
  void set_current(std::shared_ptr<MemoryPool> pool) { current_ = std::move(pool); }
  void add(std::shared_ptr<MemoryPool> pool) { all_.push_back(std::move(pool)); }
  // What it still has goes back to the card when nothing uses it any more.
  void close(Connection& connection, MemoryPool& pool);
  // Somebody has waited: pools keep what they want to keep.
  void trim(Connection& connection);
  // There is not enough. Whether that changed anything.
  [[nodiscard]] bool give_back_all(Connection& connection);

 private:
  std::vector<std::shared_ptr<MemoryPool>> all_;
  std::shared_ptr<MemoryPool> current_;
};

}  // namespace swai::sdaa
