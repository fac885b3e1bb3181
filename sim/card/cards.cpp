#include "sim/card/cards.hpp"

#include <algorithm>

namespace swai::card {

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

}  // namespace swai::card
