// SPDX-License-Identifier: Apache-2.0
// What one block of keys makes of queries: scores become weights, and values are added up with these.
#pragma once

#include "cpe-kernels/operators/attention/partial.hpp"

namespace swai::operators {

// That local memory has room for.
constexpr uint32_t most_queries(uint32_t width) { return std::min<uint32_t>(2048 / width, 64); }

// Of one block at a time, and the queries that see something of it: `count` of them from `first` on.
class BlockOfKeys {
 public:
  BlockOfKeys(Arena& arena, uint32_t width, uint32_t queries)
      : width_(width),
        weights_(arena.take<float>(queries * kScorePitch)),
        odd_(arena.take<float>(queries * width * uint32_t{sizeof(float)})) {}

  float* score(uint32_t query, uint32_t key) const { return weights_ + query * kKeyBlock + key; }
  vector::Operand scores(uint32_t query) const { return vector::rows(score(query, 0), kScorePitch); }

  // Scores become weights.
  vector::Ticket weigh(const Partials& to, uint32_t first, uint32_t count, uint32_t keys) const {
    vector::a(scores(first));
    vector::b(vector::value(1));
    vector::no_result();
    vector::reductions(to.largest(first), to.pitch());
    vector::size(keys, count);
    vector::run(Op::kMul, {.reduce = Reduce::kMax});
    vector::c(to.maxima(first).negated());
    into(scores(first));
    vector::reductions(to.sum(first), to.pitch());
    return vector::run(Op::kAdd, {.special = Special::kExp2, .reduce = Reduce::kSum});
  }

  // Sums begin with -0, where not all queries see the first two keys.
  void clear_sums(const Partials& to, uint32_t first, uint32_t count) const {
    fill(to.all(first), -0.0f, width_, count);
    fill(odd(first), -0.0f, width_, count);
  }

  // Values of `keys` keys from `key` on, which all these queries see. Even keys' go into the partial results,
  // odd ones' beside them, so that one need not wait for the other. Sums begin with the first two keys where
  // they were not cleared. Only this much is done for each key: what runs have in common is here once, as the
  // compiler keeps nothing else in registers between them.
  vector::Ticket add_values(const Partials& to, vector::Operand values, uint32_t row_bytes, uint32_t key,
                            uint32_t keys, uint32_t first, uint32_t count, bool cleared) const {
    const auto even_sums = to.all(first);
    const auto odd_sums = odd(first);
    auto weights = vector::each_row(score(first, key), kScorePitch);
    const uint32_t end = key + keys;
    vector::Ticket last = {};
    const auto add = [&](const vector::Operand& sums, Op op, bool is_odd) __attribute__((always_inline)) {
      vector::a(values);
      vector::b(weights);
      if (op == Op::kFma) vector::c(sums);
      into(sums);
      last = vector::run(op, {.overlap = is_odd});
      values.at += row_bytes;
      weights.at += sizeof(float);
      ++key;
    };
    vector::size(width_, count);
    if (key == 0 && !cleared) {
      add(even_sums, Op::kMul, false);
      if (key < end) add(odd_sums, Op::kMul, true);
    }
    if (key % 2 != 0 && key < end) add(odd_sums, Op::kFma, true);
    while (key + 1 < end) {
      add(even_sums, Op::kFma, false);
      add(odd_sums, Op::kFma, true);
    }
    if (key < end) add(even_sums, Op::kFma, false);
    return last;
  }

  vector::Ticket add_odd(const Partials& to, uint32_t first, uint32_t count) const {
    vector::a(to.all(first));
    vector::c(odd(first));
    into(to.all(first));
    vector::size(width_, count);
    return vector::run(Op::kAdd);
  }

  // `columns` of each query's row.
  static void fill(const vector::Operand& rows, float number, uint32_t columns, uint32_t count) {
    vector::a(vector::value(number));
    vector::b(vector::value(1));
    into(rows);
    vector::size(columns, count);
    vector::run(Op::kMul);
  }

 private:
  static constexpr uint32_t kScorePitch = kKeyBlock * sizeof(float);

  vector::Operand odd(uint32_t query) const {
    return vector::rows(odd_ + query * width_, static_cast<int32_t>(width_ * sizeof(float)));
  }

  uint32_t width_;
  float* weights_;  // a row of kKeyBlock for each query: scores, then weights
  float* odd_;      // sums of values of odd keys
};

// Queries times what makes powers of two of their scores, once they are loaded. Gives the run that has read
// them.
inline vector::Ticket scale_queries(const vector::Operand& raw, dma::Ticket loaded, float scale, float* to,
                                    uint32_t numbers) {
  vector::a(raw);
  vector::b(vector::value(scale));
  vector::result(to);
  vector::size(numbers);
  dma::wait(loaded);
  const vector::Ticket taken = vector::run(Op::kMul);
  vector::a(vector::rows(to));
  vector::b(vector::value(kLog2E));
  vector::run(Op::kMul);
  return taken;
}

}  // namespace swai::operators
