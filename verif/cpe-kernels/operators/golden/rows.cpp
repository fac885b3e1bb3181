// SPDX-License-Identifier: Apache-2.0
// Whole rows, and elements: norms, softmax, quantise, embedding, copies.
#include <optional>

#include "cpe-kernels/operators/common/constants.hpp"
#include "cpe-kernels/operators/common/pieces.hpp"
#include "cpe-kernels/operators/common/places.hpp"
#include "cpe-kernels/operators/quantise/plan.hpp"
#include "verif/cpe-kernels/operators/functions.hpp"
#include "verif/cpe-kernels/operators/golden/golden.hpp"

namespace swai::operators::golden {
namespace {

using Row = std::vector<Real>;

template <typename F>
Row each(const Row& row, F f) {
  Row results;
  for (const Real x : row) results.push_back(f(x));
  return results;
}

Row sums_of_pieces(const Row& row) {
  Row sums;
  for (size_t first = 0; first < row.size(); first += kPiece)
    sums.push_back(test::sum(std::span(row).subspan(first, std::min<size_t>(kPiece, row.size() - first))));
  return sums;
}

// Pieces of a row are added up one after the other.
Real sum_of_pieces(const Row& row) {
  const Row sums = sums_of_pieces(row);
  Real all = sums.front();
  for (size_t i = 1; i < sums.size(); ++i) all = all + sums[i];
  return all;
}

// Of long rows, sums of pieces are added up.
Real sum_of_row(const Row& row) {
  return row.size() <= kMaxRow ? test::sum(row) : test::sum(sums_of_pieces(row));
}

// Each number of x less the mean for layer norm, times one over the root.
Row normal(Row x, bool layer, float epsilon) {
  const Real part = reciprocal(Real(static_cast<float>(x.size())));
  if (layer) {
    const Real mean = sum_of_pieces(each(x, [&](Real v) { return v * part; }));
    x = each(x, [&](Real v) { return v + -mean; });
  }
  const Real scale = root(fma(sum_of_pieces(each(x, [](Real v) { return v * v; })), part, epsilon));
  return each(x, [&](Real v) { return v * scale; });
}

Row soft(const Row& x, bool logarithm, float scale) {
  const Row scaled = each(x, [&](Real v) { return v * scale; });
  const Real most = test::largest(scaled) * kLog2E;
  const Row e = each(scaled, [&](Real v) { return exp2(fma(v, kLog2E, -most)); });
  if (!logarithm) {
    const Real part = reciprocal(sum_of_row(e));
    return each(e, [&](Real v) { return v * part; });
  }
  const Real log_of_sum = (log2(sum_of_row(e)) + most) * kLn2;
  return each(scaled, [&](Real v) { return v + -log_of_sum; });
}

// `f(x)`: what a row becomes.
template <typename Args, typename F>
void for_each_row(const Args& args, const Memory& memory, const Seen& seen, F f) {
  const Rows from(memory, args.from, args.from_stride, args.from_type);
  const Rows to(memory, args.to, args.to_stride, args.to_type);
  for (uint32_t row = 0; row < args.rows; ++row) {
    const Row y = f(from.row(row, 0, args.columns));
    for (uint32_t i = 0; i < args.columns; ++i) {
      if (seen) seen(row, i, y[i]);
      to.write(row, i, y[i]);
    }
  }
}

template <typename F>
void binary(const BinaryArgs& args, const Memory& memory, const Seen& seen, F f) {
  const Rows a(memory, args.a, args.a_stride, args.a_type), b(memory, args.b, args.b_stride, args.b_type);
  const Rows to(memory, args.to, args.to_stride, args.to_type);
  for (uint32_t row = 0; row < args.rows; ++row) {
    for (uint32_t i = 0; i < args.columns; ++i) {
      const Real y = f(a.read(row, i), b.read(row, i));
      if (seen) seen(row, i, y);
      to.write(row, i, y);
    }
  }
}

}  // namespace

void layer_norm(const NormArgs& args, const Memory& memory, const Seen& seen) {
  const Rows gamma = one_row(memory, args.gamma), beta = one_row(memory, args.beta);
  for_each_row(args, memory, seen, [&](Row x) {
    Row y = normal(std::move(x), true, args.epsilon);
    for (uint32_t i = 0; i < args.columns; ++i) y[i] = fma(y[i], gamma.read(0, i), beta.read(0, i));
    return y;
  });
}

void rms_norm(const NormArgs& args, const Memory& memory, const Seen& seen) {
  const Rows gamma = one_row(memory, args.gamma);
  for_each_row(args, memory, seen, [&](Row x) {
    Row y = normal(std::move(x), false, args.epsilon);
    for (uint32_t i = 0; i < args.columns; ++i) y[i] = y[i] * gamma.read(0, i);
    return y;
  });
}

void softmax(const SoftmaxArgs& args, const Memory& memory, const Seen& seen) {
  for_each_row(args, memory, seen, [&](const Row& x) { return soft(x, false, args.scale); });
}

void log_softmax(const SoftmaxArgs& args, const Memory& memory, const Seen& seen) {
  for_each_row(args, memory, seen, [&](const Row& x) { return soft(x, true, args.scale); });
}

void quantise(const QuantiseArgs& args, const Memory& memory) {
  const Rows from(memory, args.from, args.from_stride, args.from_type);
  const Rows to(memory, args.to, args.to_stride, Number::kInt8);
  const Rows scales(memory, args.scales, args.scales_stride, Number::kFp32);
  for (uint32_t row = 0; row < args.rows; ++row) {
    for (uint32_t group = 0; group < groups_of(args.columns, args.group); ++group) {
      const uint32_t first = group * args.group, end = std::min(first + args.group, args.columns);
      const Row x = from.row(row, first, end - first);
      Real most = kLeastMagnitude;
      for (const Real one : x) most = max(most, abs(one));
      const Real scale = most * kPartOf127, inverse = reciprocal(scale);
      scales.write(group, row, scale);
      for (uint32_t i = first; i < end; ++i) to.write(row, i, x[i - first] * inverse);
    }
  }
}

void embedding(const EmbeddingArgs& args, const Memory& memory) {
  const Rows table(memory, args.table, args.table_stride, args.table_type);
  const Rows tokens = one_row(memory, args.tokens);
  const Rows to(memory, args.to, args.to_stride, args.to_type);
  std::optional<Rows> scales, positions;
  if (args.table_type == Number::kInt8) scales.emplace(one_row(memory, args.scales));
  if (args.positions) positions.emplace(memory, args.positions, args.positions_stride, Number::kFp32);
  for (uint32_t row = 0; row < args.rows; ++row) {
    const auto token = tokens.get<uint32_t>(0, row);
    const Real scale = scales ? scales->read(0, token) : Real(args.factor);
    for (uint32_t i = 0; i < args.columns; ++i) {
      const Real x = table.read(token, i);
      to.write(row, i, positions ? fma(x, scale, positions->read(row, i)) : x * scale);
    }
  }
}

void copy(const CopyArgs& args, const Memory& memory) {
  const Rows from(memory, args.from, args.from_stride, Number::kInt8);
  const Rows to(memory, args.to, args.to_stride, Number::kInt8);
  for (uint32_t row = 0; row < args.rows; ++row) {
    uint32_t place = row;
    if (args.positions) {
      place = one_row(memory, args.positions).get<uint32_t>(0, row);
      if (place == kNoText) continue;
      if (args.chunks) {
        const Rows chunks(memory, args.chunks, args.chunks_stride, Number::kFp32);
        place = chunks.get<uint32_t>(row, place / kChunkRows) * kChunkRows + place % kChunkRows;
      }
    }
    for (uint32_t i = 0; i < args.row_bytes; ++i) to.set(place, i, from.get<uint8_t>(row, i));
  }
}

void unary(Operator function, const UnaryArgs& args, const Memory& memory) {
  const Rows from(memory, args.from, args.from_stride, args.from_type);
  const Rows to(memory, args.to, args.to_stride, args.to_type);
  for (uint32_t row = 0; row < args.rows; ++row)
    for (uint32_t column = 0; column < args.columns; ++column)
      to.write(row, column, test::model_function(function, from.read(row, column)));
}

void add(const BinaryArgs& args, const Memory& memory, const Seen& seen) {
  binary(args, memory, seen, [](Real a, Real b) { return a + b; });
}

void mul(const BinaryArgs& args, const Memory& memory, const Seen& seen) {
  binary(args, memory, seen, [](Real a, Real b) { return a * b; });
}

}  // namespace swai::operators::golden
