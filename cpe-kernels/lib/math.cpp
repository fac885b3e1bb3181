// The functions of swai/math.hpp, with integers: numbers are taken apart, computed as fixed-point fractions,
// and rounded once at the end. "Q40" is a number times 2^40.
#include "swai/math.hpp"

#include <bit>
#include <cstdint>

namespace swai::cpe::math {
namespace {

constexpr uint32_t kSign = 0x8000'0000;
constexpr uint32_t kInfinity = 0x7f80'0000;
constexpr uint32_t kNotANumber = 0x7fc0'0000;
constexpr uint32_t kOne = 0x3f80'0000;
constexpr int kBias = 127;
constexpr int kFraction = 23;

float number(uint32_t bits) { return std::bit_cast<float>(bits); }
uint32_t bits_of(float x) { return std::bit_cast<uint32_t>(x); }
bool is_nan(float x) { return (bits_of(x) & ~kSign) > kInfinity; }

// A finite number that is not 0: mantissa * 2^(exponent - 23), with bit 23 of the mantissa set.
struct Parts {
  uint32_t mantissa;
  int exponent;
};

Parts parts(uint32_t bits) {
  const int field = static_cast<int>(bits >> kFraction & 0xff);
  const uint32_t fraction = bits & 0x7f'ffff;
  if (field != 0) return {fraction | 0x80'0000, field - kBias};
  const int shift = std::countl_zero(fraction) - 8;
  return {fraction << shift, 1 - kBias - shift};
}

// value * 2^exponent, rounded to the nearest, to even where there are two.
float rounded(uint32_t sign, uint64_t value, int exponent) {
  if (value == 0) return number(sign);
  // Bit 62 becomes the highest.
  const int shift = std::countl_zero(value) - 1;
  value = shift < 0 ? value >> 1 | (value & 1) : value << shift;
  exponent += 62 - shift;
  if (exponent > kBias) return number(sign | kInfinity);
  int drop = 62 - kFraction;
  if (exponent < 1 - kBias) {
    drop += 1 - kBias - exponent;
    exponent = -kBias;  // the highest bit is not there, unless rounding makes it
  } else {
    exponent -= 1;  // the highest bit is there, and adds one
  }
  if (drop > 63) return number(sign);
  const uint64_t half = uint64_t{1} << (drop - 1);
  const uint64_t kept = value >> drop;
  const uint64_t rest = value & (half * 2 - 1);
  const bool up = rest > half || (rest == half && (kept & 1) != 0);
  const uint32_t field = static_cast<uint32_t>(exponent + kBias) << kFraction;
  return number(sign | (field + static_cast<uint32_t>(kept + (up ? 1 : 0))));
}

constexpr uint32_t high(uint32_t a, uint32_t b) {
  return static_cast<uint32_t>((static_cast<uint64_t>(a) * b) >> 32);
}

// The upper half of the product of 128 bits.
uint64_t high(uint64_t a, uint64_t b) {
  const uint64_t a0 = static_cast<uint32_t>(a);
  const uint64_t a1 = a >> 32;
  const uint64_t b0 = static_cast<uint32_t>(b);
  const uint64_t b1 = b >> 32;
  const uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
  return a1 * b1 + (middle >> 32) + ((a0 * b1 + static_cast<uint32_t>(middle)) >> 32);
}

// 2^fraction - 1 (both Q32): ln(2)^k / k!, nested.
uint32_t power_of_fraction(uint32_t fraction) {
  constexpr uint32_t kTerms[] = {2977044472, 1031764991, 238388332, 41309550, 5726720, 661577,
                                 65510,      5676,       437,       30,       2};
  uint32_t sum = 0;
  for (int i = 10; i >= 0; --i) sum = high(fraction, kTerms[i] + sum);
  return sum;
}

// 2^x, of x in Q32.
float power_of_two(uint32_t sign, int64_t x) {
  const auto whole = static_cast<int>(x >> 32);
  if (whole > kBias) return number(sign | kInfinity);
  if (whole < -kBias - kFraction - 2) return number(sign);
  const uint64_t value = (uint64_t{1} << 32) + power_of_fraction(static_cast<uint32_t>(x));
  return rounded(sign, value, whole - 32);
}

// |x| * factor (of Q39) in Q32, for |x| below 2^10.
int64_t product_q32(Parts x, uint64_t factor_q39) {
  const uint64_t product = x.mantissa * factor_q39;  // Q62 - exponent
  const int shift = 30 - x.exponent;
  return shift > 63 ? 0 : static_cast<int64_t>(product >> shift);
}

float power(float x, uint64_t factor_q39) {
  const uint32_t bits = bits_of(x);
  const uint32_t size = bits & ~kSign;
  if (size > kInfinity) return number(kNotANumber);
  if (size == 0) return number(kOne);
  const Parts taken = parts(bits);
  const bool negative = (bits & kSign) != 0;
  if (taken.exponent > 8) return number(negative ? 0 : kInfinity);
  const int64_t exponent = product_q32(taken, factor_q39);
  return power_of_two(0, negative ? -exponent : exponent);
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

// 64 bits of 2 / pi, from the bit worth 2^-first on; those before the point are 0.
uint64_t two_over_pi(int first) {
  constexpr uint32_t kBits[] = {0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0,
                                0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561};
  const auto word = [&](int index) { return index < 0 || index > 7 ? uint32_t{0} : kBits[index]; };
  const int index = (first - 1) >> 5;
  const int shift = (first - 1) & 31;
  const uint64_t upper = uint64_t{word(index)} << 32 | word(index + 1);
  return shift == 0 ? upper : upper << shift | word(index + 2) >> (32 - shift);
}

// Sine of |x| + quarters quarter-turns.
float sine(float x, uint32_t quarters, bool odd) {
  const uint32_t bits = bits_of(x);
  if ((bits & ~kSign) >= kInfinity) return number(kNotANumber);
  uint32_t sign = odd ? bits & kSign : 0;
  if ((bits & ~kSign) == 0) return odd ? x : number(kOne);
  const Parts taken = parts(bits & ~kSign);
  if (odd && taken.exponent < -13) return x;
  // |x| in quarter-turns, Q62 modulo 4: mantissa * 2^(exponent - 23) * 2 / pi. Bits of the factor that are
  // worth 4 or more after the multiplication are left out.
  const int first = taken.exponent - kFraction - 1;
  const uint64_t factor = two_over_pi(first);
  const uint64_t below = two_over_pi(first + 64);
  const uint64_t turns = factor * taken.mantissa + high(below, uint64_t{taken.mantissa});
  // To the nearest quarter.
  const uint64_t nearest = ((turns >> 61) + 1) >> 1;
  quarters += static_cast<uint32_t>(nearest);
  auto rest = static_cast<int64_t>((turns - (nearest << 62)) << 1) >> 1;  // Q62, between -1/2 and 1/2
  const bool negative = rest < 0;
  const auto size = static_cast<uint64_t>(negative ? -rest : rest) << 2;  // Q64
  constexpr uint64_t kQuarter = 0xc90fdaa22168c235;                       // pi / 2, Q63
  if ((quarters & 2) != 0) sign ^= kSign;
  const uint64_t angle = high(size, kQuarter);  // Q63
  const auto angle_q32 = static_cast<uint32_t>(angle >> 31);
  const uint32_t square = high(angle_q32, angle_q32);
  const auto nested = [&](const auto& inverses) {
    uint32_t sum = 0;
    for (const uint32_t one_over : inverses) sum = high(square, one_over - high(one_over, sum));
    return sum;
  };
  if ((quarters & 1) != 0) {  // 1 - a^2 / 2 (1 - a^2 / 12 (1 - ...))
    constexpr uint32_t kInverses[] = {32537631, 47721859, 76695845, 143165577, 357913941, 2147483648};
    return rounded(sign, (uint64_t{1} << 32) - nested(kInverses), -32);
  }
  if (negative) sign ^= kSign;
  if (angle == 0) return number(sign);
  // a (1 - a^2 / 6 (1 - a^2 / 20 (1 - ...)))
  constexpr uint32_t kInverses[] = {39045157, 59652324, 102261126, 214748365, 715827883};
  const int shift = std::countl_zero(angle);
  const uint64_t normal = angle << shift;
  return rounded(sign, normal - high(normal, uint64_t{nested(kInverses)} << 32), -63 - shift);
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

float exp(float x) { return power(x, 793129986396); }  // log2(e), Q39
float exp2(float x) { return power(x, uint64_t{1} << 39); }
float log(float x) { return scaled_logarithm(x, kLn2Q40, kOneQ40); }
float log2(float x) { return scaled_logarithm(x, kOneQ40, kLog2eQ40); }
float log10(float x) { return scaled_logarithm(x, 330985980542, 477511832732); }
float sin(float x) { return sine(x, 0, true); }
float cos(float x) { return sine(x, 1, false); }

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
  const Logarithm ln = logarithm(parts(x_size));
  const uint64_t part = times(ln, kLog2eQ40);
  // log2|x| as value * 2^exponent with 62 bits.
  bool negative = ln.whole < 0;
  uint64_t value;
  int exponent;
  if (ln.whole == 0) {
    if (part == 0) return number(sign | kOne);
    negative = ln.negative;
    const int shift = std::countl_zero(part) - 1;
    value = part << shift;
    exponent = ln.exponent - 20 - shift;
  } else {
    const uint64_t part_q54 = part >> (-ln.exponent - 34);
    const uint64_t count = static_cast<uint64_t>(negative ? -ln.whole : ln.whole) << 54;
    value = ln.negative == negative ? count + part_q54 : count - part_q54;
    exponent = -54;
  }
  // times y, in Q32; beyond 2^10 it is too large, whatever it is.
  const Parts factor = parts(y_size);
  const uint64_t product = high(value, uint64_t{factor.mantissa} << 40);  // exponent + factor.exponent + 1
  const int to_q32 = exponent + factor.exponent + 1 + 32;
  const int top = 63 - std::countl_zero(product | 1) + to_q32;
  const bool below_one = negative != y_negative;
  if (top > 42) return number(sign | (below_one ? 0 : kInfinity));
  const uint64_t power_q32 = to_q32 >= 0 ? product << to_q32 : (to_q32 < -63 ? 0 : product >> -to_q32);
  return power_of_two(sign, below_one ? -static_cast<int64_t>(power_q32) : static_cast<int64_t>(power_q32));
}

float floor(float x) { return to_integer(x, Direction::kDown); }
float ceil(float x) { return to_integer(x, Direction::kUp); }
float trunc(float x) { return to_integer(x, Direction::kToZero); }
float round(float x) { return to_integer(x, Direction::kAway); }
float rint(float x) { return to_integer(x, Direction::kEven); }

}  // namespace swai::cpe::math
