// SPDX-License-Identifier: Apache-2.0
#include "host/lib/utf8.hpp"

#include <algorithm>

namespace swai::common {
namespace {

struct Lead {
  uint8_t bytes;  // 0: begins nothing
  uint8_t low,
      high;  // of the second byte: these ranges keep out long forms, surrogates and what is above U+10FFFF
};

Lead lead_of(uint8_t byte) {
  if (byte < 0x80) return {1, 0, 0};
  if (byte < 0xC2) return {0, 0, 0};
  if (byte < 0xE0) return {2, 0x80, 0xBF};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte < 0xF0) return {3, 0x80, 0xBF};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte < 0xF4) return {4, 0x80, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

// How many of the bytes from `at` on belong to the character that begins there.
size_t right_bytes(std::string_view text, size_t at, const Lead& lead) {
  size_t right = 1;
  while (right < lead.bytes && at + right < text.size()) {
    const auto byte = static_cast<uint8_t>(text[at + right]);
    const bool fits = right == 1 ? byte >= lead.low && byte <= lead.high : (byte & 0xC0) == 0x80;
    if (!fits) break;
    ++right;
  }
  return right;
}

}  // namespace

Character character_at(std::string_view text, size_t at) {
  const auto first = static_cast<uint8_t>(text[at]);
  const Lead lead = lead_of(first);
  if (lead.bytes == 1) return {first, 1};
  if (lead.bytes == 0 || right_bytes(text, at, lead) != lead.bytes) return {kNoCharacter, 1};
  uint32_t code = first & (0x7FU >> lead.bytes);
  for (size_t i = 1; i < lead.bytes; ++i) code = code << 6 | (static_cast<uint8_t>(text[at + i]) & 0x3F);
  return {code, lead.bytes};
}

size_t broken_bytes(std::string_view text, size_t at) {
  const Lead lead = lead_of(static_cast<uint8_t>(text[at]));
  return lead.bytes == 0 ? 0 : right_bytes(text, at, lead);
}

size_t unfinished_bytes(std::string_view text) {
  for (size_t back = 1; back <= std::min<size_t>(3, text.size()); ++back) {
    const size_t at = text.size() - back;
    const Lead lead = lead_of(static_cast<uint8_t>(text[at]));
    if (lead.bytes > back && right_bytes(text, at, lead) == back) return back;
  }
  return 0;
}

std::string readable(std::string_view text) {
  std::string whole;
  for (size_t at = 0; at < text.size();) {
    const Character next = character_at(text, at);
    whole += next.code == kNoCharacter ? std::string_view("\xEF\xBF\xBD") : text.substr(at, next.bytes);
    at += next.bytes;
  }
  return whole;
}

}  // namespace swai::common
