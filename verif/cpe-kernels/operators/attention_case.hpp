// SPDX-License-Identifier: Apache-2.0
// What tests of attention draw: sizes, keys and values wherever they may lie; and how large an error matters.
#pragma once

#include <cmath>
#include <numeric>

#include "cpe-kernels/operators/attention/plan.hpp"
#include "cpe-kernels/operators/attention/reference.hpp"
#include "verif/cpe-kernels/operators/arithmetic.hpp"
#include "verif/cpe-kernels/operators/shapes.hpp"

namespace swai::operators::test {

using Row = std::vector<Real>;

struct Sizes {
  uint32_t rows, heads, kv_heads, width, keys;
  bool causal;
};

inline Sizes some_sizes(verif::Random& random, uint32_t work) {
  Sizes sizes{};
  sizes.width = random.chance(30) ? 64 : 8 * some_size(random, kMaxHeadWidth / 8);
  sizes.kv_heads = static_cast<uint32_t>(random.between(1, 4));
  sizes.heads = sizes.kv_heads * static_cast<uint32_t>(random.chance(50) ? 1 : random.between(2, 5));
  const uint32_t all = std::max(work / sizes.width / sizes.heads, 1u);
  sizes.keys = some_size(random, std::min(all, 700u));
  sizes.rows = random.chance(50) ? static_cast<uint32_t>(random.between(1, 8)) : some_size(random, 100);
  sizes.rows = std::clamp(all / sizes.keys, 1u, sizes.rows);
  sizes.causal = sizes.keys >= sizes.rows && random.chance(50);
  return sizes;
}

// As models have it; so small that many keys count; any.
inline float some_scale(verif::Random& random, uint32_t width) {
  const float usual = 1 / std::sqrt(static_cast<float>(width));
  if (random.chance(30)) return some_float(random) / 8;
  return random.chance(50) ? usual : usual / 32;
}

// In order, or in chunks, of which some may be nobody's.
class KeysAndValues {
 public:
  Tensor k, v, chunks, k_scales, v_scales;

  // `lists` of chunks: each names all keys of some text, which may share chunks with others.
  KeysAndValues(verif::Random& random, Card& card, const Sizes& sizes, Number type, uint32_t lists = 1)
      : type_(type), width_(sizes.width) {
    const uint32_t blocks = key_blocks(sizes.keys);
    in_chunks_ = lists > 1 || random.chance(50);
    numbers_.resize(in_chunks_ ? blocks + random.below(3) : blocks);
    std::iota(numbers_.begin(), numbers_.end(), 0);
    const auto places = in_chunks_ ? static_cast<uint32_t>(numbers_.size()) * kKeyBlock : sizes.keys;
    chunks = card.tensor(lists, blocks + static_cast<uint32_t>(random.below(3)), 4);
    for (uint32_t list = 0; list < lists; ++list) {
      for (size_t i = 1; in_chunks_ && i < numbers_.size(); ++i)
        std::swap(numbers_[i], numbers_[random.below(i + 1)]);
      for (uint32_t i = 0; i < blocks; ++i) chunks.set(list, i, numbers_[i]);
    }
    // Both have the same strides.
    const auto wide = [&](uint32_t rows, uint32_t columns, uint32_t bytes, Tensor& one, Tensor& other) {
      const auto row_bytes = columns * bytes + static_cast<uint32_t>(random.below(some_gap(random) + 1));
      for (Tensor* tensor : {&one, &other}) *tensor = card.tensor(rows, row_bytes, 1);
    };
    wide(places, sizes.kv_heads * sizes.width, bytes_of(type), k, v);
    wide(sizes.kv_heads, places, 4, k_scales, v_scales);
    for (uint32_t list = 0; list < lists; ++list) {
      for (uint32_t t = 0; t < sizes.keys; ++t) fill_place(random, sizes.kv_heads, place(t, list));
    }
  }

  std::vector<Tensor*> tensors() { return {&k, &v, &chunks, &k_scales, &v_scales}; }

  template <typename Args>
  void set(Args& args) const {
    args.k = k.at();
    args.v = v.at();
    args.kv_stride = k.stride;
    args.k_scales = k_scales.at();
    args.v_scales = v_scales.at();
    args.scales_stride = k_scales.stride;
    if (in_chunks_) args.chunks = chunks.at();
    if constexpr (requires { args.chunks_stride; }) args.chunks_stride = chunks.rows > 1 ? chunks.stride : 0;
  }

  bool in_chunks() const { return in_chunks_; }
  // Where key t of a row's text lies.
  uint32_t place(uint32_t t, uint32_t row = 0) const {
    const auto chunk = chunks.get<uint32_t>(chunks.rows > 1 ? row : 0, t / kKeyBlock);
    return chunk * kKeyBlock + t % kKeyBlock;
  }

  double key(uint32_t kv_head, uint32_t t, uint32_t i, uint32_t row = 0) const {
    return number(k, k_scales, kv_head, place(t, row), i);
  }
  double value(uint32_t kv_head, uint32_t t, uint32_t i, uint32_t row = 0) const {
    return number(v, v_scales, kv_head, place(t, row), i);
  }

 private:
  void fill_place(verif::Random& random, uint32_t kv_heads, uint32_t place) {
    for (Tensor* tensor : {&k, &v}) {
      for (uint32_t i = 0; i < kv_heads * width_ && type_ != Number::kInt8; ++i)
        tensor->write(type_, place, i, Real(some_float(random)).bits);
    }
    for (Tensor* scales : {&k_scales, &v_scales}) {
      for (uint32_t head = 0; head < kv_heads; ++head)
        scales->set(head, place, 0.03f * static_cast<float>(random.between(1, 1000)) / 1000);
    }
  }

  double number(const Tensor& tensor, const Tensor& scales, uint32_t kv_head, uint32_t place,
                uint32_t i) const {
    const double x = Real::of(tensor.read(type_, place, kv_head * width_ + i)).value();
    return type_ == Number::kInt8 ? x * scales.get<float>(kv_head, place) : x;
  }

  Number type_;
  uint32_t width_;
  bool in_chunks_ = false;
  std::vector<uint32_t> numbers_;  // of chunks, some more than a text has
};

inline Row read_row(const Tensor& tensor, Number number, uint32_t row, uint32_t first, uint32_t count) {
  Row values;
  for (uint32_t i = 0; i < count; ++i) values.push_back(Real::of(tensor.read(number, row, first + i)));
  return values;
}

// An error of a score is one of the weight's logarithm; the values' share in it is at most the largest: the
// largest sum of a score's magnitudes, 1 at least, times the largest value.
inline double error_unit(const KeysAndValues& all, uint32_t kv_head, uint32_t keys,
                         std::span<const double> queries, double scale, uint32_t row = 0) {
  double score = 1;
  double most = 0;
  for (uint32_t t = 0; t < keys; ++t) {
    double magnitude = 0;
    for (uint32_t i = 0; i < queries.size(); ++i) {
      magnitude += std::abs(scale * queries[i] * all.key(kv_head, t, i, row));
      most = std::max(most, std::abs(all.value(kv_head, t, i, row)));
    }
    score = std::max(score, magnitude);
  }
  return score * most;
}

}  // namespace swai::operators::test
