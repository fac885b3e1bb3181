// SPDX-License-Identifier: Apache-2.0
#include "host/models/onnx/tensor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "host/models/files/tensor.hpp"

namespace swai::onnx {
namespace {

struct Info {
  Element element;
  const char* name;
  uint32_t bits;
};
constexpr Info kInfos[] = {
    {Element::kF32, "f32", 32},   {Element::kU8, "u8", 8},     {Element::kI8, "i8", 8},
    {Element::kU16, "u16", 16},   {Element::kI16, "i16", 16},  {Element::kI32, "i32", 32},
    {Element::kI64, "i64", 64},   {Element::kBool, "bool", 8}, {Element::kF16, "f16", 16},
    {Element::kF64, "f64", 64},   {Element::kU32, "u32", 32},  {Element::kU64, "u64", 64},
    {Element::kBf16, "bf16", 16}, {Element::kU4, "u4", 4},     {Element::kI4, "i4", 4},
};

const Info& info(Element element) { return *std::ranges::find(kInfos, element, &Info::element); }

uint16_t bf16_of(float number) {
  const auto bits = std::bit_cast<uint32_t>(number);
  if (std::isnan(number)) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// Calls `act` with a value of the element's type in memory; halves and bfloat16 are uint16_t.
template <typename Act>
void with_type(Element element, Act act) {
  switch (element) {
    case Element::kF32:
      return act(float{});
    case Element::kF64:
      return act(double{});
    case Element::kU8:
    case Element::kBool:
      return act(uint8_t{});
    case Element::kI8:
      return act(int8_t{});
    case Element::kF16:
    case Element::kBf16:
    case Element::kU16:
      return act(uint16_t{});
    case Element::kI16:
      return act(int16_t{});
    case Element::kI32:
      return act(int32_t{});
    case Element::kU32:
      return act(uint32_t{});
    case Element::kI64:
      return act(int64_t{});
    case Element::kU64:
      return act(uint64_t{});
    case Element::kU4:
    case Element::kI4:
      break;
  }
}

double read_real(Element element, uint16_t bits) {
  if (element == Element::kF16) return models::float_of_half(bits);
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

}  // namespace

std::optional<Element> element_of(int64_t number) {
  const auto found =
      std::ranges::find(kInfos, number, [](const Info& one) { return static_cast<int64_t>(one.element); });
  return found == std::end(kInfos) ? std::nullopt : std::optional(found->element);
}

const char* to_text(Element element) { return info(element).name; }

bool is_float(Element element) {
  return element == Element::kF32 || element == Element::kF16 || element == Element::kBf16 ||
         element == Element::kF64;
}

bool is_signed(Element element) { return is_float(element) || info(element).name[0] == 'i'; }

uint32_t bits_of(Element element) { return info(element).bits; }

std::optional<int64_t> count_of(std::span<const int64_t> shape) {
  constexpr int64_t kMaxCount = int64_t{1} << 40;
  int64_t count = 1;
  for (const int64_t size : shape) {
    if (size < 0 || __builtin_mul_overflow(count, size, &count) || count > kMaxCount) return std::nullopt;
  }
  return count;
}

int64_t bytes_of(Element element, int64_t count) { return (count * bits_of(element) + 7) / 8; }

std::string shape_text(std::span<const int64_t> shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

Tensor make_tensor(Element element, std::vector<int64_t> shape, std::vector<uint8_t> bytes) {
  const auto owned = std::make_shared<const std::vector<uint8_t>>(std::move(bytes));
  return {element, std::move(shape), *owned, owned};
}

Tensor integers(std::span<const int64_t> values) {
  return wholes(Element::kI64, {static_cast<int64_t>(values.size())}, values);
}

Tensor integer(int64_t value) { return wholes(Element::kI64, {}, {{value}}); }

Tensor reals(Element element, std::vector<int64_t> shape, std::span<const double> values) {
  std::vector<uint8_t> bytes(values.size() * bits_of(element) / 8);
  with_type(element, [&]<typename T>(T) {
    for (size_t i = 0; i < values.size(); ++i) {
      T value;
      if constexpr (std::is_same_v<T, uint16_t>) {
        const auto single = static_cast<float>(values[i]);
        value = element == Element::kF16 ? models::half_of_float(single) : bf16_of(single);
      } else {
        value = static_cast<T>(values[i]);
      }
      std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
    }
  });
  return make_tensor(element, std::move(shape), std::move(bytes));
}

Tensor wholes(Element element, std::vector<int64_t> shape, std::span<const int64_t> values) {
  std::vector<uint8_t> bytes(values.size() * bits_of(element) / 8);
  with_type(element, [&]<typename T>(T) {
    for (size_t i = 0; i < values.size(); ++i) {
      const auto value =
          element == Element::kBool ? static_cast<T>(values[i] != 0) : static_cast<T>(values[i]);
      std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
    }
  });
  return make_tensor(element, std::move(shape), std::move(bytes));
}

std::vector<double> doubles(const Tensor& tensor) {
  std::vector<double> values(static_cast<size_t>(tensor.count()));
  with_type(tensor.element, [&]<typename T>(T value) {
    for (size_t i = 0; i < values.size(); ++i) {
      std::memcpy(&value, tensor.bytes.data() + i * sizeof value, sizeof value);
      if constexpr (std::is_same_v<T, uint16_t>) {
        values[i] = tensor.element == Element::kU16 ? value : read_real(tensor.element, value);
      } else {
        values[i] = static_cast<double>(value);
      }
    }
  });
  return values;
}

std::vector<int64_t> int64s(const Tensor& tensor) {
  std::vector<int64_t> values(static_cast<size_t>(tensor.count()));
  if (is_float(tensor.element)) {
    std::ranges::transform(doubles(tensor), values.begin(), [](double value) {
      // Outside of the range the format leaves the result open.
      return std::abs(value) < 0x1p63 ? static_cast<int64_t>(value) : std::numeric_limits<int64_t>::min();
    });
    return values;
  }
  with_type(tensor.element, [&]<typename T>(T value) {
    for (size_t i = 0; i < values.size(); ++i) {
      std::memcpy(&value, tensor.bytes.data() + i * sizeof value, sizeof value);
      values[i] = static_cast<int64_t>(value);
    }
  });
  return values;
}

bool is_same(const Tensor& a, const Tensor& b) {
  return a.element == b.element && a.shape == b.shape && std::ranges::equal(a.bytes, b.bytes);
}

}  // namespace swai::onnx
