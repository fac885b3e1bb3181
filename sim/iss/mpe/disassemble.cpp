// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <utility>

#include "sim/iss/mpe/csr_numbers.hpp"
#include "sim/iss/mpe/insn.hpp"

namespace swai::iss {

namespace {

constexpr std::array<const char*, 32> kRegisterNames = {
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
    "a6",   "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};

constexpr std::pair<unsigned, const char*> kCsrNames[] = {
    {csr::kSstatus, "sstatus"},   {csr::kSie, "sie"},
    {csr::kStvec, "stvec"},       {csr::kScounteren, "scounteren"},
    {csr::kSenvcfg, "senvcfg"},   {csr::kSscratch, "sscratch"},
    {csr::kSepc, "sepc"},         {csr::kScause, "scause"},
    {csr::kStval, "stval"},       {csr::kSip, "sip"},
    {csr::kSatp, "satp"},         {csr::kMstatus, "mstatus"},
    {csr::kMisa, "misa"},         {csr::kMedeleg, "medeleg"},
    {csr::kMideleg, "mideleg"},   {csr::kMie, "mie"},
    {csr::kMtvec, "mtvec"},       {csr::kMcounteren, "mcounteren"},
    {csr::kMenvcfg, "menvcfg"},   {csr::kMcountinhibit, "mcountinhibit"},
    {csr::kMscratch, "mscratch"}, {csr::kMepc, "mepc"},
    {csr::kMcause, "mcause"},     {csr::kMtval, "mtval"},
    {csr::kMip, "mip"},           {csr::kTselect, "tselect"},
    {csr::kMcycle, "mcycle"},     {csr::kMinstret, "minstret"},
    {csr::kCycle, "cycle"},       {csr::kTime, "time"},
    {csr::kInstret, "instret"},   {csr::kMvendorid, "mvendorid"},
    {csr::kMarchid, "marchid"},   {csr::kMimpid, "mimpid"},
    {csr::kMhartid, "mhartid"},   {csr::kMconfigptr, "mconfigptr"},
};

std::string operands(const Insn& insn, uint64_t pc) {
  const char* rd = register_name(insn.rd);
  const char* rs1 = register_name(insn.rs1);
  const char* rs2 = register_name(insn.rs2);
  const uint64_t target = pc + static_cast<uint64_t>(insn.imm);
  switch (insn.info->format) {
    case Format::kNone:
      return {};
    case Format::kR:
      return fmt::format("{}, {}, {}", rd, rs1, rs2);
    case Format::kUnary:
      return fmt::format("{}, {}", rd, rs1);
    case Format::kI:
    case Format::kShift:
    case Format::kShiftW:
      return fmt::format("{}, {}, {}", rd, rs1, insn.imm);
    case Format::kLoad:
      return fmt::format("{}, {}({})", rd, insn.imm, rs1);
    case Format::kStore:
      return fmt::format("{}, {}({})", rs2, insn.imm, rs1);
    case Format::kPair:
      return fmt::format("{}, {}, ({}), {}, 4", rd, rs2, rs1, insn.imm / 16);
    case Format::kBranch:
      return fmt::format("{}, {}, {:#x}", rs1, rs2, target);
    case Format::kU:
      return fmt::format("{}, {:#x}", rd, (insn.imm >> 12) & 0xfffff);
    case Format::kJ:
      return fmt::format("{}, {:#x}", rd, target);
    case Format::kAmo:
      return fmt::format("{}, {}, ({})", rd, rs2, rs1);
    case Format::kLr:
      return fmt::format("{}, ({})", rd, rs1);
    case Format::kCsr:
      return fmt::format("{}, {}, {}", rd, csr_name(static_cast<unsigned>(insn.imm)), rs1);
    case Format::kCsrImm:
      return fmt::format("{}, {}, {}", rd, csr_name(static_cast<unsigned>(insn.imm)), insn.rs1);
    case Format::kAddress:
      return fmt::format("({})", rs1);
    case Format::kFence:
      return fmt::format("{}, {}", rs1, rs2);
  }
  return {};
}

}  // namespace

const char* register_name(unsigned number) { return kRegisterNames[number]; }

std::string csr_name(unsigned number) {
  for (const auto& [known, name] : kCsrNames) {
    if (known == number) return name;
  }
  if (number > csr::kTselect && number <= csr::kTdata3) return fmt::format("tdata{}", number - csr::kTselect);
  if (number >= csr::kMhpmevent3 && number <= csr::kMhpmevent31)
    return fmt::format("mhpmevent{}", number % 32);
  if (number > csr::kMinstret && number <= csr::kMhpmcounter31)
    return fmt::format("mhpmcounter{}", number % 32);
  if (number > csr::kInstret && number <= csr::kHpmcounter31) return fmt::format("hpmcounter{}", number % 32);
  return fmt::format("{:#05x}", number);
}

std::string disassemble(uint32_t bits, uint64_t pc) {
  const Insn insn = decode(bits);
  if (insn.info == nullptr) return "illegal";
  const std::string text = operands(insn, pc);
  return text.empty() ? insn.info->name : fmt::format("{} {}", insn.info->name, text);
}

}  // namespace swai::iss
