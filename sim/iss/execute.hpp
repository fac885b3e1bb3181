// What the instructions do, as handlers for the decode table. Arithmetic itself is in operations.hpp and
// bit_operations.hpp.
#pragma once

#include <type_traits>

#include "sim/iss/hart.hpp"
#include "sim/iss/insn.hpp"

namespace swai::iss::exec {

using BinaryOperation = uint64_t (*)(uint64_t, uint64_t);
using UnaryOperation = uint64_t (*)(uint64_t);
using Comparison = bool (*)(uint64_t, uint64_t);

template <Handler kHandler>
void in_a_row(Hart& hart, const Step* step, uint64_t pc, uint64_t ticks) {
  kHandler(hart, step->operation);
  if (hart.raised()) [[unlikely]] {
    return;
  }
  pc += step->operation.length;
  ++ticks;
  hart.set_progress(pc, ticks);
  if (hart.stopped()) [[unlikely]] {
    return;
  }
  ++step;
  [[clang::musttail]] return step->row(hart, step, pc, ticks);
}

template <Handler kHandler>
void last_of_row(Hart& hart, const Step* step, uint64_t pc, uint64_t ticks) {
  hart.jump(pc + step->operation.length);
  kHandler(hart, step->operation);
  hart.set_progress(hart.next_pc(), ticks + 1);
}

inline void end_of_row(Hart&, const Step*, uint64_t, uint64_t) {}

template <BinaryOperation kOperation>
void reg_reg(Hart& hart, const Operation& insn) {
  hart.set_reg(insn.rd, kOperation(hart.reg(insn.rs1), hart.reg(insn.rs2)));
}

template <BinaryOperation kOperation>
void reg_imm(Hart& hart, const Operation& insn) {
  hart.set_reg(insn.rd, kOperation(hart.reg(insn.rs1), static_cast<uint64_t>(insn.imm)));
}

template <UnaryOperation kOperation>
void unary(Hart& hart, const Operation& insn) {
  hart.set_reg(insn.rd, kOperation(hart.reg(insn.rs1)));
}

inline void lui(Hart& hart, const Operation& insn) { hart.set_reg(insn.rd, static_cast<uint64_t>(insn.imm)); }

inline void auipc(Hart& hart, const Operation& insn) {
  hart.set_reg(insn.rd, hart.pc() + static_cast<uint64_t>(insn.imm));
}

template <Comparison kComparison>
void branch(Hart& hart, const Operation& insn) {
  if (kComparison(hart.reg(insn.rs1), hart.reg(insn.rs2)))
    hart.jump(hart.pc() + static_cast<uint64_t>(insn.imm));
}

inline void jal(Hart& hart, const Operation& insn) {
  hart.set_reg(insn.rd, hart.pc() + insn.length);
  hart.jump(hart.pc() + static_cast<uint64_t>(insn.imm));
}

inline void jalr(Hart& hart, const Operation& insn) {
  const uint64_t target = hart.reg(insn.rs1) + static_cast<uint64_t>(insn.imm);
  hart.set_reg(insn.rd, hart.pc() + insn.length);
  hart.jump(target & ~uint64_t{1});
}

// T is the type in memory: a signed one is sign-extended.
template <typename T>
void load(Hart& hart, const Operation& insn) {
  T value;
  if (!hart.load(hart.reg(insn.rs1) + static_cast<uint64_t>(insn.imm), value)) return;
  hart.set_reg(insn.rd, static_cast<uint64_t>(value));
}

template <typename T>
void store(Hart& hart, const Operation& insn) {
  hart.store(hart.reg(insn.rs1) + static_cast<uint64_t>(insn.imm), static_cast<T>(hart.reg(insn.rs2)));
}

// Both registers are sources.
inline void store_pair(Hart& hart, const Operation& insn) {
  hart.store_pair(hart.reg(insn.rs1) + static_cast<uint64_t>(insn.imm), hart.reg(insn.rd),
                  hart.reg(insn.rs2));
}

inline uint64_t amo_swap(uint64_t, uint64_t operand) { return operand; }

// T is the signed type in memory. Unsigned comparisons work on sign-extended words, too: the order is the
// same.
template <typename T, BinaryOperation kOperation>
void amo(Hart& hart, const Operation& insn) {
  const uint64_t address = hart.reg(insn.rs1);
  uint64_t raw = 0;
  if (!hart.atomic_load(address, sizeof(T), Access::kStore, raw)) return;
  const auto old = static_cast<uint64_t>(static_cast<T>(raw));
  const auto operand = static_cast<uint64_t>(static_cast<T>(hart.reg(insn.rs2)));
  if (!hart.atomic_store(address, sizeof(T), kOperation(old, operand))) return;
  hart.set_reg(insn.rd, old);
}

template <typename T>
void load_reserved(Hart& hart, const Operation& insn) {
  uint64_t raw = 0;
  if (!hart.reserve(hart.reg(insn.rs1), sizeof(T), raw)) return;
  hart.set_reg(insn.rd, static_cast<uint64_t>(static_cast<T>(raw)));
}

template <typename T>
void store_conditional(Hart& hart, const Operation& insn) {
  bool success = false;
  if (!hart.store_conditional(hart.reg(insn.rs1), sizeof(T), hart.reg(insn.rs2), success)) return;
  hart.set_reg(insn.rd, success ? 0 : 1);
}

template <CsrOp kOp>
void csr(Hart& hart, const Operation& insn) {
  hart.access_csr(insn, kOp, hart.reg(insn.rs1));
}

template <CsrOp kOp>
void csr_imm(Hart& hart, const Operation& insn) {
  hart.access_csr(insn, kOp, insn.rs1);
}

// The model has no caches: of a cache operation only the checks remain.
template <bool kInvalidate>
void cbo(Hart& hart, const Operation& insn) {
  if (!hart.cache_op_legal(kInvalidate)) return hart.raise_illegal();
  hart.check_cache_block(hart.reg(insn.rs1));
}

inline void no_effect(Hart&, const Operation&) {}
inline void fence_i(Hart& hart, const Operation&) { hart.fence_instructions(); }
inline void illegal(Hart& hart, const Operation&) { hart.raise_illegal(); }
inline void ecall(Hart& hart, const Operation&) {
  hart.raise(cause::kEcallU + static_cast<uint64_t>(hart.privilege()), 0);
}
inline void ebreak(Hart& hart, const Operation&) { hart.raise(cause::kBreakpoint, hart.pc()); }
inline void mret(Hart& hart, const Operation&) { hart.return_from_machine(); }
inline void sret(Hart& hart, const Operation&) { hart.return_from_supervisor(); }
inline void wfi(Hart& hart, const Operation&) { hart.wait_for_interrupt(); }
inline void sfence_vma(Hart& hart, const Operation&) { hart.fence_translations(); }

}  // namespace swai::iss::exec
