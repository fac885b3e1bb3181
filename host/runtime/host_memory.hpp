// SPDX-License-Identifier: Apache-2.0
// Memory of the host that the card reaches: what users have pinned, and buffers through which copies of other
// memory go. Pinning fills the IOMMU and nothing else: the card hears nothing of it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "host/runtime/connection.hpp"
#include "host/runtime/queue.hpp"

namespace swai::sdaa {

class HostMemory {
 public:
  explicit HostMemory(Connection& connection) : connection_(connection) {}
  ~HostMemory();
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  struct Area {
    uintptr_t begin = 0;  // as the user named it
    uint64_t bytes = 0;
    uint64_t iova = 0;  // of begin
    bool registered = false;
    bool writable = true;  // by the card
    unsigned flags = 0;    // as the user gave them
  };

  void* allocate(uint64_t bytes, unsigned flags);
  void add(void* memory, uint64_t bytes, unsigned flags);
  // False: no such area begins there.
  bool remove(const void* memory, bool registered);

  // The area that holds all these bytes.
  const Area* find(const void* memory, uint64_t bytes) const;
  bool overlaps(const void* memory, uint64_t bytes) const;
  // What the card finds at these bus addresses, in pinned memory or a buffer. Null: not all of it is there.
  const uint8_t* at(uint64_t iova, uint64_t bytes) const;

  // A buffer of the library's own: free again when nobody holds it any more and `last` is reached.
  static constexpr uint64_t kBufferBytes = 128 << 10;
  static constexpr uint64_t kBlockBytes = 8 * kBufferBytes;  // so much is pinned at a time
  struct Buffer {
    uint64_t iova = 0;
    uint8_t* data = nullptr;
    Point last;
  };
  // One of the first so many that is free, or can still be made. nullptr: all are in use. Shared, because a
  // reset of the device may come while somebody waits for one.
  std::shared_ptr<Buffer> take_buffer(size_t most);

 private:
  struct Pinned {
    Area area;
    std::optional<link::PinnedMemory> memory;  // not of registered memory
    uint64_t first_page = 0;                   // registered: what was mapped
    uint64_t mapped_bytes = 0;
  };

  Connection& connection_;
  std::map<uintptr_t, Pinned> areas_;
  std::vector<link::PinnedMemory> blocks_;
  std::vector<std::shared_ptr<Buffer>> buffers_;
};

}  // namespace swai::sdaa
