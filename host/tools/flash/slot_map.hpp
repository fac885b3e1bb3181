// SPDX-License-Identifier: Apache-2.0
// Where on a board's chip the two slots are.
#pragma once

#include "host/lib/boards.hpp"

namespace swai::flash {

using boards::SlotMap;

constexpr image::Slot other(image::Slot slot) {
  return slot == image::Slot::kA ? image::Slot::kB : image::Slot::kA;
}

}  // namespace swai::flash
