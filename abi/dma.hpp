// SPDX-License-Identifier: Apache-2.0
// Descriptors and completion records of the DMA engine, as they lie in memory: shared by host, firmware and
// tests. docs/hardware/dma.md explains them; the registers are in card_regs.hpp (device `dma`).
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "card_regs.hpp"

namespace swai::dma {

static_assert(std::endian::native == std::endian::little, "descriptors are used as they lie in memory");

inline constexpr unsigned kChannels = 8;

// One transfer. Unused bits must be 0.
struct Descriptor {
  uint64_t host;    // address in host memory
  uint64_t card;    // address in card memory, 40 bits
  uint32_t length;  // bytes; 0 moves nothing and completes in its turn
  uint32_t flags;
  uint32_t tag;  // software's; comes back in the record
  uint32_t reserved;
};
static_assert(sizeof(Descriptor) == 32);

inline constexpr uint32_t kToHost = 1u << 0;     // from card to host; else from host to card
inline constexpr uint32_t kRecord = 1u << 1;     // write a completion record
inline constexpr uint32_t kInterrupt = 1u << 2;  // raise the channel's MSI-X vector
inline constexpr uint32_t kWork = 1u << 3;       // raise the channel's work bit of the management processor
inline constexpr uint32_t kFence = 1u << 4;  // begin when all earlier descriptors of the channel are complete
inline constexpr uint32_t kFlags = (1u << 5) - 1;

// What the engine writes when a descriptor with kRecord is complete.
struct Record {
  uint32_t tag;
  uint16_t index;  // number of the descriptor, counted like the register head
  uint8_t channel;
  uint8_t status;   // kDone
  uint32_t length;  // of the descriptor
  uint32_t reserved;
};
static_assert(sizeof(Record) == 16);

inline constexpr uint8_t kDone = 1;

// What a value of dma.error's cause says.
constexpr const char* text(uint64_t cause) {
  constexpr std::array kTexts = {"no error",
                                 "host memory that is not mapped",
                                 "the host refused the access",
                                 "the host sent damaged data",
                                 "the host did not answer",
                                 "the host sent what was not asked for",
                                 "card memory that is not there",
                                 "card memory that is closed",
                                 "damaged memory of the card",
                                 "bad descriptor",
                                 "bad tail",
                                 "the card may not reach the host"};
  static_assert(kTexts.size() == regs::dma::error::kCauseNoBusMaster + 1);
  if (cause >= kTexts.size()) return "unknown error of the DMA engine";
  return kTexts[cause];
}

}  // namespace swai::dma
