// SPDX-License-Identifier: Apache-2.0
// Instructions that follow each other in one page, decoded together; a jump or branch may be the last of
// them. What sees or changes how instructions are executed is in none.
#pragma once

#include <array>
#include <cstdint>

#include "sim/iss/mpe/insn.hpp"

namespace swai::iss {

// What going on there looks at: little, because that happens after every few instructions.
struct Block {
  static constexpr unsigned kSteps = 16;

  uint64_t pc = 0;
  uint64_t key = 0;           // Hart::code_key_ when it was looked at last; never 0 when valid
  const Step* row = nullptr;  // with one step more, which goes on behind the block
  uint64_t steps = 0;         // 0: what is there stands in no row
};

// What else is known of a block.
struct BlockSource {
  const uint8_t* code;  // on the host
  unsigned bytes;
  std::array<uint8_t, 4 * Block::kSteps> copy;
  std::array<uint8_t, Block::kSteps + 1> offsets;  // of each step's code, and of what follows
};

}  // namespace swai::iss
