// SPDX-License-Identifier: Apache-2.0
// Behavioural model of a quad SPI NOR flash chip of the W25Q family (3-byte addresses, 1 to 16 MiB).
//
// This is the chip's command machine, byte by byte: select, transfer bytes, deselect. It knows nothing of
// pins: FlashPins drives it from sck/cs/io lines, and a programmer that thinks in bytes can drive it
// directly.
//
// It behaves as the data sheets say, above all where that hurts: while busy all but the status reads is
// ignored, programming only clears bits and wraps inside the page, an erase with a byte too many does not
// happen, nothing changes without write enable, protected blocks stay, and a power cut leaves half-written
// cells behind. Not modelled: dual I/O, erase suspend, security registers, individual block locks, the WP and
// HOLD pins.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "sim/card/flash_store.hpp"

namespace swai {
class Archive;
}

namespace swai::card {

// Typical times of the data sheet in clocks of the card (1 clock = 1 ns).
struct FlashTimes {
  uint64_t first_byte = 30'000;  // programming one byte; each further one costs next_byte, all at most `page`
  uint64_t next_byte = 2'500;
  uint64_t page = 700'000;
  uint64_t erase_4k = 45'000'000;
  uint64_t erase_32k = 120'000'000;
  uint64_t erase_64k = 150'000'000;
  uint64_t erase_chip = 40'000'000'000;
  uint64_t write_status = 10'000'000;
  uint64_t power_mode = 3'000;  // into and out of deep power-down
  uint64_t reset = 30'000;

  // The same chip, `factor` times as fast (1 or more).
  FlashTimes faster(double factor) const;
};

// What is broken about a chip.
struct FlashDefects {
  // A cell that is always the same.
  struct Stuck {
    uint32_t address = 0;
    unsigned bit = 0;
    bool value = false;
  };
  // A sector of 4 KiB of which so many of the next erases leave up to so many bits at 0.
  struct Worn {
    uint32_t address = 0;
    uint32_t bits = 3;
    uint64_t erases = ~uint64_t{0};
  };
  std::vector<Stuck> stuck;
  std::vector<Worn> worn;
};

// Programming, erasing, or writing the status (no bytes), which takes from `start` to `end`.
struct FlashOperation {
  uint64_t start = 0;
  uint64_t end = 0;
  uint32_t bytes = 0;
};

struct FlashOptions {
  FlashTimes times;
  uint64_t seed = 1;  // chooses which cells a power cut hits
  uint8_t manufacturer = 0xEF;
  uint8_t memory_type = 0x40;
  bool sfdp = true;  // false: a chip from before there was such a table
  FlashDefects defects;
  std::function<void(const FlashOperation&)> begins;  // is told of each
};

class FlashChip {
 public:
  static constexpr uint32_t kPageBytes = 256;

  FlashChip(FlashStore& store, const FlashOptions& options);

  // The chip's clock; never goes back. Ends an operation whose time has come.
  void set_now(uint64_t now) {
    now_ = now;
    if (operation_ && now_ >= operation_->end) complete();
  }

  void select();
  // `whole_byte` false: chip select went up inside a byte. Then nothing that writes is executed.
  void deselect(bool whole_byte = true);

  // How the coming byte travels: on how many lines, and whether the chip drives them.
  struct Transfer {
    uint8_t lanes = 1;
    bool drives = false;
    bool operator==(const Transfer&) const = default;
  };
  Transfer coming() const;
  // The byte that the chip sends next; 0xFF when it does not drive.
  uint8_t out() const;
  // Ends one byte: what the chip received (meaningless while it drives).
  void in(uint8_t byte);
  // Full-duplex exchange of a byte on single lines.
  uint8_t transfer(uint8_t byte) {
    const uint8_t answer = out();
    in(byte);
    return answer;
  }

  bool busy() const { return operation_.has_value(); }
  // When the operation under way ends; only while busy.
  uint64_t busy_until() const { return operation_->end; }

  // Power goes away now: an operation under way stops half-done, then the chip is as after power-on.
  void power_cut();
  // Lets an operation under way end, however long it takes: for an orderly end of the simulation.
  void finish();

  struct Counters {
    uint64_t commands = 0;  // accepted
    uint64_t ignored = 0;   // unknown, while busy or asleep, not write-enabled, protected, malformed
    uint64_t programs = 0;
    uint64_t erases = 0;
    uint64_t bytes_read = 0;  // of the cells
    uint64_t bytes_programmed = 0;
    uint64_t bytes_erased = 0;
  };
  const Counters& counters() const { return counters_; }

  // All but the cells, and what defects and power cuts do to them.
  void visit(Archive& archive);

 private:
  enum class Phase : uint8_t { kOpcode, kAddress, kMode, kDummy, kData, kIgnore };
  enum class Kind : uint8_t { kProgram, kErase, kStatus };
  struct Command;
  struct Operation {
    Kind kind{};
    uint64_t start = 0;
    uint64_t end = 0;
    uint32_t address = 0;
    uint32_t bytes = 0;
    std::array<uint8_t, kPageBytes> page{};  // what to clear: ANDed into the cells
    FlashStatusBits status;
  };

  static const Command* find(uint8_t opcode);
  bool accepted(const Command& command) const;
  void enter_phases();
  void next_phase(Phase from);
  void execute();
  bool write_enabled_execute();
  bool program();
  bool erase(uint32_t bytes, uint64_t clocks);
  bool write_status();
  void begin(Operation operation, uint64_t clocks);
  void complete();
  void interrupt_operation();
  void power_on();
  void wear(uint32_t first, uint32_t bytes);
  void apply_stuck(uint32_t first, uint32_t bytes);
  bool is_protected(uint32_t first, uint32_t bytes) const;
  uint8_t status1() const;
  uint8_t device_id() const;
  uint32_t mask() const { return static_cast<uint32_t>(store_.size() - 1); }

  FlashStore& store_;
  FlashOptions options_;
  std::mt19937_64 random_;
  uint64_t now_ = 0;
  Counters counters_;

  // Between commands.
  FlashStatusBits status_;  // as it works now; the non-volatile copy is in the store
  bool write_enable_ = false;
  bool volatile_enable_ = false;  // 50h came just before
  bool reset_enable_ = false;     // 66h came just before
  bool power_down_ = false;
  bool continuous_read_ = false;  // EBh with mode bits: the next command is only an address
  uint64_t deaf_until_ = 0;
  std::optional<Operation> operation_;

  // Inside a command.
  bool selected_ = false;
  Phase phase_ = Phase::kIgnore;
  const Command* command_ = nullptr;
  uint32_t count_ = 0;  // bytes of the phase so far
  uint32_t address_ = 0;
  std::array<uint8_t, kPageBytes> page_{};
  uint32_t page_bytes_ = 0;
  std::array<uint8_t, 2> status_in_{};
};

// The serial flash discoverable parameters (JESD216B) of a chip with `bytes` bytes; 256 bytes.
std::array<uint8_t, 256> flash_sfdp(size_t bytes);

}  // namespace swai::card
