// SPDX-License-Identifier: Apache-2.0
// What stops a CPE, and what crosses the border of its scalar core. Numbers are those of abi/cpe.toml.
#pragma once

#include <cstdint>

#include "cpe_isa.hpp"

namespace swai::iss::cpe {

using namespace swai::cpe::isa;

struct Fault {
  Cause cause = Cause::kNone;
  Access access = Access::kNone;
  bool dma = false;
  uint32_t pc = 0;
  uint16_t segment = kNoSegment;
  uint64_t offset = 0;

  bool operator==(const Fault&) const = default;
};

// A custom instruction on its way to a unit.
struct Command {
  uint8_t unit = 0;  // {custom-1, funct3}
  uint8_t op = 0;    // funct7
  uint32_t rs1 = 0;
  uint32_t rs2 = 0;
  uint32_t pc = 0;

  bool operator==(const Command&) const = default;
};

}  // namespace swai::iss::cpe
