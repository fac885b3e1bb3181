// SPDX-License-Identifier: Apache-2.0
// The vector unit: results = special(op(a, b, c)) over rows of elements in local memory, 8 elements a cycle,
// while the core goes on. It computes in fp32; elements are converted when they are read and stored.
// docs/hardware/vector.md.
//
//   vector::a(vector::rows(x, 1024));                     // rows of float, 1024 bytes apart
//   vector::b(vector::value(0.125f));
//   vector::c(vector::each_row(offsets));                 // a number for each row
//   vector::result(vector::rows(y, 1024));
//   vector::size(256, 16);                                // elements of a row, rows
//   vector::wait(vector::run(vector::Op::kFma));
//
// Settings stay until they are changed, and a run keeps those that it was issued with. Issuing a run waits
// only while one runs and another one is waiting. A run begins when those before it have stored everything,
// unless it is told to overlap: then it must not read what they write, nor write what they use. Rows begin at
// multiples of 8 elements (32, 16 or 8 bytes). Results may take the place of an operand whose elements are as
// large, or larger if the rows are as far apart; apart from that a run's results must not overlap what it
// reads.
#pragma once

#include <bit>

#include "swai/isa.hpp"
#include "swai/ldm.hpp"

namespace swai::cpe {

using Number = isa::number::Kind;

// The bits of an fp16 number.
enum class Half : uint16_t {};

namespace vector {

inline constexpr uint32_t kLanes = 8;

// Names a run. Waiting for one waits for all that this CPE began before it, too.
struct Ticket {
  uint32_t number;
};

// kFma: a * b + c, rounded once. kMul: a * b. kAdd: a + c. kMin, kMax: of a and b. kLess, kEqual: 1 where it
// is so, else 0. kSelect: b where a is not 0, else c.
using Op = isa::vector_function::Kind;
// What is done with the outcome, 4 elements a cycle. kRoot: 1 / square root.
using Special = isa::special_function::Kind;
// What becomes of the results of each row, before they are converted.
using Reduce = isa::reduce::Kind;

struct Mode {
  Special special = Special::kNone;
  Reduce reduce = Reduce::kNone;
  bool overlap = false;
};

namespace detail {

using Kind = isa::operand_kind::Kind;

template <typename T>
constexpr Number number_of();
template <>
constexpr Number number_of<float>() {
  return Number::kFp32;
}
template <>
constexpr Number number_of<int32_t>() {
  return Number::kInt32;
}
template <>
constexpr Number number_of<Half>() {
  return Number::kFp16;
}
template <>
constexpr Number number_of<int8_t>() {
  return Number::kInt8;
}

constexpr uint32_t describe(Kind kind, Number number, int32_t stride) {
  namespace w = isa::vector_operand;
  return static_cast<uint32_t>(w::kKind.put(kind) | w::kNumber.put(number) |
                               w::kStride.put(static_cast<uint32_t>(stride)));
}

}  // namespace detail

// Where numbers come from, or go. Strides are in bytes, from row to row, signed.
struct Place {
  uint32_t at;
  uint32_t what;
};
struct Operand : Place {
  // -x, |x|; with both -|x|.
  constexpr Operand negated() const {
    return {{at, what | static_cast<uint32_t>(isa::vector_operand::kNegate.mask())}};
  }
  constexpr Operand magnitude() const {
    return {{at, what | static_cast<uint32_t>(isa::vector_operand::kMagnitude.mask())}};
  }
};

// T: float, int32_t, Half, int8_t.
template <typename T>
[[gnu::always_inline]] inline Operand rows(const T* at, int32_t stride = 0) {
  return {{ldm_address(at), detail::describe(detail::Kind::kVector, detail::number_of<T>(), stride)}};
}
// One number for each row.
template <typename T>
[[gnu::always_inline]] inline Operand each_row(const T* at, int32_t stride = sizeof(T)) {
  return {{ldm_address(at), detail::describe(detail::Kind::kScalar, detail::number_of<T>(), stride)}};
}
// One for all.
[[gnu::always_inline]] inline Operand value(float number) {
  return {{std::bit_cast<uint32_t>(number), detail::describe(detail::Kind::kValue, Number::kFp32, 0)}};
}

namespace detail {

template <unsigned kOp>
[[gnu::always_inline]] inline void set(uint32_t rs1, uint32_t rs2) {
  isa::issue<isa::unit::kVector, kOp>(rs1, rs2);
}

}  // namespace detail

[[gnu::always_inline]] inline void a(Operand operand) {
  detail::set<isa::vector_op::kA>(operand.at, operand.what);
}
[[gnu::always_inline]] inline void b(Operand operand) {
  detail::set<isa::vector_op::kB>(operand.at, operand.what);
}
[[gnu::always_inline]] inline void c(Operand operand) {
  detail::set<isa::vector_op::kC>(operand.at, operand.what);
}

template <typename T>
[[gnu::always_inline]] inline void result(T* at, int32_t stride = 0) {
  detail::set<isa::vector_op::kResult>(
      ldm_address(at), detail::describe(detail::Kind::kVector, detail::number_of<T>(), stride));
}
// Results are only reduced.
[[gnu::always_inline]] inline void no_result() {
  detail::set<isa::vector_op::kResult>(0, detail::describe(detail::Kind::kNone, Number::kFp32, 0));
}
// Where the rows' reductions go.
[[gnu::always_inline]] inline void reductions(float* at, int32_t stride = sizeof(float)) {
  detail::set<isa::vector_op::kReduce>(ldm_address(at), static_cast<uint32_t>(stride));
}
// Both 1 to 65535. Elements of a row need not be a multiple of 8.
[[gnu::always_inline]] inline void size(uint32_t elements, uint32_t rows = 1) {
  detail::set<isa::vector_op::kSize>(elements, rows);
}

// What it reads may be changed, and what it writes be used, after wait().
[[gnu::always_inline]] inline Ticket run(Op op, Mode mode = {}) {
  namespace w = isa::vector_mode;
  const uint64_t word = w::kOp.put(op) | w::kSpecial.put(mode.special) | w::kReduce.put(mode.reduce) |
                        w::kOverlap.put(mode.overlap);
  return {isa::ask<isa::unit::kVector, isa::vector_op::kRun>(static_cast<uint32_t>(word))};
}
// Sleeps until the run and all before it are complete.
[[gnu::always_inline]] inline void wait(Ticket ticket) {
  isa::issue<isa::unit::kVector, isa::vector_op::kWait>(ticket.number);
}
// Whether they are.
[[gnu::always_inline]] inline bool done(Ticket ticket) {
  return isa::ask<isa::unit::kVector, isa::vector_op::kPoll>(ticket.number) != 0;
}

}  // namespace vector
}  // namespace swai::cpe
