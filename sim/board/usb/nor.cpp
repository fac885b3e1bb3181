// SPDX-License-Identifier: Apache-2.0
#include "sim/board/usb/nor.hpp"

#include <algorithm>

namespace swai::usb {

bool Nor::holds(std::span<const uint8_t> preamble) const {
  constexpr size_t kBeginning = 64 << 10;
  const auto cells = store_.cells().first(std::min(kBeginning, store_.size()));
  return std::search(cells.begin(), cells.end(), preamble.begin(), preamble.end()) != cells.end();
}

}  // namespace swai::usb
