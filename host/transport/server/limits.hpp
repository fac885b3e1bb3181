// SPDX-License-Identifier: Apache-2.0
// What one client may take of the process that serves it. These are for a card with one client; who serves
// many gives each less (host/daemon/cards).
#pragma once

#include <cstdint>

#include "host/transport/server/device.hpp"

namespace swai::socket {

// Ranges of clients' memory in one process, whoever's they are: half of what Linux lets a process map
// (vm.max_map_count), so that its own memory always finds room.
inline constexpr unsigned kProcessMaps = 1 << 15;

struct Limits {
  uint64_t maps = kProcessMaps / 2;
  uint64_t mapped_bytes = uint64_t{1} << 42;
  uint32_t access_bytes = kMaxAccess;  // of a region, at once
  unsigned eventfds = 256;
  // Connections of one process and of one user to a socket file; 0: as many as there are places.
  unsigned per_process = 0;
  unsigned per_user = 0;
};

}  // namespace swai::socket
