// SPDX-License-Identifier: Apache-2.0
#include "sim/iss/cpe/insn.hpp"

namespace swai::iss::cpe {
namespace {

constexpr uint32_t bits(uint32_t word, unsigned high, unsigned low) {
  return (word >> low) & ((2U << (high - low)) - 1);
}
constexpr int32_t sign_extend(uint32_t value, unsigned width) {
  return static_cast<int32_t>(value << (32 - width)) >> (32 - width);
}

constexpr int32_t imm_i(uint32_t w) { return sign_extend(bits(w, 31, 20), 12); }
constexpr int32_t imm_s(uint32_t w) { return sign_extend(bits(w, 31, 25) << 5 | bits(w, 11, 7), 12); }
constexpr int32_t imm_b(uint32_t w) {
  return sign_extend(bits(w, 31, 31) << 12 | bits(w, 7, 7) << 11 | bits(w, 30, 25) << 5 | bits(w, 11, 8) << 1,
                     13);
}
constexpr int32_t imm_j(uint32_t w) {
  return sign_extend(
      bits(w, 31, 31) << 20 | bits(w, 19, 12) << 12 | bits(w, 20, 20) << 11 | bits(w, 30, 21) << 1, 21);
}

Op op_imm(uint32_t w, int32_t& imm) {
  switch (bits(w, 14, 12)) {
    case 0:
      return Op::kAddi;
    case 2:
      return Op::kSlti;
    case 3:
      return Op::kSltiu;
    case 4:
      return Op::kXori;
    case 6:
      return Op::kOri;
    case 7:
      return Op::kAndi;
    default:
      break;
  }
  imm = static_cast<int32_t>(bits(w, 24, 20));
  if (bits(w, 31, 25) == 0) return bits(w, 14, 12) == 1 ? Op::kSlli : Op::kSrli;
  return bits(w, 31, 25) == 0x20 && bits(w, 14, 12) == 5 ? Op::kSrai : Op::kIllegal;
}

Op op_register(uint32_t w) {
  static constexpr Op kBase[] = {Op::kAdd, Op::kSll, Op::kSlt, Op::kSltu,
                                 Op::kXor, Op::kSrl, Op::kOr,  Op::kAnd};
  static constexpr Op kMultiply[] = {Op::kMul, Op::kMulh, Op::kMulhsu, Op::kMulhu,
                                     Op::kDiv, Op::kDivu, Op::kRem,    Op::kRemu};
  const uint32_t funct3 = bits(w, 14, 12);
  switch (bits(w, 31, 25)) {
    case 0:
      return kBase[funct3];
    case 1:
      return kMultiply[funct3];
    case 0x20:
      return funct3 == 0 ? Op::kSub : funct3 == 5 ? Op::kSra : Op::kIllegal;
    default:
      return Op::kIllegal;
  }
}

Op op_system(uint32_t w) {
  static constexpr Op kCsr[] = {Op::kIllegal, Op::kCsrrw,  Op::kCsrrs,  Op::kCsrrc,
                                Op::kIllegal, Op::kCsrrwi, Op::kCsrrsi, Op::kCsrrci};
  if (w == 0x0000'0073 || w == 0x0010'0073) return Op::kBreak;  // ecall, ebreak
  return kCsr[bits(w, 14, 12)];
}

Insn decode_word(uint32_t w) {
  static constexpr Op kBranches[] = {Op::kBeq, Op::kBne, Op::kIllegal, Op::kIllegal,
                                     Op::kBlt, Op::kBge, Op::kBltu,    Op::kBgeu};
  static constexpr Op kLoads[] = {Op::kLb,  Op::kLh,  Op::kLw,      Op::kIllegal,
                                  Op::kLbu, Op::kLhu, Op::kIllegal, Op::kIllegal};
  static constexpr Op kStores[] = {Op::kSb,      Op::kSh,      Op::kSw,      Op::kIllegal,
                                   Op::kIllegal, Op::kIllegal, Op::kIllegal, Op::kIllegal};
  Insn insn;
  insn.op = Op::kIllegal;
  insn.bits = w;
  insn.rd = static_cast<uint8_t>(bits(w, 11, 7));
  insn.rs1 = static_cast<uint8_t>(bits(w, 19, 15));
  insn.rs2 = static_cast<uint8_t>(bits(w, 24, 20));
  insn.imm = imm_i(w);
  const uint32_t funct3 = bits(w, 14, 12);
  switch (bits(w, 6, 0)) {
    case 0x03:
      insn.op = kLoads[funct3];
      break;
    case 0x0b:
    case 0x2b:
      insn.op = Op::kCustom;
      insn.imm = static_cast<int32_t>((bits(w, 5, 5) << 3 | funct3) << 7 | bits(w, 31, 25));
      break;
    case 0x0f:
      insn.op = funct3 == 0 ? Op::kFence : Op::kIllegal;
      insn.rd = 0;
      break;
    case 0x13:
      insn.op = op_imm(w, insn.imm);
      break;
    case 0x17:
      insn.op = Op::kAuipc;
      insn.imm = static_cast<int32_t>(w & 0xffff'f000);
      break;
    case 0x23:
      insn.op = kStores[funct3];
      insn.imm = imm_s(w);
      insn.rd = 0;
      break;
    case 0x33:
      insn.op = op_register(w);
      break;
    case 0x37:
      insn.op = Op::kLui;
      insn.imm = static_cast<int32_t>(w & 0xffff'f000);
      break;
    case 0x63:
      insn.op = kBranches[funct3];
      insn.imm = imm_b(w);
      insn.rd = 0;
      break;
    case 0x67:
      insn.op = funct3 == 0 ? Op::kJalr : Op::kIllegal;
      break;
    case 0x6f:
      insn.op = Op::kJal;
      insn.imm = imm_j(w);
      break;
    case 0x73:
      insn.op = op_system(w);
      insn.imm = static_cast<int32_t>(bits(w, 31, 20));
      break;
    default:
      break;
  }
  return insn;
}

// What compressed instructions expand to.
constexpr uint32_t enc_i(uint32_t opcode, uint32_t funct3, uint32_t rd, uint32_t rs1, uint32_t imm) {
  return (imm & 0xfff) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
constexpr uint32_t enc_r(uint32_t funct7, uint32_t funct3, uint32_t rd, uint32_t rs1, uint32_t rs2) {
  return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x33;
}
constexpr uint32_t enc_sw(uint32_t rs1, uint32_t rs2, uint32_t imm) {
  return bits(imm, 11, 5) << 25 | rs2 << 20 | rs1 << 15 | 2 << 12 | bits(imm, 4, 0) << 7 | 0x23;
}
constexpr uint32_t enc_b(uint32_t funct3, uint32_t rs1, uint32_t imm) {
  return bits(imm, 12, 12) << 31 | bits(imm, 10, 5) << 25 | rs1 << 15 | funct3 << 12 | bits(imm, 4, 1) << 8 |
         bits(imm, 11, 11) << 7 | 0x63;
}
constexpr uint32_t enc_j(uint32_t rd, uint32_t imm) {
  return bits(imm, 20, 20) << 31 | bits(imm, 10, 1) << 21 | bits(imm, 11, 11) << 20 |
         bits(imm, 19, 12) << 12 | rd << 7 | 0x6f;
}

constexpr uint32_t kIllegalWord = 0;

uint32_t expand_quadrant0(uint32_t c) {
  const uint32_t low = 8 + bits(c, 4, 2);
  const uint32_t base = 8 + bits(c, 9, 7);
  const uint32_t offset = bits(c, 5, 5) << 6 | bits(c, 12, 10) << 3 | bits(c, 6, 6) << 2;
  switch (bits(c, 15, 13)) {
    case 0: {  // c.addi4spn
      const uint32_t imm =
          bits(c, 10, 7) << 6 | bits(c, 12, 11) << 4 | bits(c, 5, 5) << 3 | bits(c, 6, 6) << 2;
      return imm == 0 ? kIllegalWord : enc_i(0x13, 0, low, 2, imm);
    }
    case 2:
      return enc_i(0x03, 2, low, base, offset);  // c.lw
    case 6:
      return enc_sw(base, low, offset);
    default:
      return kIllegalWord;
  }
}

uint32_t expand_arithmetic(uint32_t c) {
  static constexpr uint32_t kFunct3[] = {0, 4, 6, 7};  // sub, xor, or, and
  const uint32_t rd = 8 + bits(c, 9, 7);
  const uint32_t rs2 = 8 + bits(c, 4, 2);
  const auto imm = static_cast<uint32_t>(sign_extend(bits(c, 12, 12) << 5 | bits(c, 6, 2), 6));
  switch (bits(c, 11, 10)) {
    case 0:
      return bits(c, 12, 12) != 0 ? kIllegalWord : enc_i(0x13, 5, rd, rd, imm);  // c.srli
    case 1:
      return bits(c, 12, 12) != 0 ? kIllegalWord : enc_i(0x13, 5, rd, rd, 0x400 | imm);  // c.srai
    case 2:
      return enc_i(0x13, 7, rd, rd, imm);  // c.andi
    default:
      if (bits(c, 12, 12) != 0) return kIllegalWord;
      return enc_r(bits(c, 6, 5) == 0 ? 0x20 : 0, kFunct3[bits(c, 6, 5)], rd, rd, rs2);
  }
}

uint32_t expand_quadrant1(uint32_t c) {
  const uint32_t rd = bits(c, 11, 7);
  const auto imm = static_cast<uint32_t>(sign_extend(bits(c, 12, 12) << 5 | bits(c, 6, 2), 6));
  const auto jump = static_cast<uint32_t>(
      sign_extend(bits(c, 12, 12) << 11 | bits(c, 8, 8) << 10 | bits(c, 10, 9) << 8 | bits(c, 6, 6) << 7 |
                      bits(c, 7, 7) << 6 | bits(c, 2, 2) << 5 | bits(c, 11, 11) << 4 | bits(c, 5, 3) << 1,
                  12));
  const auto branch =
      static_cast<uint32_t>(sign_extend(bits(c, 12, 12) << 8 | bits(c, 6, 5) << 6 | bits(c, 2, 2) << 5 |
                                            bits(c, 11, 10) << 3 | bits(c, 4, 3) << 1,
                                        9));
  switch (bits(c, 15, 13)) {
    case 0:
      return enc_i(0x13, 0, rd, rd, imm);  // c.addi
    case 1:
      return enc_j(1, jump);  // c.jal
    case 2:
      return enc_i(0x13, 0, rd, 0, imm);  // c.li
    case 3: {
      if (imm == 0) return kIllegalWord;
      if (rd != 2) return imm << 12 | rd << 7 | 0x37;  // c.lui
      const auto amount =
          static_cast<uint32_t>(sign_extend(bits(c, 12, 12) << 9 | bits(c, 4, 3) << 7 | bits(c, 5, 5) << 6 |
                                                bits(c, 2, 2) << 5 | bits(c, 6, 6) << 4,
                                            10));
      return enc_i(0x13, 0, 2, 2, amount);  // c.addi16sp
    }
    case 4:
      return expand_arithmetic(c);
    case 5:
      return enc_j(0, jump);
    case 6:
      return enc_b(0, 8 + bits(c, 9, 7), branch);
    default:
      return enc_b(1, 8 + bits(c, 9, 7), branch);
  }
}

uint32_t expand_quadrant2(uint32_t c) {
  const uint32_t rd = bits(c, 11, 7);
  const uint32_t rs2 = bits(c, 6, 2);
  switch (bits(c, 15, 13)) {
    case 0:
      return bits(c, 12, 12) != 0 ? kIllegalWord : enc_i(0x13, 1, rd, rd, rs2);  // c.slli
    case 2:                                                                      // c.lwsp
      if (rd == 0) return kIllegalWord;
      return enc_i(0x03, 2, rd, 2, bits(c, 3, 2) << 6 | bits(c, 12, 12) << 5 | bits(c, 6, 4) << 2);
    case 4:
      if (rs2 != 0) return enc_r(0, 0, rd, bits(c, 12, 12) != 0 ? rd : 0, rs2);  // c.add, c.mv
      if (rd != 0) return enc_i(0x67, 0, bits(c, 12, 12), rd, 0);                // c.jalr, c.jr
      return bits(c, 12, 12) != 0 ? 0x0010'0073 : kIllegalWord;                  // c.ebreak
    case 6:
      return enc_sw(2, rs2, bits(c, 8, 7) << 6 | bits(c, 12, 9) << 2);  // c.swsp
    default:
      return kIllegalWord;
  }
}

}  // namespace

uint32_t expand(uint16_t c) {
  switch (c & 3) {
    case 0:
      return expand_quadrant0(c);
    case 1:
      return expand_quadrant1(c);
    case 2:
      return expand_quadrant2(c);
    default:
      return kIllegalWord;
  }
}

Insn decode(uint32_t word) {
  if ((word & 3) == 3) return decode_word(word);
  Insn insn = decode_word(expand(static_cast<uint16_t>(word)));
  insn.bits = word & 0xffff;
  insn.length = 2;
  return insn;
}

}  // namespace swai::iss::cpe
