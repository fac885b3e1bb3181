// SPDX-License-Identifier: Apache-2.0
// printf in kernels: what a core leaves in memory, and hosts read (host/lib/prints.hpp). A module's print
// buffer has a head for each core of the card, then a ring of words for each. A core writes what it prints
// behind what is there, and then says so in its head; hosts say up to where they have read. Who finds no room
// counts the line as lost.
//
// A record: address of the format in the module; two bits for each value, the first one lowest; the values.
#pragma once

// The C library's <stdio.h> is this to kernels, so nothing is included that includes that.
#include <cstddef>
#include <cstdint>

namespace swai::print {

inline constexpr uint32_t kCoresOfGroup = 32;
inline constexpr uint32_t kMaxCores = 4 * kCoresOfGroup;
inline constexpr uint32_t kRingWords = 1024;
inline constexpr uint32_t kMaxValues = 16;

struct Head {
  uint32_t written;  // words, since the buffer was made
  uint32_t read;     // likewise; the host's
  uint32_t lost;     // lines
  uint32_t reserved;
};
static_assert(sizeof(Head) == 16);

constexpr uint32_t head_word(uint32_t core) { return core * (sizeof(Head) / sizeof(uint32_t)); }
constexpr uint32_t ring_word(uint32_t core) { return head_word(kMaxCores) + core * kRingWords; }
inline constexpr uint32_t kBufferBytes = ring_word(kMaxCores) * sizeof(uint32_t);

enum Kind : uint32_t { kEnd, kWord, kWide, kFloat };

// What a kernel may give, as far as formats care.
enum class Type : uint8_t { kInteger, kWideInteger, kReal, kText, kPointer, kOther };

// One of a format: "%-8.3llx", or "%%". It begins with the first `%` at or behind where it was looked for.
struct Conversion {
  size_t begin;
  size_t kind;  // where flags, width and precision end
  size_t end;
  char letter;  // 0: it is not understood, or there is none
  bool wide;
};

constexpr bool is_one_of(char one, const char* all) {
  for (; *all != '\0'; ++all) {
    if (one == *all) return true;
  }
  return false;
}

// `format` ends with a zero. None: `begin` is its length.
constexpr Conversion next(const char* format, size_t at) {
  while (format[at] != '\0' && format[at] != '%') ++at;
  Conversion found{at, at, at, '\0', false};
  if (format[at] == '\0') return found;
  const auto skip = [&](const char* what, size_t most) {
    for (size_t i = 0; i < most && format[found.end] != '\0' && is_one_of(format[found.end], what); ++i)
      ++found.end;
  };
  ++found.end;
  skip("-+ #0", 5);
  skip("0123456789", 3);
  skip(".", 1);
  skip("0123456789", 3);
  found.kind = found.end;
  skip("hlz", 2);
  found.wide = found.end - found.kind == 2 && format[found.kind] == 'l' && format[found.kind + 1] == 'l';
  if (format[found.end] != '\0' && is_one_of(format[found.end], "%diuxXoeEfFgGcsp"))
    found.letter = format[found.end++];
  return found;
}

constexpr bool takes(const Conversion& conversion, Type type) {
  switch (conversion.letter) {
    case 'c':
      return type == Type::kInteger && !conversion.wide;
    case 's':
      return type == Type::kText;
    case 'p':
      return type == Type::kPointer || type == Type::kText;
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      return type == (conversion.wide ? Type::kWideInteger : Type::kInteger);
    case '\0':
      return false;
    default:
      return type == Type::kReal;
  }
}

constexpr bool fits(const char* format, const Type* types, size_t count) {
  size_t used = 0;
  Conversion conversion = next(format, 0);
  for (; format[conversion.begin] != '\0'; conversion = next(format, conversion.end)) {
    if (conversion.letter == '%') continue;
    if (used == count || !takes(conversion, types[used])) return false;
    ++used;
  }
  return used == count;
}

}  // namespace swai::print
