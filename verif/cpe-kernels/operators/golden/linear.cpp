// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "cpe-kernels/operators/linear/plan.hpp"
#include "cpe-kernels/operators/linear_fp32/plan.hpp"
#include "cpe-kernels/operators/linear_w4/plan.hpp"
#include "verif/cpe-kernels/operators/golden/ending.hpp"

namespace swai::operators::golden {
namespace {

namespace fp32 = iss::cpe::fp32;

int32_t product(std::span<const int8_t> x, std::span<const int8_t> w) {
  int32_t sum = 0;
  for (size_t k = 0; k < x.size(); ++k) sum += x[k] * w[k];
  return sum;
}

Real of_int32(int32_t number) { return Real::of(fp32::of_int32(number)); }

// Of a column, as pack_linear takes them.
void unpack(std::span<const uint8_t> packed, uint32_t column, std::span<int8_t> weights) {
  const auto depth = static_cast<uint32_t>(weights.size());
  for (uint32_t first = 0; first < depth; first += kPackedDepth) {
    const std::span<const uint8_t> piece = packed.subspan(packed_linear_index(depth, first, column));
    for (uint32_t k = first; k < std::min(first + kPackedDepth, depth); ++k) {
      const uint8_t byte = piece[size_t{k - first} * kPackedColumns];
      weights[k] = static_cast<int8_t>(byte);
    }
  }
}

// Weights of four bits of a column: whole numbers, of which each is a factor less, and minima of groups.
struct W4Column {
  std::vector<int32_t> whole;
  std::vector<Real> minima;
};
W4Column unpack_w4(const W4Layout& layout, std::span<const uint8_t> packed, uint32_t column) {
  W4Column all;
  all.whole.resize(layout.depth);
  const uint32_t lane = column % kW4Tile;
  for (uint32_t k = 0; k < layout.depth; ++k) {
    const uint32_t begin = k / kW4Depth * kW4Depth;
    const std::span<const uint8_t> tile =
        packed.subspan(layout.tile_at(begin, column), layout.tile_bytes(begin));
    const uint32_t nibble = (k - begin) * kW4Tile + lane;
    const uint32_t group = (k - begin) / layout.group * 16;
    const int32_t number = tile[nibble / 2] >> 4 * (nibble % 2) & 15;
    all.whole[k] = (number - tile[layout.scales_offset(begin) + group + 8 + lane]) *
                   tile[layout.scales_offset(begin) + group + lane];
    if (!layout.minima || k % layout.group != 0) continue;
    uint16_t minimum;
    std::memcpy(&minimum, &tile[layout.minima_offset(begin) + group + 2 * lane], sizeof minimum);
    all.minima.push_back(Real::of(fp32::of_fp16(minimum)));
  }
  return all;
}

// A row of activations in bytes, and their scales.
struct Activations {
  std::span<const int8_t> numbers;
  std::vector<Real> scales;
};
template <typename Args>
std::vector<Activations> activations(const Args& args, const Memory& memory) {
  const Rows x(memory, args.x, args.x_stride, Number::kInt8);
  const Rows scales(memory, args.x_scales, args.x_scales_stride, Number::kFp32);
  std::vector<Activations> rows(args.rows);
  for (uint32_t row = 0; row < args.rows; ++row) {
    rows[row].numbers = x.bytes(row, args.depth);
    for (uint32_t group = 0; group * args.group < args.depth; ++group)
      rows[row].scales.push_back(scales.read(group, row));
  }
  return rows;
}

Real linear_w4_sum(const LinearW4Args& args, const W4Column& w, Real w_scale, const Activations& x,
                   Real bias) {
  Real y;
  // What minima add, of the groups of a piece of weights.
  const auto add_minima = [&](uint32_t begin) {
    for (uint32_t k = begin; k < std::min(begin + kW4Depth, args.depth); k += args.w_group) {
      int32_t sum = 0;
      for (uint32_t i = k; i < std::min<uint32_t>(k + args.w_group, args.depth); ++i) sum += x.numbers[i];
      const Real scaled = of_int32(sum) * x.scales[k / args.group];
      const Real minimum = w.minima[k / args.w_group];
      y = k == 0 ? scaled * minimum : fma(scaled, minimum, y);
    }
  };
  // Sums are drained where the scale changes, and before they overflow.
  const uint32_t part_depth = args.group == args.depth ? 4096 : kScaleGroup;
  int64_t sum = 0;
  for (uint32_t k = 0; k < args.depth; ++k) {
    if (args.minima != 0 && k % kW4Depth == 0) add_minima(k);
    sum += x.numbers[k] * w.whole[k];
    if ((k + 1) % part_depth != 0 && k + 1 != args.depth) continue;
    const bool first = k < part_depth;
    const auto drained = static_cast<int32_t>(sum);
    if (drained != sum) throw std::overflow_error("a sum of the systolic unit has more than 32 bits");
    const Real part = fma(of_int32(drained), w_scale * x.scales[k / args.group], first ? bias : Real(-0.0f));
    y = first && args.minima == 0 ? part : part + y;
    sum = 0;
  }
  return y;
}

}  // namespace

void linear(const LinearArgs& args, const Memory& memory, const Seen& seen) {
  const std::vector<Activations> x = activations(args, memory);
  const std::span<const uint8_t> packed = memory.from(args.w);
  if (packed.size() < packed_linear_bytes(args.depth, args.columns))
    throw std::out_of_range("weights that end early");
  const Rows w_scales = one_row(memory, args.w_scales);
  const Ending ending(args, memory);
  std::vector<int8_t> w(args.depth);
  for (uint32_t column = 0; column < args.columns; ++column) {
    unpack(packed, column, w);
    for (uint32_t row = 0; row < args.rows; ++row) {
      Real y;
      for (uint32_t k = 0; k < args.depth; k += args.group) {
        const uint32_t count = std::min(args.group, args.depth - k);
        const int32_t sum = product(x[row].numbers.subspan(k, count), std::span(w).subspan(k, count));
        const Real factor = w_scales.read(0, column) * x[row].scales[k / args.group];
        const Real part = fma(of_int32(sum), factor, k == 0 ? ending.bias(column) : Real(-0.0f));
        y = k == 0 ? part : part + y;
      }
      ending.put(row, column, y, seen);
    }
  }
}

void linear_fp32(const LinearFp32Args& args, const Memory& memory, const Seen& seen) {
  const Rows x(memory, args.x, args.x_stride, args.x_type);
  const Rows w(memory, args.w, args.w_stride, args.w_type);
  const Ending ending(args, memory);
  std::vector<std::vector<Real>> xs;
  for (uint32_t row = 0; row < args.rows; ++row) xs.push_back(x.row(row, 0, args.depth));
  std::array<Real, kSumDepth> products;
  for (uint32_t column = 0; column < args.columns; ++column) {
    const std::vector<Real> ws = w.row(column, 0, args.depth);
    for (uint32_t row = 0; row < args.rows; ++row) {
      Real y;
      for (uint32_t first = 0; first < args.depth; first += kSumDepth) {
        const uint32_t count = std::min(kSumDepth, args.depth - first);
        for (uint32_t i = 0; i < count; ++i) products[i] = xs[row][first + i] * ws[first + i];
        const Real part = test::sum(std::span(products).first(count));
        y = first == 0 ? part : y + part;
      }
      ending.put(row, column, y + ending.bias(column), seen);
    }
  }
}

void matmul(const MatmulArgs& args, const Memory& memory, const SeenProduct& seen) {
  const auto of = [](const auto& first, uint32_t step, uint32_t product) {
    return first.plus_bytes(static_cast<int64_t>(uint64_t{step} * product));
  };
  for (uint32_t product = 0; product < args.products; ++product) {
    const Rows a(memory, of(args.a, args.a_step, product), args.a_stride, args.a_type);
    const Rows b(memory, of(args.b, args.b_step, product), args.b_stride, args.b_type);
    const Rows to(memory, of(args.to, args.to_step, product), args.to_stride, args.to_type);
    const auto result = [&](uint32_t row, uint32_t column) {
      Real y;
      if (args.transposed == 0) {
        for (uint32_t k = 0; k < args.depth; ++k) {
          const Real x = a.read(row, k), w = b.read(k, column);
          y = k == 0 ? x * w : fma(x, w, y);
        }
        return y;
      }
      std::array<Real, kSumDepth> products;
      for (uint32_t first = 0; first < args.depth; first += kSumDepth) {
        const uint32_t count = std::min(kSumDepth, args.depth - first);
        for (uint32_t i = 0; i < count; ++i) products[i] = a.read(row, first + i) * b.read(column, first + i);
        const Real part = test::sum(std::span(products).first(count));
        y = first == 0 ? part : y + part;
      }
      return y;
    };
    for (uint32_t row = 0; row < args.rows; ++row) {
      for (uint32_t column = 0; column < args.columns; ++column) {
        const Real y = result(row, column);
        if (seen) seen(product, row, column, y);
        to.write(row, column, y);
      }
    }
  }
}

void linear_w4(const LinearW4Args& args, const Memory& memory, const Seen& seen) {
  const std::vector<Activations> x = activations(args, memory);
  const std::span<const uint8_t> packed = memory.from(args.w);
  const Rows w_scales = one_row(memory, args.w_scales);
  const Ending ending(args, memory);
  for (uint32_t column = 0; column < args.columns; ++column) {
    const W4Column w = unpack_w4(layout_of(args), packed, column);
    for (uint32_t row = 0; row < args.rows; ++row) {
      const Real y = linear_w4_sum(args, w, w_scales.read(0, column), x[row], ending.bias(column));
      ending.put(row, column, y, seen);
    }
  }
}

}  // namespace swai::operators::golden
