#include "firmware/kernel/identity.hpp"

#include <string_view>

#include "version.hpp"

namespace {

template <size_t kSize>
constexpr std::array<char, kSize> text_field(std::string_view text) {
  std::array<char, kSize> field = {};
  for (size_t i = 0; i < field.size() && i < text.size(); ++i) field[i] = text[i];
  return field;
}

}  // namespace

extern "C" constinit const swai::image::IdentityRecord swai_identity = {
    .identity = {.name = text_field<32>("ai-kernel"),
                 .version = text_field<32>("0.1.0"),
                 .git_hash = text_field<40>(swai::kVersion),
                 .board = text_field<24>("swai-card")}};
