// SPDX-License-Identifier: Apache-2.0
// Encoders for the instructions that the generator writes by hand. Immediates are signed where the
// instruction's are; register arguments are numbers.
#pragma once

#include <cstdint>

namespace swai::random_program::enc {

constexpr uint32_t with_rd(uint32_t rd) { return rd << 7; }
constexpr uint32_t with_rs1(uint32_t rs1) { return rs1 << 15; }
constexpr uint32_t with_rs2(uint32_t rs2) { return rs2 << 20; }
constexpr uint32_t imm_i(int32_t imm) { return static_cast<uint32_t>(imm) << 20; }
constexpr uint32_t imm_s(int32_t imm) {
  const auto u = static_cast<uint32_t>(imm);
  return (u >> 5 & 0x7F) << 25 | (u & 0x1F) << 7;
}
constexpr uint32_t imm_b(int32_t imm) {
  const auto u = static_cast<uint32_t>(imm);
  return (u >> 12 & 1) << 31 | (u >> 5 & 0x3F) << 25 | (u >> 1 & 0xF) << 8 | (u >> 11 & 1) << 7;
}
constexpr uint32_t imm_j(int32_t imm) {
  const auto u = static_cast<uint32_t>(imm);
  return (u >> 20 & 1) << 31 | (u >> 1 & 0x3FF) << 21 | (u >> 11 & 1) << 20 | (u >> 12 & 0xFF) << 12;
}
// The immediates of a word.
constexpr int32_t get_imm_i(uint32_t w) { return static_cast<int32_t>(w) >> 20; }
constexpr int32_t get_imm_s(uint32_t w) {
  return (static_cast<int32_t>(w) >> 25) * 32 + static_cast<int32_t>(w >> 7 & 0x1F);
}
constexpr int32_t get_imm_b(uint32_t w) {
  return static_cast<int32_t>((w >> 31 != 0 ? 0xFFFF'F000 : 0) | (w >> 7 & 1) << 11 | (w >> 25 & 0x3F) << 5 |
                              (w >> 8 & 0xF) << 1);
}
constexpr int32_t get_imm_j(uint32_t w) {
  return static_cast<int32_t>((w >> 31 != 0 ? 0xFFF0'0000 : 0) | (w >> 12 & 0xFF) << 12 |
                              (w >> 20 & 1) << 11 | (w >> 21 & 0x3FF) << 1);
}

constexpr uint32_t r(uint32_t match, uint32_t rd, uint32_t rs1, uint32_t rs2) {
  return match | with_rd(rd) | with_rs1(rs1) | with_rs2(rs2);
}
constexpr uint32_t i(uint32_t match, uint32_t rd, uint32_t rs1, int32_t imm) {
  return match | with_rd(rd) | with_rs1(rs1) | imm_i(imm);
}
constexpr uint32_t s(uint32_t match, uint32_t rs2, uint32_t rs1, int32_t imm) {
  return match | with_rs1(rs1) | with_rs2(rs2) | imm_s(imm);
}

constexpr uint32_t kBeq = 0x63, kBne = 0x1063, kBlt = 0x4063, kBge = 0x5063, kBltu = 0x6063, kBgeu = 0x7063;

constexpr uint32_t addi(uint32_t rd, uint32_t rs1, int32_t imm) { return i(0x13, rd, rs1, imm); }
constexpr uint32_t addiw(uint32_t rd, uint32_t rs1, int32_t imm) { return i(0x1B, rd, rs1, imm); }
constexpr uint32_t andi(uint32_t rd, uint32_t rs1, int32_t imm) { return i(0x7013, rd, rs1, imm); }
constexpr uint32_t ori(uint32_t rd, uint32_t rs1, int32_t imm) { return i(0x6013, rd, rs1, imm); }
constexpr uint32_t slli(uint32_t rd, uint32_t rs1, int32_t by) { return i(0x1013, rd, rs1, by); }
constexpr uint32_t srli(uint32_t rd, uint32_t rs1, int32_t by) { return i(0x5013, rd, rs1, by); }
constexpr uint32_t srai(uint32_t rd, uint32_t rs1, int32_t by) { return i(0x4000'5013, rd, rs1, by); }
constexpr uint32_t rori(uint32_t rd, uint32_t rs1, int32_t by) { return i(0x6000'5013, rd, rs1, by); }
constexpr uint32_t lui(uint32_t rd, uint32_t top) { return 0x37 | with_rd(rd) | top << 12; }
constexpr uint32_t auipc(uint32_t rd, uint32_t top) { return 0x17 | with_rd(rd) | top << 12; }
constexpr uint32_t add(uint32_t rd, uint32_t rs1, uint32_t rs2) { return r(0x33, rd, rs1, rs2); }
constexpr uint32_t sub(uint32_t rd, uint32_t rs1, uint32_t rs2) { return r(0x4000'0033, rd, rs1, rs2); }
constexpr uint32_t and_(uint32_t rd, uint32_t rs1, uint32_t rs2) { return r(0x7033, rd, rs1, rs2); }
constexpr uint32_t or_(uint32_t rd, uint32_t rs1, uint32_t rs2) { return r(0x6033, rd, rs1, rs2); }
constexpr uint32_t xor_(uint32_t rd, uint32_t rs1, uint32_t rs2) { return r(0x4033, rd, rs1, rs2); }
constexpr uint32_t sll(uint32_t rd, uint32_t rs1, uint32_t rs2) { return r(0x1033, rd, rs1, rs2); }
constexpr uint32_t sltu(uint32_t rd, uint32_t rs1, uint32_t rs2) { return r(0x3033, rd, rs1, rs2); }
constexpr uint32_t mul(uint32_t rd, uint32_t rs1, uint32_t rs2) { return r(0x0200'0033, rd, rs1, rs2); }
constexpr uint32_t divu(uint32_t rd, uint32_t rs1, uint32_t rs2) { return r(0x0200'5033, rd, rs1, rs2); }
constexpr uint32_t sh3add(uint32_t rd, uint32_t rs1, uint32_t rs2) { return r(0x2000'6033, rd, rs1, rs2); }
constexpr uint32_t lb(uint32_t rd, uint32_t rs1, int32_t imm) { return i(0x0003, rd, rs1, imm); }
constexpr uint32_t lbu(uint32_t rd, uint32_t rs1, int32_t imm) { return i(0x4003, rd, rs1, imm); }
constexpr uint32_t lhu(uint32_t rd, uint32_t rs1, int32_t imm) { return i(0x5003, rd, rs1, imm); }
constexpr uint32_t lw(uint32_t rd, uint32_t rs1, int32_t imm) { return i(0x2003, rd, rs1, imm); }
constexpr uint32_t ld(uint32_t rd, uint32_t rs1, int32_t imm) { return i(0x3003, rd, rs1, imm); }
constexpr uint32_t sb(uint32_t rs2, uint32_t rs1, int32_t imm) { return s(0x0023, rs2, rs1, imm); }
constexpr uint32_t sh(uint32_t rs2, uint32_t rs1, int32_t imm) { return s(0x1023, rs2, rs1, imm); }
constexpr uint32_t sw(uint32_t rs2, uint32_t rs1, int32_t imm) { return s(0x2023, rs2, rs1, imm); }
constexpr uint32_t sd(uint32_t rs2, uint32_t rs1, int32_t imm) { return s(0x3023, rs2, rs1, imm); }
constexpr uint32_t sdd(uint32_t low, uint32_t high, uint32_t rs1, uint32_t pair) {
  return r(0xF800'500B, low, rs1, high) | pair << 25;
}
constexpr uint32_t jalr(uint32_t rd, uint32_t rs1, int32_t imm) { return i(0x67, rd, rs1, imm); }
constexpr uint32_t branch(uint32_t match, uint32_t rs1, uint32_t rs2) {
  return match | with_rs1(rs1) | with_rs2(rs2);
}
constexpr uint32_t csrrw(uint32_t rd, uint32_t csr, uint32_t rs1) {
  return 0x1073 | with_rd(rd) | with_rs1(rs1) | csr << 20;
}
constexpr uint32_t csrrs(uint32_t rd, uint32_t csr, uint32_t rs1) { return csrrw(rd, csr, rs1) ^ 0x3000; }
constexpr uint32_t csrrc(uint32_t rd, uint32_t csr, uint32_t rs1) { return csrrw(rd, csr, rs1) | 0x2000; }
constexpr uint32_t csrrwi(uint32_t rd, uint32_t csr, uint32_t imm) { return csrrw(rd, csr, imm) | 0x4000; }
constexpr uint32_t csrrsi(uint32_t rd, uint32_t csr, uint32_t imm) { return csrrs(rd, csr, imm) | 0x4000; }
constexpr uint32_t csrrci(uint32_t rd, uint32_t csr, uint32_t imm) { return csrrc(rd, csr, imm) | 0x4000; }
constexpr uint32_t csrr(uint32_t rd, uint32_t csr) { return csrrs(rd, csr, 0); }
constexpr uint32_t csrw(uint32_t csr, uint32_t rs1) { return csrrw(0, csr, rs1); }
constexpr uint32_t sfence_vma(uint32_t rs1, uint32_t rs2) {
  return 0x1200'0073 | with_rs1(rs1) | with_rs2(rs2);
}
constexpr uint32_t cbo(uint32_t kind, uint32_t rs1) { return 0x200F | kind << 20 | with_rs1(rs1); }

constexpr uint32_t kCboInval = 0, kCboClean = 1, kCboFlush = 2, kCboZero = 4;
constexpr uint32_t kNop = 0x13;
constexpr uint32_t kEcall = 0x73;
constexpr uint32_t kEbreak = 0x0010'0073;
constexpr uint32_t kMret = 0x3020'0073;
constexpr uint32_t kSret = 0x1020'0073;
constexpr uint32_t kWfi = 0x1050'0073;
constexpr uint32_t kFence = 0x0FF0'000F;
constexpr uint32_t kFenceI = 0x100F;

}  // namespace swai::random_program::enc
