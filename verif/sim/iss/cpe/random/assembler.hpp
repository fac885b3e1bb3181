// SPDX-License-Identifier: Apache-2.0
// Writes code of CPEs by hand: RV32 instructions, and commands to units.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "sim/iss/cpe/units.hpp"
#include "verif/sim/iss/random/encode.hpp"

namespace swai::iss::cpe {

namespace enc = random_program::enc;

inline constexpr uint32_t kArguments = 0xc000'0000;
inline constexpr uint32_t kKernel = 0x5000'0000;
inline constexpr uint32_t kWindow = 0x8000'0000;

// Registers as tests use them; command() and its like change a2 and a3.
inline constexpr unsigned kRa = 1, kT0 = 5, kA0 = 10, kA1 = 11, kA2 = 12, kA3 = 13;

// A command to a unit.
constexpr uint32_t custom(unsigned unit, unsigned op, unsigned rd, unsigned rs1 = 0, unsigned rs2 = 0) {
  return enc::r((unit >= 8 ? 0x2bu : 0x0bu) | (unit & 7) << 12 | op << 25, rd, rs1, rs2);
}

// Code, word by word.
class Assembler {
 public:
  Assembler& operator()(std::initializer_list<uint32_t> words) {
    words_.insert(words_.end(), words);
    return *this;
  }
  Assembler& li(unsigned rd, uint32_t value) {
    const uint32_t top = value + 0x800;
    return (*this)({enc::lui(rd, top >> 12), enc::addi(rd, rd, static_cast<int32_t>(value << 20) >> 20)});
  }
  // A command with both operands; the result goes to rd.
  Assembler& command(unsigned unit, unsigned op, uint32_t rs1 = 0, uint32_t rs2 = 0, unsigned rd = kA0) {
    return li(kA2, rs1).li(kA3, rs2)({custom(unit, op, rd, kA2, kA3)});
  }
  Assembler& global(uint64_t pointer) {
    return command(unit::kDma, dma_op::kGlobal, static_cast<uint32_t>(pointer),
                   static_cast<uint32_t>(pointer >> 32));
  }
  Assembler& shape(uint32_t rows, uint32_t ldm_stride, int32_t global_stride) {
    return command(unit::kDma, dma_op::kShape, rows << 16 | ldm_stride, static_cast<uint32_t>(global_stride));
  }
  Assembler& window(uint64_t pointer) {
    return li(kA2, static_cast<uint32_t>(pointer))({enc::csrw(swai::cpe::isa::csr::kWindowLow, kA2)})
        .li(kA2, static_cast<uint32_t>(pointer >> 32))({enc::csrw(swai::cpe::isa::csr::kWindowHigh, kA2)});
  }
  Assembler& sync(uint32_t scope) { return command(unit::kControl, control_op::kSync, scope); }
  Assembler& ebreak() { return (*this)({enc::kEbreak}); }
  // Back to the daemon.
  Assembler& ret() { return (*this)({enc::jalr(0, kRa, 0)}); }
  // Offset of the next word.
  uint32_t here() const { return static_cast<uint32_t>(4 * words_.size()); }
  const std::vector<uint32_t>& words() const { return words_; }

 private:
  std::vector<uint32_t> words_;
};

}  // namespace swai::iss::cpe
