// SPDX-License-Identifier: Apache-2.0
// The custom instructions of a CPE. Their numbers are in cpe_isa.hpp, which is made from abi/cpe.toml.
// Kernels use the functions in the other headers; these are for them.
//
// custom-0 and custom-1 are R-type: funct3 and the choice of the two name a unit, funct7 its operation.
// Issuing takes one cycle when the unit has room. Every one is a barrier to the compiler: stores to local
// memory before it stay before it.
#pragma once

#include <cstdint>

#include "cpe_isa.hpp"

namespace swai::cpe::isa {

#if defined(__riscv) && __riscv_xlen == 32

constexpr unsigned funct3(unit::Kind unit) { return unit & 7U; }
constexpr bool is_custom_1(unit::Kind unit) { return unit >= 8; }

// A command without a result. An operand that is the constant 0 costs no register.
template <unit::Kind kUnit, unsigned kOp>
[[gnu::always_inline]] inline void issue(uint32_t rs1 = 0, uint32_t rs2 = 0) {
  if constexpr (is_custom_1(kUnit)) {
    asm volatile(".insn r CUSTOM_1, %0, %1, x0, %z2, %z3" ::"i"(funct3(kUnit)), "i"(kOp), "rJ"(rs1), "rJ"(rs2)
                 : "memory");
  } else {
    asm volatile(".insn r CUSTOM_0, %0, %1, x0, %z2, %z3" ::"i"(funct3(kUnit)), "i"(kOp), "rJ"(rs1), "rJ"(rs2)
                 : "memory");
  }
}

// A command that gives a number.
template <unit::Kind kUnit, unsigned kOp>
[[gnu::always_inline]] inline uint32_t ask(uint32_t rs1 = 0, uint32_t rs2 = 0) {
  uint32_t rd;
  if constexpr (is_custom_1(kUnit)) {
    asm volatile(".insn r CUSTOM_1, %1, %2, %0, %z3, %z4"
                 : "=r"(rd)
                 : "i"(funct3(kUnit)), "i"(kOp), "rJ"(rs1), "rJ"(rs2)
                 : "memory");
  } else {
    asm volatile(".insn r CUSTOM_0, %1, %2, %0, %z3, %z4"
                 : "=r"(rd)
                 : "i"(funct3(kUnit)), "i"(kOp), "rJ"(rs1), "rJ"(rs2)
                 : "memory");
  }
  return rd;
}

// A register that stands still during a launch: may be read once and kept.
template <csr::Kind kCsr>
[[gnu::always_inline]] inline uint32_t constant_csr() {
  uint32_t value;
  asm("csrr %0, %1" : "=r"(value) : "i"(kCsr));
  return value;
}
template <csr::Kind kCsr>
[[gnu::always_inline]] inline uint32_t read_csr() {
  uint32_t value;
  asm volatile("csrr %0, %1" : "=r"(value) : "i"(kCsr) : "memory");
  return value;
}
template <csr::Kind kCsr>
[[gnu::always_inline]] inline void write_csr(uint32_t value) {
  asm volatile("csrw %0, %z1" ::"i"(kCsr), "rJ"(value) : "memory");
}

#endif

}  // namespace swai::cpe::isa
