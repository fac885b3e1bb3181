// SPDX-License-Identifier: Apache-2.0
// swai-card as a server: cards behind vfio-user sockets.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/transport/server/server.hpp"
#include "sim/card/console.hpp"
#include "sim/card/hosted_cards.hpp"
#include "sim/card/options.hpp"

namespace swai::card {

class Serve {
 public:
  explicit Serve(const Options& options);

  // Boots the cards, then serves until a signal; returns the exit code.
  int run();

 private:
  void put(size_t card, uint8_t byte);

  Options options_;
  StopSignal stop_;
  std::vector<FlashStore> flash_;
  std::unique_ptr<EventFile> events_;
  std::vector<std::string> lines_;  // of the cards' consoles, as far as they have come
  std::unique_ptr<HostedCards> cards_;
  socket::Server server_;
};

// The socket or flash file of a card: card 0 has the name that was given, card n has it with ".n".
std::string name_of_card(const std::string& name, size_t card);

}  // namespace swai::card
