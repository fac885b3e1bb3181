// SPDX-License-Identifier: Apache-2.0
// The card: the Verilated SoC, and around it the parts that are not ours: clock, flash chip, serial line.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "sim/board/flash/flash_chip.hpp"
#include "sim/board/flash/flash_pins.hpp"
#include "sim/board/hbm/hbm_cells.hpp"
#include "sim/board/rootport/root_port.hpp"
#include "sim/card/events.hpp"
#include "sim/card/model.hpp"
#include "sim/card/trace.hpp"
#include "sim/card/uart_pins.hpp"
#include "sim/common/gdb_stub_mpe.hpp"
#include "sim/seam/works.hpp"

namespace swai::card {

// The boot status word (register system.status), as it is seen from outside.
struct BootStatus {
  enum class Stage : uint8_t { kReset, kRom, kLoading, kKernel, kReady, kRecovery, kFailed };
  enum class Slot : uint8_t { kNone, kA, kB };
  Stage stage = Stage::kReset;
  Slot slot = Slot::kNone;
  uint16_t detail = 0;
  bool operator==(const BootStatus&) const = default;
};

const char* text(BootStatus::Stage stage);

struct CardOptions {
  std::optional<uint64_t> seed;  // of what is left open at power-on; without one it is zero
  FlashOptions flash;
  std::string rom;  // rows of 512 bits in hex
  WaveWindow waves;
  std::string trace;  // file; empty: none
  unsigned number = 0;
  EventFile* events = nullptr;  // null: none
  bool events_on = true;        // from the beginning
};

class Card final : public common::DebugPort {
 public:
  // `console` gets every byte that the card sends. Without a port nothing is in the card's slot: the link is
  // down.
  Card(const CardOptions& options, FlashStore& flash, std::function<void(uint8_t)> console,
       rootport::RootPort* port = nullptr);

  // Takes power away and gives it back: an operation of the flash chip under way is torn, the clock starts at
  // 0 again.
  void power_cycle();

  // One clock.
  void tick() override {
    Vcard_top& top = model_.top();
    hbm_.make_current();
    if (events_) top.trace_i = events_->clock();
    model_.tick();
    ++cycle_;
    top.flash_io_i = flash_pins_.clock(now(), {.cs_n = top.flash_cs_no != 0,
                                               .sck = top.flash_sck_o != 0,
                                               .out = top.flash_io_o,
                                               .enable = top.flash_io_oe_o});
    top.uart_rx_i = uart_.clock(now(), top.uart_tx_o != 0);
    if (port_ != nullptr) port_->clock();
    if (top.status_o != last_status_) note_status();
    if (top.rvfi_valid_o) {
      if (trace_) trace_->record(cycle_, top);
      if (events_) events_->retired(top.rvfi_pc_o);
    }
  }

  // So many of them, asleep or not; for one of several cards.
  void clock(uint64_t clocks) {
    for (uint64_t i = 0; i < clocks; ++i) tick();
  }

  // Up to `clocks` of them; ends earlier when the card falls asleep or its core is halted by the debug port.
  void run(uint64_t clocks) {
    for (uint64_t i = 0; i < clocks; ++i) {
      tick();
      if (asleep() || model_.top().dbg_halted_o) return;
    }
  }

  // Nothing happens on the card any more, whatever the number of clocks, until input comes.
  bool asleep() { return model_.top().sleep_o && uart_.quiet(); }

  // Clocks since power came.
  uint64_t cycle() const { return cycle_; }
  BootStatus status() const;
  // The clock at which the status word first said ready; 0: it has not yet.
  uint64_t ready_cycle() const { return ready_cycle_; }

  UartPins& uart() { return uart_; }
  FlashChip& flash() { return chip_; }
  cg::HbmCells& hbm() { return hbm_; }
  // Null where nothing asks for events.
  CardEvents* events() { return events_ ? &*events_ : nullptr; }
  unsigned groups() const { return hbm_.groups(); }
  // Null where nobody counts.
  const array::Works* works() const;
  FlashPins& flash_pins() { return flash_pins_; }

  void drive(const common::DebugRequest& request) override;
  common::DebugResponse sample() const override;

 private:
  // The flash chip's clock goes on through power cycles.
  uint64_t now() const { return epoch_ + cycle_; }
  void note_status();

  Model model_;
  cg::HbmCells hbm_;
  rootport::RootPort* port_;
  FlashChip chip_;
  FlashPins flash_pins_;
  std::function<void(uint8_t)> console_;
  UartPins uart_;
  uint64_t epoch_ = 0;
  uint64_t cycle_ = 0;
  uint32_t last_status_ = 0;
  uint64_t ready_cycle_ = 0;
  std::optional<Trace> trace_;
  std::optional<CardEvents> events_;
};

}  // namespace swai::card
