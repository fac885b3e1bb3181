// SPDX-License-Identifier: Apache-2.0
#include "sim/card/cards.hpp"

#include <algorithm>

namespace swai::card {
namespace {

CardsOptions cards_options(const Options& options, EventFile* events) {
  CardsOptions result;
  result.configuration = options.config;
  result.card_routes = options.iommu;
  for (size_t i = 0; i < options.cards; ++i) {
    result.cards.push_back(
        {.seed = options.seed,
         .flash = {.times = FlashTimes{}.faster(options.flash_speed), .seed = options.seed.value_or(1)},
         .rom = options.rom,
         .waves = i == 0 ? WaveWindow{options.wave, options.wave_from, options.wave_to, options.wave_trigger,
                                      options.wave_length}
                         : WaveWindow{},
         .trace = i == 0 ? options.trace : "",
         .number = static_cast<unsigned>(i),
         .events = events,
         .events_on = options.events_on});
  }
  return result;
}

}  // namespace

std::unique_ptr<HostedCards> make_cards(const Options& options, std::vector<FlashStore>& flash,
                                        EventFile* events, std::function<void(size_t, uint8_t)> console) {
  return std::make_unique<Cards>(cards_options(options, events), flash, console);
}

Cards::Cards(const CardsOptions& options, std::vector<FlashStore>& flash,
             const std::function<void(size_t, uint8_t)>& console)
    : root_({.card_routes = options.card_routes}) {
  const auto count = static_cast<unsigned>(options.cards.size());
  for (unsigned i = 0; i < count; ++i) {
    rootport::RootPort& port = root_.add(options.port);
    cards_.push_back(std::make_unique<Card>(
        options.cards[i], flash[i], [console, i](uint8_t byte) { console(i, byte); }, &port));
    root_.set_run(i, [this, i](uint64_t cycles) { cards_[i]->clock(cycles); });
    devices_.push_back(std::make_unique<CardDevice>(*cards_[i], root_, port, options.configuration, count,
                                                    [this] { asleep_ = false; }));
    port.link_up();
  }
}

bool Cards::nothing_to_do() const {
  return root_.quiet() && std::ranges::all_of(cards_, [](const auto& card) { return card->asleep(); }) &&
         std::ranges::all_of(devices_, [](const auto& device) { return device->settled(); });
}

void Cards::run(uint64_t limit) {
  while (!asleep_ && root_.cycle() < limit) {
    const uint64_t now = root_.cycle();
    const uint64_t until = std::min(limit, (now / kSleepCheck + 1) * kSleepCheck);
    root_.advance(until - now);
    if (root_.cycle() % kSleepCheck == 0) asleep_ = nothing_to_do();
    if (root_.cycle() != until || root_.stopped()) return;
  }
}

void Cards::record_from_here() {
  for (const auto& card : cards_)
    if (card->events() != nullptr) card->events()->record_from_here();
}

void Cards::finish() {
  for (const auto& card : cards_) {
    card->flash().finish();
    if (card->events() != nullptr) card->events()->record(false);
  }
}

}  // namespace swai::card
