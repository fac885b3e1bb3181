// SPDX-License-Identifier: Apache-2.0
#include "host/models/files/byte_letters.hpp"

#include <array>
#include <cstdint>

#include "host/lib/utf8.hpp"

namespace swai::models {
namespace {

constexpr int kLetters = 256 + 68;  // 68 bytes are not printable

constexpr std::array<int16_t, kLetters> kByteOfLetter = [] {
  std::array<int16_t, kLetters> bytes{};
  bytes.fill(-1);
  int next = 256;
  for (int byte = 0; byte < 256; ++byte) {
    const bool printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    bytes[static_cast<size_t>(printable ? byte : next++)] = static_cast<int16_t>(byte);
  }
  return bytes;
}();

}  // namespace

std::optional<std::string> bytes_of_letters(std::string_view text) {
  std::string bytes;
  for (size_t at = 0; at < text.size();) {
    const common::Character one = common::character_at(text, at);
    if (one.code >= kLetters || kByteOfLetter[one.code] < 0) return std::nullopt;
    bytes += static_cast<char>(kByteOfLetter[one.code]);
    at += one.bytes;
  }
  return bytes;
}

}  // namespace swai::models
