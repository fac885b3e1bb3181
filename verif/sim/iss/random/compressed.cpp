// SPDX-License-Identifier: Apache-2.0
// The compressed instructions, both ways.

#include <array>

#include "verif/sim/iss/random/encode.hpp"
#include "verif/sim/iss/random/insn_table.hpp"

namespace swai::random_program {
namespace {

// Bits high..low of value, moved to position `to`.
constexpr uint32_t field(uint32_t value, unsigned high, unsigned low, unsigned to) {
  return (value >> low & ((1u << (high - low + 1)) - 1)) << to;
}
constexpr int32_t sign_extend(uint32_t value, unsigned bits) {
  return static_cast<int32_t>(value << (32 - bits)) >> (32 - bits);
}
constexpr bool fits_signed(int32_t value, unsigned bits) {
  return sign_extend(static_cast<uint32_t>(value), bits) == value;
}

constexpr int32_t imm6(uint32_t c) { return sign_extend(field(c, 12, 12, 5) | field(c, 6, 2, 0), 6); }
constexpr int32_t shamt(uint32_t c) { return static_cast<int32_t>(field(c, 12, 12, 5) | field(c, 6, 2, 0)); }
constexpr int32_t lw_offset(uint32_t c) {
  return static_cast<int32_t>(field(c, 12, 10, 3) | field(c, 6, 6, 2) | field(c, 5, 5, 6));
}
constexpr int32_t ld_offset(uint32_t c) {
  return static_cast<int32_t>(field(c, 12, 10, 3) | field(c, 6, 5, 6));
}
constexpr int32_t j_offset(uint32_t c) {
  return sign_extend(field(c, 12, 12, 11) | field(c, 11, 11, 4) | field(c, 10, 9, 8) | field(c, 8, 8, 10) |
                         field(c, 7, 7, 6) | field(c, 6, 6, 7) | field(c, 5, 3, 1) | field(c, 2, 2, 5),
                     12);
}
constexpr int32_t b_offset(uint32_t c) {
  return sign_extend(
      field(c, 12, 12, 8) | field(c, 11, 10, 3) | field(c, 6, 5, 6) | field(c, 4, 3, 1) | field(c, 2, 2, 5),
      9);
}

// Register-register operations in quadrant 1: expanded form by c[12], c[6:5].
constexpr std::array<uint32_t, 6> kArithmetic = {0x4000'0033, 0x4033, 0x6033, 0x7033, 0x4000'003B, 0x3B};
constexpr std::array<std::string_view, 6> kArithmeticNames = {"c.sub", "c.xor",  "c.or",
                                                              "c.and", "c.subw", "c.addw"};

std::optional<uint32_t> expand_arithmetic(uint32_t c) {
  const uint32_t rd = 8 + field(c, 9, 7, 0);
  const uint32_t rs2 = 8 + field(c, 4, 2, 0);
  switch (c >> 10 & 3) {
    case 0:
      return enc::srli(rd, rd, shamt(c));
    case 1:
      return enc::srai(rd, rd, shamt(c));
    case 2:
      return enc::andi(rd, rd, imm6(c));
    default: {
      const uint32_t which = field(c, 12, 12, 2) | field(c, 6, 5, 0);
      if (which >= kArithmetic.size()) return std::nullopt;
      return enc::r(kArithmetic[which], rd, rd, rs2);
    }
  }
}

std::optional<uint32_t> expand_jumps(uint32_t c) {
  const uint32_t rd = field(c, 11, 7, 0);
  const uint32_t rs2 = field(c, 6, 2, 0);
  const bool high = (c >> 12 & 1) != 0;
  if (rs2 != 0) return enc::add(rd, high ? rd : 0, rs2);
  if (rd == 0) return high ? std::optional(enc::kEbreak) : std::nullopt;
  return enc::jalr(high ? 1 : 0, rd, 0);
}

std::string_view arithmetic_name(uint32_t c) {
  switch (c >> 10 & 3) {
    case 0:
      return "c.srli";
    case 1:
      return "c.srai";
    case 2:
      return "c.andi";
    default:
      return kArithmeticNames[field(c, 12, 12, 2) | field(c, 6, 5, 0)];
  }
}

std::string_view jump_name(uint32_t c) {
  const bool high = (c >> 12 & 1) != 0;
  if (field(c, 6, 2, 0) != 0) return high ? "c.add" : "c.mv";
  if (field(c, 11, 7, 0) == 0) return "c.ebreak";
  return high ? "c.jalr" : "c.jr";
}

bool is_short(uint32_t reg) { return reg >= 8 && reg < 16; }

std::optional<uint16_t> half(uint32_t c) { return static_cast<uint16_t>(c); }
uint32_t with_imm6(uint32_t c, int32_t imm) {
  const auto u = static_cast<uint32_t>(imm);
  return c | field(u, 5, 5, 12) | field(u, 4, 0, 2);
}

std::optional<uint16_t> compress_addi(uint32_t rd, uint32_t rs1, int32_t imm) {
  const auto u = static_cast<uint32_t>(imm);
  if (rs1 == 0 && rd != 0 && fits_signed(imm, 6)) return half(with_imm6(0x4001 | rd << 7, imm));
  if (rd == 2 && rs1 == 2 && imm != 0 && imm % 16 == 0 && fits_signed(imm, 10)) {
    return half(0x6101 | field(u, 9, 9, 12) | field(u, 4, 4, 6) | field(u, 6, 6, 5) | field(u, 8, 7, 3) |
                field(u, 5, 5, 2));
  }
  if (rd == rs1 && fits_signed(imm, 6) && (rd == 0) == (imm == 0))
    return half(with_imm6(0x0001 | rd << 7, imm));
  if (rs1 == 2 && is_short(rd) && imm > 0 && imm < 1024 && imm % 4 == 0) {
    return half(0x0000 | field(u, 5, 4, 11) | field(u, 9, 6, 7) | field(u, 2, 2, 6) | field(u, 3, 3, 5) |
                (rd - 8) << 2);
  }
  if (imm == 0 && rd != 0 && rs1 != 0) return half(0x8002 | rd << 7 | rs1 << 2);
  return std::nullopt;
}

std::optional<uint16_t> compress_op(uint32_t word, uint32_t rd, uint32_t rs1, uint32_t rs2) {
  const uint32_t operation = word & 0xFE00'707F;
  if (operation == 0x33 && rd != 0) {
    if (rs1 == 0 && rs2 != 0) return half(0x8002 | rd << 7 | rs2 << 2);
    if (rd == rs1 && rs2 != 0) return half(0x9002 | rd << 7 | rs2 << 2);
    if (rd == rs2 && rs1 != 0) return half(0x9002 | rd << 7 | rs1 << 2);
    return std::nullopt;
  }
  for (uint32_t which = 0; which < kArithmetic.size(); ++which) {
    if (operation != kArithmetic[which]) continue;
    if (rd == rs1 && is_short(rd) && is_short(rs2)) {
      return half(0x8C01 | field(which, 2, 2, 12) | (rd - 8) << 7 | field(which, 1, 0, 5) | (rs2 - 8) << 2);
    }
  }
  return std::nullopt;
}

std::optional<uint16_t> compress_access(bool store, uint32_t funct3, uint32_t reg, uint32_t base,
                                        int32_t offset) {
  if (funct3 != 2 && funct3 != 3) return std::nullopt;
  const bool wide = funct3 == 3;
  if (offset < 0 || offset % (wide ? 8 : 4) != 0) return std::nullopt;
  const auto u = static_cast<uint32_t>(offset);
  if (base == 2 && (store || reg != 0) && u < (wide ? 512u : 256u)) {
    if (store) {
      const uint32_t bits =
          wide ? field(u, 5, 3, 10) | field(u, 8, 6, 7) : field(u, 5, 2, 9) | field(u, 7, 6, 7);
      return half((wide ? 0xE002u : 0xC002u) | bits | reg << 2);
    }
    const uint32_t bits = field(u, 5, 5, 12) | (wide ? field(u, 4, 3, 5) | field(u, 8, 6, 2)
                                                     : field(u, 4, 2, 4) | field(u, 7, 6, 2));
    return half((wide ? 0x6002u : 0x4002u) | bits | reg << 7);
  }
  if (!is_short(reg) || !is_short(base) || u >= (wide ? 256u : 128u)) return std::nullopt;
  const uint32_t bits = wide ? field(u, 5, 3, 10) | field(u, 7, 6, 5)
                             : field(u, 5, 3, 10) | field(u, 2, 2, 6) | field(u, 6, 6, 5);
  return half((store ? 0xC000u : 0x4000u) | (wide ? 0x2000u : 0u) | bits | (base - 8) << 7 | (reg - 8) << 2);
}

std::optional<uint16_t> compress_branch(uint32_t word, uint32_t rs1, uint32_t rs2) {
  const uint32_t funct3 = word >> 12 & 7;
  const int32_t offset = enc::get_imm_b(word);
  if (funct3 > 1 || rs2 != 0 || !is_short(rs1) || !fits_signed(offset, 9)) return std::nullopt;
  const auto u = static_cast<uint32_t>(offset);
  return half((funct3 == 0 ? 0xC001u : 0xE001u) | field(u, 8, 8, 12) | field(u, 4, 3, 10) | (rs1 - 8) << 7 |
              field(u, 7, 6, 5) | field(u, 2, 1, 3) | field(u, 5, 5, 2));
}

std::optional<uint16_t> compress_jal(uint32_t word, uint32_t rd) {
  const int32_t offset = enc::get_imm_j(word);
  if (rd != 0 || !fits_signed(offset, 12)) return std::nullopt;
  const auto u = static_cast<uint32_t>(offset);
  return half(0xA001 | field(u, 11, 11, 12) | field(u, 4, 4, 11) | field(u, 9, 8, 9) | field(u, 10, 10, 8) |
              field(u, 6, 6, 7) | field(u, 7, 7, 6) | field(u, 3, 1, 3) | field(u, 5, 5, 2));
}

std::optional<uint16_t> compress_op_imm(uint32_t word, uint32_t rd, uint32_t rs1) {
  const int32_t imm = enc::get_imm_i(word);
  const int32_t shift = imm & 63;
  switch (word >> 12 & 7) {
    case 0:
      return compress_addi(rd, rs1, imm);
    case 1:
      if ((word & 0xFC00'0000) == 0 && rd == rs1 && rd != 0 && shift != 0)
        return half(with_imm6(0x0002 | rd << 7, shift));
      return std::nullopt;
    case 5: {
      const uint32_t top = word & 0xFC00'0000;
      if ((top != 0 && top != 0x4000'0000) || rd != rs1 || !is_short(rd) || shift == 0) return std::nullopt;
      return half(with_imm6((top == 0 ? 0x8001u : 0x8401u) | (rd - 8) << 7, shift));
    }
    case 7:
      if (rd == rs1 && is_short(rd) && fits_signed(imm, 6))
        return half(with_imm6(0x8801 | (rd - 8) << 7, imm));
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<uint32_t> expand(uint16_t half_word) {
  const uint32_t c = half_word;
  const uint32_t rd = field(c, 11, 7, 0);
  const uint32_t rs2 = field(c, 6, 2, 0);
  const uint32_t short_rs1 = 8 + field(c, 9, 7, 0);
  const uint32_t short_rd = 8 + field(c, 4, 2, 0);
  switch ((c & 3) << 3 | c >> 13) {
    case 0b00'000: {
      const uint32_t imm = field(c, 12, 11, 4) | field(c, 10, 7, 6) | field(c, 6, 6, 2) | field(c, 5, 5, 3);
      if (imm == 0) return std::nullopt;
      return enc::addi(short_rd, 2, static_cast<int32_t>(imm));
    }
    case 0b00'010:
      return enc::lw(short_rd, short_rs1, lw_offset(c));
    case 0b00'011:
      return enc::ld(short_rd, short_rs1, ld_offset(c));
    case 0b00'110:
      return enc::sw(short_rd, short_rs1, lw_offset(c));
    case 0b00'111:
      return enc::sd(short_rd, short_rs1, ld_offset(c));
    case 0b01'000:
      return enc::addi(rd, rd, imm6(c));
    case 0b01'001:
      if (rd == 0) return std::nullopt;
      return enc::addiw(rd, rd, imm6(c));
    case 0b01'010:
      return enc::addi(rd, 0, imm6(c));
    case 0b01'011:
      if (imm6(c) == 0) return std::nullopt;
      if (rd == 2) {
        return enc::addi(2, 2,
                         sign_extend(field(c, 12, 12, 9) | field(c, 6, 6, 4) | field(c, 5, 5, 6) |
                                         field(c, 4, 3, 7) | field(c, 2, 2, 5),
                                     10));
      }
      return enc::lui(rd, static_cast<uint32_t>(imm6(c)) & 0xF'FFFF);
    case 0b01'100:
      return expand_arithmetic(c);
    case 0b01'101:
      return 0x6F | enc::imm_j(j_offset(c));
    case 0b01'110:
      return enc::branch(enc::kBeq, short_rs1, 0) | enc::imm_b(b_offset(c));
    case 0b01'111:
      return enc::branch(enc::kBne, short_rs1, 0) | enc::imm_b(b_offset(c));
    case 0b10'000:
      return enc::slli(rd, rd, shamt(c));
    case 0b10'010:
      if (rd == 0) return std::nullopt;
      return enc::lw(rd, 2,
                     static_cast<int32_t>(field(c, 12, 12, 5) | field(c, 6, 4, 2) | field(c, 3, 2, 6)));
    case 0b10'011:
      if (rd == 0) return std::nullopt;
      return enc::ld(rd, 2,
                     static_cast<int32_t>(field(c, 12, 12, 5) | field(c, 6, 5, 3) | field(c, 4, 2, 6)));
    case 0b10'100:
      return expand_jumps(c);
    case 0b10'110:
      return enc::sw(rs2, 2, static_cast<int32_t>(field(c, 12, 9, 2) | field(c, 8, 7, 6)));
    case 0b10'111:
      return enc::sd(rs2, 2, static_cast<int32_t>(field(c, 12, 10, 3) | field(c, 9, 7, 6)));
    default:
      return std::nullopt;
  }
}

std::optional<uint16_t> compress(uint32_t word) {
  const uint32_t rd = word >> 7 & 31;
  const uint32_t rs1 = word >> 15 & 31;
  const uint32_t rs2 = word >> 20 & 31;
  const uint32_t funct3 = word >> 12 & 7;
  switch (word & 0x7F) {
    case 0x13:
      return compress_op_imm(word, rd, rs1);
    case 0x1B:
      if (funct3 == 0 && rd == rs1 && rd != 0 && fits_signed(enc::get_imm_i(word), 6)) {
        return half(with_imm6(0x2001 | rd << 7, enc::get_imm_i(word)));
      }
      return std::nullopt;
    case 0x33:
    case 0x3B:
      return compress_op(word, rd, rs1, rs2);
    case 0x37: {
      const int32_t top = static_cast<int32_t>(word) >> 12;
      if (rd == 0 || rd == 2 || top == 0 || !fits_signed(top, 6)) return std::nullopt;
      return half(with_imm6(0x6001 | rd << 7, top));
    }
    case 0x03:
      return compress_access(false, funct3, rd, rs1, enc::get_imm_i(word));
    case 0x23:
      return compress_access(true, funct3, rs2, rs1, enc::get_imm_s(word));
    case 0x63:
      return compress_branch(word, rs1, rs2);
    case 0x67:
      if (funct3 != 0 || rd > 1 || rs1 == 0 || enc::get_imm_i(word) != 0) return std::nullopt;
      return half((rd == 0 ? 0x8002u : 0x9002u) | rs1 << 7);
    case 0x6F:
      return compress_jal(word, rd);
    case 0x73:
      if (word == enc::kEbreak) return half(0x9002);
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::string_view compressed_name(uint16_t half_word) {
  const uint32_t c = half_word;
  static constexpr std::array<std::string_view, 24> kNames = {
      "c.addi4spn", "",        "c.lw",   "c.ld",   "", "",    "c.sw",   "c.sd",  //
      "c.addi",     "c.addiw", "c.li",   "c.lui",  "", "c.j", "c.beqz", "c.bnez",
      "c.slli",     "",        "c.lwsp", "c.ldsp", "", "",    "c.swsp", "c.sdsp"};
  const uint32_t index = (c & 3) << 3 | c >> 13;
  if (index == 0b01'100) return arithmetic_name(c);
  if (index == 0b10'100) return jump_name(c);
  if (index == 0b01'011 && field(c, 11, 7, 0) == 2) return "c.addi16sp";
  return kNames[index];
}

}  // namespace swai::random_program
