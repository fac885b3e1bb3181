// SPDX-License-Identifier: Apache-2.0
// Digits drawn by the host, the filters that know them, and the host's own opinion about the maps.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "sizes.h"

struct Pictures {
  std::vector<int8_t> pixels;  // [images][height][width], ink is positive
  std::vector<int> digits;     // what was drawn
};

struct Filters {
  std::vector<int8_t> weights;  // [digits][height][width]
  std::vector<int32_t> biases;  // [digits]
};

inline constexpr int kInk = 40;
inline constexpr int kNoise = 8;

// Whether there is ink: five columns of a row, the left one is the highest bit.
inline bool has_ink(int digit, int y, int x) {
  static constexpr std::array<std::array<uint8_t, kFilterHeight>, kDigits> kShapes = {{
      {0x0e, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0e},
      {0x04, 0x0c, 0x04, 0x04, 0x04, 0x04, 0x0e},
      {0x0e, 0x11, 0x01, 0x02, 0x04, 0x08, 0x1f},
      {0x1f, 0x02, 0x04, 0x02, 0x01, 0x11, 0x0e},
      {0x02, 0x06, 0x0a, 0x12, 0x1f, 0x02, 0x02},
      {0x1f, 0x10, 0x1e, 0x01, 0x01, 0x11, 0x0e},
      {0x06, 0x08, 0x10, 0x1e, 0x11, 0x11, 0x0e},
      {0x1f, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08},
      {0x0e, 0x11, 0x11, 0x0e, 0x11, 0x11, 0x0e},
      {0x0e, 0x11, 0x11, 0x0f, 0x01, 0x02, 0x0c},
  }};
  return (kShapes[digit][y] >> (kFilterWidth - 1 - x) & 1) != 0;
}

// Each digit in turn, somewhere in its picture, with noise everywhere.
inline Pictures draw(int count) {
  std::mt19937 random(1);
  const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
  Pictures result;
  for (int number = 0; number < count; ++number) {
    const int digit = number % kDigits;
    const int top = below(kMapHeight);
    const int left = below(kMapWidth);
    std::array<int8_t, kImagePixels> image;
    for (int8_t& pixel : image) pixel = static_cast<int8_t>(below(2 * kNoise + 1) - kNoise);
    for (int y = 0; y < kFilterHeight; ++y) {
      for (int x = 0; x < kFilterWidth; ++x)
        if (has_ink(digit, y, x)) image[(top + y) * kImageWidth + left + x] += kInk;
    }
    result.pixels.insert(result.pixels.end(), image.begin(), image.end());
    result.digits.push_back(digit);
  }
  return result;
}

// How far a picture is from a digit, apart from what is the same for all digits, is |digit|^2 - 2 digit *
// picture. So the digit fits best where 2 digit * picture - |digit|^2 is largest.
inline Filters make_filters() {
  Filters result;
  for (int digit = 0; digit < kDigits; ++digit) {
    int32_t square = 0;
    for (int y = 0; y < kFilterHeight; ++y) {
      for (int x = 0; x < kFilterWidth; ++x) {
        const int ink = has_ink(digit, y, x) ? kInk : 0;
        result.weights.push_back(static_cast<int8_t>(2 * ink));
        square += ink * ink;
      }
    }
    result.biases.push_back(-square);
  }
  return result;
}

// The same convolution by the host.
inline std::vector<int32_t> convolve_here(const Pictures& pictures, const Filters& filters) {
  std::vector<int32_t> maps;
  for (size_t number = 0; number < pictures.digits.size(); ++number) {
    for (int digit = 0; digit < kDigits; ++digit) {
      for (int place = 0; place < kMapPlaces; ++place) {
        const int top = place / kMapWidth;
        const int left = place % kMapWidth;
        int32_t sum = filters.biases[digit];
        for (int at = 0; at < kFilterPixels; ++at) {
          const int y = top + at / kFilterWidth;
          const int x = left + at % kFilterWidth;
          sum += pictures.pixels[number * kImagePixels + y * kImageWidth + x] *
                 filters.weights[digit * kFilterPixels + at];
        }
        maps.push_back(sum);
      }
    }
  }
  return maps;
}

// The digit whose map has the largest number, for each picture; and whether all is as it should be.
inline bool judge(const Pictures& pictures, const Filters& filters, const std::vector<int32_t>& maps) {
  const int images = static_cast<int>(pictures.digits.size());
  int right = 0;
  std::printf("drawn:      ");
  for (const int digit : pictures.digits) std::printf(" %d", digit);
  std::printf("\nrecognised: ");
  for (int number = 0; number < images; ++number) {
    const int32_t* const map = &maps[number * kDigits * kMapPlaces];
    int best = 0;
    for (int i = 0; i < kDigits * kMapPlaces; ++i)
      if (map[i] > map[best]) best = i;
    std::printf(" %d", best / kMapPlaces);
    if (best / kMapPlaces == pictures.digits[number]) ++right;
  }
  const bool same = maps == convolve_here(pictures, filters);
  std::printf("\ndigits: %d of %d are right, the maps are %s as the host computes them\n", right, images,
              same ? "exactly" : "NOT");
  return same && right == images;
}
