// SPDX-License-Identifier: Apache-2.0
// When the group's memory has time for lines, and the group's place on the ring for those of others' memory.
#pragma once

#include <array>
#include <cstdint>

#include "sim/iss/cpe/costs.hpp"
#include "sim/iss/cpe/rate.hpp"

namespace swai {
class Archive;
}

namespace swai::iss::cpe {

class HbmTime {
 public:
  // Lines that follow each other lie in all channels: when the last of them is served.
  uint64_t take_lines(uint64_t start, uint64_t lines, bool write);
  // One that a core waits for, which others may want, too: that keeps its channel busy.
  uint64_t take_line(uint64_t start, uint32_t line, bool write);
  // Of another group's memory, where nobody looks who else is served.
  uint64_t take_far_lines(uint64_t start, uint64_t lines, bool write) {
    return ring_.take({.start = start, .count = lines, .write = write});
  }
  void visit(Archive& archive);

 private:
  static constexpr size_t kPieces = 2048;

  uint64_t wake(uint64_t start);

  Rate lines_{kPieces};
  std::array<Rate, costs::kChannels> channels_{Rate(kPieces), Rate(kPieces), Rate(kPieces), Rate(kPieces)};
  Rate ring_{kPieces};
  uint64_t busy_until_ = 0;
  uint64_t awake_at_ = 0;
};

}  // namespace swai::iss::cpe
