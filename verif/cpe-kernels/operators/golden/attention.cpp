// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "cpe-kernels/operators/attention/plan.hpp"
#include "cpe-kernels/operators/attention_int8/plan.hpp"
#include "cpe-kernels/operators/common/constants.hpp"
#include "verif/cpe-kernels/operators/golden/golden.hpp"

namespace swai::operators::golden {
namespace {

namespace fp32 = iss::cpe::fp32;
using Row = std::vector<Real>;

Number kv_type_of(const AttentionArgs& args) { return args.kv_type; }
Number kv_type_of(const AttentionInt8Args&) { return Number::kInt8; }

// Keys, values and their scales, wherever they lie.
class Kept {
 public:
  template <typename Args>
  Kept(const Args& args, const Memory& memory)
      : width_(args.width),
        is_int8_(kv_type_of(args) == Number::kInt8),
        k_(memory, args.k, args.kv_stride, kv_type_of(args)),
        v_(memory, args.v, args.kv_stride, kv_type_of(args)) {
    if (is_int8_) {
      k_scales_.emplace(memory, args.k_scales, args.scales_stride, Number::kFp32);
      v_scales_.emplace(memory, args.v_scales, args.scales_stride, Number::kFp32);
    }
    if (args.chunks) {
      uint32_t stride = 0;
      if constexpr (requires { args.chunks_stride; }) stride = args.chunks_stride;
      chunks_.emplace(memory, args.chunks, stride, Number::kFp32);
    }
  }

  bool is_int8() const { return is_int8_; }
  // Of key `t` of the text that a row belongs to.
  uint32_t place(uint32_t row, uint32_t t) const {
    return chunks_ ? chunks_->get<uint32_t>(row, t / kKeyBlock) * kKeyBlock + t % kKeyBlock : t;
  }
  Row key(uint32_t kv_head, uint32_t place) const { return k_.row(place, kv_head * width_, width_); }
  Row value(uint32_t kv_head, uint32_t place) const { return v_.row(place, kv_head * width_, width_); }
  std::span<const int8_t> key_bytes(uint32_t kv_head, uint32_t place) const {
    return k_.bytes(place, (kv_head + 1) * width_).last(width_);
  }
  std::span<const int8_t> value_bytes(uint32_t kv_head, uint32_t place) const {
    return v_.bytes(place, (kv_head + 1) * width_).last(width_);
  }
  Real key_scale(uint32_t kv_head, uint32_t place) const { return k_scales_->read(kv_head, place); }
  Real value_scale(uint32_t kv_head, uint32_t place) const { return v_scales_->read(kv_head, place); }

 private:
  uint32_t width_;
  bool is_int8_;
  Rows k_, v_;
  std::optional<Rows> k_scales_, v_scales_, chunks_;
};

// Of a block of keys, or of all so far.
struct Partial {
  Row sums;  // of values
  Real weights;
  Real largest;
};

Partial merged(const Partial& all, const Partial& more) {
  Partial both;
  both.largest = max(all.largest, more.largest);
  const Real of_all = exp2(all.largest + -both.largest);
  const Real of_more = exp2(more.largest + -both.largest);
  for (size_t i = 0; i < all.sums.size(); ++i)
    both.sums.push_back(fma(more.sums[i], of_more, all.sums[i] * of_all));
  both.weights = fma(more.weights, of_more, all.weights * of_all);
  return both;
}

// `block(first, end)`: the partial result of some keys.
template <typename Block>
Partial over_blocks(uint32_t keys, Block block) {
  Partial all;
  for (uint32_t first = 0; first < keys; first += kKeyBlock) {
    const Partial more = block(first, std::min(first + kKeyBlock, keys));
    all = first == 0 ? more : merged(all, more);
  }
  return all;
}

struct At {
  uint32_t row;
  uint32_t kv_head;
};

Partial block_of(const Kept& kept, const Row& query, At at, uint32_t first, uint32_t end) {
  Row scores;
  for (uint32_t t = first; t < end; ++t) {
    const uint32_t place = kept.place(at.row, t);
    Row products = kept.key(at.kv_head, place);
    for (size_t i = 0; i < products.size(); ++i) products[i] = products[i] * query[i];
    const Real score = test::sum(products);
    scores.push_back(kept.is_int8() ? score * kept.key_scale(at.kv_head, place) : score);
  }
  Partial partial;
  partial.largest = test::largest(scores);
  for (Real& score : scores) score = exp2(score + -partial.largest);
  partial.weights = test::sum(scores);
  std::array<Row, 2> sums;  // of even and odd keys
  for (Row& one : sums) one.assign(query.size(), Real(-0.0f));
  for (uint32_t t = first; t < end; ++t) {
    const uint32_t place = kept.place(at.row, t);
    const Real plain = scores[t - first];
    const Real weight = kept.is_int8() ? plain * kept.value_scale(at.kv_head, place) : plain;
    const Row values = kept.value(at.kv_head, place);
    Row& here = sums[(t - first) % 2];
    for (size_t i = 0; i < values.size(); ++i) here[i] = fma(values[i], weight, here[i]);
  }
  for (size_t i = 0; i < query.size(); ++i)
    partial.sums.push_back(end - first == 1 ? sums[0][i] : sums[0][i] + sums[1][i]);
  return partial;
}

int8_t to_int8(Real x) { return fp32::to_int8(x.bits); }
Real of_int32(int32_t i) { return Real::of(fp32::of_int32(i)); }

// A query in bytes, and what its scale makes of scores.
struct Query {
  std::vector<int8_t> numbers;
  Real factor;
};

Query query_of(const Row& x, float scale) {
  Row magnitudes;
  for (const Real one : x) magnitudes.push_back(max(abs(one), kLeastMagnitude));
  const Real step = test::largest(magnitudes) * kPartOf127;
  Query query{{}, (step * scale) * kLog2E};
  for (const Real one : x) query.numbers.push_back(to_int8(one * reciprocal(step)));
  return query;
}

Partial int8_block_of(const Kept& kept, const Query& query, At at, uint32_t first, uint32_t end) {
  Row scores, scales, counted;
  for (uint32_t t = first; t < end; ++t) {
    const uint32_t place = kept.place(at.row, t);
    const std::span<const int8_t> key = kept.key_bytes(at.kv_head, place);
    int32_t product = 0;
    for (size_t i = 0; i < key.size(); ++i) product += query.numbers[i] * key[i];
    scales.push_back(max(kept.value_scale(at.kv_head, place), kLeastValueScale));
    const Real scaled = of_int32(product) * kept.key_scale(at.kv_head, place);
    scores.push_back(fma(scaled, query.factor, log2(scales.back())));
  }
  Partial partial;
  partial.largest = test::largest(scores);
  std::vector<int32_t> sums(query.numbers.size());
  for (uint32_t t = first; t < end; ++t) {
    const Real weight = exp2(scores[t - first] + -partial.largest);
    counted.push_back(weight * reciprocal(scales[t - first]));
    const int32_t whole = to_int8(weight * kMostWeight);
    const std::span<const int8_t> value = kept.value_bytes(at.kv_head, kept.place(at.row, t));
    for (size_t i = 0; i < value.size(); ++i) sums[i] += whole * value[i];
  }
  partial.weights = test::sum(counted);
  for (const int32_t one : sums) partial.sums.push_back(of_int32(one));
  return partial;
}

// `one(query, at, keys)`: the result for a row and head, which sees so many keys.
template <typename Args, typename One>
void for_each_head(const Args& args, const Memory& memory, const uint32_t* positions, const Seen& seen,
                   One one) {
  const Rows q(memory, args.q, args.q_stride, args.q_type);
  const Rows to(memory, args.to, args.to_stride, args.to_type);
  for (uint32_t row = 0; row < args.rows; ++row) {
    const uint32_t keys = visible_keys(sizes_of(args, positions), row);
    for (uint32_t head = 0; head < args.heads && keys != 0; ++head) {
      const uint32_t first = head * args.width;
      const Row y = one(q.row(row, first, args.width), At{row, head / (args.heads / args.kv_heads)}, keys);
      for (uint32_t i = 0; i < args.width; ++i) {
        if (seen) seen(row, first + i, y[i]);
        to.write(row, first + i, y[i]);
      }
    }
  }
}

Row scaled(Row row, Real by) {
  for (Real& x : row) x = x * by;
  return row;
}

}  // namespace

void attention(const AttentionArgs& args, const Memory& memory, const Seen& seen) {
  const Kept kept(args, memory);
  std::vector<uint32_t> positions;
  for (uint32_t row = 0; args.positions && row < args.rows; ++row)
    positions.push_back(one_row(memory, args.positions).get<uint32_t>(0, row));
  for_each_head(
      args, memory, args.positions ? positions.data() : nullptr, seen, [&](Row query, At at, uint32_t keys) {
        query = scaled(scaled(std::move(query), args.scale), kLog2E);
        const Partial all = over_blocks(
            keys, [&](uint32_t first, uint32_t end) { return block_of(kept, query, at, first, end); });
        return scaled(all.sums, reciprocal(all.weights));
      });
}

void attention_int8(const AttentionInt8Args& args, const Memory& memory, const Seen& seen) {
  const Kept kept(args, memory);
  for_each_head(args, memory, nullptr, seen, [&](const Row& x, At at, uint32_t keys) {
    const Query query = query_of(x, args.scale);
    const Partial all = over_blocks(
        keys, [&](uint32_t first, uint32_t end) { return int8_block_of(kept, query, at, first, end); });
    return scaled(all.sums, reciprocal(all.weights * kMostWeight));
  });
}

}  // namespace swai::operators::golden
