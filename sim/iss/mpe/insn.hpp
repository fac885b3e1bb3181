// SPDX-License-Identifier: Apache-2.0
// A decoded instruction, and how to get one. The table of all instructions is decode_table.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace swai::iss {

class Hart;
struct Operation;
struct Step;

// Executes one instruction: changes registers, memory and CSRs through the hart, or raises an exception
// there.
using Handler = void (*)(Hart&, const Operation&);
// The same, and then the instructions that follow: each calls the next one itself, so that a processor's
// branch predictor tells them apart. Handed on in registers are the address of the block, and how many
// instructions may be executed behind it.
using Row = void (*)(Hart&, const Step*, uint64_t pc, uint64_t left);

// Which operands an instruction has, where they are in its bits, and how they are written in assembly.
enum class Format : uint8_t {
  kNone,     // ecall
  kR,        // add    rd, rs1, rs2
  kUnary,    // clz    rd, rs1
  kI,        // addi   rd, rs1, imm
  kShift,    // slli   rd, rs1, shamt (6 bits)
  kShiftW,   // slliw  rd, rs1, shamt (5 bits)
  kLoad,     // lw     rd, imm(rs1)
  kStore,    // sw     rs2, imm(rs1)
  kPair,     // th.sdd rd, rs2, (rs1), imm / 16, 4: both are stored
  kBranch,   // beq    rs1, rs2, target
  kU,        // lui    rd, imm
  kJ,        // jal    rd, target
  kAmo,      // amoadd rd, rs2, (rs1)
  kLr,       // lr     rd, (rs1)
  kCsr,      // csrrw  rd, csr, rs1
  kCsrImm,   // csrrwi rd, csr, uimm (in rs1)
  kAddress,  // cbo.clean (rs1)
  kFence,    // sfence.vma rs1, rs2
};

// Where an instruction may stand in a row of them.
enum class Place : uint8_t {
  kAnywhere,
  kLast,   // it may jump
  kAlone,  // it may see or change counters, privilege, interrupts, or the instructions themselves
};

// One row of the table.
struct InsnInfo {
  const char* name;
  uint32_t mask;  // the instruction is this one if (bits & mask) == match
  uint32_t match;
  Format format;
  Handler handler;
  Place place;
  Row row;  // null for what stands alone
  // Rows for this one and the one behind it, by the second's number; null where there is none.
  const Row* pairs;
  unsigned number;
};

// What a handler looks at.
struct Operation {
  int32_t imm;  // immediate, shift amount or CSR number
  uint8_t rd;   // 0 in formats that have none; of a pair, the first register that is stored
  uint8_t rs1;
  uint8_t rs2;
  uint8_t length;  // 2 or 4
};

// One instruction of a row: small, because many lie side by side. What counts from the instruction in
// Operation counts from the block here: addresses that are relative to it, and the length of what ends a
// row. Of others, the length is how many instructions there are to the block's end.
struct Step {
  Row row;
  Operation operation;
  unsigned rest() const { return operation.length; }
};

struct Insn : Operation {
  Handler handler;
  const InsnInfo* info;  // null: illegal
  uint32_t bits;         // as in memory; compressed instructions: 16 bits, zero-extended
};

std::span<const InsnInfo> insn_table();

// How many bytes an instruction has whose first 16 bits are these.
constexpr unsigned insn_length(uint32_t bits) { return (bits & 3) == 3 ? 4 : 2; }

// Decodes any bits; what is no instruction gets the handler that raises illegal-instruction.
Insn decode(uint32_t bits);

// The 32-bit instruction that a compressed one stands for; 0 (never legal) if it is reserved.
uint32_t expand_compressed(uint16_t bits);

// Assembly of the instruction at pc (which gives branches their targets).
std::string disassemble(uint32_t bits, uint64_t pc);
const char* register_name(unsigned number);  // ABI name
// Name of a CSR, or its number in hex.
std::string csr_name(unsigned number);

}  // namespace swai::iss
