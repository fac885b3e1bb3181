// SPDX-License-Identifier: Apache-2.0
// Functions of angles, and those that give angles. Angles are reduced to quarter-turns.
#include "math_number.hpp"
#include "swai/math.hpp"

namespace swai::cpe::math {
namespace {

// Quarter-turns, and a rest between -1/2 and 1/2 of one.
struct Turn {
  uint32_t quarters;
  bool negative;
  uint64_t size;  // of the rest, Q64
};

// Of a count in Q62, modulo 4.
Turn turn_of(uint64_t turns) {
  const uint64_t nearest = ((turns >> 61) + 1) >> 1;
  const auto rest = static_cast<int64_t>((turns - (nearest << 62)) << 1) >> 1;
  const bool negative = rest < 0;
  return {static_cast<uint32_t>(nearest), negative, static_cast<uint64_t>(negative ? -rest : rest) << 2};
}

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

// Of so many radians: mantissa * 2^(exponent - 23) * 2 / pi. Bits of the factor that are worth 4 or more
// after the multiplication are left out.
Turn turn_of_radians(Parts x) {
  const int first = x.exponent - kFraction - 1;
  const uint64_t factor = two_over_pi(first);
  const uint64_t below = two_over_pi(first + 64);
  return turn_of(factor * x.mantissa + high(below, uint64_t{x.mantissa}));
}

// Of so many half-turns.
Turn turn_of_halves(Parts x) {
  const int shift = x.exponent - kFraction + 63;
  if (shift > 63 || shift < -63) return turn_of(0);
  return turn_of(shift < 0 ? uint64_t{x.mantissa} >> -shift : uint64_t{x.mantissa} << shift);
}

constexpr uint64_t kPi = 0xc90fdaa22168c235;  // Q62
constexpr Wide kWidePi = {kPi, -62, false};
constexpr Wide kWideHalfPi = {kPi, -63, false};

// Both of the rest alone, which is |a| radians.
struct SineAndCosine {
  Wide sine;
  Wide cosine;
};
template <unsigned kCount>
uint32_t nested(uint32_t square, const uint32_t (&inverses)[kCount]) {
  uint32_t sum = 0;
  for (const uint32_t one_over : inverses) sum = high(square, one_over - high(one_over, sum));
  return sum;
}
Wide sine_of(uint64_t angle, uint32_t square) {  // a (1 - a^2 / 6 (1 - a^2 / 20 (1 - ...)))
  constexpr uint32_t kInverses[] = {39045157, 59652324, 102261126, 214748365, 715827883};
  return wide(angle, -63) * one_less(nested(square, kInverses));
}
Wide cosine_of(uint32_t square) {  // 1 - a^2 / 2 (1 - a^2 / 12 (1 - ...))
  constexpr uint32_t kInverses[] = {32537631, 47721859, 76695845, 143165577, 357913941, 2147483648};
  return one_less(nested(square, kInverses));
}

struct Angle {
  uint64_t q63;
  uint32_t square;  // Q32
};
Angle angle_of(const Turn& turn) {
  const uint64_t q63 = high(turn.size, kPi);
  const auto q32 = static_cast<uint32_t>(q63 >> 31);
  return {q63, high(q32, q32)};
}

// The sine of that and so many quarter-turns more; `sign` is the angle's.
float sine(const Turn& turn, uint32_t quarters, uint32_t sign) {
  const Angle angle = angle_of(turn);
  quarters += turn.quarters;
  if ((quarters & 2) != 0) sign ^= kSign;
  if ((quarters & 1) != 0) return rounded(cosine_of(angle.square), sign);
  return rounded(sine_of(angle.q63, angle.square), turn.negative ? sign ^ kSign : sign);
}

// arctan(y / x), of 0 <= y <= x, where x is not 0: the arctangent of the nearest eighth, and that of the
// rest.
Wide small_angle(Wide y, Wide x) {
  constexpr uint64_t kEighths[] = {0,
                                   0x1fd5ba9aac2f6dc6,
                                   0x3eb6ebf25901bac5,
                                   0x5bd86507937bc23a,
                                   0x76b19c1586ed3da3,
                                   0x8f005d5ef7f59f9b,
                                   0xa4bc7d1934f70924,
                                   0xb8053e2bc2319e74,
                                   0xc90fdaa22168c235};
  if (y.zero()) return {};
  const int behind = x.exponent - y.exponent;
  const uint64_t x_part = x.mantissa >> 5;
  const uint64_t y_part = behind > 58 ? 0 : y.mantissa >> (behind + 5);
  const auto x_size = static_cast<uint32_t>(x_part >> 31);  // 28 bits
  const uint32_t eighths = ((static_cast<uint32_t>(y_part >> 31) << 3) + x_size / 2) / x_size;
  Wide rest = y;
  Wide below = x;
  if (eighths != 0) {
    const uint64_t wanted = x_part * eighths;
    const bool negative = y_part << 3 < wanted;
    rest = wide(negative ? wanted - (y_part << 3) : (y_part << 3) - wanted, 0, negative);
    below = wide((x_part << 3) + y_part * eighths, 0);
  }
  const Wide tangent = rest / below;
  const auto square = static_cast<uint32_t>(q32(tangent * tangent));
  constexpr uint32_t kTerms[] = {1431655765, 858993459, 613566757, 477218588};
  return wide(kEighths[eighths], -64) + tangent * one_less(alternating(square, kTerms));
}

// Of the point (x, y), y >= 0, which is not (0, 0): between 0 and pi.
Wide angle_to(Wide y, Wide x) {
  const Wide right = x.size();
  const bool steep = !(y - right).negative;
  const Wide angle = steep ? kWideHalfPi - small_angle(right, y) : small_angle(y, right);
  return x.negative ? kWidePi - angle : angle;
}

// The root of 1 - x^2, of x between -1 and 1.
Wide beside(Wide x) { return root((kWideOne - x) * (kWideOne + x)); }

}  // namespace

float sin(float x) {
  if (size_of(x) >= kInfinity) return number(kNotANumber);
  if (size_of(x) == 0) return x;
  const Parts taken = parts(size_of(x));
  if (taken.exponent < -13) return x;
  return sine(turn_of_radians(taken), 0, sign_of(x));
}

float cos(float x) {
  if (size_of(x) >= kInfinity) return number(kNotANumber);
  if (size_of(x) == 0) return number(kOne);
  return sine(turn_of_radians(parts(size_of(x))), 1, 0);
}

float tan(float x) {
  if (size_of(x) >= kInfinity) return number(kNotANumber);
  if (size_of(x) == 0) return x;
  const Parts taken = parts(size_of(x));
  if (taken.exponent < -13) return x;
  const Turn turn = turn_of_radians(taken);
  const Angle angle = angle_of(turn);
  const Wide sine = sine_of(angle.q63, angle.square);
  const Wide cosine = cosine_of(angle.square);
  const bool odd = (turn.quarters & 1) != 0;
  const bool negative = (sign_of(x) != 0) != (turn.negative != odd);
  return rounded(odd ? cosine / sine : sine / cosine, negative ? kSign : 0);
}

float sinpi(float x) {
  if (size_of(x) >= kInfinity) return number(kNotANumber);
  if (size_of(x) == 0) return x;
  const Parts taken = parts(size_of(x));
  if (taken.exponent < -15) return rounded(wide(x) * kWidePi);
  const Turn turn = turn_of_halves(taken);
  // Of whole numbers it is 0 with their sign.
  if (turn.size == 0 && (turn.quarters & 1) == 0) return number(sign_of(x));
  return sine(turn, 0, sign_of(x));
}

float cospi(float x) {
  if (size_of(x) >= kInfinity) return number(kNotANumber);
  if (size_of(x) == 0) return number(kOne);
  const Turn turn = turn_of_halves(parts(size_of(x)));
  if (turn.size == 0 && (turn.quarters & 1) != 0) return 0;
  return sine(turn, 1, 0);
}

float atan2(float y, float x) {
  if (is_nan(x) || is_nan(y)) return number(kNotANumber);
  const uint32_t sign = sign_of(y);
  // What is infinite hides what is not; both are as large.
  const bool far_up = size_of(y) == kInfinity;
  const bool far_right = size_of(x) == kInfinity;
  const float up = far_up ? 1 : far_right ? 0 : number(size_of(y));
  const float right = far_right ? number(kOne | sign_of(x)) : far_up ? 0 : x;
  if (size_of(up) == 0 && size_of(right) == 0) return sign_of(x) == 0 ? number(sign) : rounded(kWidePi, sign);
  return rounded(angle_to(wide(up), wide(right)), sign);
}

float atan(float x) { return atan2(x, number(kOne)); }

float asin(float x) {
  if (size_of(x) > kOne) return number(kNotANumber);
  const Wide size = wide(x).size();
  return rounded(angle_to(size, beside(size)), sign_of(x));
}

float acos(float x) {
  if (size_of(x) > kOne) return number(kNotANumber);
  return rounded(angle_to(beside(wide(x)), wide(x)), 0);
}

}  // namespace swai::cpe::math
