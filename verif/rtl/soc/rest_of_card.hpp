// SPDX-License-Identifier: Apache-2.0
// The rest of the card, at both doors of the management complex: it answers the core, and visits SRAM and
// inbox. Its lines of the SRAM are not the core's.
#pragma once

#include <unordered_map>

#include "Vtb_soc.h"
#include "card_regs.hpp"
#include "verif/rtl/lib/bench.hpp"
#include "verif/rtl/lib/mbus.hpp"
#include "verif/rtl/soc/played_core.hpp"

namespace swai::soc {

// What the card's devices and memories answer.
Line card_line(uint64_t address, unsigned op);
bool card_refuses(uint64_t address);

class RestOfCard final : verif::Agent {
 public:
  explicit RestOfCard(verif::Bench<Vtb_soc>& bench);

  void visiting(bool on) { visiting_ = on; }
  bool idle() const { return visitor_.idle() && slave_.outstanding() == 0; }
  uint64_t asked() const { return slave_.requests(); }
  uint64_t visits() const { return visitor_.responses(); }

 private:
  static constexpr uint64_t kLines = 16;
  static constexpr uint64_t kBase = regs::kLocalRegion.base + regs::kSramBytes / 2;

  Vtb_soc& top() { return bench_.top(); }

  void drive() override {
    const bool waits = visitor_.requests() != visitor_.responses() || slave_.outstanding() != 0;
    top().drained_i = waits ? 0 : 1;
  }
  void sample() override {
    if (Core::instance->in_reset) words_.erase(regs::inbox::done2::kAddr);
  }

  verif::MbusRequest visit();
  void check_visit(const verif::MbusRequest& request, const verif::MbusResponse& response);

  verif::Bench<Vtb_soc>& bench_;
  verif::MbusSlave slave_;
  verif::MbusMaster visitor_;
  bool visiting_ = true;
  std::unordered_map<uint64_t, uint64_t> words_;  // that the visitor wrote
};

}  // namespace swai::soc
