// SPDX-License-Identifier: Apache-2.0
// Instructions of a CPE's core, decoded.
#pragma once

#include <cstddef>
#include <cstdint>

namespace swai::iss::cpe {

// Every instruction; compressed ones are what they expand to.
enum class Op : uint8_t {
  kIllegal,
  // clang-format off
  kLui, kAuipc, kJal, kJalr,
  kBeq, kBne, kBlt, kBge, kBltu, kBgeu,
  kLb, kLh, kLw, kLbu, kLhu, kSb, kSh, kSw,
  kAddi, kSlti, kSltiu, kXori, kOri, kAndi, kSlli, kSrli, kSrai,
  kAdd, kSub, kSll, kSlt, kSltu, kXor, kSrl, kSra, kOr, kAnd,
  kMul, kMulh, kMulhsu, kMulhu, kDiv, kDivu, kRem, kRemu,
  kFence, kBreak,
  kCsrrw, kCsrrs, kCsrrc, kCsrrwi, kCsrrsi, kCsrrci,
  kCustom,
  // clang-format on
};
inline constexpr size_t kOpCount = static_cast<size_t>(Op::kCustom) + 1;

struct Insn {
  Op op = Op::kIllegal;
  uint8_t rd = 0;  // 0 where there is none
  uint8_t rs1 = 0;
  uint8_t rs2 = 0;
  int32_t imm = 0;    // immediate, shift amount, CSR number; custom: {unit, funct7}
  uint32_t bits = 0;  // as in memory; compressed: 16 bits, zero-extended
  uint8_t length = 4;
};

// Decodes any bits; the upper 16 do not matter when the lower ones are a compressed instruction.
Insn decode(uint32_t bits);

// The 32-bit instruction that a compressed one stands for; 0 (never legal) if there is none.
uint32_t expand(uint16_t bits);

}  // namespace swai::iss::cpe
