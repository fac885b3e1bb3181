// SPDX-License-Identifier: Apache-2.0
// The ranges of client memory that a card may reach, as DMA_MAP and DMA_UNMAP made them.
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "host/transport/channel.hpp"
#include "host/transport/server/device.hpp"
#include "host/transport/server/shared_memory.hpp"
#include "host/transport/vfio_user.hpp"

namespace swai::socket {

class DmaTable {
 public:
  DmaTable(Device& device, uint64_t max_bytes) : device_(device), max_bytes_(max_bytes) {}

  // The commands of the protocol; 0 or an errno. A map that fails leaves nothing behind.
  int map(const link::vfio_user::DmaMap& request, std::span<link::Fd> fds, uint64_t max_maps);
  int unmap(const link::vfio_user::DmaUnmap& request);
  void unmap_all();

  // Whether messages to the client are the way to these bytes, and it allows the access.
  bool by_message(uint64_t iova, uint64_t bytes, bool write) const;
  size_t size() const { return ranges_.size(); }

 private:
  struct Entry {
    DmaRange range;
    SharedMemory memory;
  };
  using Ranges = std::map<uint64_t, Entry>;

  bool overlaps(uint64_t iova, uint64_t bytes) const;

  Device& device_;
  const uint64_t max_bytes_;
  uint64_t bytes_ = 0;  // of all ranges
  Ranges ranges_;
};

}  // namespace swai::socket
