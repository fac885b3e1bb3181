// SPDX-License-Identifier: Apache-2.0
// Weights as they lie in a file: a name, a shape, and a view into the file's bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace swai::models {

enum class Element : uint8_t { kF32, kF16, kBf16, kI8, kQ8_0, kQ5_0, kQ4_0, kQ4_1, kQ4K, kQ6K };

// Values come in blocks of so many, each of so many bytes.
struct ElementInfo {
  const char* name;
  uint32_t values;
  uint32_t bytes;
};
const ElementInfo& info(Element element);

// GGUF's and whisper.cpp's number of a type; nothing when it is none that is read.
std::optional<Element> element_of_ggml(uint32_t type);

// int8 values have their scales apart, one for every `values` of them.
struct Scales {
  std::span<const uint8_t> data;  // fp32
  uint64_t values = 0;
  bool divide = false;  // CTranslate2: a value is divided by its scale
};

struct Tensor {
  std::string name;
  Element element = Element::kF32;
  std::vector<uint64_t> shape;  // the slowest first; rows of a matrix are outputs
  std::span<const uint8_t> data;
  Scales scales;

  uint64_t values() const;
};

using Shape = std::vector<uint64_t>;

std::string shape_text(const Shape& shape);
// How many values; nothing when there are more than any model has.
std::optional<uint64_t> values_of(const Shape& shape);
// How many bytes they take; nothing when the fastest size is no whole number of blocks.
std::optional<uint64_t> bytes_of(Element element, const Shape& shape);

// The same weights, some of the slowest dimension.
Tensor slice(const Tensor& tensor, uint64_t first, uint64_t count, std::string name);

// All values. Exact, but for Q4_1, Q4_K and Q6_K, whose sums or products are rounded to fp32 once.
std::vector<float> floats(const Tensor& tensor);

// Q4_0 and Q4_1 number by number: a weight is step * number (0 to 15) + least, with steps that are not
// negative. A step and a least for each 32 numbers.
struct Nibbles {
  std::vector<uint8_t> numbers;
  std::vector<float> steps, leasts;
};
Nibbles nibbles(const Tensor& tensor);

float float_of_half(uint16_t half);
// Rounded to the nearest, halfway cases to even ones.
uint16_t half_of_float(float number);
std::vector<uint16_t> halves_of(std::span<const float> numbers);

}  // namespace swai::models
