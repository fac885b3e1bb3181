// SPDX-License-Identifier: Apache-2.0
#include "verif/sim/iss/random/insn_table.hpp"

#include <array>

namespace swai::random_program {
namespace {

constexpr uint32_t kOpcodeMask = 0x7F;
constexpr uint32_t kFunct3Mask = 0x707F;
constexpr uint32_t kFunct7Mask = 0xFE00'707F;
constexpr uint32_t kShift6Mask = 0xFC00'707F;
constexpr uint32_t kUnaryMask = 0xFFF0'707F;
constexpr uint32_t kAmoMask = 0xF800'707F;
constexpr uint32_t kLrMask = 0xF9F0'707F;
constexpr uint32_t kCboMask = 0xFFF0'7FFF;
constexpr uint32_t kSfenceMask = 0xFE00'7FFF;
constexpr uint32_t kExact = 0xFFFF'FFFF;

constexpr Insn r(std::string_view name, uint32_t funct7, uint32_t funct3, uint32_t opcode, Group group) {
  return {name, funct7 << 25 | funct3 << 12 | opcode, kFunct7Mask, Format::kR, group};
}
constexpr Insn i(std::string_view name, uint32_t funct3, uint32_t opcode, Format format, Group group) {
  return {name, funct3 << 12 | opcode, kFunct3Mask, format, group};
}
constexpr Insn shift6(std::string_view name, uint32_t top6, uint32_t funct3, uint32_t opcode, Group group) {
  return {name, top6 << 26 | funct3 << 12 | opcode, kShift6Mask, Format::kShift6, group};
}
constexpr Insn shift5(std::string_view name, uint32_t top7, uint32_t funct3, uint32_t opcode, Group group) {
  return {name, top7 << 25 | funct3 << 12 | opcode, kFunct7Mask, Format::kShift5, group};
}
constexpr Insn unary(std::string_view name, uint32_t top12, uint32_t funct3, uint32_t opcode) {
  return {name, top12 << 20 | funct3 << 12 | opcode, kUnaryMask, Format::kUnary, Group::kBitmanip};
}
constexpr Insn amo(std::string_view name, uint32_t funct5, uint32_t funct3) {
  return {name, funct5 << 27 | funct3 << 12 | 0x2F, kAmoMask, Format::kAmo, Group::kAmo};
}

constexpr Group kAlu = Group::kAlu;
constexpr Group kMul = Group::kMulDiv;
constexpr Group kBit = Group::kBitmanip;

constexpr std::array kTable = {
    Insn{"lui", 0x37, kOpcodeMask, Format::kU, kAlu},
    Insn{"auipc", 0x17, kOpcodeMask, Format::kU, kAlu},
    Insn{"jal", 0x6F, kOpcodeMask, Format::kJal, Group::kJump},
    i("jalr", 0, 0x67, Format::kJalr, Group::kJump),
    i("beq", 0, 0x63, Format::kBranch, Group::kBranch),
    i("bne", 1, 0x63, Format::kBranch, Group::kBranch),
    i("blt", 4, 0x63, Format::kBranch, Group::kBranch),
    i("bge", 5, 0x63, Format::kBranch, Group::kBranch),
    i("bltu", 6, 0x63, Format::kBranch, Group::kBranch),
    i("bgeu", 7, 0x63, Format::kBranch, Group::kBranch),
    i("lb", 0, 0x03, Format::kLoad, Group::kLoad),
    i("lh", 1, 0x03, Format::kLoad, Group::kLoad),
    i("lw", 2, 0x03, Format::kLoad, Group::kLoad),
    i("ld", 3, 0x03, Format::kLoad, Group::kLoad),
    i("lbu", 4, 0x03, Format::kLoad, Group::kLoad),
    i("lhu", 5, 0x03, Format::kLoad, Group::kLoad),
    i("lwu", 6, 0x03, Format::kLoad, Group::kLoad),
    i("sb", 0, 0x23, Format::kStore, Group::kStore),
    i("sh", 1, 0x23, Format::kStore, Group::kStore),
    i("sw", 2, 0x23, Format::kStore, Group::kStore),
    i("sd", 3, 0x23, Format::kStore, Group::kStore),
    Insn{"th.sdd", 0xF800'500B, 0xF800'707F, Format::kPair, Group::kStore},
    i("addi", 0, 0x13, Format::kI, kAlu),
    i("slti", 2, 0x13, Format::kI, kAlu),
    i("sltiu", 3, 0x13, Format::kI, kAlu),
    i("xori", 4, 0x13, Format::kI, kAlu),
    i("ori", 6, 0x13, Format::kI, kAlu),
    i("andi", 7, 0x13, Format::kI, kAlu),
    shift6("slli", 0x00, 1, 0x13, kAlu),
    shift6("srli", 0x00, 5, 0x13, kAlu),
    shift6("srai", 0x10, 5, 0x13, kAlu),
    r("add", 0x00, 0, 0x33, kAlu),
    r("sub", 0x20, 0, 0x33, kAlu),
    r("sll", 0x00, 1, 0x33, kAlu),
    r("slt", 0x00, 2, 0x33, kAlu),
    r("sltu", 0x00, 3, 0x33, kAlu),
    r("xor", 0x00, 4, 0x33, kAlu),
    r("srl", 0x00, 5, 0x33, kAlu),
    r("sra", 0x20, 5, 0x33, kAlu),
    r("or", 0x00, 6, 0x33, kAlu),
    r("and", 0x00, 7, 0x33, kAlu),
    i("addiw", 0, 0x1B, Format::kI, kAlu),
    shift5("slliw", 0x00, 1, 0x1B, kAlu),
    shift5("srliw", 0x00, 5, 0x1B, kAlu),
    shift5("sraiw", 0x20, 5, 0x1B, kAlu),
    r("addw", 0x00, 0, 0x3B, kAlu),
    r("subw", 0x20, 0, 0x3B, kAlu),
    r("sllw", 0x00, 1, 0x3B, kAlu),
    r("srlw", 0x00, 5, 0x3B, kAlu),
    r("sraw", 0x20, 5, 0x3B, kAlu),
    r("mul", 0x01, 0, 0x33, kMul),
    r("mulh", 0x01, 1, 0x33, kMul),
    r("mulhsu", 0x01, 2, 0x33, kMul),
    r("mulhu", 0x01, 3, 0x33, kMul),
    r("div", 0x01, 4, 0x33, kMul),
    r("divu", 0x01, 5, 0x33, kMul),
    r("rem", 0x01, 6, 0x33, kMul),
    r("remu", 0x01, 7, 0x33, kMul),
    r("mulw", 0x01, 0, 0x3B, kMul),
    r("divw", 0x01, 4, 0x3B, kMul),
    r("divuw", 0x01, 5, 0x3B, kMul),
    r("remw", 0x01, 6, 0x3B, kMul),
    r("remuw", 0x01, 7, 0x3B, kMul),
    r("sh1add", 0x10, 2, 0x33, kBit),
    r("sh2add", 0x10, 4, 0x33, kBit),
    r("sh3add", 0x10, 6, 0x33, kBit),
    r("add.uw", 0x04, 0, 0x3B, kBit),
    r("sh1add.uw", 0x10, 2, 0x3B, kBit),
    r("sh2add.uw", 0x10, 4, 0x3B, kBit),
    r("sh3add.uw", 0x10, 6, 0x3B, kBit),
    shift6("slli.uw", 0x02, 1, 0x1B, kBit),
    r("andn", 0x20, 7, 0x33, kBit),
    r("orn", 0x20, 6, 0x33, kBit),
    r("xnor", 0x20, 4, 0x33, kBit),
    r("max", 0x05, 6, 0x33, kBit),
    r("maxu", 0x05, 7, 0x33, kBit),
    r("min", 0x05, 4, 0x33, kBit),
    r("minu", 0x05, 5, 0x33, kBit),
    r("rol", 0x30, 1, 0x33, kBit),
    r("ror", 0x30, 5, 0x33, kBit),
    r("rolw", 0x30, 1, 0x3B, kBit),
    r("rorw", 0x30, 5, 0x3B, kBit),
    shift6("rori", 0x18, 5, 0x13, kBit),
    shift5("roriw", 0x30, 5, 0x1B, kBit),
    unary("clz", 0x600, 1, 0x13),
    unary("ctz", 0x601, 1, 0x13),
    unary("cpop", 0x602, 1, 0x13),
    unary("sext.b", 0x604, 1, 0x13),
    unary("sext.h", 0x605, 1, 0x13),
    unary("orc.b", 0x287, 5, 0x13),
    unary("rev8", 0x6B8, 5, 0x13),
    unary("clzw", 0x600, 1, 0x1B),
    unary("ctzw", 0x601, 1, 0x1B),
    unary("cpopw", 0x602, 1, 0x1B),
    unary("zext.h", 0x080, 4, 0x3B),
    Insn{"lr.w", 0x1000'202F, kLrMask, Format::kLr, Group::kLrSc},
    Insn{"lr.d", 0x1000'302F, kLrMask, Format::kLr, Group::kLrSc},
    Insn{"sc.w", 0x1800'202F, kAmoMask, Format::kAmo, Group::kLrSc},
    Insn{"sc.d", 0x1800'302F, kAmoMask, Format::kAmo, Group::kLrSc},
    amo("amoswap.w", 0x01, 2),
    amo("amoadd.w", 0x00, 2),
    amo("amoxor.w", 0x04, 2),
    amo("amoand.w", 0x0C, 2),
    amo("amoor.w", 0x08, 2),
    amo("amomin.w", 0x10, 2),
    amo("amomax.w", 0x14, 2),
    amo("amominu.w", 0x18, 2),
    amo("amomaxu.w", 0x1C, 2),
    amo("amoswap.d", 0x01, 3),
    amo("amoadd.d", 0x00, 3),
    amo("amoxor.d", 0x04, 3),
    amo("amoand.d", 0x0C, 3),
    amo("amoor.d", 0x08, 3),
    amo("amomin.d", 0x10, 3),
    amo("amomax.d", 0x14, 3),
    amo("amominu.d", 0x18, 3),
    amo("amomaxu.d", 0x1C, 3),
    i("csrrw", 1, 0x73, Format::kCsr, Group::kCsr),
    i("csrrs", 2, 0x73, Format::kCsr, Group::kCsr),
    i("csrrc", 3, 0x73, Format::kCsr, Group::kCsr),
    i("csrrwi", 5, 0x73, Format::kCsrImm, Group::kCsr),
    i("csrrsi", 6, 0x73, Format::kCsrImm, Group::kCsr),
    i("csrrci", 7, 0x73, Format::kCsrImm, Group::kCsr),
    i("fence", 0, 0x0F, Format::kFence, Group::kFence),
    i("fence.i", 1, 0x0F, Format::kFence, Group::kFence),
    Insn{"cbo.inval", 0x0000'200F, kCboMask, Format::kCbo, Group::kCbo},
    Insn{"cbo.clean", 0x0010'200F, kCboMask, Format::kCbo, Group::kCbo},
    Insn{"cbo.flush", 0x0020'200F, kCboMask, Format::kCbo, Group::kCbo},
    Insn{"cbo.zero", 0x0040'200F, kCboMask, Format::kCbo, Group::kCbo},
    Insn{"sfence.vma", 0x1200'0073, kSfenceMask, Format::kSfence, Group::kSystem},
    Insn{"ecall", 0x0000'0073, kExact, Format::kFixed, Group::kSystem},
    Insn{"ebreak", 0x0010'0073, kExact, Format::kFixed, Group::kSystem},
    Insn{"mret", 0x3020'0073, kExact, Format::kFixed, Group::kSystem},
    Insn{"sret", 0x1020'0073, kExact, Format::kFixed, Group::kSystem},
    Insn{"wfi", 0x1050'0073, kExact, Format::kFixed, Group::kSystem},
};

}  // namespace

std::span<const Insn> insn_table() { return kTable; }

const Insn* find_insn(uint32_t word) {
  for (const Insn& insn : kTable) {
    if ((word & insn.mask) == insn.match) return &insn;
  }
  return nullptr;
}

Legality legality(uint32_t word) {
  if ((word & 3) != 3) {
    return expand(static_cast<uint16_t>(word)) ? Legality::kLegal : Legality::kIllegal;
  }
  const Insn* insn = find_insn(word);
  if (insn == nullptr) return Legality::kIllegal;
  return insn->format == Format::kFence ? Legality::kUnspecified : Legality::kLegal;
}

}  // namespace swai::random_program
