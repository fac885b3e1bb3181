// SPDX-License-Identifier: Apache-2.0
// What people read about CPEs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "abi/launch.hpp"
#include "sim/iss/cpe/check.hpp"
#include "sim/iss/cpe/fault.hpp"
#include "sim/iss/cpe/hart.hpp"

namespace swai::iss::cpe {

using launch::text;
// "DMA write at 0x1000 of segment 5: beyond the end of the segment, pc 0x50000010"
std::string text(const Fault& fault);
// "too early"
const char* text(Finding::Kind kind);
// "the core", "DMA load 3"
std::string text(const Finding::Party& party);
// "CPE 0-31: the core reads 0x10000000 to 0x10000003 of local memory, which DMA load 1 still writes (scale,
// scale.cpp:9, pc 0x50000024; begun in scale, scale.cpp:8, pc 0x50000012, and not waited for)"; `place` names
// the kernel, and its line.
std::string text(const Finding& finding, const std::function<std::string(uint32_t pc)>& place);
// The numbers of the bits that are set: "0, 3, 4, 8-15".
std::string list(uint32_t mask);
// One line per instruction: "3 50000010 00a12023 [10000000] <- 0000002a"
std::string trace_line(unsigned cpe, const Retirement& record);

}  // namespace swai::iss::cpe
