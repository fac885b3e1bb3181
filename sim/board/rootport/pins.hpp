// SPDX-License-Identifier: Apache-2.0
// The pins between a card's PCIe endpoint and the wire, laid out as rtl/pcie/tlp_pkg.sv has them in
// Verilator's words.
#pragma once

#include <cstdint>

namespace swai::rootport {

// tlp_pkg::beat_t: 642 bits, word 0 lowest. Payload in words 0..15, header in 16..19 (doubleword 0 in 19),
// flags in 20.
inline constexpr unsigned kBeatWords = 21;
inline constexpr unsigned kBeatPayloadWords = 16;
inline constexpr unsigned kBeatHeaderWord = 16;
inline constexpr unsigned kBeatFlagsWord = 20;
inline constexpr uint32_t kBeatEop = 1;
inline constexpr uint32_t kBeatSop = 2;

// tlp_pkg::credits_t: how many credits have been given in all, modulo the size of the counters.
struct Credits {
  uint8_t posted_header = 0;
  uint16_t posted_data = 0;  // 12 bits
  uint8_t nonposted_header = 0;
  uint16_t nonposted_data = 0;  // 12 bits

  constexpr uint64_t pack() const {
    return uint64_t{posted_header} << 32 | uint64_t{posted_data & 0xFFFu} << 20 |
           uint64_t{nonposted_header} << 12 | (nonposted_data & 0xFFFu);
  }
  static constexpr Credits unpack(uint64_t bits) {
    return {.posted_header = static_cast<uint8_t>(bits >> 32),
            .posted_data = static_cast<uint16_t>(bits >> 20 & 0xFFF),
            .nonposted_header = static_cast<uint8_t>(bits >> 12),
            .nonposted_data = static_cast<uint16_t>(bits & 0xFFF)};
  }
  void add(const Credits& more) {
    posted_header = static_cast<uint8_t>(posted_header + more.posted_header);
    posted_data = (posted_data + more.posted_data) & 0xFFF;
    nonposted_header = static_cast<uint8_t>(nonposted_header + more.nonposted_header);
    nonposted_data = (nonposted_data + more.nonposted_data) & 0xFFF;
  }
  bool operator==(const Credits&) const = default;
};

// Is `limit` enough for somebody who will have used `used` in all? (A limit is never more than half of a
// counter's range ahead.)
bool enough(const Credits& limit, const Credits& used);

// Where the pins of one endpoint are: members of a Verilated model, or a PinStore.
struct EndpointPins {
  // Outputs of the endpoint.
  const uint8_t* tx_valid = nullptr;
  const uint32_t* tx_beat = nullptr;  // kBeatWords
  const uint64_t* rx_limit = nullptr;
  // Inputs of the endpoint.
  uint8_t* link_up = nullptr;
  uint8_t* tx_ready = nullptr;
  uint64_t* tx_limit = nullptr;
  uint8_t* rx_valid = nullptr;
  uint32_t* rx_beat = nullptr;  // kBeatWords
};

// Pins of an endpoint that is software.
struct PinStore {
  uint8_t tx_valid = 0;
  uint32_t tx_beat[kBeatWords] = {};
  uint64_t rx_limit = 0;
  uint8_t link_up = 0;
  uint8_t tx_ready = 0;
  uint64_t tx_limit = 0;
  uint8_t rx_valid = 0;
  uint32_t rx_beat[kBeatWords] = {};

  EndpointPins pins() {
    return {.tx_valid = &tx_valid,
            .tx_beat = tx_beat,
            .rx_limit = &rx_limit,
            .link_up = &link_up,
            .tx_ready = &tx_ready,
            .tx_limit = &tx_limit,
            .rx_valid = &rx_valid,
            .rx_beat = rx_beat};
  }
};

}  // namespace swai::rootport
