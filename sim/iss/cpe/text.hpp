// What people read about CPEs.
#pragma once

#include <cstdint>
#include <string>

#include "abi/launch.hpp"
#include "sim/iss/cpe/fault.hpp"
#include "sim/iss/cpe/hart.hpp"

namespace swai::iss::cpe {

using launch::text;
// "DMA write at 0x1000 of segment 5: beyond the end of the segment, pc 0x50000010"
std::string text(const Fault& fault);
// The numbers of the bits that are set: "0, 3, 4, 8-15".
std::string list(uint32_t mask);
// One line per instruction: "3 50000010 00a12023 [10000000] <- 0000002a"
std::string trace_line(unsigned cpe, const Retirement& record);

}  // namespace swai::iss::cpe
