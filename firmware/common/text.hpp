// SPDX-License-Identifier: Apache-2.0
// Text output without a library: print(out, "length ", length, " at ", hex(address), '\n').
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>

namespace swai::fw {

// Where text goes.
class Out {
 public:
  virtual void put(std::string_view text) = 0;

 protected:
  ~Out() = default;
};

struct Hex {
  uint64_t value;
  unsigned digits;
};
// At least `digits` digits, after "0x".
constexpr Hex hex(uint64_t value, unsigned digits = 1) { return {value, digits}; }

struct Padded {
  uint64_t value;
  unsigned width;
  char fill;
};
// A decimal number, filled up on the left.
constexpr Padded padded(uint64_t value, unsigned width, char fill = ' ') { return {value, width, fill}; }

struct Field {
  std::span<const char> text;
};
// A text field of at most 64 characters that ends at a zero or when it is full. It may come from anywhere:
// what does not print is replaced.
constexpr Field field(std::span<const char> text) { return {text}; }

void put(Out& out, std::string_view text);
void put(Out& out, char character);
void put(Out& out, Hex number);
void put(Out& out, Padded number);
void put(Out& out, Field field);
inline void put(Out& out, std::unsigned_integral auto number) { put(out, Padded{number, 0, ' '}); }

template <typename... Args>
void print(Out& out, const Args&... args) {
  (put(out, args), ...);
}

}  // namespace swai::fw
