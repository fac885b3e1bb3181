// SPDX-License-Identifier: Apache-2.0
// What the integer instructions compute, written from the specification's words (mostly bit by bit),
// independently of the reference model and of the RTL. Used to generate the tests of single instructions.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

namespace swai::directed {

using Operation = uint64_t (*)(uint64_t a, uint64_t b);

struct Instruction {
  std::string_view name;
  Operation result;
};

inline uint64_t sext(uint64_t value, unsigned bits) {
  const uint64_t sign = uint64_t{1} << (bits - 1);
  const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  return ((value & mask) ^ sign) - sign;
}
inline uint64_t word(uint64_t value) { return sext(value, 32); }
inline int64_t s(uint64_t value) { return static_cast<int64_t>(value); }
inline uint64_t low32(uint64_t value) { return value & 0xFFFF'FFFF; }

inline uint64_t shift_left(uint64_t a, unsigned by) {
  for (unsigned i = 0; i < by; ++i) a += a;
  return a;
}
inline uint64_t shift_right(uint64_t a, unsigned by, unsigned bits, bool arithmetic) {
  const uint64_t top = arithmetic ? a & (uint64_t{1} << (bits - 1)) : 0;
  for (unsigned i = 0; i < by; ++i) a = (a / 2) | top;
  return a;
}
inline uint64_t rotate_right(uint64_t a, unsigned by, unsigned bits) {
  for (unsigned i = 0; i < by; ++i) a = a / 2 | (a & 1) << (bits - 1);
  return a;
}
inline unsigned leading_zeros(uint64_t a, unsigned bits) {
  unsigned count = 0;
  while (count < bits && (a >> (bits - 1 - count) & 1) == 0) ++count;
  return count;
}
inline unsigned trailing_zeros(uint64_t a, unsigned bits) {
  unsigned count = 0;
  while (count < bits && (a >> count & 1) == 0) ++count;
  return count;
}
inline unsigned ones(uint64_t a, unsigned bits) {
  unsigned count = 0;
  for (unsigned i = 0; i < bits; ++i) count += a >> i & 1;
  return count;
}

// The upper 64 bits of a product: schoolbook, with 32-bit digits.
inline uint64_t multiply_high(uint64_t a, uint64_t b) {
  const uint64_t a0 = low32(a), a1 = a >> 32, b0 = low32(b), b1 = b >> 32;
  const uint64_t middle = (a0 * b0 >> 32) + low32(a1 * b0) + low32(a0 * b1);
  return a1 * b1 + (a1 * b0 >> 32) + (a0 * b1 >> 32) + (middle >> 32);
}
inline uint64_t negate(uint64_t a) { return ~a + 1; }
inline uint64_t magnitude(uint64_t a) { return s(a) < 0 ? negate(a) : a; }

// Division as the specification defines it, zero and overflow included, from unsigned division.
inline uint64_t divide_signed(uint64_t a, uint64_t b) {
  if (b == 0) return ~uint64_t{0};
  const uint64_t quotient = magnitude(a) / magnitude(b);
  return (s(a) < 0) != (s(b) < 0) ? negate(quotient) : quotient;
}
inline uint64_t remainder_signed(uint64_t a, uint64_t b) {
  if (b == 0) return a;
  const uint64_t remainder = magnitude(a) % magnitude(b);
  return s(a) < 0 ? negate(remainder) : remainder;
}
inline uint64_t divide(uint64_t a, uint64_t b) { return b == 0 ? ~uint64_t{0} : a / b; }
inline uint64_t remainder(uint64_t a, uint64_t b) { return b == 0 ? a : a % b; }

#define OP(name, expression)                       \
  Instruction {                                    \
    name, [](uint64_t a, uint64_t b) -> uint64_t { \
      (void)a, (void)b;                            \
      return expression;                           \
    }                                              \
  }

inline const std::vector<Instruction> kRegisterI = {
    OP("add", a + b),
    OP("sub", a + negate(b)),
    OP("sll", shift_left(a, b & 63)),
    OP("slt", s(a) < s(b)),
    OP("sltu", a < b),
    OP("xor", (a | b) - (a & b)),
    OP("srl", shift_right(a, b & 63, 64, false)),
    OP("sra", shift_right(a, b & 63, 64, true)),
    OP("or", ~(~a & ~b)),
    OP("and", ~(~a | ~b)),
    OP("addw", word(a + b)),
    OP("subw", word(a - b)),
    OP("sllw", word(shift_left(a, b & 31))),
    OP("srlw", word(shift_right(low32(a), b & 31, 32, false))),
    OP("sraw", word(shift_right(low32(a), b & 31, 32, true))),
};
inline const std::vector<Instruction> kRegisterM = {
    OP("mul", a* b),
    OP("mulh", multiply_high(a, b) - (s(a) < 0 ? b : 0) - (s(b) < 0 ? a : 0)),
    OP("mulhsu", multiply_high(a, b) - (s(a) < 0 ? b : 0)),
    OP("mulhu", multiply_high(a, b)),
    OP("div", divide_signed(a, b)),
    OP("divu", divide(a, b)),
    OP("rem", remainder_signed(a, b)),
    OP("remu", remainder(a, b)),
    OP("mulw", word(a* b)),
    OP("divw", word(divide_signed(word(a), word(b)))),
    OP("divuw", word(divide(low32(a), low32(b)))),
    OP("remw", word(remainder_signed(word(a), word(b)))),
    OP("remuw", word(remainder(low32(a), low32(b)))),
};
inline const std::vector<Instruction> kRegisterB = {
    OP("sh1add", b + a * 2),
    OP("sh2add", b + a * 4),
    OP("sh3add", b + a * 8),
    OP("add.uw", b + low32(a)),
    OP("sh1add.uw", b + low32(a) * 2),
    OP("sh2add.uw", b + low32(a) * 4),
    OP("sh3add.uw", b + low32(a) * 8),
    OP("andn", a & ~b),
    OP("orn", a | ~b),
    OP("xnor", ~(a ^ b)),
    OP("max", s(a) < s(b) ? b : a),
    OP("maxu", a < b ? b : a),
    OP("min", s(a) < s(b) ? a : b),
    OP("minu", a < b ? a : b),
    OP("rol", rotate_right(a, (64 - (b & 63)) & 63, 64)),
    OP("ror", rotate_right(a, b & 63, 64)),
    OP("rolw", word(rotate_right(low32(a), (32 - (b & 31)) & 31, 32))),
    OP("rorw", word(rotate_right(low32(a), b & 31, 32))),
};
// One operand
inline const std::vector<Instruction> kUnaryB = {
    OP("clz", leading_zeros(a, 64)),
    OP("ctz", trailing_zeros(a, 64)),
    OP("cpop", ones(a, 64)),
    OP("clzw", leading_zeros(low32(a), 32)),
    OP("ctzw", trailing_zeros(low32(a), 32)),
    OP("cpopw", ones(a, 32)),
    OP("sext.b", sext(a, 8)),
    OP("sext.h", sext(a, 16)),
    OP("zext.h", a % 0x1'0000),
    OP("orc.b",
       [](uint64_t x) {
         uint64_t result = 0;
         for (unsigned i = 0; i < 64; i += 8) result += (x >> i) % 256 != 0 ? uint64_t{0xFF} << i : 0;
         return result;
       }(a)),
    OP("rev8",
       [](uint64_t x) {
         uint64_t result = 0;
         for (unsigned i = 0; i < 8; ++i, x /= 256) result = result * 256 + x % 256;
         return result;
       }(a)),
};
// With a 12-bit immediate
inline const std::vector<Instruction> kImmediate = {
    OP("addi", a + b),     OP("slti", s(a) < s(b)), OP("sltiu", a < b),       OP("xori", (a | b) - (a & b)),
    OP("ori", ~(~a & ~b)), OP("andi", ~(~a | ~b)),  OP("addiw", word(a + b)),
};
// With a shift amount of six bits, and of five
inline const std::vector<Instruction> kShift64 = {
    OP("slli", shift_left(a, b)),
    OP("srli", shift_right(a, b, 64, false)),
    OP("srai", shift_right(a, b, 64, true)),
    OP("rori", rotate_right(a, b, 64)),
    OP("slli.uw", shift_left(low32(a), b)),
};
inline const std::vector<Instruction> kShift32 = {
    OP("slliw", word(shift_left(a, b))),
    OP("srliw", word(shift_right(low32(a), b, 32, false))),
    OP("sraiw", word(shift_right(low32(a), b, 32, true))),
    OP("roriw", word(rotate_right(low32(a), b, 32))),
};
// What an atomic stores; a is the memory's value, b the operand. Words are given sign-extended.
inline const std::vector<Instruction> kAtomics = {
    OP("amoswap", b),
    OP("amoadd", a + b),
    OP("amoxor", (a | b) - (a & b)),
    OP("amoand", ~(~a | ~b)),
    OP("amoor", ~(~a & ~b)),
    OP("amomin", s(a) < s(b) ? a : b),
    OP("amomax", s(a) < s(b) ? b : a),
    OP("amominu", a < b ? a : b),
    OP("amomaxu", a < b ? b : a),
};
// Whether a branch is taken
inline const std::vector<Instruction> kBranches = {
    OP("beq", a == b),       OP("bne", a != b), OP("blt", s(a) < s(b)),
    OP("bge", s(a) >= s(b)), OP("bltu", a < b), OP("bgeu", a >= b),
};

#undef OP

}  // namespace swai::directed
