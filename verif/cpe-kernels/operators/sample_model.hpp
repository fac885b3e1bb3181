// SPDX-License-Identifier: Apache-2.0
// Sampling as the card does it, to the bit: docs/reference/operators.md.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "cpe-kernels/operators/common/constants.hpp"
#include "cpe-kernels/operators/sample/philox.hpp"
#include "cpe-kernels/operators/sample/plan.hpp"
#include "verif/cpe-kernels/operators/arithmetic.hpp"

namespace swai::operators::test {

struct Sampled {
  uint32_t token;
  Real log_probability;
};

class SampleModel {
 public:
  SampleModel(std::span<const Real> logits, const SampleSettings& settings) : settings_(settings) {
    for (const Real x : logits) clean_.push_back(min(max(x, -kLargestFloat), kLargestFloat));
    most_ = largest(clean_);
    for (const Real x : clean_) distance_.push_back(x + -most_);
    plain_sum_ = total(powers(kLog2E));
    if (is_greedy(settings)) return;
    kept_ = powers(reciprocal(settings.temperature) * kLog2E);
    if (settings.top_k != 0 && settings.top_k < kept_.size()) {
      std::vector<uint32_t> sorted = bits();
      std::ranges::nth_element(sorted, sorted.begin() + (settings.top_k - 1), std::greater<>());
      keep_from(sorted[settings.top_k - 1]);
    }
    if (settings.top_p != 1) keep_part(settings.top_p);
  }

  Sampled at(uint32_t position) const {
    const auto random = philox({position, settings_.stream, 0, 0}, settings_.seed[0], settings_.seed[1]);
    uint32_t token = 0;
    if (is_greedy(settings_)) {
      while (fp32::less(clean_[token].bits, most_.bits)) ++token;
    } else {
      const std::vector<Real> pieces = sums(kept_, kPiece);
      const uint32_t piece = draw_by_groups(pieces, sum(pieces), random[0], random[1]);
      const auto first = kept_.begin() + piece * kPiece;
      const std::vector<Real> columns(first, first + std::min<ptrdiff_t>(kPiece, kept_.end() - first));
      token = piece * kPiece + draw_by_groups(columns, pieces[piece], random[2], random[3]);
    }
    return {token, fma(log2(plain_sum_), -kLn2, distance_[token])};
  }
  // Whether a column can be chosen.
  bool keeps(uint32_t column) const { return kept_[column].value() != 0; }

 private:
  static Real min(Real a, Real b) { return Real::of(fp32::min(a.bits, b.bits)); }

  std::vector<Real> powers(Real scale) const {
    std::vector<Real> all;
    for (const Real x : distance_) all.push_back(exp2(x * scale));
    return all;
  }
  static std::vector<Real> sums(std::span<const Real> row, size_t part) {
    std::vector<Real> all;
    for (size_t first = 0; first < row.size(); first += part)
      all.push_back(sum(row.subspan(first, std::min(part, row.size() - first))));
    return all;
  }
  static Real total(std::span<const Real> row) { return sum(sums(row, kPiece)); }

  std::vector<uint32_t> bits() const {
    std::vector<uint32_t> all;
    for (const Real x : kept_) all.push_back(x.bits);
    return all;
  }
  static std::vector<Real> from(std::vector<Real> row, uint32_t least) {
    for (Real& x : row) x = x.bits >= least ? x : Real(0.0f);
    return row;
  }
  void keep_from(uint32_t least) { kept_ = from(kept_, least); }
  // The largest threshold from which on the sum is large enough.
  void keep_part(Real part) {
    std::vector<uint32_t> choices = bits();
    std::ranges::sort(choices, std::greater<>());
    choices.erase(std::unique(choices.begin(), choices.end()), choices.end());
    const Real target = total(kept_) * part;
    const auto enough = [&](uint32_t least) { return total(from(kept_, least)).bits >= target.bits; };
    keep_from(*std::ranges::partition_point(choices, [&](uint32_t least) { return !enough(least); }));
  }
  static uint32_t draw(std::span<const Real> numbers, Real sum, uint32_t random) {
    const Real factor = reciprocal(sum) * kSampleWhole;
    std::vector<uint32_t> weights;
    uint64_t all = 0;
    for (const Real x : numbers) all += weights.emplace_back(fp32::to_int32((x * factor).bits));
    uint64_t left = random * all >> 32;
    uint32_t chosen = 0;
    while (left >= weights[chosen]) left -= weights[chosen++];
    return chosen;
  }

  static uint32_t draw_by_groups(std::span<const Real> numbers, Real sum, uint32_t random, uint32_t next) {
    const std::vector<Real> groups = sums(numbers, kSampleGroup);
    const uint32_t group = draw(groups, sum, random);
    const size_t first = group * size_t{kSampleGroup};
    return static_cast<uint32_t>(first) +
           draw(numbers.subspan(first, std::min<size_t>(kSampleGroup, numbers.size() - first)), groups[group],
                next);
  }

  SampleSettings settings_;
  std::vector<Real> clean_;
  std::vector<Real> distance_;  // from the largest
  std::vector<Real> kept_;      // probabilities, relative to the largest; 0: not kept
  Real most_;
  Real plain_sum_;
};

}  // namespace swai::operators::test
