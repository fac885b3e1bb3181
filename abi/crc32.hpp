// SPDX-License-Identifier: Apache-2.0
// CRC-32 as in Ethernet and zip (reflected polynomial 0xEDB88320): "123456789" gives 0xCBF43926.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace swai {

// Four bits at a time: the table takes one cache line, which matters to the boot ROM.
inline constexpr std::array<uint32_t, 16> kCrc32Table = [] {
  std::array<uint32_t, 16> table{};
  for (uint32_t i = 0; i < table.size(); ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 4; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? 0xEDB88320U : 0);
    table[i] = value;
  }
  return table;
}();

constexpr uint32_t crc32(std::span<const uint8_t> bytes) {
  uint32_t crc = ~uint32_t{0};
  for (const uint8_t byte : bytes) {
    crc ^= byte;
    crc = (crc >> 4) ^ kCrc32Table[crc & 15];
    crc = (crc >> 4) ^ kCrc32Table[crc & 15];
  }
  return ~crc;
}

inline uint32_t crc32(const void* data, size_t bytes) {
  return crc32(std::span(static_cast<const uint8_t*>(data), bytes));
}

}  // namespace swai
