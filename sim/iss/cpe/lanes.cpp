// SPDX-License-Identifier: Apache-2.0
#include "sim/iss/cpe/lanes.hpp"

#include <algorithm>
#include <cstring>

#include "sim/iss/cpe/simd.hpp"
#include "sim/iss/cpe/units.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace swai::iss::cpe::lanes {

bool available() { return simd::level() != simd::Level::kPlain; }

#if defined(__x86_64__)

namespace {

#define AVX2 __attribute__((target("avx2,fma,f16c")))

AVX2 inline __m256 of_bits(uint32_t bits) {
  return _mm256_castsi256_ps(_mm256_set1_epi32(static_cast<int32_t>(bits)));
}
AVX2 inline __m256i bits(__m256 a) { return _mm256_castps_si256(a); }
AVX2 inline __m256 is_nan(__m256 a) { return _mm256_cmp_ps(a, a, _CMP_UNORD_Q); }
// Every NaN is the same.
AVX2 inline __m256 one_nan(__m256 a) { return _mm256_blendv_ps(a, of_bits(fp32::kNan), is_nan(a)); }
// The same, through integers: of numbers just converted from fp16, the compiler would compare each by itself.
AVX2 inline __m256 one_nan_of_bits(__m256i a) {
  const __m256i magnitude = _mm256_and_si256(a, _mm256_set1_epi32(0x7fff'ffff));
  const __m256i nan = _mm256_cmpgt_epi32(magnitude, _mm256_set1_epi32(0x7f80'0000));
  return _mm256_blendv_ps(_mm256_castsi256_ps(a), of_bits(fp32::kNan), _mm256_castsi256_ps(nan));
}

// Numbers of different bits in their order, as integers.
AVX2 inline __m256i order(__m256 a) {
  const __m256i sign = _mm256_srai_epi32(bits(a), 31);
  return _mm256_xor_si256(bits(a), _mm256_srli_epi32(sign, 1));
}

// Of two operands the one that comes first, or last; a NaN beside a number is ignored.
AVX2 inline __m256 pick(__m256 a, __m256 b, bool least) {
  const __m256i b_first =
      least ? _mm256_cmpgt_epi32(order(a), order(b)) : _mm256_cmpgt_epi32(order(b), order(a));
  __m256 chosen = _mm256_blendv_ps(a, b, _mm256_castsi256_ps(b_first));
  chosen = _mm256_blendv_ps(chosen, b, is_nan(a));
  chosen = _mm256_blendv_ps(chosen, a, is_nan(b));
  return one_nan(chosen);
}

AVX2 inline __m256 compute(vector_function::Kind op, __m256 a, __m256 b, __m256 c) {
  const __m256 one = of_bits(fp32::kOne);
  switch (op) {
    case vector_function::kFma:
      return one_nan(_mm256_fmadd_ps(a, b, c));
    case vector_function::kMul:
      return one_nan(_mm256_mul_ps(a, b));
    case vector_function::kAdd:
      return one_nan(_mm256_add_ps(a, c));
    case vector_function::kMin:
      return pick(a, b, true);
    case vector_function::kMax:
      return pick(a, b, false);
    case vector_function::kLess:
      return _mm256_and_ps(_mm256_cmp_ps(a, b, _CMP_LT_OQ), one);
    case vector_function::kEqual:
      return _mm256_and_ps(_mm256_cmp_ps(a, b, _CMP_EQ_OQ), one);
    case vector_function::kSelect:
      break;
  }
  return one_nan(_mm256_blendv_ps(b, c, _mm256_cmp_ps(a, _mm256_setzero_ps(), _CMP_EQ_OQ)));
}

// To nearest even; what does not fit becomes the nearest that does, a NaN the largest.
AVX2 inline __m256i to_int32(__m256 a) {
  const __m256 high = _mm256_cmp_ps(a, _mm256_set1_ps(0x1p31F), _CMP_NLT_UQ);  // or a NaN
  return _mm256_blendv_epi8(_mm256_cvtps_epi32(a), _mm256_set1_epi32(0x7fff'ffff), bits(high));
}

// 8 numbers side by side as fp32.
template <number::Kind kNumber>
AVX2 inline __m256 load(const uint8_t* at) {
  const auto* const eight = reinterpret_cast<const __m256i*>(at);
  if constexpr (kNumber == number::kFp32) return _mm256_castsi256_ps(_mm256_loadu_si256(eight));
  if constexpr (kNumber == number::kInt32) return _mm256_cvtepi32_ps(_mm256_loadu_si256(eight));
  if constexpr (kNumber == number::kFp16) {
    return one_nan_of_bits(bits(_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)))));
  }
  if constexpr (kNumber == number::kInt8) {
    return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(at))));
  }
}

template <number::Kind kNumber>
AVX2 inline void store(uint8_t* at, __m256 x) {
  if constexpr (kNumber == number::kFp32) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(at), bits(x));
  } else if constexpr (kNumber == number::kInt32) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(at), to_int32(x));
  } else if constexpr (kNumber == number::kFp16) {
    const __m128i halves = _mm256_cvtps_ph(one_nan(x), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(at), halves);
  } else {
    // Saturated twice; the upper half of the lanes comes to the lower one's side.
    const __m256i words = to_int32(x);
    const __m128i halves = _mm_packs_epi32(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(at), _mm_packs_epi16(halves, halves));
  }
}

constexpr size_t bytes_of_group(number::Kind kind) { return kLanes * static_cast<size_t>(bytes_of(kind)); }
constexpr size_t kGroupBytes = bytes_of_group(number::kFp32);

// Groups whose results are reduced together: as many as these.
constexpr uint32_t kBlock = 32;
using Group = std::array<uint8_t, kGroupBytes>;
using Block = std::array<uint8_t, kBlock * kGroupBytes>;

constexpr bool is_word(number::Kind kind) { return bytes_of(kind) == sizeof(uint32_t); }

AVX2 inline __m256 changed(const Operand& operand, __m256 x) {
  if (operand.magnitude) x = _mm256_andnot_ps(of_bits(fp32::kSign), x);
  if (operand.negate) x = _mm256_xor_ps(x, of_bits(fp32::kSign));
  return x;
}

AVX2 inline __m256 load(number::Kind number, const uint8_t* at) {
  switch (number) {
    case number::kFp32:
      return load<number::kFp32>(at);
    case number::kInt32:
      return load<number::kInt32>(at);
    case number::kFp16:
      return load<number::kFp16>(at);
    case number::kInt8:
      break;
  }
  return load<number::kInt8>(at);
}

AVX2 inline void store(number::Kind number, uint8_t* at, __m256 x) {
  switch (number) {
    case number::kFp32:
      return store<number::kFp32>(at, x);
    case number::kInt32:
      return store<number::kInt32>(at, x);
    case number::kFp16:
      return store<number::kFp16>(at, x);
    case number::kInt8:
      return store<number::kInt8>(at, x);
  }
}

// One number, as often as a group has room for.
AVX2 inline __m256 load_same(number::Kind number, const uint8_t* at) {
  const auto read = [&](auto word) {
    std::memcpy(&word, at, sizeof word);
    return word;
  };
  if (number == number::kFp32) return of_bits(read(uint32_t{}));
  alignas(kGroupBytes) Group same;
  auto* const all = reinterpret_cast<__m256i*>(same.data());
  switch (bytes_of(number)) {
    case 1:
      _mm256_store_si256(all, _mm256_set1_epi8(read(char{})));
      break;
    case 2:
      _mm256_store_si256(all, _mm256_set1_epi16(read(short{})));
      break;
    default:
      _mm256_store_si256(all, _mm256_set1_epi32(read(int{})));
      break;
  }
  return load(number, same.data());
}

// The first `count` of a group's lanes.
AVX2 inline __m256i mask_of(uint32_t count) {
  const __m256i numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int32_t>(count)), numbers);
}

// Of fewer elements than a group has: what is behind them is not touched, and 0.
AVX2 inline __m256 load_some(number::Kind number, const uint8_t* at, uint32_t count) {
  alignas(kGroupBytes) Group room{};
  if (is_word(number)) {
    const __m256i words = _mm256_maskload_epi32(reinterpret_cast<const int*>(at), mask_of(count));
    _mm256_store_si256(reinterpret_cast<__m256i*>(room.data()), words);
  } else {
    std::memcpy(room.data(), at, count * static_cast<size_t>(bytes_of(number)));
  }
  return load(number, room.data());
}

AVX2 inline void store_some(number::Kind number, uint8_t* at, uint32_t count, __m256 x) {
  alignas(kGroupBytes) Group room;
  store(number, room.data(), x);
  if (is_word(number)) {
    const __m256i words = _mm256_load_si256(reinterpret_cast<const __m256i*>(room.data()));
    _mm256_maskstore_epi32(reinterpret_cast<int*>(at), mask_of(count), words);
  } else {
    std::memcpy(at, room.data(), count * static_cast<size_t>(bytes_of(number)));
  }
}

AVX2 inline __m256 apply(uint32_t (*special)(uint32_t), __m256 x) {
  alignas(kGroupBytes) std::array<uint32_t, kLanes> elements;
  _mm256_store_si256(reinterpret_cast<__m256i*>(elements.data()), bits(x));
  for (uint32_t& element : elements) element = special(element);
  return _mm256_castsi256_ps(_mm256_load_si256(reinterpret_cast<const __m256i*>(elements.data())));
}

// The sum of 8, as hardware adds: neighbours first.
AVX2 inline __m128 sum(__m256 x) {
  const __m256 pairs = _mm256_hadd_ps(x, x);
  const __m256 fours = _mm256_hadd_ps(pairs, pairs);
  return _mm_add_ss(_mm256_castps256_ps128(fours), _mm256_extractf128_ps(fours, 1));
}

AVX2 inline uint32_t one_nan_of(__m128 x) {
  const auto word = static_cast<uint32_t>(_mm_cvtsi128_si32(_mm_castps_si128(x)));
  return fp32::is_nan(word) ? fp32::kNan : word;
}

// Of four groups, each added to a number of its own.
AVX2 void add_four_sums(const uint8_t* numbers, std::array<uint32_t, 4>& partial) {
  __m256 pairs[2];
  for (unsigned n = 0; n < 2; ++n) {
    pairs[n] = _mm256_hadd_ps(load<number::kFp32>(numbers + 2 * n * kGroupBytes),
                              load<number::kFp32>(numbers + (2 * n + 1) * kGroupBytes));
  }
  const __m256 fours = _mm256_hadd_ps(pairs[0], pairs[1]);
  const __m128 sums = _mm_add_ps(_mm256_castps256_ps128(fours), _mm256_extractf128_ps(fours, 1));
  auto* const four = reinterpret_cast<__m128i*>(partial.data());
  const __m128 x = _mm_add_ps(_mm_castsi128_ps(_mm_loadu_si128(four)), sums);
  const __m128 nan = _mm_castsi128_ps(_mm_set1_epi32(static_cast<int32_t>(fp32::kNan)));
  _mm_storeu_si128(four, _mm_castps_si128(_mm_blendv_ps(x, nan, _mm_cmpunord_ps(x, x))));
}

AVX2 void add_sums(const uint8_t* numbers, uint32_t groups, Reduction& reduction) {
  static_assert(std::tuple_size_v<decltype(reduction.partial)> == 4);
  uint32_t first = 0;
  if (reduction.groups % 4 == 0) {
    for (; first + 4 <= groups; first += 4) add_four_sums(numbers + first * kGroupBytes, reduction.partial);
    reduction.groups += first;
  }
  for (uint32_t i = first; i < groups; ++i) {
    uint32_t& one = reduction.partial[reduction.groups++ % reduction.partial.size()];
    const __m128 before = _mm_castsi128_ps(_mm_cvtsi32_si128(static_cast<int32_t>(one)));
    one = one_nan_of(_mm_add_ss(before, sum(load<number::kFp32>(numbers + i * kGroupBytes))));
  }
}

AVX2 uint32_t picked_of(const uint8_t* numbers, uint32_t groups, bool least, uint32_t before) {
  __m256 picked = of_bits(before);
  for (uint32_t i = 0; i < groups; ++i) {
    picked = pick(picked, load<number::kFp32>(numbers + i * kGroupBytes), least);
  }
  alignas(kGroupBytes) std::array<uint32_t, kLanes> elements;
  _mm256_store_si256(reinterpret_cast<__m256i*>(elements.data()), bits(picked));
  for (const uint32_t element : elements) {
    before = least ? fp32::min(before, element) : fp32::max(before, element);
  }
  return before;
}

void reduce_all(reduce::Kind kind, const uint8_t* numbers, uint32_t groups, Reduction& reduction) {
  if (kind == reduce::kSum) add_sums(numbers, groups, reduction);
  if (kind == reduce::kMin) reduction.least = picked_of(numbers, groups, true, reduction.least);
  if (kind == reduce::kMax) reduction.largest = picked_of(numbers, groups, false, reduction.largest);
}

// Where a group's elements lie.
struct Places {
  std::array<const uint8_t*, 3> operands;
  uint8_t* result;  // null: none
};

// How far from a group to the next one.
struct Steps {
  std::array<size_t, 3> operands;
  size_t result;
};

AVX2 inline Steps steps_of(const Run& run) {
  Steps steps = {.operands = {}, .result = bytes_of_group(run.number)};
  for (unsigned n = 0; n < 3; ++n) {
    const Operand& operand = run.operands[n];
    if (uses(run.op, n) && operand.vector) steps.operands[n] = bytes_of_group(operand.number);
  }
  return steps;
}

// `load_vector`: of an operand that has an element for each lane.
template <vector_function::Kind kOp, typename Load>
[[gnu::always_inline]] AVX2 inline __m256 compute_group(const Run& run, const Places& at, Load load_vector) {
  __m256 x[3] = {};
  for (unsigned n = 0; n < 3; ++n) {
    if (!uses(kOp, n)) continue;
    const Operand& operand = run.operands[n];
    x[n] = operand.vector ? load_vector(operand.number, at.operands[n])
                          : load_same(operand.number, at.operands[n]);
    if (operand.magnitude || operand.negate) [[unlikely]]
      x[n] = changed(operand, x[n]);
  }
  const __m256 result = compute(kOp, x[0], x[1], x[2]);
  return run.special == nullptr ? result : apply(run.special, result);
}

// The last elements, fewer than a group.
template <vector_function::Kind kOp>
[[gnu::noinline]] AVX2 void run_rest(const Run& run, const Places& at, Reduction& reduction) {
  const uint32_t count = run.elements % kLanes;
  const __m256 x = compute_group<kOp>(run, at, [count](number::Kind number, const uint8_t* some) AVX2 {
    return load_some(number, some, count);
  });
  if (at.result != nullptr) store_some(run.number, at.result, count, x);
  if (run.reduce == reduce::kNone) return;
  // A sum does not change by it, and beside a number it is ignored.
  const uint32_t nothing = run.reduce == reduce::kSum ? Reduction::kMinusZero : fp32::kNan;
  alignas(kGroupBytes) Group group;
  const __m256 lanes = _mm256_castsi256_ps(mask_of(count));
  store<number::kFp32>(group.data(), _mm256_blendv_ps(of_bits(nothing), x, lanes));
  reduce_all(run.reduce, group.data(), 1, reduction);
}

template <vector_function::Kind kOp>
AVX2 inline void run_row(const Run& run, const Steps& steps, Places at, Reduction& reduction) {
  alignas(kGroupBytes) Block room;
  const bool reduces = run.reduce != reduce::kNone;
  for (uint32_t left = run.elements / kLanes; left != 0;) {
    const uint32_t count = std::min(kBlock, left);
    for (uint32_t i = 0; i < count; ++i) {
      const __m256 x = compute_group<kOp>(
          run, at, [](number::Kind number, const uint8_t* whole) AVX2 { return load(number, whole); });
      if (reduces) store<number::kFp32>(room.data() + i * kGroupBytes, x);
      for (unsigned n = 0; n < 3; ++n) at.operands[n] += steps.operands[n];
      if (at.result == nullptr) continue;
      store(run.number, at.result, x);
      at.result += steps.result;
    }
    if (reduces) reduce_all(run.reduce, room.data(), count, reduction);
    left -= count;
  }
  if (run.elements % kLanes != 0) run_rest<kOp>(run, at, reduction);
}

template <vector_function::Kind kOp>
AVX2 void run_rows(const Run& run) {
  const Steps steps = steps_of(run);
  Places at = {.operands = {}, .result = run.result};
  for (unsigned n = 0; n < 3; ++n) at.operands[n] = run.operands[n].at;
  uint8_t* reduced = run.reductions;
  for (uint32_t row = 0; row < run.rows; ++row) {
    Reduction reduction;
    run_row<kOp>(run, steps, at, reduction);
    if (run.reduce != reduce::kNone) {
      const uint32_t word = reduction.result(run.reduce);
      std::memcpy(reduced, &word, sizeof word);
      reduced += run.reductions_stride;
    }
    for (unsigned n = 0; n < 3; ++n) at.operands[n] += run.operands[n].stride;
    if (at.result != nullptr) at.result += run.result_stride;
  }
}

}  // namespace

void run(const Run& run) {
  namespace f = vector_function;
  static constexpr void (*kAll[])(const Run&) = {run_rows<f::kFma>,   run_rows<f::kMul>,   run_rows<f::kAdd>,
                                                 run_rows<f::kMin>,   run_rows<f::kMax>,   run_rows<f::kLess>,
                                                 run_rows<f::kEqual>, run_rows<f::kSelect>};
  kAll[run.op](run);
}

AVX2 void scale(const Scaling& scaling, uint8_t* result) {
  namespace f = vector_function;
  __m256 factors = load<number::kFp32>(scaling.factors);
  if (scaling.row_factor != nullptr) {
    factors = compute(f::kMul, factors, load_same(number::kFp32, scaling.row_factor), _mm256_setzero_ps());
  }
  const __m256 biases =
      scaling.biases != nullptr ? load<number::kFp32>(scaling.biases) : of_bits(Reduction::kMinusZero);
  __m256 x = compute(f::kFma, load<number::kInt32>(scaling.sums), factors, biases);
  if (scaling.clamp) x = pick(pick(x, of_bits(scaling.least), false), of_bits(scaling.largest), true);
  store(scaling.number, result, x);
}

#else

void run(const Run&) {}
void scale(const Scaling&, uint8_t*) {}

#endif

}  // namespace swai::iss::cpe::lanes
