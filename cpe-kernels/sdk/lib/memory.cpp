// SPDX-License-Identifier: Apache-2.0
// The functions that the compiler calls on its own, for local memory. Linked only where they are used.
#include <cstddef>
#include <cstdint>

extern "C" {

void* memcpy(void* to, const void* from, size_t bytes) {
  auto* out = static_cast<uint8_t*>(to);
  const auto* in = static_cast<const uint8_t*>(from);
  if (((reinterpret_cast<uintptr_t>(out) | reinterpret_cast<uintptr_t>(in)) % sizeof(uint32_t)) == 0) {
    for (; bytes >= sizeof(uint32_t); bytes -= sizeof(uint32_t)) {
      *reinterpret_cast<uint32_t*>(out) = *reinterpret_cast<const uint32_t*>(in);
      out += sizeof(uint32_t);
      in += sizeof(uint32_t);
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
  const uint32_t word = uint32_t{0x0101'0101} * static_cast<uint8_t>(value);
  for (; bytes != 0 && reinterpret_cast<uintptr_t>(out) % sizeof(word) != 0; --bytes)
    *out++ = static_cast<uint8_t>(value);
  for (; bytes >= sizeof(word); bytes -= sizeof(word)) {
    *reinterpret_cast<uint32_t*>(out) = word;
    out += sizeof(word);
  }
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

}  // extern "C"
