// SPDX-License-Identifier: Apache-2.0
// What a port has seen.
#pragma once

#include <array>
#include <cstdint>

#include "sim/board/rootport/tlp.hpp"

namespace swai::rootport {

struct DirectionCounters {
  std::array<uint64_t, kTlpKinds> packets{};  // by TlpKind
  uint64_t wire_bytes = 0;                    // headers, payload and overhead
  uint64_t payload_bytes = 0;

  uint64_t of(TlpKind kind) const { return packets[static_cast<size_t>(kind)]; }
  bool operator==(const DirectionCounters&) const = default;
};

struct PortCounters {
  DirectionCounters to_card;
  DirectionCounters to_root;
  uint64_t interrupts = 0;
  uint64_t routed_requests = 0;         // of this card to a card
  uint64_t malformed = 0;               // packets of the card; the last one's error is in last_error
  uint64_t credits_exceeded = 0;        // packets of the card for which it had no credits
  uint64_t unexpected_completions = 0;  // of the card, for nobody
  uint64_t poisoned_writes = 0;         // of the card, not done
  uint64_t refused_requests = 0;        // of the card: IOMMU faults, routes to nowhere
  uint64_t lost_in_reset = 0;           // packets that were under way when the link went down
  uint64_t stalled_cycles = 0;          // in which the card had a beat and the wire was not ready
  TlpError last_error = TlpError::kNone;

  bool operator==(const PortCounters&) const = default;
};

}  // namespace swai::rootport
