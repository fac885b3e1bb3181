// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "sim/board/flash/flash_chip.hpp"

namespace swai::card {
namespace {

void store_le32(uint8_t* at, uint32_t value) {
  for (unsigned i = 0; i < 4; ++i) at[i] = static_cast<uint8_t>(value >> (8 * i));
}

}  // namespace

std::array<uint8_t, 256> flash_sfdp(size_t bytes) {
  constexpr uint8_t kTable = 0x80;
  // JESD216B, one line per DWORD of the basic parameter table.
  const uint32_t basic[16] = {
      0xFFE020E5,  // 4 KiB erase by 20h, 64-byte writes, 3-byte addresses, 1-1-4 and 1-4-4 reads
      static_cast<uint32_t>(bytes * 8 - 1),
      0x6B08EB44,  // 1-4-4: EBh, 2 mode clocks, 4 dummies; 1-1-4: 6Bh, 8 dummies
      0x00000000,  // no dual reads
      0xFFFFFFEE,  // no 2-2-2, no 4-4-4
      0x0000FFFF,
      0x0000FFFF,
      0x520F200C,  // erase: 2^12 by 20h, 2^15 by 52h
      0x0000D810,  // 2^16 by D8h
      (9 << 18 | 1 << 23) | (7 << 11 | 1 << 16) | (2 << 4 | 1 << 9) |
          6,  // 160, 128, 48 ms; at most 14 times that
      0x80000000 | (9 << 24 | 2u << 29) | (2 << 19) | (3 << 14 | 1 << 18) | (10 << 8 | 1 << 13) | 8 << 4 |
          2,  // chip 40 s, further byte 3 us, first byte 32 us, page 704 us (256 bytes); at most 6 times that
      0xFFFFFFFF,  // no suspend
      0xFFFFFFFF,
      0xB9u << 23 | 0xAB << 15 | 1 << 13 | 2 << 8 | 0xF7,  // B9h, ABh takes 3 us; busy is bit 0 of 05h
      0xFF000000 | 5 << 20 | 5 << 16 | 9 << 10 |
          1 << 9,  // quad enable: SR2 bit 1 by 01h; continuous read by Axh, ended by 00h or 8 clocks of Fh
      0x00003088,  // SR1 non-volatile, 50h for volatile writes; reset by 66h, 99h after ending continuous
                   // read
  };
  std::array<uint8_t, 256> table;
  table.fill(0xFF);
  const uint8_t header[16] = {'S', 'F', 'D', 'P', 6, 1, 0, 0xFF, 0, 6, 1, 16, kTable, 0, 0, 0xFF};
  std::ranges::copy(header, table.begin());
  for (unsigned i = 0; i < 16; ++i) store_le32(&table[kTable + 4 * i], basic[i]);
  return table;
}

}  // namespace swai::card
