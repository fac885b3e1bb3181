// SPDX-License-Identifier: Apache-2.0
// Time in card clocks, and one alarm. While no alarm is set the card's clock may stop.
#pragma once

#include <cstdint>

#include "firmware/common/csr.hpp"

namespace swai::kernel::timer {

inline uint64_t now() { return csr::read<csr::kTime>(); }

void set_alarm(uint64_t time);
// Alarms that have gone off.
uint64_t alarms();

void on_interrupt();

}  // namespace swai::kernel::timer
