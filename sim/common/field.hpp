// SPDX-License-Identifier: Apache-2.0
// Some bits of a port of a verilated model, whatever C++ type Verilator gave it: ports of all widths lie in
// memory as little-endian numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>

#include "abi/field.hpp"
#include "sim/common/random.hpp"

namespace swai::verif {

class Field {
 public:
  template <typename Port>
  Field(Port& port, unsigned lsb, unsigned width)
      : Field(reinterpret_cast<uint8_t*>(&port), 8 * sizeof port, lsb, width) {}

  // The bits [lsb, lsb + width) of this field.
  Field slice(unsigned lsb, unsigned width) const { return {memory_, lsb_ + width_, lsb_ + lsb, width}; }

  unsigned width() const { return width_; }

  uint64_t get() const { return get(0, width_); }
  void set(uint64_t value) { set(0, width_, value); }

  // Up to 64 bits from bit `at` of the field upwards.
  uint64_t get(unsigned at, unsigned width) const {
    uint64_t value = 0;
    for (unsigned done = 0; done < width;) {
      const unsigned bit = lsb_ + at + done;
      const unsigned some = std::min(width - done, 8 - bit % 8);
      const uint64_t part = (memory_[bit / 8] >> (bit % 8)) & ((1U << some) - 1);
      value |= part << done;
      done += some;
    }
    return value;
  }

  void set(unsigned at, unsigned width, uint64_t value) {
    for (unsigned done = 0; done < width;) {
      const unsigned bit = lsb_ + at + done;
      const unsigned some = std::min(width - done, 8 - bit % 8);
      const unsigned mask = ((1U << some) - 1) << (bit % 8);
      uint8_t& byte = memory_[bit / 8];
      byte = static_cast<uint8_t>((byte & ~mask) | (((value >> done) << (bit % 8)) & mask));
      done += some;
    }
  }

  // The same with a field of a structure (wires.hpp).
  uint64_t get(swai::Field bits) const { return get(bits.lsb, bits.width); }
  void set(swai::Field bits, uint64_t value) { set(bits.lsb, bits.width, value); }

  void get_bytes(std::span<uint8_t> bytes) const {
    for (unsigned i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(get(8 * i, 8));
  }
  void set_bytes(std::span<const uint8_t> bytes) {
    for (unsigned i = 0; i < bytes.size(); ++i) set(8 * i, 8, bytes[i]);
  }

  void scramble(Random& random) {
    for (unsigned at = 0; at < width_; at += 64) set(at, std::min(64U, width_ - at), random.next());
  }

 private:
  Field(uint8_t* memory, size_t bits, unsigned lsb, unsigned width)
      : memory_(memory), lsb_(lsb), width_(width) {
    if (lsb + width > bits) throw std::logic_error("a field lies outside its port");
  }

  uint8_t* memory_;
  unsigned lsb_;
  unsigned width_;
};

// How a payload lies in a field; other payload types add overloads beside their type.
inline void store(Field& field, uint64_t value) { field.set(value); }
inline void load(const Field& field, uint64_t& value) { value = field.get(); }

}  // namespace swai::verif
