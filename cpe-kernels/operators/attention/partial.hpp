// SPDX-License-Identifier: Apache-2.0
// Partial results of attention, one for each query and block of keys, and how they become one result: always
// block after block, so that it does not matter who does it.
#pragma once

#include <bit>

#include "cpe-kernels/operators/attention/plan.hpp"
#include "cpe-kernels/operators/common/constants.hpp"
#include "cpe-kernels/operators/common/order.hpp"
#include "cpe-kernels/operators/common/stream.hpp"

namespace swai::operators {

using vector::Op, vector::Reduce, vector::Special;

// Of several queries: a row of partial_floats(width) for each.
struct Partials {
  float* rows;
  uint32_t width;

  int32_t pitch() const { return static_cast<int32_t>(partial_floats(width) * sizeof(float)); }
  float* row(uint32_t query) const { return rows + query * partial_floats(width); }
  float* sum(uint32_t query) const { return row(query) + width; }
  float* largest(uint32_t query) const { return row(query) + width + 1; }

  vector::Operand all(uint32_t query) const { return vector::rows(row(query), pitch()); }
  vector::Operand sums(uint32_t query) const { return vector::each_row(sum(query), pitch()); }
  vector::Operand maxima(uint32_t query) const { return vector::each_row(largest(query), pitch()); }
};

// A number for each query, each a vector of its own.
struct Column {
  float* at;

  static constexpr int32_t kPitch = vector::kLanes * sizeof(float);
  static constexpr uint32_t bytes(uint32_t queries) { return queries * kPitch; }
  vector::Operand scalars() const { return vector::each_row(at, kPitch); }
  vector::Operand rows() const { return vector::rows(at, kPitch); }
};

// to = 2^(a - c), for each of `count` rows.
inline void exp2_of_differences(vector::Operand a, vector::Operand c, const Column& to, uint32_t count) {
  vector::a(a);
  vector::c(c.negated());
  into(to.rows());
  vector::size(1, count);
  vector::run(Op::kAdd, {.special = Special::kExp2});
}

// Adds `more` to `all`, from query `first` on.
struct Merge {
  Column largest, of_all, of_more;

  void operator()(const Partials& all, const Partials& more, uint32_t first, uint32_t count) const {
    vector::a(all.maxima(first));
    vector::b(more.maxima(first));
    into(largest.rows());
    vector::size(1, count);
    vector::run(Op::kMax);
    exp2_of_differences(all.maxima(first), largest.scalars(), of_all, count);
    exp2_of_differences(more.maxima(first), largest.scalars(), of_more, count);
    // Reductions go where results cannot: anywhere.
    vector::a(largest.scalars());
    vector::b(vector::value(1));
    vector::no_result();
    vector::reductions(all.largest(first), all.pitch());
    vector::run(Op::kMul, {.reduce = Reduce::kMax});

    vector::a(all.all(first));
    vector::b(of_all.scalars());
    into(all.all(first));
    vector::size(all.width + 1, count);
    vector::run(Op::kMul);
    vector::a(more.all(first));
    vector::b(of_more.scalars());
    vector::c(all.all(first));
    vector::run(Op::kFma);
  }
};

// What partial results of all keys come to: weighted sum / sum of weights, `stride` bytes from query to
// query.
inline vector::Ticket finish(const Partials& all, uint32_t count, const Column& parts,
                             const vector::Operand& to) {
  vector::a(all.sums(0));
  vector::b(vector::value(1));
  into(parts.rows());
  vector::size(1, count);
  vector::run(Op::kMul, {.special = Special::kReciprocal});
  vector::a(all.all(0));
  vector::b(parts.scalars());
  into(to);
  vector::size(all.width, count);
  return vector::run(Op::kMul);
}

// Partial results of one query, whose rows lie in memory one after the other.
class Combine {
 public:
  Combine(Arena& arena, uint32_t width)
      : width_(width),
        row_bytes_(partial_floats(width) * uint32_t{sizeof(float)}),
        all_{arena.take<float>(row_bytes_), width},
        maxima_(arena.take<float>((kBatch + 1) * sizeof(float))) {
    for (auto& batch : batches_) batch = {arena.take<float>(kBatch * row_bytes_), width};
    for (Column* column : {&of_all_, &of_more_}) column->at = arena.take<float>(Column::bytes(kBatch));
  }

  // Gives them as a whole; it stays until the next call.
  const Partials& operator()(GlobalPtr<const void> rows, uint32_t count) {
    const auto load = [&](uint32_t first) {
      return dma::load(batches_[first / kBatch % 2].rows,
                       rows.plus_bytes(static_cast<int64_t>(uint64_t{first} * row_bytes_)),
                       std::min(kBatch, count - first) * row_bytes_);
    };
    dma::Ticket loaded = load(0);
    for (uint32_t first = 0; first < count; first += kBatch) {
      dma::wait(loaded);
      if (count - first > kBatch) loaded = load(first + kBatch);
      merge(batches_[first / kBatch % 2], std::min(kBatch, count - first), first == 0);
    }
    return all_;
  }

 private:
  static constexpr uint32_t kBatch = 16;

  // As the vector unit has it.
  static float max(float a, float b) {
    return order(std::bit_cast<uint32_t>(b)) > order(std::bit_cast<uint32_t>(a)) ? b : a;
  }

  void merge(const Partials& batch, uint32_t count, bool begins) {
    // The largest scores so far, before and after each row.
    for (uint32_t i = 0; i < count; ++i) {
      const float here = *batch.largest(i);
      if (begins && i == 0) maxima_[0] = here;
      maxima_[i + 1] = max(maxima_[i], here);
    }
    exp2_of_differences(vector::each_row(maxima_), vector::each_row(maxima_ + 1), of_all_, count);
    exp2_of_differences(batch.maxima(0), vector::each_row(maxima_ + 1), of_more_, count);
    vector::a(batch.all(0));
    vector::b(vector::value(1));
    into(all_.all(0));
    vector::size(width_ + 1);
    vector::Ticket last = {};
    if (begins) last = vector::run(Op::kMul);
    for (uint32_t i = begins; i < count; ++i) {
      vector::a(all_.all(0));
      vector::b(vector::each_row(of_all_.at + i * vector::kLanes));
      last = vector::run(Op::kMul);
      vector::a(batch.all(i));
      vector::b(vector::each_row(of_more_.at + i * vector::kLanes));
      vector::c(all_.all(0));
      last = vector::run(Op::kFma);
    }
    vector::wait(last);
    maxima_[0] = maxima_[count];
  }

  uint32_t width_;
  uint32_t row_bytes_;
  Partials all_;
  Partials batches_[2] = {};
  float* maxima_;
  Column of_all_ = {};
  Column of_more_ = {};
};

}  // namespace swai::operators
