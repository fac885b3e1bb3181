// SPDX-License-Identifier: Apache-2.0
// The console: output that never waits, and bytes that came in. Works from the first instruction on;
// interrupts take over when init() was called.
#pragma once

#include <cstdint>
#include <optional>

#include "firmware/common/text.hpp"

namespace swai::kernel::console {

void init();
void on_interrupt();

fw::Out& out();
template <typename... Args>
void print(const Args&... args) {
  fw::print(out(), args...);
}

// The next byte that came in.
std::optional<char> get();

// Waits until everything is on the wire. For the last words before a halt or reset; works with interrupts
// off.
void flush();

}  // namespace swai::kernel::console
