// Instructions that follow each other in one page, decoded together; a jump or branch may be the last of
// them. What sees or changes how instructions are executed is in none.
#pragma once

#include <array>
#include <cstdint>

#include "sim/iss/insn.hpp"

namespace swai::iss {

struct alignas(64) Block {
  static constexpr unsigned kSteps = 16;
  // Where the program went behind a block: to this one, if all of it is still so.
  struct Link {
    uint64_t place = 0;  // virtual address and context
    Block* block = nullptr;
    const uint8_t* code = nullptr;
    uint32_t version = 0;
  };

  const uint8_t* code = nullptr;  // on the host
  uint32_t version = 0;           // of code and translations, for which it was looked at last
  uint16_t bytes = 0;
  uint16_t steps = 0;
  std::array<Link, 2> links{};  // by a bit of the address
  std::array<Step, kSteps + 1> row{};
  std::array<uint8_t, kSteps + 1> offsets{};  // of each step's code, and of what follows

  unsigned index(const Step* step) const { return static_cast<unsigned>(step - row.data()); }
  Link& link(uint64_t pc) { return links[(pc >> 1) & 1]; }
};

}  // namespace swai::iss
