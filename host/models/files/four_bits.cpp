// SPDX-License-Identifier: Apache-2.0
#include "host/models/files/four_bits.hpp"

#include <algorithm>

#include "cpe-kernels/operators/linear_w4/plan.hpp"
#include "cpe-kernels/operators/linear_w4/requantise.hpp"

namespace swai::models {
namespace {

FourBits packed(const operators::W4& w, size_t depth) {
  FourBits made;
  made.factors = w.factors;
  const operators::W4Layout layout = {static_cast<uint32_t>(depth), static_cast<uint32_t>(w.factors.size()),
                                      kFourBitGroup, !w.minima.empty()};
  made.packed.resize(layout.bytes());
  operators::pack_linear_w4(layout, w.numbers, w.scales, w.zeros, w.minima, made.packed);
  return made;
}

}  // namespace

FourBits four_bits(std::span<const float> numbers, size_t depth) {
  const size_t rows = numbers.size() / depth;
  return packed(
      operators::w4_of(numbers, static_cast<uint32_t>(depth), static_cast<uint32_t>(rows), kFourBitGroup),
      depth);
}

FourBits four_bits_of(const Tensor& tensor, std::span<const std::optional<uint32_t>> rows) {
  const size_t depth = tensor.shape.back(), groups = depth / kFourBitGroup;
  const Nibbles file = nibbles(tensor);
  std::vector<uint8_t> numbers(rows.size() * depth);
  std::vector<float> steps(rows.size() * groups), leasts(rows.size() * groups);
  const auto take = [](const auto& from, size_t first, size_t count, auto& to, size_t row) {
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(first * count), count,
                to.begin() + static_cast<std::ptrdiff_t>(row * count));
  };
  for (size_t row = 0; row < rows.size(); ++row) {
    if (!rows[row]) continue;
    take(file.numbers, *rows[row], depth, numbers, row);
    take(file.steps, *rows[row], groups, steps, row);
    take(file.leasts, *rows[row], groups, leasts, row);
  }
  return packed(operators::w4_of_steps(numbers, steps, leasts, static_cast<uint32_t>(depth),
                                       static_cast<uint32_t>(rows.size()), kFourBitGroup),
                depth);
}

}  // namespace swai::models
