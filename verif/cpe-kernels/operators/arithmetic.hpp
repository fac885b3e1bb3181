// SPDX-License-Identifier: Apache-2.0
// Numbers as the vector unit computes with them, for models that agree with it to the bit.
#pragma once

#include <array>
#include <bit>
#include <span>
#include <vector>

#include "sim/iss/cpe/fp32.hpp"
#include "sim/iss/cpe/special.hpp"

namespace swai::operators::test {

namespace fp32 = iss::cpe::fp32;

struct Real {
  uint32_t bits = 0;

  Real() = default;
  constexpr Real(float value) : bits(std::bit_cast<uint32_t>(value)) {}
  static Real of(uint32_t bits) {
    Real real;
    real.bits = bits;
    return real;
  }
  float value() const { return std::bit_cast<float>(bits); }
  Real operator-() const { return of(bits ^ fp32::kSign); }
};

inline Real operator+(Real a, Real b) { return Real::of(fp32::add(a.bits, b.bits)); }
inline Real operator*(Real a, Real b) { return Real::of(fp32::mul(a.bits, b.bits)); }
inline Real fma(Real a, Real b, Real c) { return Real::of(fp32::fma(a.bits, b.bits, c.bits)); }
inline Real max(Real a, Real b) { return Real::of(fp32::max(a.bits, b.bits)); }
inline Real abs(Real a) { return Real::of(a.bits & ~fp32::kSign); }
inline Real exp2(Real a) { return Real::of(iss::cpe::special::exp2(a.bits)); }
inline Real log2(Real a) { return Real::of(iss::cpe::special::log2(a.bits)); }
inline Real reciprocal(Real a) { return Real::of(iss::cpe::special::reciprocal(a.bits)); }
inline Real root(Real a) { return Real::of(iss::cpe::special::root(a.bits)); }

// A row's sum in the order of docs/hardware/vector.md.
inline Real sum(std::span<const Real> row) {
  std::array<Real, 4> partial = {-0.0f, -0.0f, -0.0f, -0.0f};
  for (size_t first = 0, group = 0; first < row.size(); first += 8, ++group) {
    std::array<Real, 8> r;
    for (size_t i = 0; i < 8; ++i) r[i] = first + i < row.size() ? row[first + i] : Real(-0.0f);
    partial[group % 4] =
        partial[group % 4] + (((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7])));
  }
  return (partial[0] + partial[1]) + (partial[2] + partial[3]);
}
// NaN: of an empty row, and of one of nothing else.
inline Real largest(std::span<const Real> row) {
  Real most = Real::of(fp32::kNan);
  for (const Real value : row) most = max(most, value);
  return most;
}

}  // namespace swai::operators::test
