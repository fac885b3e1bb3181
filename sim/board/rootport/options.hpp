// SPDX-License-Identifier: Apache-2.0
// What can be chosen about a wire and the host behind it.
#pragma once

#include <cstdint>

#include "sim/board/rootport/pins.hpp"

namespace swai::rootport {

// One direction of a wire.
struct WireOptions {
  uint32_t bytes_per_cycle = 32;
  uint32_t delay = 250;   // cycles from the last byte's leaving to its arrival, 1 or more
  uint32_t overhead = 8;  // bytes per packet for framing, sequence number and link CRC
  uint32_t buffer = 64;   // to the root: the endpoint may give a beat while no more bytes than these wait
};

// How answers to the card's reads are cut into packets. All are legal; the tests of an endpoint want all of
// them.
enum class CompletionSplit : uint8_t {
  kLargest,   // as long as Max_Payload_Size and the read completion boundary allow
  kBoundary,  // one packet per read completion boundary
  kRandom,    // at boundaries chosen by `split_seed`
};

struct PortOptions {
  WireOptions to_card;
  WireOptions to_root;
  // What the card is given when the link comes up, and what the host can hold of the card's packets. At most
  // half of a counter's range.
  Credits granted = {.posted_header = 96, .posted_data = 1536, .nonposted_header = 96, .nonposted_data = 16};
  uint32_t memory_latency = 150;      // from a read's arrival to the moment in which memory is read
  uint32_t route_latency = 0;         // of a request or completion that goes on to a card
  uint32_t max_payload = 256;         // set in the card by enumeration: 128 or 256
  uint32_t max_read = 512;            // likewise: 128, 256 or 512
  uint32_t completion_boundary = 64;  // 64 or 128
  uint64_t read_timeout = 1'000'000;  // of MMIO and configuration requests
  uint32_t reset_cycles = 1000;       // that hot_reset() keeps the link down; longer than the wires' delay
  uint32_t settle_cycles = 100;       // from link-up to the first configuration request
  bool enumerate = true;              // when the link has come up
  CompletionSplit split = CompletionSplit::kLargest;
  uint64_t split_seed = 1;
  uint32_t reorder = 0;  // each completion waits up to so many cycles more, chosen by `reorder_seed`; those
                         // of one tag stay in order
  uint64_t reorder_seed = 1;
};

}  // namespace swai::rootport
