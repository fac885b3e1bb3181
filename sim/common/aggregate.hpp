// SPDX-License-Identifier: Apache-2.0
// The fields of a plain struct, without naming them: whoever goes over all of them cannot forget one that is
// added later.
#pragma once

#include <cstddef>
#include <type_traits>

namespace swai {

namespace aggregate {

// Stands for a field of any type when fields are counted.
struct Anything {
  template <typename T>
  operator T() const;
};

inline constexpr size_t kMost = 8;

template <typename T, typename... Fields>
constexpr size_t count() {
  if constexpr (sizeof...(Fields) <= kMost && requires { T{Fields{}..., Anything{}}; }) {
    return count<T, Fields..., Anything>();
  } else {
    return sizeof...(Fields);
  }
}

}  // namespace aggregate

// Calls `function` with all fields of `value`, which has 1 to 8 of them and is no array.
template <typename T, typename Function>
void with_fields(T& value, Function function) {
  constexpr size_t kCount = aggregate::count<std::remove_const_t<T>>();
  static_assert(kCount >= 1 && kCount <= aggregate::kMost, "name its fields: they are too many");
  if constexpr (kCount == 1) {
    auto& [a] = value;
    function(a);
  } else if constexpr (kCount == 2) {
    auto& [a, b] = value;
    function(a, b);
  } else if constexpr (kCount == 3) {
    auto& [a, b, c] = value;
    function(a, b, c);
  } else if constexpr (kCount == 4) {
    auto& [a, b, c, d] = value;
    function(a, b, c, d);
  } else if constexpr (kCount == 5) {
    auto& [a, b, c, d, e] = value;
    function(a, b, c, d, e);
  } else if constexpr (kCount == 6) {
    auto& [a, b, c, d, e, f] = value;
    function(a, b, c, d, e, f);
  } else if constexpr (kCount == 7) {
    auto& [a, b, c, d, e, f, g] = value;
    function(a, b, c, d, e, f, g);
  } else {
    auto& [a, b, c, d, e, f, g, h] = value;
    function(a, b, c, d, e, f, g, h);
  }
}

}  // namespace swai
