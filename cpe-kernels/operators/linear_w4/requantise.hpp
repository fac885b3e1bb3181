// SPDX-License-Identifier: Apache-2.0
// Weights of models as linear_w4 takes them. For whoever imports models; CPEs have no use for it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace swai::operators {

// A weight is (number - zero) * scale * factor of the column, plus the minimum.
struct W4 {
  std::vector<uint8_t> numbers;        // [columns][depth]
  std::vector<uint8_t> scales, zeros;  // [columns][groups]
  std::vector<uint16_t> minima;        // likewise, bits of fp16; empty: none
  std::vector<float> factors;          // [columns]
};

namespace detail {

// To nearest even; what is too large becomes the largest number.
inline uint16_t half_of(double value) {
  const double magnitude = std::min(std::abs(value), 65504.0);
  const int exponent = magnitude == 0 ? -14 : std::max(std::ilogb(magnitude), -14);
  // A mantissa that is rounded up to the next power of two carries into the exponent.
  const int bits =
      ((exponent + 14) << 10) + static_cast<int>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  return static_cast<uint16_t>(bits | (std::signbit(value) ? 0x8000 : 0));
}

// What a scale of 1 stands for in a column whose largest step this is.
inline float part_of_step(double largest) { return largest > 0 ? static_cast<float>(largest / 255) : 1.0f; }

inline double whole_scale(double step, double part) {
  return std::clamp(std::nearbyint(step / part), 1.0, 255.0);
}

inline double whole_zero(double zero) { return std::clamp(std::nearbyint(zero), 0.0, 15.0); }

}  // namespace detail

// Of weights step * number + minimum in groups, as GGUF's Q4_1 has them: `steps` (not negative) and `minima`
// are [columns][groups], `numbers` [columns][depth]. Numbers stay what they are. A step is rounded to a 255th
// of its column's largest; the minimum takes what the mean of the group loses by that.
inline W4 w4_of_steps(std::span<const uint8_t> numbers, std::span<const float> steps,
                      std::span<const float> minima, uint32_t depth, uint32_t columns, uint32_t group) {
  const uint32_t groups = (depth + group - 1) / group;
  W4 w;
  w.numbers.assign(numbers.begin(), numbers.end());
  for (uint32_t column = 0; column < columns; ++column) {
    const auto own_steps = steps.subspan(size_t{column} * groups, groups);
    const float part = detail::part_of_step(*std::ranges::max_element(own_steps));
    w.factors.push_back(part);
    for (uint32_t number = 0; number < groups; ++number) {
      const uint32_t begin = number * group;
      const auto own = numbers.subspan(size_t{column} * depth + begin, std::min(group, depth - begin));
      double mean = 0;
      for (const uint8_t one : own) mean += static_cast<double>(one) / static_cast<double>(own.size());
      const double step = own_steps[number];
      const double minimum = minima[size_t{column} * groups + number];
      const double scale = detail::whole_scale(step, part);
      const double zero = detail::whole_zero(-minimum / (scale * part));
      w.scales.push_back(static_cast<uint8_t>(scale));
      w.zeros.push_back(static_cast<uint8_t>(zero));
      w.minima.push_back(detail::half_of(minimum + step * mean - scale * part * (mean - zero)));
    }
  }
  return w;
}

// Of weights [columns][depth] in floating point: without minima, zeros are whole steps. Of seven ranges of a
// group the one with the least error is taken: cutting off a large weight may serve the others.
inline W4 w4_of(std::span<const float> weights, uint32_t depth, uint32_t columns, uint32_t group) {
  constexpr double kRanges[] = {1, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7};
  const uint32_t groups = (depth + group - 1) / group;
  W4 w;
  w.numbers.resize(weights.size());
  std::vector<double> lows(groups), highs(groups);
  for (uint32_t column = 0; column < columns; ++column) {
    const auto group_of = [&](auto all, uint32_t number) {
      return all.subspan(size_t{column} * depth + number * group, std::min(group, depth - number * group));
    };
    double widest = 0;
    for (uint32_t number = 0; number < groups; ++number) {
      const auto [low, high] = std::ranges::minmax(group_of(weights, number));
      lows[number] = std::min(low, 0.0f);
      highs[number] = std::max(high, 0.0f);
      widest = std::max(widest, highs[number] - lows[number]);
    }
    const double part = detail::part_of_step(widest / 15);
    w.factors.push_back(static_cast<float>(part));
    for (uint32_t number = 0; number < groups; ++number) {
      const auto own = group_of(weights, number);
      double best = INFINITY, best_scale = 1, best_zero = 0;
      const auto rounded = [](double weight, double step, double zero) {
        return std::clamp(std::nearbyint(weight / step) + zero, 0.0, 15.0);
      };
      for (const double range : kRanges) {
        const double scale = detail::whole_scale((highs[number] - lows[number]) * range / 15, part);
        const double step = scale * part;
        const double zero = detail::whole_zero(-lows[number] * range / step);
        double error = 0;
        for (const double weight : own)
          error += std::pow((rounded(weight, step, zero) - zero) * step - weight, 2);
        if (error >= best) continue;
        best = error;
        best_scale = scale;
        best_zero = zero;
      }
      w.scales.push_back(static_cast<uint8_t>(best_scale));
      w.zeros.push_back(static_cast<uint8_t>(best_zero));
      const auto numbers = group_of(std::span(w.numbers), number);
      for (size_t k = 0; k < own.size(); ++k)
        numbers[k] = static_cast<uint8_t>(rounded(own[k], best_scale * part, best_zero));
    }
  }
  return w;
}

}  // namespace swai::operators
