// SPDX-License-Identifier: Apache-2.0
// The figures of a run: for people and for machines.
#pragma once

#include <cstdint>
#include <string>

#include "sim/card/card.hpp"

namespace swai::card {

struct Report {
  BootStatus status;
  uint64_t cycles = 0;
  uint64_t boot_cycles = 0;  // from reset to ready; 0: not reached
  uint64_t image_bytes = 0;  // header and payload of the slot that was booted; 0: none
  double khz = 0;
  FlashChip::Counters flash;
  FlashPins::Violations violations;
  uint64_t uart_framing_errors = 0;

  // Boot cycles over the time that the bare transfer of the image takes on four lines.
  double over_flash() const;
};

// The length that the header in the booted slot gives.
uint64_t image_bytes(const FlashStore& flash, BootStatus::Slot slot);

std::string table(const Report& report);
std::string json(const Report& report);

}  // namespace swai::card
