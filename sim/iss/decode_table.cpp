// Every instruction that there is: bit pattern, operands, meaning. Both execution and disassembly come from
// this table.
#include "sim/iss/bit_operations.hpp"
#include "sim/iss/execute.hpp"
#include "sim/iss/insn.hpp"
#include "sim/iss/operations.hpp"

namespace swai::iss {

namespace {

// Patterns are 32 characters, bit 31 first: 0, 1, or '-' for operand bits; blanks are for the reader.
consteval InsnInfo insn(const char* name, const char* pattern, Format format, Handler handler) {
  InsnInfo info{name, 0, 0, format, handler};
  unsigned bits = 0;
  for (const char* p = pattern; *p != 0; ++p) {
    if (*p == ' ') continue;
    info.mask = (info.mask << 1) | (*p != '-');
    info.match = (info.match << 1) | (*p == '1');
    ++bits;
  }
  if (bits != 32) throw "a pattern has 32 bits";
  return info;
}

using namespace exec;

constexpr InsnInfo kTable[] = {
    // clang-format off
    // RV64I
    insn("lui",    "-------------------- ----- 01101 11", Format::kU, lui),
    insn("auipc",  "-------------------- ----- 00101 11", Format::kU, auipc),
    insn("jal",    "-------------------- ----- 11011 11", Format::kJ, jal),
    insn("jalr",   "------------ ----- 000 ----- 11001 11", Format::kLoad, jalr),

    insn("beq",    "------- ----- ----- 000 ----- 11000 11", Format::kBranch, branch<op::eq>),
    insn("bne",    "------- ----- ----- 001 ----- 11000 11", Format::kBranch, branch<op::ne>),
    insn("blt",    "------- ----- ----- 100 ----- 11000 11", Format::kBranch, branch<op::lt>),
    insn("bge",    "------- ----- ----- 101 ----- 11000 11", Format::kBranch, branch<op::ge>),
    insn("bltu",   "------- ----- ----- 110 ----- 11000 11", Format::kBranch, branch<op::ltu>),
    insn("bgeu",   "------- ----- ----- 111 ----- 11000 11", Format::kBranch, branch<op::geu>),

    insn("lb",     "------------ ----- 000 ----- 00000 11", Format::kLoad, load<int8_t>),
    insn("lh",     "------------ ----- 001 ----- 00000 11", Format::kLoad, load<int16_t>),
    insn("lw",     "------------ ----- 010 ----- 00000 11", Format::kLoad, load<int32_t>),
    insn("ld",     "------------ ----- 011 ----- 00000 11", Format::kLoad, load<uint64_t>),
    insn("lbu",    "------------ ----- 100 ----- 00000 11", Format::kLoad, load<uint8_t>),
    insn("lhu",    "------------ ----- 101 ----- 00000 11", Format::kLoad, load<uint16_t>),
    insn("lwu",    "------------ ----- 110 ----- 00000 11", Format::kLoad, load<uint32_t>),
    insn("sb",     "------- ----- ----- 000 ----- 01000 11", Format::kStore, store<uint8_t>),
    insn("sh",     "------- ----- ----- 001 ----- 01000 11", Format::kStore, store<uint16_t>),
    insn("sw",     "------- ----- ----- 010 ----- 01000 11", Format::kStore, store<uint32_t>),
    insn("sd",     "------- ----- ----- 011 ----- 01000 11", Format::kStore, store<uint64_t>),

    // XTheadMemPair has four more.
    insn("th.sdd", "11111 -- ----- ----- 101 ----- 00010 11", Format::kPair, store_pair),

    insn("addi",   "------------ ----- 000 ----- 00100 11", Format::kI, reg_imm<op::add>),
    insn("slti",   "------------ ----- 010 ----- 00100 11", Format::kI, reg_imm<op::slt>),
    insn("sltiu",  "------------ ----- 011 ----- 00100 11", Format::kI, reg_imm<op::sltu>),
    insn("xori",   "------------ ----- 100 ----- 00100 11", Format::kI, reg_imm<op::bit_xor>),
    insn("ori",    "------------ ----- 110 ----- 00100 11", Format::kI, reg_imm<op::bit_or>),
    insn("andi",   "------------ ----- 111 ----- 00100 11", Format::kI, reg_imm<op::bit_and>),
    insn("slli",   "000000 ------ ----- 001 ----- 00100 11", Format::kShift, reg_imm<op::sll>),
    insn("srli",   "000000 ------ ----- 101 ----- 00100 11", Format::kShift, reg_imm<op::srl>),
    insn("srai",   "010000 ------ ----- 101 ----- 00100 11", Format::kShift, reg_imm<op::sra>),
    insn("add",    "0000000 ----- ----- 000 ----- 01100 11", Format::kR, reg_reg<op::add>),
    insn("sub",    "0100000 ----- ----- 000 ----- 01100 11", Format::kR, reg_reg<op::sub>),
    insn("sll",    "0000000 ----- ----- 001 ----- 01100 11", Format::kR, reg_reg<op::sll>),
    insn("slt",    "0000000 ----- ----- 010 ----- 01100 11", Format::kR, reg_reg<op::slt>),
    insn("sltu",   "0000000 ----- ----- 011 ----- 01100 11", Format::kR, reg_reg<op::sltu>),
    insn("xor",    "0000000 ----- ----- 100 ----- 01100 11", Format::kR, reg_reg<op::bit_xor>),
    insn("srl",    "0000000 ----- ----- 101 ----- 01100 11", Format::kR, reg_reg<op::srl>),
    insn("sra",    "0100000 ----- ----- 101 ----- 01100 11", Format::kR, reg_reg<op::sra>),
    insn("or",     "0000000 ----- ----- 110 ----- 01100 11", Format::kR, reg_reg<op::bit_or>),
    insn("and",    "0000000 ----- ----- 111 ----- 01100 11", Format::kR, reg_reg<op::bit_and>),

    insn("addiw",  "------------ ----- 000 ----- 00110 11", Format::kI, reg_imm<op::addw>),
    insn("slliw",  "0000000 ----- ----- 001 ----- 00110 11", Format::kShiftW, reg_imm<op::sllw>),
    insn("srliw",  "0000000 ----- ----- 101 ----- 00110 11", Format::kShiftW, reg_imm<op::srlw>),
    insn("sraiw",  "0100000 ----- ----- 101 ----- 00110 11", Format::kShiftW, reg_imm<op::sraw>),
    insn("addw",   "0000000 ----- ----- 000 ----- 01110 11", Format::kR, reg_reg<op::addw>),
    insn("subw",   "0100000 ----- ----- 000 ----- 01110 11", Format::kR, reg_reg<op::subw>),
    insn("sllw",   "0000000 ----- ----- 001 ----- 01110 11", Format::kR, reg_reg<op::sllw>),
    insn("srlw",   "0000000 ----- ----- 101 ----- 01110 11", Format::kR, reg_reg<op::srlw>),
    insn("sraw",   "0100000 ----- ----- 101 ----- 01110 11", Format::kR, reg_reg<op::sraw>),

    // Unused fields of the fences are ignored, as the specification asks.
    insn("fence",   "------------ ----- 000 ----- 00011 11", Format::kNone, no_effect),
    insn("fence.i", "------------ ----- 001 ----- 00011 11", Format::kNone, no_effect),
    insn("ecall",   "000000000000 00000 000 00000 11100 11", Format::kNone, ecall),
    insn("ebreak",  "000000000001 00000 000 00000 11100 11", Format::kNone, ebreak),

    // M
    insn("mul",    "0000001 ----- ----- 000 ----- 01100 11", Format::kR, reg_reg<op::mul>),
    insn("mulh",   "0000001 ----- ----- 001 ----- 01100 11", Format::kR, reg_reg<op::mulh>),
    insn("mulhsu", "0000001 ----- ----- 010 ----- 01100 11", Format::kR, reg_reg<op::mulhsu>),
    insn("mulhu",  "0000001 ----- ----- 011 ----- 01100 11", Format::kR, reg_reg<op::mulhu>),
    insn("div",    "0000001 ----- ----- 100 ----- 01100 11", Format::kR, reg_reg<op::div>),
    insn("divu",   "0000001 ----- ----- 101 ----- 01100 11", Format::kR, reg_reg<op::divu>),
    insn("rem",    "0000001 ----- ----- 110 ----- 01100 11", Format::kR, reg_reg<op::rem>),
    insn("remu",   "0000001 ----- ----- 111 ----- 01100 11", Format::kR, reg_reg<op::remu>),
    insn("mulw",   "0000001 ----- ----- 000 ----- 01110 11", Format::kR, reg_reg<op::mulw>),
    insn("divw",   "0000001 ----- ----- 100 ----- 01110 11", Format::kR, reg_reg<op::divw>),
    insn("divuw",  "0000001 ----- ----- 101 ----- 01110 11", Format::kR, reg_reg<op::divuw>),
    insn("remw",   "0000001 ----- ----- 110 ----- 01110 11", Format::kR, reg_reg<op::remw>),
    insn("remuw",  "0000001 ----- ----- 111 ----- 01110 11", Format::kR, reg_reg<op::remuw>),

    // A. The bits for acquire and release order nothing on a single hart.
    insn("lr.w",      "00010 -- 00000 ----- 010 ----- 01011 11", Format::kLr, load_reserved<int32_t>),
    insn("sc.w",      "00011 -- ----- ----- 010 ----- 01011 11", Format::kAmo, store_conditional<int32_t>),
    insn("amoswap.w", "00001 -- ----- ----- 010 ----- 01011 11", Format::kAmo, amo<int32_t, amo_swap>),
    insn("amoadd.w",  "00000 -- ----- ----- 010 ----- 01011 11", Format::kAmo, amo<int32_t, op::add>),
    insn("amoxor.w",  "00100 -- ----- ----- 010 ----- 01011 11", Format::kAmo, amo<int32_t, op::bit_xor>),
    insn("amoand.w",  "01100 -- ----- ----- 010 ----- 01011 11", Format::kAmo, amo<int32_t, op::bit_and>),
    insn("amoor.w",   "01000 -- ----- ----- 010 ----- 01011 11", Format::kAmo, amo<int32_t, op::bit_or>),
    insn("amomin.w",  "10000 -- ----- ----- 010 ----- 01011 11", Format::kAmo, amo<int32_t, op::min>),
    insn("amomax.w",  "10100 -- ----- ----- 010 ----- 01011 11", Format::kAmo, amo<int32_t, op::max>),
    insn("amominu.w", "11000 -- ----- ----- 010 ----- 01011 11", Format::kAmo, amo<int32_t, op::minu>),
    insn("amomaxu.w", "11100 -- ----- ----- 010 ----- 01011 11", Format::kAmo, amo<int32_t, op::maxu>),
    insn("lr.d",      "00010 -- 00000 ----- 011 ----- 01011 11", Format::kLr, load_reserved<int64_t>),
    insn("sc.d",      "00011 -- ----- ----- 011 ----- 01011 11", Format::kAmo, store_conditional<int64_t>),
    insn("amoswap.d", "00001 -- ----- ----- 011 ----- 01011 11", Format::kAmo, amo<int64_t, amo_swap>),
    insn("amoadd.d",  "00000 -- ----- ----- 011 ----- 01011 11", Format::kAmo, amo<int64_t, op::add>),
    insn("amoxor.d",  "00100 -- ----- ----- 011 ----- 01011 11", Format::kAmo, amo<int64_t, op::bit_xor>),
    insn("amoand.d",  "01100 -- ----- ----- 011 ----- 01011 11", Format::kAmo, amo<int64_t, op::bit_and>),
    insn("amoor.d",   "01000 -- ----- ----- 011 ----- 01011 11", Format::kAmo, amo<int64_t, op::bit_or>),
    insn("amomin.d",  "10000 -- ----- ----- 011 ----- 01011 11", Format::kAmo, amo<int64_t, op::min>),
    insn("amomax.d",  "10100 -- ----- ----- 011 ----- 01011 11", Format::kAmo, amo<int64_t, op::max>),
    insn("amominu.d", "11000 -- ----- ----- 011 ----- 01011 11", Format::kAmo, amo<int64_t, op::minu>),
    insn("amomaxu.d", "11100 -- ----- ----- 011 ----- 01011 11", Format::kAmo, amo<int64_t, op::maxu>),

    // Zba
    insn("sh1add",    "0010000 ----- ----- 010 ----- 01100 11", Format::kR, reg_reg<op::shadd<1>>),
    insn("sh2add",    "0010000 ----- ----- 100 ----- 01100 11", Format::kR, reg_reg<op::shadd<2>>),
    insn("sh3add",    "0010000 ----- ----- 110 ----- 01100 11", Format::kR, reg_reg<op::shadd<3>>),
    insn("add.uw",    "0000100 ----- ----- 000 ----- 01110 11", Format::kR, reg_reg<op::shadd_uw<0>>),
    insn("sh1add.uw", "0010000 ----- ----- 010 ----- 01110 11", Format::kR, reg_reg<op::shadd_uw<1>>),
    insn("sh2add.uw", "0010000 ----- ----- 100 ----- 01110 11", Format::kR, reg_reg<op::shadd_uw<2>>),
    insn("sh3add.uw", "0010000 ----- ----- 110 ----- 01110 11", Format::kR, reg_reg<op::shadd_uw<3>>),
    insn("slli.uw",   "000010 ------ ----- 001 ----- 00110 11", Format::kShift, reg_imm<op::slli_uw>),

    // Zbb
    insn("andn",   "0100000 ----- ----- 111 ----- 01100 11", Format::kR, reg_reg<op::andn>),
    insn("orn",    "0100000 ----- ----- 110 ----- 01100 11", Format::kR, reg_reg<op::orn>),
    insn("xnor",   "0100000 ----- ----- 100 ----- 01100 11", Format::kR, reg_reg<op::xnor>),
    insn("clz",    "0110000 00000 ----- 001 ----- 00100 11", Format::kUnary, unary<op::clz>),
    insn("ctz",    "0110000 00001 ----- 001 ----- 00100 11", Format::kUnary, unary<op::ctz>),
    insn("cpop",   "0110000 00010 ----- 001 ----- 00100 11", Format::kUnary, unary<op::cpop>),
    insn("sext.b", "0110000 00100 ----- 001 ----- 00100 11", Format::kUnary, unary<op::sext_b>),
    insn("sext.h", "0110000 00101 ----- 001 ----- 00100 11", Format::kUnary, unary<op::sext_h>),
    insn("clzw",   "0110000 00000 ----- 001 ----- 00110 11", Format::kUnary, unary<op::clzw>),
    insn("ctzw",   "0110000 00001 ----- 001 ----- 00110 11", Format::kUnary, unary<op::ctzw>),
    insn("cpopw",  "0110000 00010 ----- 001 ----- 00110 11", Format::kUnary, unary<op::cpopw>),
    insn("zext.h", "0000100 00000 ----- 100 ----- 01110 11", Format::kUnary, unary<op::zext_h>),
    insn("max",    "0000101 ----- ----- 110 ----- 01100 11", Format::kR, reg_reg<op::max>),
    insn("maxu",   "0000101 ----- ----- 111 ----- 01100 11", Format::kR, reg_reg<op::maxu>),
    insn("min",    "0000101 ----- ----- 100 ----- 01100 11", Format::kR, reg_reg<op::min>),
    insn("minu",   "0000101 ----- ----- 101 ----- 01100 11", Format::kR, reg_reg<op::minu>),
    insn("rol",    "0110000 ----- ----- 001 ----- 01100 11", Format::kR, reg_reg<op::rol>),
    insn("ror",    "0110000 ----- ----- 101 ----- 01100 11", Format::kR, reg_reg<op::ror>),
    insn("rori",   "011000 ------ ----- 101 ----- 00100 11", Format::kShift, reg_imm<op::ror>),
    insn("rolw",   "0110000 ----- ----- 001 ----- 01110 11", Format::kR, reg_reg<op::rolw>),
    insn("rorw",   "0110000 ----- ----- 101 ----- 01110 11", Format::kR, reg_reg<op::rorw>),
    insn("roriw",  "0110000 ----- ----- 101 ----- 00110 11", Format::kShiftW, reg_imm<op::rorw>),
    insn("orc.b",  "0010100 00111 ----- 101 ----- 00100 11", Format::kUnary, unary<op::orc_b>),
    insn("rev8",   "0110101 11000 ----- 101 ----- 00100 11", Format::kUnary, unary<op::rev8>),

    // Zicsr
    insn("csrrw",  "------------ ----- 001 ----- 11100 11", Format::kCsr, csr<CsrOp::kWrite>),
    insn("csrrs",  "------------ ----- 010 ----- 11100 11", Format::kCsr, csr<CsrOp::kSet>),
    insn("csrrc",  "------------ ----- 011 ----- 11100 11", Format::kCsr, csr<CsrOp::kClear>),
    insn("csrrwi", "------------ ----- 101 ----- 11100 11", Format::kCsrImm, csr<CsrOp::kWrite>),
    insn("csrrsi", "------------ ----- 110 ----- 11100 11", Format::kCsrImm, csr<CsrOp::kSet>),
    insn("csrrci", "------------ ----- 111 ----- 11100 11", Format::kCsrImm, csr<CsrOp::kClear>),

    // Zicbom
    insn("cbo.inval", "000000000000 ----- 010 00000 00011 11", Format::kAddress, cbo<true>),
    insn("cbo.clean", "000000000001 ----- 010 00000 00011 11", Format::kAddress, cbo<false>),
    insn("cbo.flush", "000000000010 ----- 010 00000 00011 11", Format::kAddress, cbo<false>),

    // Privileged
    insn("mret",       "0011000 00010 00000 000 00000 11100 11", Format::kNone, mret),
    insn("sret",       "0001000 00010 00000 000 00000 11100 11", Format::kNone, sret),
    insn("wfi",        "0001000 00101 00000 000 00000 11100 11", Format::kNone, wfi),
    insn("sfence.vma", "0001001 ----- ----- 000 00000 11100 11", Format::kFence, sfence_vma),
    // clang-format on
};

}  // namespace

std::span<const InsnInfo> insn_table() { return kTable; }

}  // namespace swai::iss
