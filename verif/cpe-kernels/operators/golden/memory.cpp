// SPDX-License-Identifier: Apache-2.0
#include "verif/cpe-kernels/operators/golden/memory.hpp"

#include <stdexcept>

namespace swai::operators::golden {
namespace {

namespace fp32 = iss::cpe::fp32;

template <typename T>
T get(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
template <typename T>
void set(uint8_t* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

}  // namespace

uint32_t read_number(Number number, const uint8_t* at) {
  switch (number) {
    case Number::kFp32:
      return get<uint32_t>(at);
    case Number::kInt32:
      return fp32::of_int32(get<int32_t>(at));
    case Number::kFp16:
      return fp32::of_fp16(get<uint16_t>(at));
    case Number::kInt8:
      return fp32::of_int32(get<int8_t>(at));
  }
  throw std::logic_error("no such number");
}

void write_number(Number number, uint8_t* at, uint32_t value) {
  switch (number) {
    case Number::kFp32:
      return set(at, value);
    case Number::kInt32:
      return set(at, fp32::to_int32(value));
    case Number::kFp16:
      return set(at, fp32::to_fp16(value));
    case Number::kInt8:
      return set(at, fp32::to_int8(value));
  }
}

std::span<uint8_t> Memory::from(GlobalPtr<const void> at) const {
  auto found = pieces_.upper_bound(at.bits());
  if (found != pieces_.begin()) {
    --found;
    const uint64_t offset = at.bits() - found->first;
    if (offset < found->second.size()) return found->second.subspan(offset);
  }
  throw std::out_of_range("a node names memory that is nobody's");
}

std::vector<Real> Rows::row(uint32_t row, uint32_t first, uint32_t count) const {
  std::vector<Real> numbers(count);
  for (uint32_t i = 0; i < count; ++i) numbers[i] = read(row, first + i);
  return numbers;
}

std::span<const int8_t> Rows::bytes(uint32_t row, uint32_t count) const {
  if (count == 0) return {};
  static_cast<void>(place(row, count - 1, 1));
  return {reinterpret_cast<const int8_t*>(place(row, 0, 1)), count};
}

void Rows::throw_outside() { throw std::out_of_range("a node reaches beyond its memory"); }

}  // namespace swai::operators::golden
