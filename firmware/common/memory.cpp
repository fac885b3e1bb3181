// SPDX-License-Identifier: Apache-2.0
// The functions that the compiler calls on its own.
#include <cstddef>
#include <cstdint>

extern "C" {

void* memcpy(void* to, const void* from, size_t bytes) {
  auto* out = static_cast<uint8_t*>(to);
  const auto* in = static_cast<const uint8_t*>(from);
  if (((reinterpret_cast<uintptr_t>(out) | reinterpret_cast<uintptr_t>(in)) % sizeof(uint64_t)) == 0) {
    for (; bytes >= sizeof(uint64_t); bytes -= sizeof(uint64_t)) {
      *reinterpret_cast<uint64_t*>(out) = *reinterpret_cast<const uint64_t*>(in);
      out += sizeof(uint64_t);
      in += sizeof(uint64_t);
    }
  }
  while (bytes-- != 0) *out++ = *in++;
  return to;
}

void* memmove(void* to, const void* from, size_t bytes) {
  auto* out = static_cast<uint8_t*>(to);
  const auto* in = static_cast<const uint8_t*>(from);
  if (out <= in) return memcpy(to, from, bytes);
  while (bytes-- != 0) out[bytes] = in[bytes];
  return to;
}

void* memset(void* to, int value, size_t bytes) {
  auto* out = static_cast<uint8_t*>(to);
  const uint64_t word = uint64_t{0x0101'0101'0101'0101} * static_cast<uint8_t>(value);
  while (bytes != 0 && reinterpret_cast<uintptr_t>(out) % sizeof(word) != 0) {
    *out++ = static_cast<uint8_t>(value);
    --bytes;
  }
  auto* line = reinterpret_cast<uint64_t*>(out);
  constexpr size_t kLineWords = 8;
  for (; bytes >= kLineWords * sizeof(word); bytes -= kLineWords * sizeof(word)) {
#pragma GCC unroll 8
    for (size_t i = 0; i < kLineWords; ++i) line[i] = word;
    line += kLineWords;
  }
  for (; bytes >= sizeof(word); bytes -= sizeof(word)) *line++ = word;
  out = reinterpret_cast<uint8_t*>(line);
  while (bytes-- != 0) *out++ = static_cast<uint8_t>(value);
  return to;
}

int memcmp(const void* left, const void* right, size_t bytes) {
  const auto* a = static_cast<const uint8_t*>(left);
  const auto* b = static_cast<const uint8_t*>(right);
  for (size_t i = 0; i < bytes; ++i) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

void* memchr(const void* data, int value, size_t bytes) {
  const auto* at = static_cast<const uint8_t*>(data);
  for (; bytes != 0; ++at, --bytes) {
    if (*at == static_cast<uint8_t>(value)) return const_cast<uint8_t*>(at);
  }
  return nullptr;
}

size_t strlen(const char* text) {
  size_t length = 0;
  while (text[length] != 0) ++length;
  return length;
}

}  // extern "C"
