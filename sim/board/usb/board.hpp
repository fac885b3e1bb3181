// SPDX-License-Identifier: Apache-2.0
// An emulated board, put together as its board.json says, on the wire.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "host/lib/boards.hpp"
#include "sim/board/usb/circuits.hpp"
#include "sim/board/usb/faults.hpp"
#include "sim/board/usb/ft2232h.hpp"
#include "sim/board/usb/nor.hpp"
#include "sim/board/usb/usb_port.hpp"
#include "sim/card/flash_store.hpp"

namespace swai::usb {

struct BoardOptions {
  boards::Board kind;
  std::string serial;
  NorOptions nor;
  FaultPlan faults;
};

// From when to when the host read or programmed the flash, as it saw it.
struct Stretch {
  std::optional<Picoseconds> first;
  Picoseconds last = 0;
  Picoseconds length() const { return first ? last - *first : 0; }
};

class Board {
 public:
  Board(const BoardOptions& options, card::FlashStore& store);

  UsbPort& port() { return port_; }
  const UsbPort& port() const { return port_; }
  Ft2232h& adapter() { return adapter_; }
  const Ft2232h& adapter() const { return adapter_; }
  const Nor& flash() const { return flash_; }
  const BoardOptions& options() const { return options_; }
  // Nothing on boards whose flash chip is on the pins.
  const Ecp5Tap* tap() const;

  // A transfer that has ended; see UsbPort::reap().
  std::optional<Urb> reap();
  // The host is done: what is under way happens, power cuts included.
  void finish();

  const Stretch& reading() const { return reading_; }
  // Of the clock with which it read.
  Picoseconds reading_half_period() const { return reading_half_period_; }
  const Stretch& programming() const { return programming_; }
  bool power_was_cut() const { return power_was_cut_; }

 private:
  void operation_begins(const card::FlashOperation& operation);

  BoardOptions options_;
  Nor flash_;
  std::unique_ptr<Circuit> circuit_;
  OpenPins open_;
  Ft2232h adapter_;
  UsbPort port_;

  uint64_t operations_ = 0;
  uint64_t operation_bytes_ = 0;
  bool power_was_cut_ = false;
  Stretch reading_;
  Stretch programming_;
  Picoseconds reading_half_period_ = 0;
  Picoseconds reaped_ = 0;
  uint64_t read_ = 0;  // by then
  uint64_t programmed_ = 0;
};

}  // namespace swai::usb
