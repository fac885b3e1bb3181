// SPDX-License-Identifier: Apache-2.0
// The functions of swai/math.hpp, with integers: numbers are taken apart, computed as fixed-point fractions,
// and rounded once at the end. "Q40" is a number times 2^40.
#include "swai/math.hpp"

#include <bit>
#include <cstdint>

#include "math_number.hpp"

namespace swai::cpe::math {
namespace {

// 2^x, of x in Q32.
float rounded_power(uint32_t sign, int64_t x) { return rounded(power_of_two(x), sign); }

// |x| * factor (of Q38) in Q32, for |x| below 2^10.
int64_t product_q32(Parts x, uint64_t factor_q38) {
  const uint64_t product = x.mantissa * factor_q38;  // Q61 - exponent
  const int shift = 29 - x.exponent;
  return shift > 63 ? 0 : static_cast<int64_t>(product >> shift);
}

float power(float x, uint64_t factor_q38) {
  const uint32_t bits = bits_of(x);
  const uint32_t size = bits & ~kSign;
  if (size > kInfinity) return number(kNotANumber);
  if (size == 0) return number(kOne);
  const Parts taken = parts(bits);
  const bool negative = (bits & kSign) != 0;
  if (taken.exponent > 8) return number(negative ? 0 : kInfinity);
  const int64_t exponent = product_q32(taken, factor_q38);
  return rounded_power(0, negative ? -exponent : exponent);
}

// ln(mantissa / 2^23 or / 2^24) = +-value * 2^exponent, and what is added to the exponent of two: the
// mantissa that is left lies between 1/sqrt(2) and sqrt(2).
struct Logarithm {
  uint64_t value;  // 0: exactly 1
  int exponent;    // -40 to -63
  bool negative;
  int whole;
};

Logarithm logarithm(Parts x) {
  constexpr uint32_t kRootOfTwo = 11863283;  // Q23
  uint32_t one = 0x80'0000;
  int whole = x.exponent;
  if (x.mantissa > kRootOfTwo) {
    one <<= 1;
    ++whole;
  }
  const bool negative = x.mantissa < one;
  const uint32_t difference = negative ? one - x.mantissa : x.mantissa - one;
  if (difference == 0) return {0, -63, false, whole};
  // s = difference / sum, with 31 bits at least; ln = 2 s (1 + s^2 / 3 + s^4 / 5 ...)
  const int shift = std::countl_zero(uint64_t{difference});
  const uint64_t s =
      (uint64_t{difference} << shift) / (uint64_t{x.mantissa} + one);  // Q(shift), 38 bits or more
  const uint64_t s_q32 = s >> (shift - 32);                            // a difference has at most 24 bits
  const auto square = static_cast<uint32_t>(s_q32 * s_q32 >> 32);
  constexpr uint32_t kTerms[] = {1431655765, 858993459, 613566757, 477218588,
                                 390451572,  330382100, 286331153};
  uint32_t series = 0;
  for (int i = 6; i >= 0; --i) series = high(square, kTerms[i] + series);
  // s has at most 41 bits.
  const uint64_t value = (s << 1) + (high(s << 20, uint64_t{series} << 13));
  return {value, -shift, negative, whole};
}

// Its value * of_e (Q40), with 20 bits less of exponent.
uint64_t times(const Logarithm& ln, uint64_t of_e) { return high(ln.value << 20, of_e << 23) << 1; }

// whole * of_two + ln * of_e, where both are Q40.
float scaled_logarithm(float x, uint64_t of_two, uint64_t of_e) {
  const uint32_t bits = bits_of(x);
  if (is_nan(x)) return number(kNotANumber);
  if ((bits & ~kSign) == 0) return number(kSign | kInfinity);
  if ((bits & kSign) != 0) return number(kNotANumber);
  if (bits == kInfinity) return x;
  const Logarithm ln = logarithm(parts(bits));
  const uint64_t part = times(ln, of_e);
  if (ln.whole == 0) return rounded(ln.negative ? kSign : 0, part, ln.exponent - 20);
  const auto part_q40 = static_cast<int64_t>(part >> (-ln.exponent - 20));
  int64_t sum = static_cast<int64_t>(of_two) * ln.whole;
  sum += ln.negative ? -part_q40 : part_q40;
  const bool negative = sum < 0;
  return rounded(negative ? kSign : 0, static_cast<uint64_t>(negative ? -sum : sum), -40);
}

constexpr uint64_t kOneQ40 = uint64_t{1} << 40;
constexpr uint64_t kLn2Q40 = 762123384786;
constexpr uint64_t kLog2eQ40 = 1586259972792;

// log2 of a number as +-value * 2^exponent, where the value has 62 bits, or is 0.
struct Logarithm2 {
  uint64_t value;
  int exponent;
  bool negative;
};
Logarithm2 logarithm_of_two(Parts x) {
  const Logarithm ln = logarithm(x);
  const uint64_t part = times(ln, kLog2eQ40);
  if (ln.whole == 0) {
    if (part == 0) return {0, 0, false};
    const int shift = std::countl_zero(part) - 1;
    return {part << shift, ln.exponent - 20 - shift, ln.negative};
  }
  const bool negative = ln.whole < 0;
  const uint64_t part_q54 = part >> (-ln.exponent - 34);
  const uint64_t count = static_cast<uint64_t>(negative ? -ln.whole : ln.whole) << 54;
  return {ln.negative == negative ? count + part_q54 : count - part_q54, -54, negative};
}

// 2^(logarithm * factor * 2^exponent).
float power(uint32_t sign, const Logarithm2& logarithm, uint64_t factor, int exponent, bool negative) {
  if (logarithm.value == 0) return number(sign | kOne);
  // In Q32; beyond 2^10 it is too large, whatever it is.
  const uint64_t product = high(logarithm.value, factor);
  const int to_q32 = logarithm.exponent + exponent + 64 + 32;
  const int top = 63 - std::countl_zero(product | 1) + to_q32;
  const bool below_one = logarithm.negative != negative;
  if (top > 42) return number(sign | (below_one ? 0 : kInfinity));
  const uint64_t power_q32 = to_q32 >= 0 ? product << to_q32 : (to_q32 < -63 ? 0 : product >> -to_q32);
  return rounded_power(sign, below_one ? -static_cast<int64_t>(power_q32) : static_cast<int64_t>(power_q32));
}

// What is left of a finite x when all whole multiples of y are taken away, and whether their number is odd.
struct Division {
  float rest;
  bool odd;
};
Division rest_of(float x, float y) {
  if (size_of(x) == 0) return {x, false};
  const Parts from = parts(size_of(x));
  const Parts by = parts(size_of(y));
  int left = from.exponent - by.exponent;
  if (left < 0) return {x, false};
  // Bits of the quotient, eight at once.
  uint32_t odd = from.mantissa / by.mantissa;
  uint32_t rest = from.mantissa % by.mantissa;
  while (left > 0) {
    const int bits = left < 8 ? left : 8;
    odd = (rest << bits) / by.mantissa;
    rest = (rest << bits) % by.mantissa;
    left -= bits;
  }
  return {rounded(sign_of(x), rest, by.exponent - kFraction), (odd & 1) != 0};
}

// Whether y is an integer, and odd.
struct Whole {
  bool integer;
  bool odd;
};
Whole whole_of(uint32_t size) {
  if (size >= kInfinity) return {true, false};
  if (size == 0) return {true, false};
  const Parts y = parts(size);
  if (y.exponent < 0) return {false, false};
  if (y.exponent > kFraction) return {true, false};
  const uint32_t unit = uint32_t{1} << (kFraction - y.exponent);
  return {(y.mantissa & (unit - 1)) == 0, (y.mantissa & unit) != 0};
}

enum class Direction { kDown, kUp, kToZero, kAway, kEven };

float to_integer(float x, Direction direction) {
  const uint32_t bits = bits_of(x);
  const uint32_t sign = bits & kSign;
  const uint32_t size = bits & ~kSign;
  const int exponent = static_cast<int>(size >> kFraction) - kBias;
  if (size > kInfinity) return number(kNotANumber);
  if (size == 0 || exponent >= kFraction) return x;
  // Below 1 all of it is the fraction, and the integer is 0.
  const bool small = exponent < 0;
  const uint32_t unit = uint32_t{1} << (kFraction - (small ? 0 : exponent));
  const uint32_t whole = small ? 0 : size & ~(unit - 1);
  const uint32_t rest = size - whole;
  const uint32_t half = small ? 0x3f00'0000 : unit / 2;
  bool up = false;
  switch (direction) {
    case Direction::kDown:
      up = sign != 0 && rest != 0;
      break;
    case Direction::kUp:
      up = sign == 0 && rest != 0;
      break;
    case Direction::kToZero:
      break;
    case Direction::kAway:
      up = rest >= half;
      break;
    case Direction::kEven:
      up = rest > half || (rest == half && !small && (exponent == 0 ? true : (whole & unit) != 0));
      break;
  }
  if (!up) return number(sign | whole);
  return number(sign | (small ? kOne : whole + unit));
}

}  // namespace

float sqrt(float x) {
  const uint32_t bits = bits_of(x);
  if (is_nan(x)) return number(kNotANumber);
  if ((bits & ~kSign) == 0 || bits == kInfinity) return x;
  if ((bits & kSign) != 0) return number(kNotANumber);
  Parts taken = parts(bits);
  // An even exponent; root of a number of 50 or 51 bits: 25 or 26 bits, and whether anything is left.
  const int odd = taken.exponent & 1;
  uint64_t left = uint64_t{taken.mantissa} << (27 + odd);
  uint32_t root = 0;
  for (uint32_t bit = 1u << 25; bit != 0; bit >>= 1) {
    const uint64_t tried = root | bit;
    if (tried * tried <= left) root |= bit;
  }
  const uint64_t exact = uint64_t{root} * root == left ? 0 : 1;
  return rounded(0, uint64_t{root} << 1 | exact, (taken.exponent - odd) / 2 - 26);
}

float exp(float x) { return power(x, 396564993198); }  // log2(e), Q38
float exp2(float x) { return power(x, uint64_t{1} << 38); }
float exp10(float x) { return power(x, 0xd4'9a78'4bcd); }  // log2(10), Q38
float log(float x) { return scaled_logarithm(x, kLn2Q40, kOneQ40); }
float log2(float x) { return scaled_logarithm(x, kOneQ40, kLog2eQ40); }
float log10(float x) { return scaled_logarithm(x, 330985980542, 477511832732); }

float pow(float x, float y) {
  const uint32_t x_bits = bits_of(x);
  const uint32_t x_size = x_bits & ~kSign;
  const uint32_t y_size = bits_of(y) & ~kSign;
  const bool y_negative = (bits_of(y) & kSign) != 0;
  if (y_size == 0 || x_bits == kOne) return number(kOne);
  if (is_nan(x) || is_nan(y)) return number(kNotANumber);
  const Whole whole = whole_of(y_size);
  const uint32_t sign = whole.odd ? x_bits & kSign : 0;
  if (y_size == kInfinity) {
    if (x_size == kOne) return number(kOne);
    return number((x_size > kOne) != y_negative ? kInfinity : 0);
  }
  if (x_size == 0 || x_size == kInfinity) return number(sign | ((x_size == 0) != y_negative ? 0 : kInfinity));
  if ((x_bits & kSign) != 0 && !whole.integer) return number(kNotANumber);
  const Logarithm2 of_x = logarithm_of_two(parts(x_size));
  const Parts factor = parts(y_size);
  return power(sign, of_x, uint64_t{factor.mantissa} << 40, factor.exponent - 63, y_negative);
}

float cbrt(float x) {
  const uint32_t size = size_of(x);
  if (size > kInfinity) return number(kNotANumber);
  if (size == 0 || size == kInfinity) return x;
  constexpr uint64_t kThird = 0xaaaa'aaaa'aaaa'aaab;
  return power(sign_of(x), logarithm_of_two(parts(size)), kThird, -65, false);
}

float rsqrt(float x) {
  if (is_nan(x)) return number(kNotANumber);
  if (size_of(x) == 0) return number(sign_of(x) | kInfinity);
  if (sign_of(x) != 0) return number(kNotANumber);
  if (bits_of(x) == kInfinity) return 0;
  return rounded(kWideOne / root(wide(x)));
}

float hypot(float x, float y) {
  if (size_of(x) == kInfinity || size_of(y) == kInfinity) return number(kInfinity);
  if (is_nan(x) || is_nan(y)) return number(kNotANumber);
  return rounded(root(wide(x) * wide(x) + wide(y) * wide(y)));
}

float size(float x) { return number(size_of(x)); }
float copysign(float x, float sign) { return number(size_of(x) | sign_of(sign)); }
float scale(float x, int exponent) {
  if (size_of(x) == 0 || size_of(x) >= kInfinity) return x;
  constexpr int kMost = 1000;  // it is infinite, or 0
  const int bounded = exponent > kMost ? kMost : exponent < -kMost ? -kMost : exponent;
  return rounded(wide(x).scaled(bounded));
}

float fma(float x, float y, float z) {
  const bool finite = size_of(x) < kInfinity && size_of(y) < kInfinity;
  if (!finite || size_of(x) == 0 || size_of(y) == 0) return x * y + z;
  if (size_of(z) >= kInfinity) return z;
  return rounded(wide(x) * wide(y) + wide(z));
}

float fmod(float x, float y) {
  if (is_nan(x) || is_nan(y) || size_of(x) == kInfinity || size_of(y) == 0) return number(kNotANumber);
  if (size_of(y) == kInfinity) return x;
  return rest_of(x, y).rest;
}

float remainder(float x, float y) {
  if (is_nan(x) || is_nan(y) || size_of(x) == kInfinity || size_of(y) == 0) return number(kNotANumber);
  if (size_of(y) == kInfinity) return x;
  const Division division = rest_of(x, y);
  // The nearer one of two multiples, and the even one of two that are as near.
  const Wide rest = wide(division.rest).size();
  const Wide less = wide(y).size() - rest;
  const Wide by = rest - less;
  if (rest.zero() || by.negative || (by.zero() && !division.odd)) return division.rest;
  return rounded(less, sign_of(x) ^ kSign);
}

float floor(float x) { return to_integer(x, Direction::kDown); }
float ceil(float x) { return to_integer(x, Direction::kUp); }
float trunc(float x) { return to_integer(x, Direction::kToZero); }
float round(float x) { return to_integer(x, Direction::kAway); }
float rint(float x) { return to_integer(x, Direction::kEven); }

}  // namespace swai::cpe::math
