// SPDX-License-Identifier: Apache-2.0
// Where on a board's chip the two slots are.
#pragma once

#include <array>

#include "abi/image.hpp"

namespace swai::flash {

struct SlotMap {
  std::array<uint32_t, 2> offsets = {slot_offset(image::Slot::kA), slot_offset(image::Slot::kB)};
  uint32_t bytes = image::kSlotBytes;

  uint32_t offset(image::Slot slot) const { return offsets[index(slot)]; }
};

constexpr image::Slot other(image::Slot slot) {
  return slot == image::Slot::kA ? image::Slot::kB : image::Slot::kA;
}

}  // namespace swai::flash
