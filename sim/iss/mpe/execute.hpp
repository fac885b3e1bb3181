// SPDX-License-Identifier: Apache-2.0
// What the instructions do, for the decode table: each by itself (run), and in a row of them (row), where
// registers and plain memory are all that it looks at, as long as that is possible. Arithmetic itself is in
// operations.hpp and bit_operations.hpp.
#pragma once

#include <type_traits>

#include "sim/iss/mpe/hart.hpp"
#include "sim/iss/mpe/insn.hpp"

namespace swai::iss::exec {

using BinaryOperation = uint64_t (*)(uint64_t, uint64_t);
using UnaryOperation = uint64_t (*)(uint64_t);
using Comparison = bool (*)(uint64_t, uint64_t);

// One that others see, or that may raise an exception.
template <Handler kHandler>
struct Visible {
  static constexpr Place kPlace = Place::kAnywhere;
  static void run(Hart& hart, const Operation& insn) { kHandler(hart, insn); }
  [[gnu::noinline]] static void row(Hart& hart, const Step* step, uint64_t pc, uint64_t left) {
    hart.arrive(pc, left, step->rest());
    kHandler(hart, step->operation);
    if (!hart.may_go_on(pc, left, step->rest())) return;
    ++step;
    [[clang::musttail]] return step->row(hart, step, pc, left);
  }
};

// One that is in no row.
template <Handler kHandler>
struct Alone {
  static constexpr Place kPlace = Place::kAlone;
  static constexpr Row row = nullptr;
  static void run(Hart& hart, const Operation& insn) { kHandler(hart, insn); }
};

// One that makes its result of registers and of nothing else.
template <uint64_t (*kResult)(const Hart&, const Operation&)>
struct Computes {
  static constexpr Place kPlace = Place::kAnywhere;
  static void run(Hart& hart, const Operation& insn) { hart.set_reg(insn.rd, kResult(hart, insn)); }
  static bool act(Hart& hart, const Operation& insn) {
    hart.put(insn.rd, kResult(hart, insn));
    return true;
  }
  static void row(Hart& hart, const Step* step, uint64_t pc, uint64_t left) {
    act(hart, step->operation);
    ++step;
    [[clang::musttail]] return step->row(hart, step, pc, left);
  }
};

// Goes on at pc, which is not known yet, or ends the row there. By itself, so that the rest needs no stack.
[[gnu::noinline]] inline void seek(Hart& hart, const Step*, uint64_t pc, uint64_t left) {
  const Block* const next = hart.seek(pc, left);
  if (next == nullptr) return hart.leave(pc, left);
  left -= next->steps;
  [[clang::musttail]] return next->row->row(hart, next->row, pc, left);
}

// Goes on at pc.
inline void go_on(Hart& hart, const Step* step, uint64_t pc, uint64_t left) {
  const Block* const next = hart.known(pc, left);
  if (next == nullptr) [[unlikely]] {
    [[clang::musttail]] return seek(hart, step, pc, left);
  }
  left -= next->steps;
  [[clang::musttail]] return next->row->row(hart, next->row, pc, left);
}

// What comes behind the last instruction of a block.
inline void end_of_row(Hart& hart, const Step* step, uint64_t pc, uint64_t left) {
  pc += step->operation.length;
  [[clang::musttail]] return go_on(hart, step, pc, left);
}

// The only step where an instruction is that stands in no row.
inline void end_here(Hart& hart, const Step*, uint64_t pc, uint64_t left) { hart.leave(pc, left); }

template <BinaryOperation kOperation>
uint64_t of_registers(const Hart& hart, const Operation& insn) {
  return kOperation(hart.reg(insn.rs1), hart.reg(insn.rs2));
}
template <BinaryOperation kOperation>
using reg_reg = Computes<of_registers<kOperation>>;

template <BinaryOperation kOperation>
uint64_t of_immediate(const Hart& hart, const Operation& insn) {
  return kOperation(hart.reg(insn.rs1), static_cast<uint64_t>(insn.imm));
}
template <BinaryOperation kOperation>
using reg_imm = Computes<of_immediate<kOperation>>;

template <UnaryOperation kOperation>
uint64_t of_register(const Hart& hart, const Operation& insn) {
  return kOperation(hart.reg(insn.rs1));
}
template <UnaryOperation kOperation>
using unary = Computes<of_register<kOperation>>;

inline uint64_t immediate(const Hart&, const Operation& insn) { return static_cast<uint64_t>(insn.imm); }
using lui = Computes<immediate>;

struct auipc {
  static constexpr Place kPlace = Place::kAnywhere;
  static void run(Hart& hart, const Operation& insn) {
    hart.set_reg(insn.rd, hart.pc() + immediate(hart, insn));
  }
  static void row(Hart& hart, const Step* step, uint64_t pc, uint64_t left) {
    hart.put(step->operation.rd, pc + immediate(hart, step->operation));
    ++step;
    [[clang::musttail]] return step->row(hart, step, pc, left);
  }
};

// Where a jump or branch goes, which may write a register.
template <uint64_t (*kTarget)(Hart&, const Operation&, uint64_t pc)>
struct Jumps {
  static constexpr Place kPlace = Place::kLast;
  static void run(Hart& hart, const Operation& insn) {
    hart.jump(kTarget(hart, insn, hart.pc()));
    hart.put(0, 0);
  }
  static void row(Hart& hart, const Step* step, uint64_t pc, uint64_t left) {
    pc = kTarget(hart, step->operation, pc);
    [[clang::musttail]] return go_on(hart, step, pc, left);
  }
};

template <Comparison kComparison>
uint64_t branch_target(Hart& hart, const Operation& insn, uint64_t pc) {
  const bool taken = kComparison(hart.reg(insn.rs1), hart.reg(insn.rs2));
  return pc + (taken ? static_cast<uint64_t>(insn.imm) : insn.length);
}
template <Comparison kComparison>
using branch = Jumps<branch_target<kComparison>>;

inline uint64_t jal_target(Hart& hart, const Operation& insn, uint64_t pc) {
  hart.put(insn.rd, pc + insn.length);
  return pc + static_cast<uint64_t>(insn.imm);
}
using jal = Jumps<jal_target>;

inline uint64_t jalr_target(Hart& hart, const Operation& insn, uint64_t pc) {
  const uint64_t target = hart.reg(insn.rs1) + static_cast<uint64_t>(insn.imm);
  hart.put(insn.rd, pc + insn.length);
  return target & ~uint64_t{1};
}
using jalr = Jumps<jalr_target>;

inline uint64_t data_address(const Hart& hart, const Operation& insn) {
  return hart.reg(insn.rs1) + static_cast<uint64_t>(insn.imm);
}

// In a row: those that do it in plain memory; what else there is, others see.
template <typename Kind>
struct Accesses {
  static void row(Hart& hart, const Step* step, uint64_t pc, uint64_t left) {
    if (!Kind::act(hart, step->operation)) [[unlikely]] {
      [[clang::musttail]] return Visible<Kind::run>::row(hart, step, pc, left);
    }
    ++step;
    [[clang::musttail]] return step->row(hart, step, pc, left);
  }
};

// T is the type in memory: a signed one is sign-extended.
template <typename T>
struct load : Accesses<load<T>> {
  static constexpr Place kPlace = Place::kAnywhere;
  static void run(Hart& hart, const Operation& insn) {
    T value;
    if (hart.load(data_address(hart, insn), value)) hart.set_reg(insn.rd, static_cast<uint64_t>(value));
  }
  static bool act(Hart& hart, const Operation& insn) {
    T value;
    if (!hart.load_plain(data_address(hart, insn), value)) [[unlikely]] {
      return false;
    }
    hart.put(insn.rd, static_cast<uint64_t>(value));
    return true;
  }
};

template <typename T>
struct store : Accesses<store<T>> {
  static constexpr Place kPlace = Place::kAnywhere;
  static void run(Hart& hart, const Operation& insn) {
    hart.store(data_address(hart, insn), static_cast<T>(hart.reg(insn.rs2)));
  }
  static bool act(Hart& hart, const Operation& insn) {
    return hart.store_plain(data_address(hart, insn), static_cast<T>(hart.reg(insn.rs2)));
  }
};

// Both registers are sources.
inline void store_both(Hart& hart, const Operation& insn) {
  hart.store_pair(data_address(hart, insn), hart.reg(insn.rd), hart.reg(insn.rs2));
}
using store_pair = Visible<store_both>;

inline uint64_t amo_swap(uint64_t, uint64_t operand) { return operand; }

// T is the signed type in memory. Unsigned comparisons work on sign-extended words, too: the order is the
// same.
template <typename T, BinaryOperation kOperation>
void do_amo(Hart& hart, const Operation& insn) {
  const uint64_t address = hart.reg(insn.rs1);
  uint64_t raw = 0;
  if (!hart.atomic_load(address, sizeof(T), Access::kStore, raw)) return;
  const auto old = static_cast<uint64_t>(static_cast<T>(raw));
  const auto operand = static_cast<uint64_t>(static_cast<T>(hart.reg(insn.rs2)));
  if (!hart.atomic_store(address, sizeof(T), kOperation(old, operand))) return;
  hart.set_reg(insn.rd, old);
}

template <typename T, BinaryOperation kOperation>
using amo = Visible<do_amo<T, kOperation>>;

template <typename T>
void do_load_reserved(Hart& hart, const Operation& insn) {
  uint64_t raw = 0;
  if (!hart.reserve(hart.reg(insn.rs1), sizeof(T), raw)) return;
  hart.set_reg(insn.rd, static_cast<uint64_t>(static_cast<T>(raw)));
}

template <typename T>
using load_reserved = Visible<do_load_reserved<T>>;

template <typename T>
void do_store_conditional(Hart& hart, const Operation& insn) {
  bool success = false;
  if (!hart.store_conditional(hart.reg(insn.rs1), sizeof(T), hart.reg(insn.rs2), success)) return;
  hart.set_reg(insn.rd, success ? 0 : 1);
}

template <typename T>
using store_conditional = Visible<do_store_conditional<T>>;

template <CsrOp kOp>
void access_csr(Hart& hart, const Operation& insn) {
  hart.access_csr(insn, kOp, hart.reg(insn.rs1));
}
template <CsrOp kOp>
using csr = Alone<access_csr<kOp>>;

// A clock is read: all that a row may do with CSRs, because programs do it often.
inline void read_clock(Hart& hart, const Step* step, uint64_t pc, uint64_t left) {
  hart.arrive(pc, left, step->rest());
  hart.read_clock(step->operation);
  if (!hart.may_go_on(pc, left, step->rest())) return;
  ++step;
  [[clang::musttail]] return step->row(hart, step, pc, left);
}

template <CsrOp kOp>
void access_csr_imm(Hart& hart, const Operation& insn) {
  hart.access_csr(insn, kOp, insn.rs1);
}
template <CsrOp kOp>
using csr_imm = Alone<access_csr_imm<kOp>>;

// The model has no caches: a cache operation only checks rights and notifies memory.
template <CacheOp kOp>
void operate_on_line(Hart& hart, const Operation& insn) {
  if (!hart.cache_op_legal(kOp)) return hart.raise_illegal();
  const bool discards = kOp == CacheOp::kInvalidate && hart.inval_discards();
  hart.operate_on_line(hart.reg(insn.rs1), discards ? CacheUse::kInvalidate : CacheUse::kClean);
}
template <CacheOp kOp>
using cbo = Alone<operate_on_line<kOp>>;

inline void zero_line(Hart& hart, const Operation& insn) {
  if (!hart.cache_op_legal(CacheOp::kZero)) return hart.raise_illegal();
  hart.zero_line(hart.reg(insn.rs1));
}
using cbo_zero = Alone<zero_line>;

struct no_effect {
  static constexpr Place kPlace = Place::kAnywhere;
  static void run(Hart&, const Operation&) {}
  static void row(Hart& hart, const Step* step, uint64_t pc, uint64_t left) {
    ++step;
    [[clang::musttail]] return step->row(hart, step, pc, left);
  }
};

inline void illegal(Hart& hart, const Operation&) { hart.raise_illegal(); }

inline void do_fence_i(Hart& hart, const Operation&) { hart.fence_instructions(); }
using fence_i = Alone<do_fence_i>;
inline void do_ecall(Hart& hart, const Operation&) {
  hart.raise(cause::kEcallU + static_cast<uint64_t>(hart.privilege()), 0);
}
using ecall = Alone<do_ecall>;
inline void do_ebreak(Hart& hart, const Operation&) { hart.raise(cause::kBreakpoint, hart.pc()); }
using ebreak = Alone<do_ebreak>;
inline void do_mret(Hart& hart, const Operation&) { hart.return_from_machine(); }
using mret = Alone<do_mret>;
inline void do_sret(Hart& hart, const Operation&) { hart.return_from_supervisor(); }
using sret = Alone<do_sret>;
inline void do_wfi(Hart& hart, const Operation&) { hart.wait_for_interrupt(); }
using wfi = Alone<do_wfi>;
inline void do_sfence_vma(Hart& hart, const Operation&) { hart.fence_translations(); }
using sfence_vma = Alone<do_sfence_vma>;

// Two of them that follow each other, with one call less. What the first cannot do goes on as it does alone.
template <typename First, typename Second>
struct Pair {
  static void row(Hart& hart, const Step* step, uint64_t pc, uint64_t left) {
    if (!First::act(hart, step->operation)) [[unlikely]] {
      [[clang::musttail]] return Visible<First::run>::row(hart, step, pc, left);
    }
    ++step;
    [[clang::musttail]] return Second::row(hart, step, pc, left);
  }
};

}  // namespace swai::iss::exec
