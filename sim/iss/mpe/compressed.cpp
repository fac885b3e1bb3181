// SPDX-License-Identifier: Apache-2.0
// RV64C: every compressed instruction stands for one 32-bit instruction.
#include <initializer_list>

#include "sim/iss/mpe/insn.hpp"

namespace swai::iss {

namespace {

constexpr uint32_t kLoad = 0x03;
constexpr uint32_t kOpImm = 0x13;
constexpr uint32_t kOpImm32 = 0x1b;
constexpr uint32_t kStore = 0x23;
constexpr uint32_t kOp = 0x33;
constexpr uint32_t kLui = 0x37;
constexpr uint32_t kOp32 = 0x3b;
constexpr uint32_t kBranch = 0x63;
constexpr uint32_t kJalr = 0x67;
constexpr uint32_t kJal = 0x6f;
constexpr uint32_t kEbreak = 0x0010'0073;
constexpr uint32_t kReserved = 0;
constexpr uint32_t kSp = 2;
constexpr uint32_t kRa = 1;

// Bits hi:lo of x.
constexpr uint32_t bits(uint32_t x, unsigned hi, unsigned lo) { return (x >> lo) & ((2u << (hi - lo)) - 1); }

constexpr int32_t sign_extend(uint32_t value, unsigned width) {
  return static_cast<int32_t>(value << (32 - width)) >> (32 - width);
}

constexpr uint32_t i_type(uint32_t opcode, uint32_t funct3, uint32_t rd, uint32_t rs1, int32_t imm) {
  return static_cast<uint32_t>(imm) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
constexpr uint32_t s_type(uint32_t opcode, uint32_t funct3, uint32_t rs1, uint32_t rs2, uint32_t imm) {
  return bits(imm, 11, 5) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | bits(imm, 4, 0) << 7 | opcode;
}
constexpr uint32_t r_type(uint32_t opcode, uint32_t funct7, uint32_t funct3, uint32_t rd, uint32_t rs1,
                          uint32_t rs2) {
  return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
constexpr uint32_t b_type(uint32_t funct3, uint32_t rs1, int32_t offset) {
  const auto imm = static_cast<uint32_t>(offset);
  return bits(imm, 12, 12) << 31 | bits(imm, 10, 5) << 25 | rs1 << 15 | funct3 << 12 | bits(imm, 4, 1) << 8 |
         bits(imm, 11, 11) << 7 | kBranch;
}
constexpr uint32_t j_type(int32_t offset) {
  const auto imm = static_cast<uint32_t>(offset);
  return bits(imm, 20, 20) << 31 | bits(imm, 10, 1) << 21 | bits(imm, 11, 11) << 20 |
         bits(imm, 19, 12) << 12 | kJal;
}

// Registers x8 to x15 in three bits.
constexpr uint32_t low_rd(uint32_t c) { return 8 + bits(c, 4, 2); }
constexpr uint32_t low_rs1(uint32_t c) { return 8 + bits(c, 9, 7); }

constexpr uint32_t word_offset(uint32_t c) {
  return bits(c, 5, 5) << 6 | bits(c, 12, 10) << 3 | bits(c, 6, 6) << 2;
}
constexpr uint32_t double_offset(uint32_t c) { return bits(c, 6, 5) << 6 | bits(c, 12, 10) << 3; }

constexpr uint32_t quadrant0(uint32_t c) {
  switch (bits(c, 15, 13)) {
    case 0: {  // c.addi4spn
      const uint32_t imm =
          bits(c, 10, 7) << 6 | bits(c, 12, 11) << 4 | bits(c, 5, 5) << 3 | bits(c, 6, 6) << 2;
      return imm == 0 ? kReserved : i_type(kOpImm, 0, low_rd(c), kSp, static_cast<int32_t>(imm));
    }
    case 2:  // c.lw
      return i_type(kLoad, 2, low_rd(c), low_rs1(c), static_cast<int32_t>(word_offset(c)));
    case 3:  // c.ld
      return i_type(kLoad, 3, low_rd(c), low_rs1(c), static_cast<int32_t>(double_offset(c)));
    case 6:  // c.sw
      return s_type(kStore, 2, low_rs1(c), low_rd(c), word_offset(c));
    case 7:  // c.sd
      return s_type(kStore, 3, low_rs1(c), low_rd(c), double_offset(c));
    default:
      return kReserved;
  }
}

// c.srli, c.srai, c.andi, c.sub, c.xor, c.or, c.and, c.subw, c.addw
constexpr uint32_t arithmetic(uint32_t c) {
  const uint32_t rd = low_rs1(c);
  const uint32_t rs2 = low_rd(c);
  const uint32_t shift = bits(c, 12, 12) << 5 | bits(c, 6, 2);
  switch (bits(c, 11, 10)) {
    case 0:
      return i_type(kOpImm, 5, rd, rd, static_cast<int32_t>(shift));
    case 1:
      return i_type(kOpImm, 5, rd, rd, static_cast<int32_t>(0x400 | shift));
    case 2:
      return i_type(kOpImm, 7, rd, rd, sign_extend(shift, 6));
    default:
      break;
  }
  switch (bits(c, 12, 12) << 2 | bits(c, 6, 5)) {
    case 0:
      return r_type(kOp, 0x20, 0, rd, rd, rs2);
    case 1:
      return r_type(kOp, 0, 4, rd, rd, rs2);
    case 2:
      return r_type(kOp, 0, 6, rd, rd, rs2);
    case 3:
      return r_type(kOp, 0, 7, rd, rd, rs2);
    case 4:
      return r_type(kOp32, 0x20, 0, rd, rd, rs2);
    case 5:
      return r_type(kOp32, 0, 0, rd, rd, rs2);
    default:
      return kReserved;
  }
}

constexpr uint32_t quadrant1(uint32_t c) {
  const uint32_t rd = bits(c, 11, 7);
  const int32_t imm = sign_extend(bits(c, 12, 12) << 5 | bits(c, 6, 2), 6);
  const int32_t branch_offset = sign_extend(bits(c, 12, 12) << 8 | bits(c, 6, 5) << 6 | bits(c, 2, 2) << 5 |
                                                bits(c, 11, 10) << 3 | bits(c, 4, 3) << 1,
                                            9);
  switch (bits(c, 15, 13)) {
    case 0:  // c.addi; with rd = x0 c.nop and hints
      return i_type(kOpImm, 0, rd, rd, imm);
    case 1:  // c.addiw
      return rd == 0 ? kReserved : i_type(kOpImm32, 0, rd, rd, imm);
    case 2:  // c.li
      return i_type(kOpImm, 0, rd, 0, imm);
    case 3: {
      if (imm == 0) return kReserved;
      if (rd != kSp) return static_cast<uint32_t>(imm) << 12 | rd << 7 | kLui;  // c.lui
      const uint32_t offset = bits(c, 12, 12) << 9 | bits(c, 4, 3) << 7 | bits(c, 5, 5) << 6 |
                              bits(c, 2, 2) << 5 | bits(c, 6, 6) << 4;
      return i_type(kOpImm, 0, kSp, kSp, sign_extend(offset, 10));  // c.addi16sp
    }
    case 4:
      return arithmetic(c);
    case 5:  // c.j
      return j_type(sign_extend(bits(c, 12, 12) << 11 | bits(c, 8, 8) << 10 | bits(c, 10, 9) << 8 |
                                    bits(c, 6, 6) << 7 | bits(c, 7, 7) << 6 | bits(c, 2, 2) << 5 |
                                    bits(c, 11, 11) << 4 | bits(c, 5, 3) << 1,
                                12));
    default:  // c.beqz, c.bnez
      return b_type(bits(c, 13, 13), low_rs1(c), branch_offset);
  }
}

constexpr uint32_t quadrant2(uint32_t c) {
  const uint32_t rd = bits(c, 11, 7);
  const uint32_t rs2 = bits(c, 6, 2);
  switch (bits(c, 15, 13)) {
    case 0:  // c.slli
      return i_type(kOpImm, 1, rd, rd, static_cast<int32_t>(bits(c, 12, 12) << 5 | bits(c, 6, 2)));
    case 2: {  // c.lwsp
      const uint32_t offset = bits(c, 3, 2) << 6 | bits(c, 12, 12) << 5 | bits(c, 6, 4) << 2;
      return rd == 0 ? kReserved : i_type(kLoad, 2, rd, kSp, static_cast<int32_t>(offset));
    }
    case 3: {  // c.ldsp
      const uint32_t offset = bits(c, 4, 2) << 6 | bits(c, 12, 12) << 5 | bits(c, 6, 5) << 3;
      return rd == 0 ? kReserved : i_type(kLoad, 3, rd, kSp, static_cast<int32_t>(offset));
    }
    case 4: {
      const bool link_or_add = bits(c, 12, 12) != 0;
      if (rs2 != 0) return r_type(kOp, 0, 0, rd, link_or_add ? rd : 0, rs2);  // c.add, c.mv
      if (rd == 0) return link_or_add ? kEbreak : kReserved;
      return i_type(kJalr, 0, link_or_add ? kRa : 0, rd, 0);  // c.jalr, c.jr
    }
    case 6:  // c.swsp
      return s_type(kStore, 2, kSp, rs2, bits(c, 8, 7) << 6 | bits(c, 12, 9) << 2);
    case 7:  // c.sdsp
      return s_type(kStore, 3, kSp, rs2, bits(c, 9, 7) << 6 | bits(c, 12, 10) << 3);
    default:
      return kReserved;
  }
}

}  // namespace

uint32_t expand_compressed(uint16_t c) {
  switch (c & 3) {
    case 0:
      return quadrant0(c);
    case 1:
      return quadrant1(c);
    default:
      return quadrant2(c);
  }
}

}  // namespace swai::iss
