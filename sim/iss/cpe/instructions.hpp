// SPDX-License-Identifier: Apache-2.0
// What instructions of the scalar core are, and what they make of their operands: for those that are executed
// by themselves (hart.cpp), and for rows of them (hart_rows.cpp).
#pragma once

#include <cstdint>
#include <limits>

#include "sim/iss/cpe/code.hpp"
#include "sim/iss/cpe/costs.hpp"
#include "sim/iss/cpe/units.hpp"

namespace swai::iss::cpe {

constexpr int32_t as_signed(uint32_t a) { return static_cast<int32_t>(a); }

// Division by zero gives all ones and the dividend as remainder; the one overflow gives the dividend and 0.
constexpr bool overflows(uint32_t a, uint32_t b) {
  return as_signed(a) == std::numeric_limits<int32_t>::min() && as_signed(b) == -1;
}
constexpr uint32_t div(uint32_t a, uint32_t b) {
  if (b == 0) return ~uint32_t{0};
  return overflows(a, b) ? a : static_cast<uint32_t>(as_signed(a) / as_signed(b));
}
constexpr uint32_t rem(uint32_t a, uint32_t b) {
  if (b == 0) return a;
  return overflows(a, b) ? 0 : static_cast<uint32_t>(as_signed(a) % as_signed(b));
}
constexpr uint32_t high(int64_t product) {
  return static_cast<uint32_t>(static_cast<uint64_t>(product) >> 32);
}

constexpr unsigned bytes_of(Op op) {
  switch (op) {
    case Op::kLb:
    case Op::kLbu:
    case Op::kSb:
      return 1;
    case Op::kLh:
    case Op::kLhu:
    case Op::kSh:
      return 2;
    default:
      return 4;
  }
}

constexpr bool is_branch(Op op) { return op >= Op::kBeq && op <= Op::kBgeu; }
constexpr bool is_division(Op op) { return op >= Op::kDiv && op <= Op::kRemu; }
constexpr bool is_load(Op op) { return op >= Op::kLb && op <= Op::kLhu; }
constexpr bool is_store(Op op) { return op >= Op::kSb && op <= Op::kSw; }

constexpr bool is_taken(Op op, uint32_t a, uint32_t b) {
  switch (op) {
    case Op::kBeq:
      return a == b;
    case Op::kBne:
      return a != b;
    case Op::kBlt:
      return as_signed(a) < as_signed(b);
    case Op::kBge:
      return as_signed(a) >= as_signed(b);
    case Op::kBltu:
      return a < b;
    default:
      return a >= b;
  }
}

// What an instruction makes of its operands that does nothing else.
constexpr uint32_t compute(Op op, uint32_t a, uint32_t b, uint32_t imm) {
  switch (op) {
    case Op::kLui:
      return imm;
    case Op::kAddi:
      return a + imm;
    case Op::kSlti:
      return as_signed(a) < as_signed(imm);
    case Op::kSltiu:
      return a < imm;
    case Op::kXori:
      return a ^ imm;
    case Op::kOri:
      return a | imm;
    case Op::kAndi:
      return a & imm;
    case Op::kSlli:
      return a << imm;
    case Op::kSrli:
      return a >> imm;
    case Op::kSrai:
      return static_cast<uint32_t>(as_signed(a) >> imm);
    case Op::kAdd:
      return a + b;
    case Op::kSub:
      return a - b;
    case Op::kSll:
      return a << (b & 31);
    case Op::kSlt:
      return as_signed(a) < as_signed(b);
    case Op::kSltu:
      return a < b;
    case Op::kXor:
      return a ^ b;
    case Op::kSrl:
      return a >> (b & 31);
    case Op::kSra:
      return static_cast<uint32_t>(as_signed(a) >> (b & 31));
    case Op::kOr:
      return a | b;
    case Op::kAnd:
      return a & b;
    case Op::kMul:
      return a * b;
    case Op::kMulh:
      return high(int64_t{as_signed(a)} * as_signed(b));
    case Op::kMulhsu:
      return high(int64_t{as_signed(a)} * int64_t{b});
    case Op::kMulhu:
      return static_cast<uint32_t>((static_cast<uint64_t>(a) * b) >> 32);
    case Op::kDiv:
      return div(a, b);
    case Op::kDivu:
      return b == 0 ? ~uint32_t{0} : a / b;
    case Op::kRem:
      return rem(a, b);
    case Op::kRemu:
      return b == 0 ? a : a % b;
    default:  // kFence: accesses are done one after the other anyway
      return 0;
  }
}

constexpr uint64_t division_cycles(Op op, uint32_t a, uint32_t b) {
  if (op == Op::kDivu || op == Op::kRemu) return costs::division(b == 0 ? ~uint32_t{0} : a / b);
  const auto magnitude = [](uint32_t x) { return as_signed(x) < 0 ? 0 - x : x; };
  return costs::division(b == 0 ? ~uint32_t{0} : magnitude(a) / magnitude(b));
}

// As a load of this kind extends what it has read.
constexpr uint32_t extended(Op op, uint32_t data) {
  if (op == Op::kLb) return static_cast<uint32_t>(static_cast<int8_t>(data));
  if (op == Op::kLh) return static_cast<uint32_t>(static_cast<int16_t>(data));
  return data;
}

constexpr uint32_t low_bytes(uint32_t data, unsigned bytes) {
  return bytes == 4 ? data : data & ((1U << (8 * bytes)) - 1);
}

inline Command command_of(int32_t imm, uint32_t a, uint32_t b, uint32_t pc) {
  return {unit_of(imm), operation_of(imm), a, b, pc};
}

}  // namespace swai::iss::cpe
