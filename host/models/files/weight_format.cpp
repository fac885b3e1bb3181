// SPDX-License-Identifier: Apache-2.0
#include "host/models/files/weight_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "host/models/files/eight_bits.hpp"
#include "host/models/files/names.hpp"

namespace swai::models {
namespace {

constexpr std::array kNames = {std::pair(WeightFormat::kFp32, "f32"), std::pair(WeightFormat::kInt8, "i8"),
                               std::pair(WeightFormat::kInt4, "i4"),
                               std::pair(WeightFormat::kInt4Minima, "i4 minima")};

bool goes_with(WeightFormat format, Precision precision) {
  return (format == WeightFormat::kFp32) == (precision == Precision::kFp32) &&
         (format <= WeightFormat::kInt8 || precision == Precision::kW4A8);
}

}  // namespace

const char* to_text(WeightFormat format) { return name_of(kNames, format); }

WeightFormats weight_formats(std::span<const MatrixKind> kinds, Precision precision) {
  WeightFormats formats;
  for (const MatrixKind& kind : kinds) {
    const bool four = precision == Precision::kW4A8 && !kind.sensitive;
    formats[kind.name] = precision == Precision::kFp32 ? WeightFormat::kFp32
                         : four                        ? WeightFormat::kInt4
                                                       : WeightFormat::kInt8;
  }
  return formats;
}

nlohmann::json json_of(const WeightFormats& formats) {
  nlohmann::json all;
  for (const auto& [kind, format] : formats) all[kind] = to_text(format);
  return all;
}

WeightFormats weight_formats_in(const JsonFile& numbers, std::span<const MatrixKind> kinds,
                                Precision precision) {
  const std::optional<JsonFile> all = numbers.object(kWeightFormats);
  WeightFormats formats;
  for (const MatrixKind& kind : kinds) {
    const auto format =
        all ? named(kNames, all->text_or(kind.name.c_str(), "")) : std::optional<WeightFormat>();
    if (!format || !goes_with(*format, precision))
      refuse(numbers.path(), "does not say how each kind of matrix is stored; the file is damaged");
    formats[kind.name] = *format;
  }
  return formats;
}

graph::Type weight_type(WeightFormat format, uint32_t rows, uint32_t columns) {
  graph::Type type;
  type.dimensions = {rows, columns};
  switch (format) {
    case WeightFormat::kFp32:
      break;
    case WeightFormat::kInt8:
      type.element = graph::Element::kI8;
      type.packed = graph::Packing{};
      break;
    case WeightFormat::kInt4:
    case WeightFormat::kInt4Minima:
      type.element = graph::Element::kI4;
      type.packed = graph::Packing{kFourBitGroup, format == WeightFormat::kInt4Minima};
      break;
  }
  return type;
}

std::vector<float> finite_floats(const std::string& path, const Tensor& tensor) {
  std::vector<float> numbers = floats(tensor);
  if (!std::ranges::all_of(numbers, [](float number) { return std::isfinite(number); }))
    refuse(path, fmt::format("has weights in {} that are no numbers; the file is damaged", tensor.name));
  return numbers;
}

void put_matrix(const Put& put, const std::string& name, WeightFormat format, std::span<const float> numbers,
                size_t depth) {
  if (format == WeightFormat::kFp32)
    return put(name, {reinterpret_cast<const uint8_t*>(numbers.data()), numbers.size_bytes()});
  if (format != WeightFormat::kInt8) return put_matrix(put, name, four_bits(numbers, depth));
  const EightBits packed = eight_bits(numbers, depth);
  put(name, bytes_of(packed.packed));
  put(name + ".scale", bytes_of(packed.scales));
}

void put_matrix(const Put& put, const std::string& name, const FourBits& packed) {
  put(name, packed.packed);
  put(name + ".scale", bytes_of(packed.factors));
}

}  // namespace swai::models
