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

// Groups go from step to step together: as many as these.
constexpr uint32_t kBlock = 32;
using Block = std::array<uint8_t, kBlock * kGroupBytes>;

// Of an operand: what its numbers are read as, with the changes of their signs.
struct Signs {
  __m256 clear;
  __m256 flip;
};

AVX2 inline Signs signs_of(const Operand& operand) {
  return {of_bits(operand.magnitude ? fp32::kSign : 0), of_bits(operand.negate ? fp32::kSign : 0)};
}

template <number::Kind kNumber>
AVX2 void convert(const uint8_t* at, const Signs& signs, uint32_t groups, uint8_t* into) {
  for (uint32_t i = 0; i < groups; ++i) {
    const __m256 x = load<kNumber>(at + i * bytes_of_group(kNumber));
    store<number::kFp32>(into + i * kGroupBytes, _mm256_xor_ps(_mm256_andnot_ps(signs.clear, x), signs.flip));
  }
}

AVX2 void convert(const Operand& operand, const uint8_t* at, uint32_t groups, uint8_t* into) {
  const Signs signs = signs_of(operand);
  switch (operand.number) {
    case number::kFp32:
      return convert<number::kFp32>(at, signs, groups, into);
    case number::kInt32:
      return convert<number::kInt32>(at, signs, groups, into);
    case number::kFp16:
      return convert<number::kFp16>(at, signs, groups, into);
    case number::kInt8:
      return convert<number::kInt8>(at, signs, groups, into);
  }
}

// fp32 numbers of an operand: those of the next group lie `step` bytes further.
struct Numbers {
  const uint8_t* at;
  size_t step;
};

// One number, as often as a group has room for.
AVX2 void repeat(const Operand& operand, std::array<uint8_t, kGroupBytes>& room) {
  const auto read = [&](auto number) {
    std::memcpy(&number, operand.at, sizeof number);
    return number;
  };
  auto* const all = reinterpret_cast<__m256i*>(room.data());
  switch (bytes_of(operand.number)) {
    case 1:
      return _mm256_storeu_si256(all, _mm256_set1_epi8(read(char{})));
    case 2:
      return _mm256_storeu_si256(all, _mm256_set1_epi16(read(short{})));
    default:
      return _mm256_storeu_si256(all, _mm256_set1_epi32(read(int{})));
  }
}

AVX2 Numbers converted(const Operand& operand, const uint8_t* at, uint32_t groups, Block& room) {
  if (!operand.vector) {
    std::array<uint8_t, kGroupBytes> same;
    repeat(operand, same);
    convert(operand, same.data(), 1, room.data());
    return {room.data(), 0};
  }
  convert(operand, at, groups, room.data());
  return {room.data(), kGroupBytes};
}

// `room`: where they may be put.
AVX2 inline Numbers numbers_of(const Operand& operand, uint32_t first, uint32_t groups, Block& room) {
  static constexpr std::array<uint8_t, kGroupBytes> kZeros{};
  if (operand.at == nullptr) return {kZeros.data(), 0};
  const uint8_t* const at = operand.at + first * bytes_of_group(operand.number);
  if (operand.number != number::kFp32 || operand.magnitude || operand.negate) {
    return converted(operand, at, groups, room);
  }
  if (operand.vector) return {at, kGroupBytes};
  uint32_t word = 0;
  std::memcpy(&word, operand.at, sizeof word);
  store<number::kFp32>(room.data(), of_bits(word));
  return {room.data(), 0};
}

template <vector_function::Kind kOp>
AVX2 void compute(const std::array<Numbers, 3>& operands, uint32_t groups, uint8_t* into) {
  for (uint32_t i = 0; i < groups; ++i) {
    __m256 x[3];
    for (unsigned n = 0; n < 3; ++n) x[n] = load<number::kFp32>(operands[n].at + i * operands[n].step);
    store<number::kFp32>(into + i * kGroupBytes, compute(kOp, x[0], x[1], x[2]));
  }
}

using Compute = void (*)(const std::array<Numbers, 3>& operands, uint32_t groups, uint8_t* into);

Compute compute_of(vector_function::Kind op) {
  namespace f = vector_function;
  static constexpr Compute kAll[] = {compute<f::kFma>,   compute<f::kMul>,   compute<f::kAdd>,
                                     compute<f::kMin>,   compute<f::kMax>,   compute<f::kLess>,
                                     compute<f::kEqual>, compute<f::kSelect>};
  return kAll[op];
}

void apply(uint32_t (*special)(uint32_t), uint32_t groups, uint8_t* numbers) {
  for (uint32_t i = 0; i < groups * kLanes; ++i) {
    uint32_t element = 0;
    std::memcpy(&element, numbers + i * sizeof element, sizeof element);
    element = special(element);
    std::memcpy(numbers + i * sizeof element, &element, sizeof element);
  }
}

template <number::Kind kNumber>
AVX2 void store_all(const uint8_t* from, uint32_t groups, uint8_t* into) {
  for (uint32_t i = 0; i < groups; ++i) {
    store<kNumber>(into + i * bytes_of_group(kNumber), load<number::kFp32>(from + i * kGroupBytes));
  }
}

AVX2 void store_all(number::Kind number, const uint8_t* from, uint32_t groups, uint8_t* into) {
  switch (number) {
    case number::kFp32:
      return store_all<number::kFp32>(from, groups, into);
    case number::kInt32:
      return store_all<number::kInt32>(from, groups, into);
    case number::kFp16:
      return store_all<number::kFp16>(from, groups, into);
    case number::kInt8:
      return store_all<number::kInt8>(from, groups, into);
  }
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

// Whole groups. Those behind the `elements` are computed, too, and count for no reduction.
AVX2 void run_block(const Row& row, uint32_t first, uint32_t groups, uint32_t elements,
                    Reduction& reduction) {
  alignas(kGroupBytes) Block rooms[3];
  alignas(kGroupBytes) Block room;
  std::array<Numbers, 3> numbers;
  for (unsigned i = 0; i < 3; ++i) numbers[i] = numbers_of(row.operands[i], first, groups, rooms[i]);
  uint8_t* const result = row.result == nullptr ? nullptr : row.result + first * bytes_of_group(row.number);
  const bool in_place = result != nullptr && row.number == number::kFp32 && elements == groups * kLanes;
  uint8_t* const x = in_place ? result : room.data();
  compute_of(row.op)(numbers, groups, x);
  if (row.special != nullptr) apply(row.special, groups, x);
  if (result != nullptr && !in_place) store_all(row.number, x, groups, result);
  // A sum does not change by it, and beside a number it is ignored.
  const uint32_t nothing = row.reduce == reduce::kSum ? Reduction::kMinusZero : fp32::kNan;
  for (uint32_t i = elements; i < groups * kLanes; ++i)
    std::memcpy(x + i * sizeof nothing, &nothing, sizeof nothing);
  reduce_all(row.reduce, x, groups, reduction);
}

// Does a result lie where an operand of a later group is?
bool overlap(const Row& row) {
  if (row.result == nullptr) return false;
  const auto begin = reinterpret_cast<uintptr_t>(row.result);
  const uintptr_t end = begin + row.elements * static_cast<uintptr_t>(bytes_of(row.number));
  for (const Operand& operand : row.operands) {
    if (operand.at == nullptr) continue;
    if (operand.vector && operand.at == row.result && bytes_of(operand.number) == bytes_of(row.number))
      continue;
    const auto from = reinterpret_cast<uintptr_t>(operand.at);
    const uintptr_t count = operand.vector ? row.elements : 1;
    if (from < end && begin < from + count * static_cast<uintptr_t>(bytes_of(operand.number))) return true;
  }
  return false;
}

// The last elements, fewer than a group.
void run_rest(const Row& row, uint32_t first, uint32_t elements, Reduction& reduction) {
  std::array<uint8_t, kGroupBytes> rooms[4] = {};
  Row rest = row;
  for (unsigned i = 0; i < 3; ++i) {
    Operand& operand = rest.operands[i];
    if (operand.at == nullptr || !operand.vector) continue;
    std::memcpy(rooms[i].data(), operand.at + first * bytes_of_group(operand.number),
                elements * static_cast<size_t>(bytes_of(operand.number)));
    operand.at = rooms[i].data();
  }
  if (row.result != nullptr) rest.result = rooms[3].data();
  run_block(rest, 0, 1, elements, reduction);
  if (row.result != nullptr) {
    std::memcpy(row.result + first * bytes_of_group(row.number), rooms[3].data(),
                elements * static_cast<size_t>(bytes_of(row.number)));
  }
}

}  // namespace

void run(const Row& row, Reduction& reduction) {
  const uint32_t block = overlap(row) ? 1 : kBlock;
  const uint32_t groups = row.elements / kLanes;
  for (uint32_t first = 0; first < groups; first += block) {
    const uint32_t count = std::min(block, groups - first);
    run_block(row, first, count, count * kLanes, reduction);
  }
  if (row.elements % kLanes != 0) run_rest(row, groups, row.elements % kLanes, reduction);
}

#else

void run(const Row&, Reduction&) {}

#endif

}  // namespace swai::iss::cpe::lanes
