// SPDX-License-Identifier: Apache-2.0
// One line of text per retirement record; both tools that run programs write their traces with it.
#pragma once

#include <string>

#include "sim/iss/mpe/retirement.hpp"

namespace swai::iss {

// "M 0000000080000004 00a12023 sw a0, 0(sp)   [80001000] <- 0000002a", without line end.
std::string trace_line(const Retirement& record);

// What a trap or interrupt is called: "load page fault", "machine timer interrupt".
std::string cause_name(uint64_t cause);

}  // namespace swai::iss
