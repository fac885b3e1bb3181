// SPDX-License-Identifier: Apache-2.0
// The pins of a flash chip: turns edges of chip select and sck into bytes for FlashChip, in SPI modes 0
// and 3.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/board/flash/flash_chip.hpp"

namespace swai::card {

// What the controller puts on the wires in one clock. Bit i of out and enable is io line i.
struct FlashWires {
  bool cs_n = true;
  bool sck = false;
  uint8_t out = 0;
  uint8_t enable = 0;
};

class FlashPins {
 public:
  // `output_delay`: clocks from a falling edge of sck until the chip's outputs follow (tCLQV of the data
  // sheet).
  explicit FlashPins(FlashChip& chip, uint64_t output_delay = 6) : chip_(chip), output_delay_(output_delay) {}

  // One clock of the card: the wires as the controller drives them now; returns what it can read from the io
  // lines. Call it with ever growing `now`.
  uint8_t clock(uint64_t now, const FlashWires& wires) {
    if (wires.cs_n != cs_n_ || wires.sck != sck_) edge(now, wires);
    if (outputs_pending_ && now >= outputs_at_) apply_outputs();
    if ((wires.enable & driven_) != 0) ++contention_;
    // A line that nobody drives is pulled up.
    const auto chip_side = static_cast<uint8_t>(level_ | ~driven_);
    return static_cast<uint8_t>(((wires.out & wires.enable) | (chip_side & ~wires.enable)) & 0xF);
  }

  // Eight pulses of sck at once, from low and back, the byte on io 0: returns what the chip put on io 1
  // meanwhile. Nothing: the wires do not stand as this needs it, or so fast a clock must be looked at edge by
  // edge.
  std::optional<uint8_t> exchange(uint64_t last_rise, uint64_t end, uint64_t half_period, uint8_t byte);

  // Nothing will happen on the chip's side until the wires change.
  bool quiet() const { return !outputs_pending_; }

  // Rules of the data sheet that the controller broke.
  struct Violations {
    uint64_t contention = 0;  // clocks in which both sides drove a line
    uint64_t fast_read = 0;   // bytes read by 03h with sck above 50 MHz
    uint64_t deselect = 0;    // chip select high for less than 50 ns
    uint64_t sck = 0;         // sck phases shorter than 3 ns (133 MHz)
    uint64_t total() const { return contention + fast_read + deselect + sck; }
  };
  Violations violations() const {
    Violations all = violations_;
    all.contention = contention_;
    return all;
  }

 private:
  void edge(uint64_t now, const FlashWires& wires);
  void rising(uint64_t now, const FlashWires& wires);
  void falling(uint64_t now);
  void byte_ends();
  void apply_outputs() {
    level_ = next_level_;
    driven_ = next_driven_;
    outputs_pending_ = false;
  }

  FlashChip& chip_;
  uint64_t output_delay_;

  bool cs_n_ = true;
  bool sck_ = false;
  uint64_t last_edge_ = 0;
  uint64_t last_rise_ = 0;
  uint64_t deselected_at_ = 0;
  bool ever_selected_ = false;

  unsigned bits_ = 0;  // of the byte under way
  uint8_t byte_in_ = 0;
  uint8_t byte_out_ = 0;
  bool opcode_ = false;     // the byte under way is the opcode
  bool slow_read_ = false;  // the command is 03h
  uint8_t level_ = 0;       // what the chip drives now
  uint8_t driven_ = 0;      // on which lines
  uint8_t next_level_ = 0;  // and from outputs_at_ on
  uint8_t next_driven_ = 0;
  uint64_t outputs_at_ = 0;
  bool outputs_pending_ = false;

  uint64_t contention_ = 0;
  Violations violations_;
};

}  // namespace swai::card
