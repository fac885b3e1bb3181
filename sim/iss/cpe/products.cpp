// SPDX-License-Identifier: Apache-2.0
#include "sim/iss/cpe/products.hpp"

#include <algorithm>
#include <cstring>

#include "sim/iss/cpe/simd.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace swai::iss::cpe::products {

namespace {

constexpr uint64_t kBias = 128 * kEach;

#if defined(__x86_64__)

uint64_t word_at(const uint8_t* bytes) {
  uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

// Calls `work` with the first k tile of each group, how many it has, and where its scales are; without groups
// all are one.
template <typename Work>
void for_each_group(const Groups& groups, uint32_t k_tiles, Work work) {
  if (groups.at == nullptr) return work(0, k_tiles, groups.at);
  const uint8_t* scales = groups.at;
  for (uint32_t first = 0; first < k_tiles; first += groups.k_tiles, scales += groups.stride)
    work(first, std::min(groups.k_tiles, k_tiles - first), scales);
}

uint64_t zeros_of(const uint8_t* scales) { return word_at(scales + 8) & 15 * kEach; }

#define AVX2 __attribute__((target("avx2,fma,f16c")))
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vnni")))

AVX512 inline void store(__m512i pairs, const uint8_t* scales, Row& sums) {
  // Two neighbours are the halves of a column's k.
  const __m512i both = _mm512_add_epi32(pairs, _mm512_srli_epi64(pairs, 32));
  __m256i products = _mm512_cvtepi64_epi32(both);
  if (scales != nullptr) {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(scales));
    products = _mm256_mullo_epi32(products, _mm256_cvtepu8_epi32(bytes));
  }
  auto* const at = reinterpret_cast<__m256i*>(sums.data());
  _mm256_storeu_si256(at, _mm256_add_epi32(_mm256_loadu_si256(at), products));
}

// One instruction multiplies 64 pairs, of which one side is unsigned: activations are 128 too large, and 128
// times the weights too much comes out.
template <unsigned kRows>
AVX512 inline void add_rows_512(const Operands& operands, uint32_t row, Row* sums) {
  const uint64_t* const x = operands.activations + uint64_t{row} * operands.row_stride;
  const __m512i bias = _mm512_set1_epi64(static_cast<int64_t>(kBias));
  const auto group = [&](uint32_t first, uint32_t count, const uint8_t* scales) AVX512 {
    __m512i acc[kRows];
    for (auto& a : acc) a = _mm512_setzero_si512();
    __m512i excess = _mm512_setzero_si512();
    for (uint32_t k = first; k < first + count; ++k) {
      const __m512i w = _mm512_loadu_si512(operands.weights + 8 * uint64_t{k});
      excess = _mm512_dpbusd_epi32(excess, bias, w);
      for (unsigned r = 0; r < kRows; ++r) {
        const auto eight = static_cast<int64_t>(x[uint64_t{r} * operands.row_stride + k]);
        acc[r] = _mm512_dpbusd_epi32(acc[r], _mm512_set1_epi64(eight), w);
      }
    }
    for (unsigned r = 0; r < kRows; ++r) store(_mm512_sub_epi32(acc[r], excess), scales, sums[row + r]);
  };
  for_each_group(operands.groups, operands.k_tiles, group);
}

AVX512 void add_512(const Operands& operands, Row* sums) {
  uint32_t row = 0;
  for (; row + 8 <= operands.rows; row += 8) add_rows_512<8>(operands, row, sums);
  for (; row < operands.rows; ++row) add_rows_512<1>(operands, row, sums);
}

AVX512 inline __m512i transposed(__m512i words) {
  // First the bytes of two neighbours come side by side, then those of all four pairs.
  __m512i pairs = _mm512_shuffle_epi8(
      words, _mm512_broadcast_i32x4(_mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15)));
  // The compiler would make many smaller ones of these two instructions.
  __asm__("" : "+v"(pairs));
  const __m512i order = _mm512_add_epi16(
      _mm512_mullo_epi16(_mm512_set1_epi64(0x0003'0002'0001'0000), _mm512_set1_epi16(8)),
      _mm512_cvtepi8_epi16(_mm256_setr_epi8(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5,
                                            5, 5, 6, 6, 6, 6, 7, 7, 7, 7)));
  return _mm512_permutexvar_epi16(order, pairs);
}

AVX512 inline __m512i unpacked(const uint8_t* nibbles) {
  const __m512i wide = _mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(nibbles)));
  return _mm512_and_si512(_mm512_or_si512(wide, _mm512_slli_epi16(wide, 4)), _mm512_set1_epi8(15));
}

AVX512 inline __m512i words_of(const uint8_t* tile, int64_t stride) {
  if (stride == sizeof(uint64_t)) return _mm512_loadu_si512(tile);
  const __m512i numbers = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm512_i64gather_epi64(_mm512_mullo_epi64(numbers, _mm512_set1_epi64(stride)), tile, 1);
}

AVX512 void gather_512(const Weights& weights, uint64_t* columns) {
  const auto group = [&](uint32_t first, uint32_t count, const uint8_t* scales) AVX512 {
    __m512i zeros = _mm512_setzero_si512();
    if (scales != nullptr) {
      const __m512i of_rows = _mm512_set1_epi64(static_cast<int64_t>(zeros_of(scales)));
      zeros = weights.by_column ? transposed(of_rows) : of_rows;
    }
    for (uint32_t k = first; k < first + count; ++k, columns += 8) {
      const uint8_t* const tile = weights.at + k * weights.k_stride;
      const __m512i words =
          scales != nullptr ? _mm512_sub_epi8(unpacked(tile), zeros) : words_of(tile, weights.row_stride);
      _mm512_storeu_si512(columns, weights.by_column ? words : transposed(words));
    }
  };
  for_each_group(weights.groups, weights.k_tiles, group);
}

// Word i of register n becomes word n of register i.
AVX512 inline void transpose_words(__m512i (&words)[8]) {
  __m512i pairs[8], fours[8];
  for (unsigned i = 0; i < 8; i += 2) {
    pairs[i] = _mm512_unpacklo_epi64(words[i], words[i + 1]);
    pairs[i + 1] = _mm512_unpackhi_epi64(words[i], words[i + 1]);
  }
  // Lanes of 128 bits: the even and the odd ones of two registers.
  for (unsigned i = 0; i < 8; ++i) {
    const __m512i a = pairs[i & ~2U], b = pairs[i | 2U];
    fours[i] = (i & 2U) == 0 ? _mm512_shuffle_i64x2(a, b, 0x88) : _mm512_shuffle_i64x2(a, b, 0xdd);
  }
  for (unsigned i = 0; i < 8; ++i) {
    const __m512i a = fours[i & 3U], b = fours[(i & 3U) + 4];
    words[i] = (i & 4U) == 0 ? _mm512_shuffle_i64x2(a, b, 0x88) : _mm512_shuffle_i64x2(a, b, 0xdd);
  }
}

AVX512 void gather_together_512(const Weights& weights, uint64_t* columns) {
  for (uint32_t k = 0; k < weights.k_tiles; ++k, columns += 8) {
    const uint8_t* const tile = weights.at + k * weights.k_stride;
    __m512i words[kTogether];
    for (unsigned i = 0; i < 8; ++i) words[i] = _mm512_loadu_si512(tile + i * weights.row_stride);
    transpose_words(words);
    for (unsigned n = 0; n < kTogether; ++n)
      _mm512_storeu_si512(columns + n * 8 * uint64_t{weights.k_tiles}, transposed(words[n]));
  }
}

// Byte n of each of eight words becomes word n.
AVX2 inline void transpose(__m256i& lower, __m256i& upper) {
  // The bytes of two neighbours come side by side, then those of two pairs, then those of all.
  const __m256i neighbours =
      _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15));
  lower = _mm256_shuffle_epi8(lower, neighbours);
  upper = _mm256_shuffle_epi8(upper, neighbours);
  const __m256i even = _mm256_permute2x128_si256(lower, upper, 0x20);
  const __m256i odd = _mm256_permute2x128_si256(lower, upper, 0x31);
  const __m256i halves = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  lower = _mm256_permutevar8x32_epi32(_mm256_unpacklo_epi16(even, odd), halves);
  upper = _mm256_permutevar8x32_epi32(_mm256_unpackhi_epi16(even, odd), halves);
}

AVX2 inline __m256i unpacked_half(const uint8_t* nibbles) {
  const __m256i wide = _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(nibbles)));
  return _mm256_and_si256(_mm256_or_si256(wide, _mm256_slli_epi16(wide, 4)), _mm256_set1_epi8(15));
}

AVX2 inline __m256i four_words_of(const uint8_t* at, int64_t stride) {
  const auto word = [&](int64_t n) { return static_cast<int64_t>(word_at(at + n * stride)); };
  return _mm256_setr_epi64x(word(0), word(1), word(2), word(3));
}

AVX2 void gather_256(const Weights& weights, uint64_t* columns) {
  const auto group = [&](uint32_t first, uint32_t count, const uint8_t* scales) AVX2 {
    __m256i zeros[2] = {};
    if (scales != nullptr) {
      for (auto& half : zeros) half = _mm256_set1_epi64x(static_cast<int64_t>(zeros_of(scales)));
      if (weights.by_column) transpose(zeros[0], zeros[1]);
    }
    for (uint32_t k = first; k < first + count; ++k) {
      const uint8_t* const tile = weights.at + k * weights.k_stride;
      __m256i words[2];
      for (unsigned half = 0; half < 2; ++half) {
        words[half] = scales != nullptr
                          ? _mm256_sub_epi8(unpacked_half(tile + 16 * half), zeros[half])
                          : four_words_of(tile + 4 * half * weights.row_stride, weights.row_stride);
      }
      if (!weights.by_column) transpose(words[0], words[1]);
      for (const __m256i half : words) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(columns), half);
        columns += 4;
      }
    }
  };
  for_each_group(weights.groups, weights.k_tiles, group);
}

AVX2 void gather_together_256(const Weights& weights, uint64_t* columns) {
  Weights one = weights;
  for (unsigned tile = 0; tile < kTogether; ++tile, one.at += 8, columns += 8 * uint64_t{weights.k_tiles})
    gather_256(one, columns);
}

// Two columns in a register, 8 k each.
template <unsigned kRows>
AVX2 inline void add_rows_256(const Operands& operands, uint32_t row, Row* sums) {
  const uint64_t* const x = operands.activations + uint64_t{row} * operands.row_stride;
  const auto group = [&](uint32_t first, uint32_t count, const uint8_t* scales) AVX2 {
    __m256i acc[kRows][4];
    for (auto& of_row : acc) {
      for (auto& a : of_row) a = _mm256_setzero_si256();
    }
    for (uint32_t k = first; k < first + count; ++k) {
      const auto* const w = reinterpret_cast<const __m128i*>(operands.weights + 8 * uint64_t{k});
      __m256i columns[4];
      for (unsigned c = 0; c < 4; ++c) columns[c] = _mm256_cvtepi8_epi16(_mm_loadu_si128(w + c));
      for (unsigned r = 0; r < kRows; ++r) {
        const auto eight = static_cast<int64_t>(x[uint64_t{r} * operands.row_stride + k]);
        const __m256i wide = _mm256_cvtepi8_epi16(_mm_set1_epi64x(eight));
        for (unsigned c = 0; c < 4; ++c) {
          acc[r][c] = _mm256_add_epi32(acc[r][c], _mm256_madd_epi16(wide, columns[c]));
        }
      }
    }
    for (unsigned r = 0; r < kRows; ++r) {
      const __m256i even_odd =
          _mm256_hadd_epi32(_mm256_hadd_epi32(acc[r][0], acc[r][1]), _mm256_hadd_epi32(acc[r][2], acc[r][3]));
      __m256i all = _mm256_permutevar8x32_epi32(even_odd, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
      if (scales != nullptr) {
        const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(scales));
        all = _mm256_mullo_epi32(all, _mm256_cvtepu8_epi32(bytes));
      }
      auto* const at = reinterpret_cast<__m256i*>(sums[row + r].data());
      _mm256_storeu_si256(at, _mm256_add_epi32(_mm256_loadu_si256(at), all));
    }
  };
  for_each_group(operands.groups, operands.k_tiles, group);
}

AVX2 void add_256(const Operands& operands, Row* sums) {
  uint32_t row = 0;
  for (; row + 2 <= operands.rows; row += 2) add_rows_256<2>(operands, row, sums);
  for (; row < operands.rows; ++row) add_rows_256<1>(operands, row, sums);
}

#endif

}  // namespace

Kernel kernel() {
#if defined(__x86_64__)
  if (simd::level() == simd::Level::kAvx512) return {kBias, add_512, gather_512, gather_together_512};
  return {0, add_256, gather_256, gather_together_256};
#else
  return {0, nullptr, nullptr, nullptr};
#endif
}

}  // namespace swai::iss::cpe::products
