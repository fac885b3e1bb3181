// SPDX-License-Identifier: Apache-2.0
#include "host/models/files/tensor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace swai::models {
namespace {

constexpr std::array<ElementInfo, 10> kElements = {{
    {"F32", 1, 4},
    {"F16", 1, 2},
    {"BF16", 1, 2},
    {"I8", 1, 1},
    {"Q8_0", 32, 34},
    {"Q5_0", 32, 22},
    {"Q4_0", 32, 18},
    {"Q4_1", 32, 20},
    {"Q4_K", 256, 144},
    {"Q6_K", 256, 210},
}};

template <typename T>
T load(const uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

float half_at(const uint8_t* from) { return float_of_half(load<uint16_t>(from)); }

void read_q8_0(const uint8_t* block, float* out) {
  const float step = half_at(block);
  for (int i = 0; i < 32; ++i) out[i] = step * static_cast<float>(static_cast<int8_t>(block[2 + i]));
}

// The fifth bits of all weights lie together, before the nibbles.
void read_q5_0(const uint8_t* block, float* out) {
  const float step = half_at(block);
  const auto fifth = load<uint32_t>(block + 2);
  for (int i = 0; i < 16; ++i) {
    const auto bit = [&](int weight) { return static_cast<int>(fifth >> weight & 1) << 4; };
    out[i] = step * static_cast<float>(((block[6 + i] & 15) | bit(i)) - 16);
    out[i + 16] = step * static_cast<float>((block[6 + i] >> 4 | bit(i + 16)) - 16);
  }
}

void read_q4_0(const uint8_t* block, float* out) {
  const float step = half_at(block);
  for (int i = 0; i < 16; ++i) {
    out[i] = step * static_cast<float>((block[2 + i] & 15) - 8);
    out[i + 16] = step * static_cast<float>((block[2 + i] >> 4) - 8);
  }
}

void read_q4_1(const uint8_t* block, float* out) {
  const float step = half_at(block);
  const float least = half_at(block + 2);
  for (int i = 0; i < 16; ++i) {
    out[i] = step * static_cast<float>(block[4 + i] & 15) + least;
    out[i + 16] = step * static_cast<float>(block[4 + i] >> 4) + least;
  }
}

// Eight groups of 32; each has a step and a minimum of six bits: the first four plain, of the last four the
// upper two bits lie above those of the first.
void read_q4_k(const uint8_t* block, float* out) {
  const float step = half_at(block);
  const float least = half_at(block + 2);
  const uint8_t* const six = block + 4;
  const uint8_t* const nibbles = block + 16;
  for (int group = 0; group < 8; ++group) {
    const int j = group & 3;
    const int scale = group < 4 ? six[j] & 63 : (six[j + 8] & 15) | (six[j] >> 6) << 4;
    const int minimum = group < 4 ? six[j + 4] & 63 : six[j + 8] >> 4 | (six[j + 4] >> 6) << 4;
    const float by = step * static_cast<float>(scale);
    const float less = least * static_cast<float>(minimum);
    for (int i = 0; i < 32; ++i) {
      const uint8_t pair = nibbles[group / 2 * 32 + i];
      out[group * 32 + i] = by * static_cast<float>(group % 2 == 0 ? pair & 15 : pair >> 4) - less;
    }
  }
}

// Sixteen groups of 16 with a step of eight bits; six bits a weight: four of them in nibbles, two apart.
void read_q6_k(const uint8_t* block, float* out) {
  const uint8_t* const low = block;
  const uint8_t* const high = block + 128;
  const uint8_t* const steps = block + 192;
  const float step = half_at(block + 208);
  for (int i = 0; i < 256; ++i) {
    const int half = i / 128;
    const int quarter = i % 128 / 32;
    const int at = i % 32;
    const uint8_t nibbles = low[half * 64 + quarter % 2 * 32 + at];
    const int nibble = quarter < 2 ? nibbles & 15 : nibbles >> 4;
    const int above = high[half * 32 + at] >> (2 * quarter) & 3;
    const float by = step * static_cast<float>(static_cast<int8_t>(steps[i / 16]));
    out[i] = by * static_cast<float>((nibble | above << 4) - 32);
  }
}

using ReadBlock = void (*)(const uint8_t*, float*);

ReadBlock block_reader(Element element) {
  switch (element) {
    case Element::kF32:
      return [](const uint8_t* from, float* out) { *out = load<float>(from); };
    case Element::kF16:
      return [](const uint8_t* from, float* out) { *out = half_at(from); };
    case Element::kBf16:
      return [](const uint8_t* from, float* out) {
        *out = std::bit_cast<float>(uint32_t{load<uint16_t>(from)} << 16);
      };
    case Element::kI8:
      return [](const uint8_t* from, float* out) { *out = static_cast<float>(static_cast<int8_t>(*from)); };
    case Element::kQ8_0:
      return read_q8_0;
    case Element::kQ5_0:
      return read_q5_0;
    case Element::kQ4_0:
      return read_q4_0;
    case Element::kQ4_1:
      return read_q4_1;
    case Element::kQ4K:
      return read_q4_k;
    case Element::kQ6K:
      break;
  }
  return read_q6_k;
}

}  // namespace

const ElementInfo& info(Element element) { return kElements[static_cast<size_t>(element)]; }

std::optional<Element> element_of_ggml(uint32_t type) {
  switch (type) {
    case 0:
      return Element::kF32;
    case 1:
      return Element::kF16;
    case 2:
      return Element::kQ4_0;
    case 3:
      return Element::kQ4_1;
    case 6:
      return Element::kQ5_0;
    case 8:
      return Element::kQ8_0;
    case 12:
      return Element::kQ4K;
    case 14:
      return Element::kQ6K;
    case 30:
      return Element::kBf16;
    default:
      return std::nullopt;
  }
}

std::string shape_text(const Shape& shape) {
  return shape.empty() ? "one value" : fmt::format("{}", fmt::join(shape, " x "));
}

std::optional<uint64_t> values_of(const Shape& shape) {
  constexpr uint64_t kMost = uint64_t{1} << 40;
  uint64_t values = 1;
  for (const uint64_t size : shape) {
    if (size == 0 || size > kMost / values) return std::nullopt;
    values *= size;
  }
  return values;
}

std::optional<uint64_t> bytes_of(Element element, const Shape& shape) {
  const ElementInfo& is = info(element);
  const auto values = values_of(shape);
  if (!values || (is.values > 1 && (shape.empty() || shape.back() % is.values != 0))) return std::nullopt;
  return *values / is.values * is.bytes;
}

uint64_t Tensor::values() const { return values_of(shape).value_or(0); }

Tensor slice(const Tensor& tensor, uint64_t first, uint64_t count, std::string name) {
  const uint64_t all = tensor.shape.front();
  const uint64_t bytes = tensor.data.size() / all;
  Tensor part = tensor;
  part.name = std::move(name);
  part.shape.front() = count;
  part.data = tensor.data.subspan(first * bytes, count * bytes);
  if (!tensor.scales.data.empty()) {
    const uint64_t scales = tensor.scales.data.size() / all;
    part.scales.data = tensor.scales.data.subspan(first * scales, count * scales);
  }
  return part;
}

std::vector<float> floats(const Tensor& tensor) {
  const ElementInfo& is = info(tensor.element);
  std::vector<float> out(tensor.values());
  const ReadBlock read = block_reader(tensor.element);
  for (size_t block = 0; block * is.values < out.size(); ++block)
    read(tensor.data.data() + block * is.bytes, out.data() + block * is.values);
  if (!tensor.scales.data.empty()) {
    for (size_t i = 0; i < out.size(); ++i) {
      const auto scale = load<float>(tensor.scales.data.data() + i / tensor.scales.values * sizeof(float));
      out[i] = tensor.scales.divide ? out[i] / scale : out[i] * scale;
    }
  }
  return out;
}

Nibbles nibbles(const Tensor& tensor) {
  constexpr int kPairs = 16;
  const ElementInfo& is = info(tensor.element);
  const bool has_least = tensor.element == Element::kQ4_1;
  Nibbles all;
  for (size_t at = 0; at + is.bytes <= tensor.data.size(); at += is.bytes) {
    const uint8_t* const block = tensor.data.data() + at;
    const uint8_t* const pairs = block + (has_least ? 4 : 2);
    const float step = half_at(block);
    const float least = has_least ? half_at(block + 2) : -8 * step;
    // Backwards, where steps go down.
    const int flip = step < 0 ? 15 : 0;
    all.steps.push_back(std::abs(step));
    all.leasts.push_back(least + step * static_cast<float>(flip));
    for (int i = 0; i < kPairs; ++i) all.numbers.push_back(static_cast<uint8_t>((pairs[i] & 15) ^ flip));
    for (int i = 0; i < kPairs; ++i) all.numbers.push_back(static_cast<uint8_t>((pairs[i] >> 4) ^ flip));
  }
  return all;
}

float float_of_half(uint16_t half) {
  const uint32_t sign = uint32_t{half} >> 15 << 31;
  const uint32_t exponent = half >> 10 & 31;
  const uint32_t fraction = half & 1023;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000U | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float small = std::ldexp(static_cast<float>(fraction), -24);
  return sign != 0 ? -small : small;
}

uint16_t half_of_float(float number) {
  const auto bits = std::bit_cast<uint32_t>(number);
  const auto sign = static_cast<uint16_t>(bits >> 31 << 15);
  const float size = std::abs(number);
  const auto with_sign = [&](uint32_t half) { return static_cast<uint16_t>(sign | half); };
  if (std::isnan(number)) return with_sign(0x7E00);
  if (size >= 65520.0F) return with_sign(0x7C00);  // halfway to what would come after the largest
  if (size < std::ldexp(1.0F, -14))
    return with_sign(static_cast<uint32_t>(std::nearbyint(std::ldexp(size, 24))));
  const uint32_t rest = bits & 0x7FFFFFFF;
  return with_sign(((rest + 0xFFF + (rest >> 13 & 1)) >> 13) - (112U << 10));
}

std::vector<uint16_t> halves_of(std::span<const float> numbers) {
  std::vector<uint16_t> halves(numbers.size());
  std::ranges::transform(numbers, halves.begin(), half_of_float);
  return halves;
}

}  // namespace swai::models
