// SPDX-License-Identifier: Apache-2.0
// Every instruction that there is: bit pattern, operands, meaning. Both execution and disassembly come from
// this table.
#include <array>
#include <type_traits>

#include "sim/iss/mpe/bit_operations.hpp"
#include "sim/iss/mpe/execute.hpp"
#include "sim/iss/mpe/insn.hpp"
#include "sim/iss/mpe/operations.hpp"

namespace swai::iss {

namespace {

using namespace exec;

// What programs do most. Each of the first may be the first of a pair, and all may be the second.
template <typename... Kind>
struct Kinds {
  template <typename Wanted>
  static consteval unsigned number() {
    unsigned at = 0;
    (void)((std::is_same_v<Kind, Wanted> || (++at, false)) || ...);
    return at;
  }
  // Of one, with all.
  template <typename First>
  static constexpr std::array<Row, sizeof...(Kind) + 1> kPairs = {Pair<First, Kind>::row..., nullptr};
};
using Often = Kinds<reg_imm<op::add>, reg_imm<op::addw>, reg_imm<op::sll>, reg_imm<op::srl>,
                    reg_imm<op::bit_and>, reg_reg<op::add>, reg_reg<op::sub>, reg_reg<op::bit_and>,
                    reg_reg<op::bit_or>, lui, load<uint64_t>, load<int32_t>, load<uint32_t>, load<uint8_t>,
                    store<uint64_t>, store<uint32_t>, store<uint8_t>, branch<op::eq>, branch<op::ne>,
                    branch<op::ltu>, branch<op::geu>, branch<op::lt>, branch<op::ge>, jal, jalr>;
constexpr unsigned kFirsts = 17;

template <typename Kind>
consteval const Row* pairs() {
  if constexpr (Often::number<Kind>() < kFirsts) {
    return Often::kPairs<Kind>.data();
  } else {
    return nullptr;
  }
}

// Patterns are 32 characters, bit 31 first: 0, 1, or '-' for operand bits; blanks are for the reader.
template <typename Kind>
consteval InsnInfo insn(const char* name, const char* pattern, Format format) {
  InsnInfo info{name, 0, 0, format, Kind::run, Kind::kPlace, Kind::row, pairs<Kind>(), Often::number<Kind>()};
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

constexpr InsnInfo kTable[] = {
    // clang-format off
    // RV64I
    insn<lui>("lui",    "-------------------- ----- 01101 11", Format::kU),
    insn<auipc>("auipc",  "-------------------- ----- 00101 11", Format::kU),
    insn<jal>("jal",    "-------------------- ----- 11011 11", Format::kJ),
    insn<jalr>("jalr",   "------------ ----- 000 ----- 11001 11", Format::kLoad),

    insn<branch<op::eq>>("beq",    "------- ----- ----- 000 ----- 11000 11", Format::kBranch),
    insn<branch<op::ne>>("bne",    "------- ----- ----- 001 ----- 11000 11", Format::kBranch),
    insn<branch<op::lt>>("blt",    "------- ----- ----- 100 ----- 11000 11", Format::kBranch),
    insn<branch<op::ge>>("bge",    "------- ----- ----- 101 ----- 11000 11", Format::kBranch),
    insn<branch<op::ltu>>("bltu",   "------- ----- ----- 110 ----- 11000 11", Format::kBranch),
    insn<branch<op::geu>>("bgeu",   "------- ----- ----- 111 ----- 11000 11", Format::kBranch),

    insn<load<int8_t>>("lb",     "------------ ----- 000 ----- 00000 11", Format::kLoad),
    insn<load<int16_t>>("lh",     "------------ ----- 001 ----- 00000 11", Format::kLoad),
    insn<load<int32_t>>("lw",     "------------ ----- 010 ----- 00000 11", Format::kLoad),
    insn<load<uint64_t>>("ld",     "------------ ----- 011 ----- 00000 11", Format::kLoad),
    insn<load<uint8_t>>("lbu",    "------------ ----- 100 ----- 00000 11", Format::kLoad),
    insn<load<uint16_t>>("lhu",    "------------ ----- 101 ----- 00000 11", Format::kLoad),
    insn<load<uint32_t>>("lwu",    "------------ ----- 110 ----- 00000 11", Format::kLoad),
    insn<store<uint8_t>>("sb",     "------- ----- ----- 000 ----- 01000 11", Format::kStore),
    insn<store<uint16_t>>("sh",     "------- ----- ----- 001 ----- 01000 11", Format::kStore),
    insn<store<uint32_t>>("sw",     "------- ----- ----- 010 ----- 01000 11", Format::kStore),
    insn<store<uint64_t>>("sd",     "------- ----- ----- 011 ----- 01000 11", Format::kStore),

    // XTheadMemPair has four more.
    insn<store_pair>("th.sdd", "11111 -- ----- ----- 101 ----- 00010 11", Format::kPair),

    insn<reg_imm<op::add>>("addi",   "------------ ----- 000 ----- 00100 11", Format::kI),
    insn<reg_imm<op::slt>>("slti",   "------------ ----- 010 ----- 00100 11", Format::kI),
    insn<reg_imm<op::sltu>>("sltiu",  "------------ ----- 011 ----- 00100 11", Format::kI),
    insn<reg_imm<op::bit_xor>>("xori",   "------------ ----- 100 ----- 00100 11", Format::kI),
    insn<reg_imm<op::bit_or>>("ori",    "------------ ----- 110 ----- 00100 11", Format::kI),
    insn<reg_imm<op::bit_and>>("andi",   "------------ ----- 111 ----- 00100 11", Format::kI),
    insn<reg_imm<op::sll>>("slli",   "000000 ------ ----- 001 ----- 00100 11", Format::kShift),
    insn<reg_imm<op::srl>>("srli",   "000000 ------ ----- 101 ----- 00100 11", Format::kShift),
    insn<reg_imm<op::sra>>("srai",   "010000 ------ ----- 101 ----- 00100 11", Format::kShift),
    insn<reg_reg<op::add>>("add",    "0000000 ----- ----- 000 ----- 01100 11", Format::kR),
    insn<reg_reg<op::sub>>("sub",    "0100000 ----- ----- 000 ----- 01100 11", Format::kR),
    insn<reg_reg<op::sll>>("sll",    "0000000 ----- ----- 001 ----- 01100 11", Format::kR),
    insn<reg_reg<op::slt>>("slt",    "0000000 ----- ----- 010 ----- 01100 11", Format::kR),
    insn<reg_reg<op::sltu>>("sltu",   "0000000 ----- ----- 011 ----- 01100 11", Format::kR),
    insn<reg_reg<op::bit_xor>>("xor",    "0000000 ----- ----- 100 ----- 01100 11", Format::kR),
    insn<reg_reg<op::srl>>("srl",    "0000000 ----- ----- 101 ----- 01100 11", Format::kR),
    insn<reg_reg<op::sra>>("sra",    "0100000 ----- ----- 101 ----- 01100 11", Format::kR),
    insn<reg_reg<op::bit_or>>("or",     "0000000 ----- ----- 110 ----- 01100 11", Format::kR),
    insn<reg_reg<op::bit_and>>("and",    "0000000 ----- ----- 111 ----- 01100 11", Format::kR),

    insn<reg_imm<op::addw>>("addiw",  "------------ ----- 000 ----- 00110 11", Format::kI),
    insn<reg_imm<op::sllw>>("slliw",  "0000000 ----- ----- 001 ----- 00110 11", Format::kShiftW),
    insn<reg_imm<op::srlw>>("srliw",  "0000000 ----- ----- 101 ----- 00110 11", Format::kShiftW),
    insn<reg_imm<op::sraw>>("sraiw",  "0100000 ----- ----- 101 ----- 00110 11", Format::kShiftW),
    insn<reg_reg<op::addw>>("addw",   "0000000 ----- ----- 000 ----- 01110 11", Format::kR),
    insn<reg_reg<op::subw>>("subw",   "0100000 ----- ----- 000 ----- 01110 11", Format::kR),
    insn<reg_reg<op::sllw>>("sllw",   "0000000 ----- ----- 001 ----- 01110 11", Format::kR),
    insn<reg_reg<op::srlw>>("srlw",   "0000000 ----- ----- 101 ----- 01110 11", Format::kR),
    insn<reg_reg<op::sraw>>("sraw",   "0100000 ----- ----- 101 ----- 01110 11", Format::kR),

    // Unused fields of the fences are ignored, as the specification asks.
    insn<no_effect>("fence",   "------------ ----- 000 ----- 00011 11", Format::kNone),
    insn<fence_i>("fence.i", "------------ ----- 001 ----- 00011 11", Format::kNone),
    insn<ecall>("ecall",   "000000000000 00000 000 00000 11100 11", Format::kNone),
    insn<ebreak>("ebreak",  "000000000001 00000 000 00000 11100 11", Format::kNone),

    // M
    insn<reg_reg<op::mul>>("mul",    "0000001 ----- ----- 000 ----- 01100 11", Format::kR),
    insn<reg_reg<op::mulh>>("mulh",   "0000001 ----- ----- 001 ----- 01100 11", Format::kR),
    insn<reg_reg<op::mulhsu>>("mulhsu", "0000001 ----- ----- 010 ----- 01100 11", Format::kR),
    insn<reg_reg<op::mulhu>>("mulhu",  "0000001 ----- ----- 011 ----- 01100 11", Format::kR),
    insn<reg_reg<op::div>>("div",    "0000001 ----- ----- 100 ----- 01100 11", Format::kR),
    insn<reg_reg<op::divu>>("divu",   "0000001 ----- ----- 101 ----- 01100 11", Format::kR),
    insn<reg_reg<op::rem>>("rem",    "0000001 ----- ----- 110 ----- 01100 11", Format::kR),
    insn<reg_reg<op::remu>>("remu",   "0000001 ----- ----- 111 ----- 01100 11", Format::kR),
    insn<reg_reg<op::mulw>>("mulw",   "0000001 ----- ----- 000 ----- 01110 11", Format::kR),
    insn<reg_reg<op::divw>>("divw",   "0000001 ----- ----- 100 ----- 01110 11", Format::kR),
    insn<reg_reg<op::divuw>>("divuw",  "0000001 ----- ----- 101 ----- 01110 11", Format::kR),
    insn<reg_reg<op::remw>>("remw",   "0000001 ----- ----- 110 ----- 01110 11", Format::kR),
    insn<reg_reg<op::remuw>>("remuw",  "0000001 ----- ----- 111 ----- 01110 11", Format::kR),

    // A. The bits for acquire and release order nothing on a single hart.
    insn<load_reserved<int32_t>>("lr.w",      "00010 -- 00000 ----- 010 ----- 01011 11", Format::kLr),
    insn<store_conditional<int32_t>>("sc.w",      "00011 -- ----- ----- 010 ----- 01011 11", Format::kAmo),
    insn<amo<int32_t, amo_swap>>("amoswap.w", "00001 -- ----- ----- 010 ----- 01011 11", Format::kAmo),
    insn<amo<int32_t, op::add>>("amoadd.w",  "00000 -- ----- ----- 010 ----- 01011 11", Format::kAmo),
    insn<amo<int32_t, op::bit_xor>>("amoxor.w",  "00100 -- ----- ----- 010 ----- 01011 11", Format::kAmo),
    insn<amo<int32_t, op::bit_and>>("amoand.w",  "01100 -- ----- ----- 010 ----- 01011 11", Format::kAmo),
    insn<amo<int32_t, op::bit_or>>("amoor.w",   "01000 -- ----- ----- 010 ----- 01011 11", Format::kAmo),
    insn<amo<int32_t, op::min>>("amomin.w",  "10000 -- ----- ----- 010 ----- 01011 11", Format::kAmo),
    insn<amo<int32_t, op::max>>("amomax.w",  "10100 -- ----- ----- 010 ----- 01011 11", Format::kAmo),
    insn<amo<int32_t, op::minu>>("amominu.w", "11000 -- ----- ----- 010 ----- 01011 11", Format::kAmo),
    insn<amo<int32_t, op::maxu>>("amomaxu.w", "11100 -- ----- ----- 010 ----- 01011 11", Format::kAmo),
    insn<load_reserved<int64_t>>("lr.d",      "00010 -- 00000 ----- 011 ----- 01011 11", Format::kLr),
    insn<store_conditional<int64_t>>("sc.d",      "00011 -- ----- ----- 011 ----- 01011 11", Format::kAmo),
    insn<amo<int64_t, amo_swap>>("amoswap.d", "00001 -- ----- ----- 011 ----- 01011 11", Format::kAmo),
    insn<amo<int64_t, op::add>>("amoadd.d",  "00000 -- ----- ----- 011 ----- 01011 11", Format::kAmo),
    insn<amo<int64_t, op::bit_xor>>("amoxor.d",  "00100 -- ----- ----- 011 ----- 01011 11", Format::kAmo),
    insn<amo<int64_t, op::bit_and>>("amoand.d",  "01100 -- ----- ----- 011 ----- 01011 11", Format::kAmo),
    insn<amo<int64_t, op::bit_or>>("amoor.d",   "01000 -- ----- ----- 011 ----- 01011 11", Format::kAmo),
    insn<amo<int64_t, op::min>>("amomin.d",  "10000 -- ----- ----- 011 ----- 01011 11", Format::kAmo),
    insn<amo<int64_t, op::max>>("amomax.d",  "10100 -- ----- ----- 011 ----- 01011 11", Format::kAmo),
    insn<amo<int64_t, op::minu>>("amominu.d", "11000 -- ----- ----- 011 ----- 01011 11", Format::kAmo),
    insn<amo<int64_t, op::maxu>>("amomaxu.d", "11100 -- ----- ----- 011 ----- 01011 11", Format::kAmo),

    // Zba
    insn<reg_reg<op::shadd<1>>>("sh1add",    "0010000 ----- ----- 010 ----- 01100 11", Format::kR),
    insn<reg_reg<op::shadd<2>>>("sh2add",    "0010000 ----- ----- 100 ----- 01100 11", Format::kR),
    insn<reg_reg<op::shadd<3>>>("sh3add",    "0010000 ----- ----- 110 ----- 01100 11", Format::kR),
    insn<reg_reg<op::shadd_uw<0>>>("add.uw",    "0000100 ----- ----- 000 ----- 01110 11", Format::kR),
    insn<reg_reg<op::shadd_uw<1>>>("sh1add.uw", "0010000 ----- ----- 010 ----- 01110 11", Format::kR),
    insn<reg_reg<op::shadd_uw<2>>>("sh2add.uw", "0010000 ----- ----- 100 ----- 01110 11", Format::kR),
    insn<reg_reg<op::shadd_uw<3>>>("sh3add.uw", "0010000 ----- ----- 110 ----- 01110 11", Format::kR),
    insn<reg_imm<op::slli_uw>>("slli.uw",   "000010 ------ ----- 001 ----- 00110 11", Format::kShift),

    // Zbb
    insn<reg_reg<op::andn>>("andn",   "0100000 ----- ----- 111 ----- 01100 11", Format::kR),
    insn<reg_reg<op::orn>>("orn",    "0100000 ----- ----- 110 ----- 01100 11", Format::kR),
    insn<reg_reg<op::xnor>>("xnor",   "0100000 ----- ----- 100 ----- 01100 11", Format::kR),
    insn<unary<op::clz>>("clz",    "0110000 00000 ----- 001 ----- 00100 11", Format::kUnary),
    insn<unary<op::ctz>>("ctz",    "0110000 00001 ----- 001 ----- 00100 11", Format::kUnary),
    insn<unary<op::cpop>>("cpop",   "0110000 00010 ----- 001 ----- 00100 11", Format::kUnary),
    insn<unary<op::sext_b>>("sext.b", "0110000 00100 ----- 001 ----- 00100 11", Format::kUnary),
    insn<unary<op::sext_h>>("sext.h", "0110000 00101 ----- 001 ----- 00100 11", Format::kUnary),
    insn<unary<op::clzw>>("clzw",   "0110000 00000 ----- 001 ----- 00110 11", Format::kUnary),
    insn<unary<op::ctzw>>("ctzw",   "0110000 00001 ----- 001 ----- 00110 11", Format::kUnary),
    insn<unary<op::cpopw>>("cpopw",  "0110000 00010 ----- 001 ----- 00110 11", Format::kUnary),
    insn<unary<op::zext_h>>("zext.h", "0000100 00000 ----- 100 ----- 01110 11", Format::kUnary),
    insn<reg_reg<op::max>>("max",    "0000101 ----- ----- 110 ----- 01100 11", Format::kR),
    insn<reg_reg<op::maxu>>("maxu",   "0000101 ----- ----- 111 ----- 01100 11", Format::kR),
    insn<reg_reg<op::min>>("min",    "0000101 ----- ----- 100 ----- 01100 11", Format::kR),
    insn<reg_reg<op::minu>>("minu",   "0000101 ----- ----- 101 ----- 01100 11", Format::kR),
    insn<reg_reg<op::rol>>("rol",    "0110000 ----- ----- 001 ----- 01100 11", Format::kR),
    insn<reg_reg<op::ror>>("ror",    "0110000 ----- ----- 101 ----- 01100 11", Format::kR),
    insn<reg_imm<op::ror>>("rori",   "011000 ------ ----- 101 ----- 00100 11", Format::kShift),
    insn<reg_reg<op::rolw>>("rolw",   "0110000 ----- ----- 001 ----- 01110 11", Format::kR),
    insn<reg_reg<op::rorw>>("rorw",   "0110000 ----- ----- 101 ----- 01110 11", Format::kR),
    insn<reg_imm<op::rorw>>("roriw",  "0110000 ----- ----- 101 ----- 00110 11", Format::kShiftW),
    insn<unary<op::orc_b>>("orc.b",  "0010100 00111 ----- 101 ----- 00100 11", Format::kUnary),
    insn<unary<op::rev8>>("rev8",   "0110101 11000 ----- 101 ----- 00100 11", Format::kUnary),

    // Zicsr
    insn<csr<CsrOp::kWrite>>("csrrw",  "------------ ----- 001 ----- 11100 11", Format::kCsr),
    insn<csr<CsrOp::kSet>>("csrrs",  "------------ ----- 010 ----- 11100 11", Format::kCsr),
    insn<csr<CsrOp::kClear>>("csrrc",  "------------ ----- 011 ----- 11100 11", Format::kCsr),
    insn<csr_imm<CsrOp::kWrite>>("csrrwi", "------------ ----- 101 ----- 11100 11", Format::kCsrImm),
    insn<csr_imm<CsrOp::kSet>>("csrrsi", "------------ ----- 110 ----- 11100 11", Format::kCsrImm),
    insn<csr_imm<CsrOp::kClear>>("csrrci", "------------ ----- 111 ----- 11100 11", Format::kCsrImm),

    // Zicbom and Zicboz
    insn<cbo<CacheOp::kInvalidate>>("cbo.inval", "000000000000 ----- 010 00000 00011 11", Format::kAddress),
    insn<cbo<CacheOp::kClean>>("cbo.clean", "000000000001 ----- 010 00000 00011 11", Format::kAddress),
    insn<cbo<CacheOp::kClean>>("cbo.flush", "000000000010 ----- 010 00000 00011 11", Format::kAddress),
    insn<cbo_zero>("cbo.zero", "000000000100 ----- 010 00000 00011 11", Format::kAddress),

    // Privileged
    insn<mret>("mret",       "0011000 00010 00000 000 00000 11100 11", Format::kNone),
    insn<sret>("sret",       "0001000 00010 00000 000 00000 11100 11", Format::kNone),
    insn<wfi>("wfi",        "0001000 00101 00000 000 00000 11100 11", Format::kNone),
    insn<sfence_vma>("sfence.vma", "0001001 ----- ----- 000 00000 11100 11", Format::kFence),
    // clang-format on
};

}  // namespace

std::span<const InsnInfo> insn_table() { return kTable; }

}  // namespace swai::iss
