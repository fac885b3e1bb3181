// SPDX-License-Identifier: Apache-2.0
// The cards of a server process, of whichever tier: RTL or the functional model.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "host/transport/server/device.hpp"
#include "sim/card/flash_store.hpp"
#include "sim/card/options.hpp"

namespace swai::card {

class HostedCards : public socket::Clock {
 public:
  virtual size_t size() const = 0;
  virtual socket::Device& device(size_t card) = 0;
  // What the cards do is recorded from now on, if there is a file for it; only cards in RTL tell it.
  virtual void record_from_here() {}
  // The server is about to end: what a card still has under way with its surroundings is completed.
  virtual void finish() = 0;
};

// Those of this program's tier. `console` gets every byte that a card (its number) sends on its serial line;
// `events` may be null.
std::unique_ptr<HostedCards> make_cards(const Options& options, std::vector<FlashStore>& flash,
                                        EventFile* events, std::function<void(size_t, uint8_t)> console);

}  // namespace swai::card
