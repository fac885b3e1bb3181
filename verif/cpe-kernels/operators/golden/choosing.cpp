// SPDX-License-Identifier: Apache-2.0
// What changes logits, and what chooses among them.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "cpe-kernels/operators/logits/plan.hpp"
#include "cpe-kernels/operators/top_k/plan.hpp"
#include "verif/cpe-kernels/operators/golden/golden.hpp"
#include "verif/cpe-kernels/operators/sample_model.hpp"

namespace swai::operators::golden {
namespace {

namespace fp32 = iss::cpe::fp32;
using Row = std::vector<Real>;

Real finite(Real x) { return Real::of(fp32::min(max(x, -kLargestFloat).bits, Real(kLargestFloat).bits)); }

}  // namespace

void argmax(const ArgmaxArgs& args, const Memory& memory) {
  const Rows from(memory, args.from, args.from_stride, Number::kFp32);
  const Rows to = one_row(memory, args.to);
  for (uint32_t row = 0; row < args.rows; ++row) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < args.columns; ++i) {
      const float x = from.get<float>(row, i), most = from.get<float>(row, best);
      if (x > most || (std::isnan(most) && !std::isnan(x))) best = i;
    }
    to.set(0, row, best);
  }
}

void mask(const MaskArgs& args, const Memory& memory) {
  const Rows to(memory, args.to, args.to_stride, Number::kFp32);
  for (uint32_t row = 0; row < args.rows; ++row) {
    if (args.from) {
      const Rows from(memory, args.from, args.from_stride, Number::kFp32);
      for (uint32_t i = 0; i < args.columns; ++i) to.write(row, i, from.get<float>(row, i));
    }
    if (args.bits) {
      const Rows bits(memory, args.bits, args.bits_stride, Number::kFp32);
      for (uint32_t i = 0; i < args.columns; ++i)
        if ((bits.get<uint32_t>(row, i / 32) >> i % 32 & 1) != 0) to.write(row, i, -INFINITY);
    }
    if (args.ranges) {
      const Rows ranges(memory, args.ranges, args.ranges_stride, Number::kFp32);
      for (uint32_t range = 0; range < args.range_count; ++range) {
        const auto first = ranges.get<uint32_t>(row, 2 * range),
                   end = ranges.get<uint32_t>(row, 2 * range + 1);
        for (uint32_t i = first; i < std::min(end, args.columns); ++i) to.write(row, i, -INFINITY);
      }
    }
  }
}

void prefer_group(const PreferGroupArgs& args, const Memory& memory) {
  const Rows to(memory, args.to, args.to_stride, Number::kFp32);
  const Rows workspace = one_row(memory, args.workspace);
  for (uint32_t row = 0; row < args.rows; ++row) {
    Row x = to.row(row, 0, args.columns);
    for (Real& one : x) one = finite(one);
    const auto pieces = [&](uint32_t first, uint32_t end, auto f) {
      for (uint32_t at = first; at < end; at += kPiece)
        f((at - first) / kPiece, std::span(x).subspan(at, std::min(kPiece, end - at)));
    };
    Row most, sums;
    pieces(0, args.first, [&](uint32_t piece, std::span<const Real> columns) {
      most.push_back(test::largest(columns));
      workspace.write(0, row * pieces_of(args.first) + piece, most.back());
    });
    const Real before = test::largest(most);
    pieces(args.first, args.columns, [&](uint32_t, std::span<const Real> columns) {
      Row e;
      for (const Real one : columns) e.push_back(exp2((one + -before) * kLog2E));
      sums.push_back(test::sum(e));
    });
    if (!(test::sum(sums).value() > 1)) continue;
    for (uint32_t i = 0; i < args.first; ++i) to.write(row, i, -INFINITY);
  }
}

void sample(const SampleArgs& args, const Memory& memory) {
  const Rows from(memory, args.from, args.from_stride, Number::kFp32);
  const Rows settings(memory, args.settings, args.settings_stride, Number::kFp32);
  for (uint32_t row = 0; row < args.rows; ++row) {
    const uint32_t position =
        args.positions ? one_row(memory, args.positions).get<uint32_t>(0, row) : args.position;
    if (args.positions && position == kNoText) continue;
    const Row logits = from.row(row, 0, args.columns);
    const test::Sampled chosen = test::SampleModel(logits, settings.get<SampleSettings>(row, 0)).at(position);
    one_row(memory, args.to).set(0, row, chosen.token);
    if (args.log_probabilities) one_row(memory, args.log_probabilities).write(0, row, chosen.log_probability);
  }
}

void top_k(const TopKArgs& args, const Memory& memory) {
  const Rows from(memory, args.from, args.from_stride, Number::kFp32);
  const Rows values = one_row(memory, args.values), numbers = one_row(memory, args.numbers);
  const Rows workspace = one_row(memory, args.workspace);
  for (uint32_t row = 0; row < args.rows; ++row) {
    std::vector<float> x;
    for (uint32_t i = 0; i < args.columns; ++i) {
      const float one = from.read(row, i).value();
      x.push_back(std::isnan(one) ? -INFINITY : one);
    }
    std::vector<uint32_t> order(args.columns);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) { return x[a] > x[b]; });
    for (uint32_t i = 0; i < args.count; ++i) {
      numbers.set(0, row * args.count + i, order[i]);
      values.write(0, row * args.count + i, x[order[i]]);
    }
    for (uint32_t part = 0; part < top_k_parts(args.columns); ++part) {
      Real most = -INFINITY;
      for (uint32_t i = part * kTopKPart; i < std::min((part + 1) * kTopKPart, args.columns); ++i)
        most = max(most, x[i]);
      workspace.write(0, row * top_k_parts(args.columns) + part, most);
    }
  }
}

}  // namespace swai::operators::golden
