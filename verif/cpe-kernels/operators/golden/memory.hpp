// SPDX-License-Identifier: Apache-2.0
// Memory as nodes name it, on the host: pieces of segments.
#pragma once

#include <cstring>
#include <map>
#include <span>
#include <vector>

#include "abi/global_ptr.hpp"
#include "cpe-kernels/operators/common/limits.hpp"
#include "verif/cpe-kernels/operators/arithmetic.hpp"

namespace swai::operators::golden {

using test::Real;

// A number as the vector unit reads it and stores it: as fp32, in memory as `number` says.
uint32_t read_number(Number number, const uint8_t* at);
void write_number(Number number, uint8_t* at, uint32_t fp32);

class Memory {
 public:
  // The bytes stay whose they are.
  void add(GlobalPtr<void> at, std::span<uint8_t> bytes) { pieces_[at.bits()] = bytes; }
  // From there to the end of the piece. Throws std::out_of_range where there is none.
  std::span<uint8_t> from(GlobalPtr<const void> at) const;

 private:
  std::map<uint64_t, std::span<uint8_t>> pieces_;
};

// Rows of numbers. Throws std::out_of_range for those that lie behind their piece of memory.
class Rows {
 public:
  Rows(const Memory& memory, GlobalPtr<const void> at, uint32_t stride, Number type)
      : bytes_(memory.from(at)), stride_(stride), type_(type) {}

  Real read(uint32_t row, uint32_t column) const {
    return Real::of(read_number(type_, place(row, column, bytes_of(type_))));
  }
  void write(uint32_t row, uint32_t column, Real value) const {
    write_number(type_, place(row, column, bytes_of(type_)), value.bits);
  }
  std::vector<Real> row(uint32_t row, uint32_t first, uint32_t count) const;

  // As they are, of any type.
  template <typename T>
  T get(uint32_t row, uint32_t column) const {
    T value;
    std::memcpy(&value, place(row, column, sizeof value), sizeof value);
    return value;
  }
  template <typename T>
  void set(uint32_t row, uint32_t column, T value) const {
    std::memcpy(place(row, column, sizeof value), &value, sizeof value);
  }
  std::span<const int8_t> bytes(uint32_t row, uint32_t count) const;

 private:
  uint8_t* place(uint32_t row, uint32_t column, uint32_t size) const {
    const uint64_t at = uint64_t{row} * stride_ + uint64_t{column} * size;
    if (at + size > bytes_.size()) throw_outside();
    return &bytes_[at];
  }
  [[noreturn]] static void throw_outside();

  std::span<uint8_t> bytes_;
  uint32_t stride_;
  Number type_;
};

// One row of fp32, or of words.
inline Rows one_row(const Memory& memory, GlobalPtr<const void> at) { return {memory, at, 0, Number::kFp32}; }

}  // namespace swai::operators::golden
