// SPDX-License-Identifier: Apache-2.0
// Constants of an ONNX graph: element type, shape, and a view of bytes that an owner keeps alive.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace swai::onnx {

// Numbered as in the format.
enum class Element : uint8_t {
  kF32 = 1,
  kU8 = 2,
  kI8 = 3,
  kU16 = 4,
  kI16 = 5,
  kI32 = 6,
  kI64 = 7,
  kBool = 9,
  kF16 = 10,
  kF64 = 11,
  kU32 = 12,
  kU64 = 13,
  kBf16 = 16,
  kU4 = 21,
  kI4 = 22,
};

// No value for types that are not supported: strings, complex numbers, 8-bit floating point.
std::optional<Element> element_of(int64_t number);
const char* to_text(Element element);
bool is_float(Element element);
bool is_signed(Element element);
// Four-bit elements have 4 bits, Booleans 8.
uint32_t bits_of(Element element);

inline constexpr int64_t kMaxSize = (int64_t{1} << 31) - 1;  // of one dimension
inline constexpr size_t kMaxRank = 64;

// The number of elements, or no value if a dimension is negative or the product exceeds 2^40.
std::optional<int64_t> count_of(std::span<const int64_t> shape);
int64_t bytes_of(Element element, int64_t count);
std::string shape_text(std::span<const int64_t> shape);

struct Tensor {
  Element element = Element::kF32;
  std::vector<int64_t> shape;
  std::span<const uint8_t> bytes;
  std::shared_ptr<const void> owner;

  int64_t count() const { return *count_of(shape); }
};

// A tensor that owns its bytes.
Tensor make_tensor(Element element, std::vector<int64_t> shape, std::vector<uint8_t> bytes);
// One dimension of 64-bit integers, or a scalar.
Tensor integers(std::span<const int64_t> values);
Tensor integer(int64_t value);
// Elements that are not float32 are rounded to nearest even.
Tensor reals(Element element, std::vector<int64_t> shape, std::span<const double> values);
// Values wrap to the width of the element; for Booleans non-zero is true.
Tensor wholes(Element element, std::vector<int64_t> shape, std::span<const int64_t> values);

// All elements as double precision or as 64-bit integers, whatever the type. Not for four-bit elements.
std::vector<double> doubles(const Tensor& tensor);
std::vector<int64_t> int64s(const Tensor& tensor);

bool is_same(const Tensor& a, const Tensor& b);

}  // namespace swai::onnx
