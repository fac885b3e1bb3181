// SPDX-License-Identifier: Apache-2.0
// printf for kernels; <cstdio> and <stdio.h> find it, too. What a core prints comes out when the host waits
// for it, core after core. docs/program/kernels.md tells how.
#pragma once

#include <bit>
#include <type_traits>
#include <utility>

#include "abi/print.hpp"
#include "swai/control.hpp"
#include "swai/window.hpp"

extern "C" {

// Of the module's print buffer. Who loads the module writes it there; 0: nobody wants to know.
[[gnu::section(".rodata.swai.print")]] inline constexpr uint64_t swai_print_buffer = 0;

[[gnu::noinline]] inline void swai_print(const uint32_t* record, uint32_t count) {
  // Tells hosts where that is.
  asm volatile(
      ".pushsection .debug_swai_print, \"\", @progbits\n"
      ".4byte swai_print_buffer\n"
      ".popsection");
  namespace print = swai::print;
  // The compiler does not see who writes there.
  const volatile uint64_t* place = &swai_print_buffer;
  asm("" : "+r"(place));
  const swai::cpe::GlobalPtr<uint32_t> buffer(*place);
  if (!buffer) return;
  const swai::cpe::Window<uint32_t> window(buffer);
  const uint32_t core = swai::cpe::group_number() * print::kCoresOfGroup + swai::cpe::number();
  const uint32_t head = print::head_word(core);
  const uint32_t ring = print::ring_word(core);
  uint32_t written = window[head];
  if (written - window[head + 1] + count > print::kRingWords) {
    window[head + 2] = window[head + 2] + 1;
    return;
  }
  for (uint32_t i = 0; i < count; ++i) window[ring + written++ % print::kRingWords] = record[i];
  window[head] = written;
}
}

namespace swai::cpe::printing {

using print::Type;

template <typename T>
struct IsGlobal : std::false_type {};
template <typename T>
struct IsGlobal<GlobalPtr<T>> : std::true_type {};

// What a value is printed as: an element of Global<T> (cuda.hpp) as what it holds.
template <typename T, typename = void>
struct Value {
  using type = std::decay_t<T>;
};
template <typename T>
struct Value<T, std::void_t<typename std::decay_t<T>::Value>> {
  using type = typename std::decay_t<T>::Value;
};

template <typename T>
constexpr Type type_of() {
  if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
    return sizeof(T) == 8 ? Type::kWideInteger : Type::kInteger;
  } else if constexpr (std::is_floating_point_v<T> && sizeof(T) <= 8) {
    return Type::kReal;
  } else if constexpr (std::is_same_v<T, const char*>) {
    return Type::kText;
  } else if constexpr (std::is_pointer_v<T> || IsGlobal<T>::value) {
    return Type::kPointer;
  } else {
    return Type::kOther;
  }
}

template <typename... T>
struct Types {};
template <typename... T>
Types<typename Value<const T>::type...> types_of(const T&...);

template <typename... T>
consteval bool fits(const char* format, Types<T...>) {
  const Type types[] = {type_of<T>()..., Type::kOther};
  return sizeof...(T) <= print::kMaxValues && print::fits(format, types, sizeof...(T));
}

template <typename T>
constexpr print::Kind kind_of() {
  if (std::is_same_v<T, float>) return print::kFloat;
  return sizeof(T) == 8 ? print::kWide : print::kWord;
}

template <typename T>
inline void append(uint32_t*& to, const T& value) {
  if constexpr (sizeof(T) == 8) {
    const auto bits = std::bit_cast<uint64_t>(value);
    *to++ = static_cast<uint32_t>(bits);
    *to++ = static_cast<uint32_t>(bits >> 32);
  } else if constexpr (std::is_same_v<T, float>) {
    *to++ = std::bit_cast<uint32_t>(value);
  } else if constexpr (std::is_pointer_v<T>) {
    *to++ = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(value));
  } else {
    *to++ = static_cast<uint32_t>(value);
  }
}

template <typename... T>
inline int write(const char* format, T... values) {
  uint32_t kinds = 0;
  unsigned at = 0;
  ((kinds |= kind_of<typename Value<const T>::type>() << 2 * at++), ...);
  uint32_t record[2 + 2 * sizeof...(T)];
  uint32_t* end = record;
  append(end, format);
  append(end, kinds);
  (append<typename Value<const T>::type>(end, static_cast<typename Value<const T>::type>(std::move(values))),
   ...);
  swai_print(record, static_cast<uint32_t>(end - record));
  return static_cast<int>(sizeof...(T));
}

}  // namespace swai::cpe::printing

#define SWAI_PRINTF(format, ...)                                                                        \
  __extension__({                                                                                       \
    static_assert(                                                                                      \
        ::swai::cpe::printing::fits(format, decltype(::swai::cpe::printing::types_of(__VA_ARGS__)){}),  \
        "format and values do not go together; there are %d %u %x %lld %f %g %s %c %p and their like"); \
    ::swai::cpe::printing::write(format __VA_OPT__(, ) __VA_ARGS__);                                    \
  })
