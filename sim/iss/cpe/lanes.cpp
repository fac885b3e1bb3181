#include "sim/iss/cpe/lanes.hpp"

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

AVX2 inline __m256 load(const Operand& operand, uint32_t group) {
  __m256 x;
  if (operand.at == nullptr) {
    x = of_bits(operand.value);
  } else if (operand.vector) {
    const uint8_t* const at =
        operand.at + uint64_t{group} * 8 * static_cast<uint64_t>(bytes_of(operand.number));
    switch (operand.number) {
      case number::kFp32:
        x = _mm256_castsi256_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
        break;
      case number::kInt32:
        x = _mm256_cvtepi32_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
        break;
      case number::kFp16:
        x = one_nan(_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at))));
        break;
      default:
        x = _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(at))));
        break;
    }
  } else {
    // One element for all.
    int32_t word = 0;
    __builtin_memcpy(&word, operand.at, static_cast<size_t>(bytes_of(operand.number)));
    switch (operand.number) {
      case number::kFp32:
        x = _mm256_castsi256_ps(_mm256_set1_epi32(word));
        break;
      case number::kInt32:
        x = _mm256_cvtepi32_ps(_mm256_set1_epi32(word));
        break;
      case number::kFp16:
        x = one_nan(_mm256_cvtph_ps(_mm_set1_epi16(static_cast<int16_t>(word))));
        break;
      default:
        x = _mm256_cvtepi32_ps(_mm256_set1_epi32(static_cast<int8_t>(word)));
        break;
    }
  }
  if (operand.magnitude) x = _mm256_andnot_ps(of_bits(fp32::kSign), x);
  if (operand.negate) x = _mm256_xor_ps(of_bits(fp32::kSign), x);
  return x;
}

AVX2 inline void store(const Row& row, uint32_t group, __m256 x) {
  uint8_t* const at = row.result + uint64_t{group} * 8 * static_cast<uint64_t>(bytes_of(row.number));
  switch (row.number) {
    case number::kFp32:
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(at), _mm256_castps_si256(x));
      break;
    case number::kInt32:
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(at), to_int32(x));
      break;
    case number::kFp16: {
      const __m128i halves = _mm256_cvtps_ph(one_nan(x), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(at), halves);
      break;
    }
    default: {
      // Saturated twice; the upper half of the lanes comes to the lower one's side.
      const __m256i words = to_int32(x);
      const __m128i halves =
          _mm_packs_epi32(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
      _mm_storel_epi64(reinterpret_cast<__m128i*>(at), _mm_packs_epi16(halves, halves));
      break;
    }
  }
}

AVX2 inline __m256 apply(uint32_t (*special)(uint32_t), __m256 x) {
  alignas(32) uint32_t elements[8];
  _mm256_store_si256(reinterpret_cast<__m256i*>(elements), _mm256_castps_si256(x));
  for (uint32_t& element : elements) element = special(element);
  return _mm256_castsi256_ps(_mm256_load_si256(reinterpret_cast<const __m256i*>(elements)));
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

AVX2 inline uint32_t pick_of(uint32_t before, __m256 x, bool least) {
  alignas(32) uint32_t elements[8];
  _mm256_store_si256(reinterpret_cast<__m256i*>(elements), _mm256_castps_si256(x));
  for (const uint32_t element : elements)
    before = least ? fp32::min(before, element) : fp32::max(before, element);
  return before;
}

AVX2 void run_256(const Row& row, Reduction& reduction) {
  __m128 partial[4];
  for (unsigned i = 0; i < 4; ++i) {
    partial[i] = _mm_castsi128_ps(_mm_cvtsi32_si128(static_cast<int32_t>(reduction.partial[i])));
  }
  __m256 picked = of_bits(fp32::kNan);
  const bool least = row.reduce == reduce::kMin;
  for (uint32_t group = 0; group < row.groups; ++group) {
    const __m256 a = load(row.operands[0], group);
    const __m256 b = load(row.operands[1], group);
    const __m256 c = load(row.operands[2], group);
    __m256 x = compute(row.op, a, b, c);
    if (row.special != nullptr) x = apply(row.special, x);
    if (row.result != nullptr) store(row, group, x);
    if (row.reduce == reduce::kSum) {
      __m128& one = partial[(reduction.groups + group) % 4];
      one = _mm_add_ss(one, sum(x));
    } else if (row.reduce != reduce::kNone) {
      picked = pick(picked, x, least);
    }
  }
  reduction.groups += row.groups;
  for (unsigned i = 0; i < 4; ++i) reduction.partial[i] = one_nan_of(partial[i]);
  if (row.reduce == reduce::kMin) reduction.least = pick_of(reduction.least, picked, true);
  if (row.reduce == reduce::kMax) reduction.largest = pick_of(reduction.largest, picked, false);
}

}  // namespace

void run(const Row& row, Reduction& reduction) { run_256(row, reduction); }

#else

void run(const Row&, Reduction&) {}

#endif

}  // namespace swai::iss::cpe::lanes
