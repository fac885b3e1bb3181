// SPDX-License-Identifier: Apache-2.0
// What a queue's value says when its kModuleLoad is complete: the module's handle, and the segment of its
// code.
#pragma once

#include <cstdint>

namespace swai::protocol {

struct LoadedModule {
  unsigned handle = 0;
  uint16_t segment = 0;

  static constexpr LoadedModule decode(uint64_t value) {
    return {static_cast<uint32_t>(value), static_cast<uint16_t>(value >> 32)};
  }
  constexpr uint64_t encode() const { return uint64_t{segment} << 32 | handle; }
};

}  // namespace swai::protocol
