// SPDX-License-Identifier: Apache-2.0
// The cards of one process, on one root complex and one clock.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "sim/board/rootport/root_complex.hpp"
#include "sim/card/card.hpp"
#include "sim/card/card_device.hpp"
#include "sim/card/hosted_cards.hpp"

namespace swai::card {

struct CardsOptions {
  std::string configuration;
  std::vector<CardOptions> cards;
  bool card_routes = true;
  rootport::PortOptions port;
};

class Cards final : public HostedCards {
 public:
  // `console` gets every byte that a card (its number) sends on its serial line.
  Cards(const CardsOptions& options, std::vector<FlashStore>& flash,
        const std::function<void(size_t, uint8_t)>& console);

  size_t size() const override { return cards_.size(); }
  Card& card(size_t i) { return *cards_[i]; }
  CardDevice& device(size_t i) override { return *devices_[i]; }
  rootport::RootComplex& root() { return root_; }

  // Time passes from wherever something is under way, until nothing is. In multiples of so many cycles it is
  // looked whether all cards sleep: when they do, the clock stops there, however the time has been cut into
  // runs.
  static constexpr uint64_t kSleepCheck = 128;

  bool asleep() const override { return asleep_; }
  void run(uint64_t limit) override;
  void record_from_here() override;
  void finish() override;

 private:
  bool nothing_to_do() const;

  rootport::RootComplex root_;
  std::vector<std::unique_ptr<Card>> cards_;
  std::vector<std::unique_ptr<CardDevice>> devices_;
  bool asleep_ = false;
};

}  // namespace swai::card
