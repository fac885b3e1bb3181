// SPDX-License-Identifier: Apache-2.0
// The firmware of a card as a host finds it.
#pragma once

#include "abi/protocol.hpp"
#include "host/runtime/limits.hpp"
#include "host/transport/card.hpp"

namespace swai::sdaa {

// Whether the card's processor and groups are reset before the firmware is waited for.
enum class Restart { kNo, kIfStopped, kYes };

struct Firmware {
  protocol::Info info = {};
  uint64_t life = 0;  // counts starts since power-on
};

// Waits until it serves, and agrees on a version. Throws Failure or link::Error.
Firmware find_firmware(link::Card& card, const Limits& limits, Restart restart);

// Resets the card's processor and groups; find_firmware() waits for what comes then.
void restart_firmware(link::Card& card);

// Whether that is what still runs on the card.
[[nodiscard]] bool lives(link::Card& card, const Firmware& firmware);
// Throws sdaaErrorDeviceLost with what it left when it ended.
[[noreturn]] void fail_stopped(link::Card& card);

}  // namespace swai::sdaa
