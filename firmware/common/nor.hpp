// SPDX-License-Identifier: Apache-2.0
// The quad SPI NOR flash behind the flash controller. Chips of the W25Q kind: 3-byte addresses, quad output
// read 6Bh, quad enable in bit 1 of status register 2.
#pragma once

#include <cstdint>
#include <span>

namespace swai::fw {

class Nor {
 public:
  struct Id {
    uint8_t manufacturer;
    uint8_t type;
    uint8_t capacity;  // log2 of bytes
  };
  static Id read_id();
  // All lines low or all high: nobody answers.
  static bool is_present(const Id& id);

  // Waits for the end of a program or erase operation; false when it takes more than `clocks`.
  static bool wait_ready(uint64_t clocks);

  // Switches the chip's four-line mode on where the factory or a torn status write left it off. Only until
  // power goes: the ROM leaves the chip's settings as they are.
  static bool enable_quad();

  // A read in two halves: between them the data comes in. `hash`: the SHA-256 engine takes every byte, too.
  static void begin_read(uint32_t offset, uint32_t bytes, bool hash);
  // The next words of the read; waits for them as long as they take.
  static void take(std::span<uint64_t> words);

  // Clears bits of at most a page. False: the chip did not take it or did not finish in time. What it says is
  // not proof: read back what matters.
  static bool program(uint32_t offset, std::span<const uint8_t> bytes);
};

}  // namespace swai::fw
