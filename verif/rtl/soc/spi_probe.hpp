// SPDX-License-Identifier: Apache-2.0
// The other end of the flash controller's pins as a mere responder: records every sck period and, told where
// in a command it is to speak, answers with given bits. It knows nothing of flash chips.
#pragma once

#include <cstdint>
#include <vector>

#include "verif/rtl/soc/devices.hpp"

namespace swai::soc {

struct SpiPeriod {
  uint8_t io = 0;      // lines at the rising edge of sck
  uint8_t enable = 0;  // which of them the controller drove
  uint64_t low = 0;    // clocks
  uint64_t high = 0;
};

class SpiProbe final : public verif::Agent {
 public:
  explicit SpiProbe(Devices& devices) : devices_(devices) {}

  // Answers, from period `first` on, with one nibble per period on four lines or one bit per period on io1.
  // Outputs follow the falling edge after `delay` clocks, 0 to 7; before that they are noise.
  void answer(uint64_t first, bool quad, std::vector<uint8_t> symbols, unsigned delay) {
    first_ = first;
    quad_ = quad;
    symbols_ = std::move(symbols);
    delay_ = delay;
  }

  // Of the command that was last under way.
  const std::vector<SpiPeriod>& periods() const { return periods_; }
  bool selected() const { return selected_; }
  uint64_t commands() const { return commands_; }
  // Clocks that chip select was high before the last command.
  uint64_t rest() const { return rest_; }

 private:
  void drive() override;
  void sample() override {}

  Devices& devices_;
  uint64_t first_ = 0;
  bool quad_ = false;
  std::vector<uint8_t> symbols_;
  unsigned delay_ = 0;

  bool selected_ = false;
  bool sck_ = false;
  uint64_t commands_ = 0;
  uint64_t deselected_at_ = 0;
  uint64_t rest_ = ~uint64_t{0};
  uint64_t edge_at_ = 0;
  std::vector<SpiPeriod> periods_;
};

}  // namespace swai::soc
