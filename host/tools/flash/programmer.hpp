// SPDX-License-Identifier: Apache-2.0
// What plans and their execution need of a flash chip, whatever lies between.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace swai::flash {

// An erase operation that a chip has.
struct EraseKind {
  uint32_t bytes = 0;
  uint32_t typical_us = 0;
  uint8_t opcode = 0;
};

struct Geometry {
  uint32_t bytes = 0;
  uint32_t page_bytes = 256;
  std::vector<EraseKind> erases;  // ascending; the first is the sector

  uint32_t sector_bytes() const { return erases.front().bytes; }
};

// All functions throw BoardError. After one, recover() comes before anything else.
class Programmer {
 public:
  virtual ~Programmer() = default;

  virtual const Geometry& geometry() const = 0;
  // Chip and way to it, for people.
  virtual std::string description() const = 0;

  virtual void read(uint32_t offset, std::span<uint8_t> to) = 0;
  // `bytes` is one of the chip's erase sizes, and `offset` a multiple of it. Returns when it is done.
  virtual void erase(uint32_t offset, uint32_t bytes) = 0;
  // Clears bits. Returns when it is done.
  virtual void program(uint32_t offset, std::span<const uint8_t> bytes) = 0;
  // Brings the way to the chip into a known state.
  virtual void recover() = 0;
};

}  // namespace swai::flash
