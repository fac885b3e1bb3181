// SPDX-License-Identifier: Apache-2.0
// Weights in four bits, as packed for the card: taken apart again, they are the file's.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "cpe-kernels/operators/linear_w4/plan.hpp"
#include "host/models/files/four_bits.hpp"
#include "sim/common/random.hpp"
#include "verif/kit/doctest_main.hpp"

using namespace swai;
using namespace swai::models;

namespace {

// What a packed weight stands for.
class Unpacked {
 public:
  Unpacked(const FourBits& made, uint32_t depth, bool minima)
      : made_(made), layout_{depth, static_cast<uint32_t>(made.factors.size()), kFourBitGroup, minima} {
    REQUIRE(made.packed.size() == layout_.bytes());
  }

  double at(uint32_t row, uint32_t k) const {
    const uint32_t begin = k / operators::kW4Depth * operators::kW4Depth, lane = row % operators::kW4Tile;
    const uint8_t* const tile = &made_.packed[layout_.tile_at(begin, row)];
    const uint32_t nibble = (k - begin) * operators::kW4Tile + lane;
    const int number = tile[nibble / 2] >> 4 * (nibble % 2) & 15;
    const uint32_t group = (k - begin) / kFourBitGroup * 16;
    const uint8_t* const scales = tile + layout_.scales_offset(begin) + group;
    const double weight = (number - scales[8 + lane]) * scales[lane] * double{made_.factors[row]};
    return layout_.minima ? weight + minimum(tile + layout_.minima_offset(begin) + group + 2 * lane) : weight;
  }

 private:
  static double minimum(const uint8_t* half) {
    return double{float_of_half(static_cast<uint16_t>(half[0] | half[1] << 8))};
  }

  const FourBits& made_;
  operators::W4Layout layout_;
};

std::vector<uint8_t> random_blocks(verif::Random& random, Element element, size_t blocks) {
  std::vector<uint8_t> bytes;
  const auto half = [&](double number) {
    const uint16_t bits = half_of_float(static_cast<float>(number));
    bytes.push_back(static_cast<uint8_t>(bits));
    bytes.push_back(static_cast<uint8_t>(bits >> 8));
  };
  for (size_t i = 0; i < blocks; ++i) {
    // Q4_0 has steps of both signs.
    const double step = static_cast<double>(random.between(1, 1000)) * 1e-5;
    half(element == Element::kQ4_0 && random.chance(50) ? -step : step);
    if (element == Element::kQ4_1) half((static_cast<double>(random.between(0, 1000)) - 900) * 1e-4);
    for (int pair = 0; pair < 16; ++pair) bytes.push_back(static_cast<uint8_t>(random.between(0, 255)));
  }
  return bytes;
}

}  // namespace

TEST_CASE("Q4_0 and Q4_1 keep their numbers") {
  verif::Random random(test_seed());
  for (const Element element : {Element::kQ4_0, Element::kQ4_1}) {
    for (const uint32_t depth : {32U, 160U, 576U}) {
      CAPTURE(depth);
      constexpr uint32_t kRows = 19;
      const std::vector<uint8_t> bytes = random_blocks(random, element, kRows * depth / 32);
      const Tensor tensor{"random", element, {kRows, depth}, bytes, {}};
      // Another order, and rows that the file has not.
      std::vector<std::optional<uint32_t>> rows;
      for (uint32_t row = 0; row < kRows; ++row) rows.emplace_back((row * 7 + 3) % kRows);
      rows.insert(rows.begin() + 5, std::nullopt);
      const std::vector<float> file = floats(tensor);
      const FourBits made = four_bits_of(tensor, rows);
      const Unpacked weights(made, depth, true);
      for (uint32_t row = 0; row < rows.size(); ++row) {
        for (uint32_t k = 0; k < depth; ++k) {
          const double right = rows[row] ? double{file[*rows[row] * depth + k]} : 0;
          // A step is off by half a 255th of the largest, which counts 15 times at most; minima are fp16.
          const double bound = rows[row] ? 15 * 0.5 * double{made.factors[row]} + 2e-4 * 0.25 : 0;
          REQUIRE(std::abs(weights.at(row, k) - right) <= bound);
        }
      }
    }
  }
}

TEST_CASE("other weights lose less than a step") {
  verif::Random random(test_seed());
  for (const uint32_t depth : {8U, 64U, 172U}) {
    CAPTURE(depth);
    constexpr uint32_t kRows = 11;
    std::vector<float> numbers(kRows * depth);
    for (float& number : numbers) number = (static_cast<float>(random.between(0, 2000)) - 1000) * 1e-3F;
    const FourBits made = four_bits(numbers, depth);
    const Unpacked weights(made, depth, false);
    double lost = 0, all = 0;
    for (uint32_t row = 0; row < kRows; ++row) {
      for (uint32_t k = 0; k < depth; ++k) {
        const double right = double{numbers[row * depth + k]};
        lost += std::pow(weights.at(row, k) - right, 2);
        all += right * right;
      }
    }
    // Steps of 2 / 15 of numbers that are spread evenly over -1 to 1 cost 0.067 rms.
    CHECK(std::sqrt(lost / all) < 0.08);
    CHECK(lost > 0);
  }
}

TEST_CASE("no numbers at all") {
  const std::vector<float> zeros(64);
  const FourBits made = four_bits(zeros, 32);
  for (const uint32_t row : {0U, 1U})
    for (uint32_t k = 0; k < 32; ++k) CHECK(Unpacked(made, 32, false).at(row, k) == 0);
}
