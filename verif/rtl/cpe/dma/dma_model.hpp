// SPDX-License-Identifier: Apache-2.0
// What the DMA engine of a CPE should do: commands become transfers, transfers become pieces that lie in one
// line of global memory, and memories change. Transfers in flight must not overlap, so that the order of
// their pieces does not matter.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "cpe_isa.hpp"

namespace swai::cpe {

using isa::kLdmBase;
using isa::kLdmBytes;
inline constexpr uint64_t kOffsets = uint64_t{1} << 48;
inline constexpr unsigned kLine = 64;

using namespace isa::dma_op;
inline constexpr uint8_t kFirstUnknown = kClass + 1;

struct Command {
  uint8_t op = 0;
  uint32_t rs1 = 0;
  uint32_t rs2 = 0;
  uint32_t pc = 0;
};

// A segment's memory: `bytes` from `base` on; no others are ever touched.
struct Segment {
  uint16_t number = 0;
  uint64_t base = 0;
  std::vector<uint8_t> bytes;
};

struct Shape {
  uint32_t rows = 1;
  uint32_t ldm_stride = 0;
  int32_t stride = 0;
};

struct Piece {
  bool write = false;
  uint16_t segment = 0;
  uint64_t offset = 0;
  bool outside = false;  // of the 48 bits that offsets have; offset is its lower bits
  uint32_t ldm = 0;
  unsigned bytes = 0;
  uint32_t pc = 0;
  uint32_t ticket = 0;
};

// Local and global memory.
struct Memories {
  std::vector<uint8_t> ldm;
  std::vector<Segment> segments;

  // Where a byte of a segment is; nullptr: nowhere.
  uint8_t* at(uint16_t segment, uint64_t offset);
};

class DmaModel {
 public:
  struct Answer {
    bool bad = false;
    bool waits = false;  // depends on what is complete: `ticket`
    uint32_t ticket = 0;
    uint32_t data = 0;  // of a transfer
  };

  explicit DmaModel(const Memories& begin) : expected(begin) {}

  // The command is taken. Pieces of a transfer are appended to `pieces`.
  Answer take(const Command& command);
  // Resets the settings of transfers at the end of a launch.
  void end_launch() {
    global_ = 0;
    shape_ = {};
    background_ = false;
  }
  // What it would be refused for, with the shape that counts now.
  bool is_bad(const Command& command) const;
  // Would this transfer be defined? Not if it overlaps one in flight, runs out of the memories, or its rows
  // overlap where it writes.
  bool independent(uint64_t pointer, const Shape& shape, const Command& command);

  // All transfers up to this ticket are complete: forget them. Throws when a byte that they wrote is not
  // right.
  void complete(uint32_t ticket, Memories& actual);
  // The engine stopped somewhere: each byte in flight is the old or the new one, and the actual one is right
  // from now on.
  void stopped(Memories& actual);
  // All bytes of all memories.
  void compare(const Memories& actual) const;

  uint32_t begun() const { return begun_; }
  uint64_t pointer() const { return global_; }
  // The class of the transfers that follow. Nothing else depends on it.
  bool background() const { return background_; }

  Memories expected;
  std::deque<Piece> pieces;  // not yet requested

 private:
  struct Byte {
    uint8_t* expected;
    uint32_t segment;  // index; kInLdm
    uint32_t index;
    uint8_t before;
  };
  struct Transfer {
    uint32_t ticket;
    std::vector<Byte> written;
    std::vector<Piece> pieces;
  };

  std::vector<Piece> cut(uint64_t pointer, const Shape& shape, const Command& command) const;
  bool mark(const std::vector<Piece>& pieces);
  void unmark(const std::vector<Piece>& pieces);
  static uint8_t actual_of(const Byte& byte, const Memories& actual);

  uint64_t global_ = 0;
  Shape shape_;
  bool background_ = false;
  uint32_t begun_ = 0;
  std::deque<Transfer> flying_;
  // Per byte: how many transfers in flight read it; kWritten: one writes it.
  std::vector<uint16_t> ldm_users_ = std::vector<uint16_t>(kLdmBytes);
  std::vector<std::vector<uint16_t>> users_;
};

}  // namespace swai::cpe
