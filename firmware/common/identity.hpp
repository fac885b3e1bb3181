// SPDX-License-Identifier: Apache-2.0
// What an image says of itself, as every program on the management processor makes it.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "abi/image.hpp"
#include "version.hpp"

namespace swai::image {

template <size_t kSize>
constexpr std::array<char, kSize> text_field(std::string_view text) {
  std::array<char, kSize> field = {};
  for (size_t i = 0; i < field.size() && i < text.size(); ++i) field[i] = text[i];
  return field;
}

constexpr IdentityRecord identity_of(std::string_view name) {
  return {.identity = {.name = text_field<32>(name),
                       .version = text_field<32>("0.1.0"),
                       .git_hash = text_field<40>(kVersion),
                       .board = text_field<24>("swai-card")}};
}

}  // namespace swai::image
