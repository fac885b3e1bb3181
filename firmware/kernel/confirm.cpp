// SPDX-License-Identifier: Apache-2.0
#include "firmware/kernel/confirm.hpp"

#include <array>
#include <cstddef>

#include "firmware/common/nor.hpp"

namespace swai::kernel {

bool confirm_image(image::Slot slot) {
  // The ROM reads bits by majority; all of them leave the most room for cells that forget.
  constexpr std::array<uint8_t, sizeof(image::State::confirmed)> kCleared = {};
  const auto offset = static_cast<uint32_t>(slot_offset(slot) + offsetof(image::Header, state.confirmed));
  const bool taken = fw::Nor::program(offset, kCleared);
  uint64_t stored = ~uint64_t{0};
  fw::Nor::begin_read(offset, sizeof(stored), false);
  fw::Nor::take({&stored, 1});
  return taken && stored == 0;
}

}  // namespace swai::kernel
